"""Positions with one right answer, read from ``tests/data/positions.yaml`` and played.

Seat 0 is on turn. A position gives its ``hand``, the ``piles`` (a quiet ace lies on every place of
the deal that is not named), how many cards the ``others`` hold (7), and maybe ``rules``, ``knobs``
and the ``points`` of a deal that was played before. All other cards are dealt out in some order,
and what is left is the stock; ``next`` is its next card, where it lies open, and ``stock`` how many
of its cards are left, if not all: the others lie under the last quiet ace. With ``passed`` the last
player ended its turn before.

The answer is a ``turn`` (its actions, in any order that is legal), or what must be true of it:
``out`` (the seat goes out), ``does`` (an action, or how it begins), ``keeps`` (a card), ``closed``
(no space is left).
``levels`` are those that must find it, and ``why`` says why it is right.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml
from attrs import frozen

from bot_deals import applied, at, chance_of, play_turn
from casebook import cards
from kings_engine.actions import parse_action
from kings_engine.cards import DECK_SIZE, card_str, parse_card
from kings_engine.match import Match
from kings_engine.places import CORNERS, SIDES, place_str
from kings_engine.presets import preset_rules
from kings_engine.rules import Layout, Rules

DATA: Final = Path(__file__).parent / "data" / "positions.yaml"
QUIET: Final = ("AS", "AH", "AC", "AD")
ANSWERS: Final = ("turn", "out", "does", "keeps", "closed")


@frozen
class Answer:
    """One position as written."""

    name: str
    body: dict[str, Any]

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that must find the right turn."""
        return tuple(self.body["levels"])

    @property
    def rules(self) -> Rules:
        """The position's rules."""
        players = 1 + len(self.body.get("others", (7,)))
        knobs = {**self.body.get("knobs", {}), "players": players}
        return preset_rules(self.body.get("rules", "pagat"), knobs)

    def match(self) -> Match:
        """Return a match in the position."""
        last = self.rules.players - 1 if self.body.get("passed") else 0
        match = at(self._where(last), self.rules, tuple(self.body.get("points", ())))
        return applied(match, last, parse_action("end")) if last else match

    def right(self, turn: list[str], after: Match) -> bool:
        """Say whether ``turn`` is right, after which the match stands as in ``after``."""
        body = self.body
        spaces = SIDES if self.rules.layout == Layout.CROSS else CORNERS
        found = {
            "turn": lambda: sorted(turn) == sorted(body["turn"]),
            "out": lambda: "end" not in turn and after.deal is not None and not after.deal.hands[0],
            "does": lambda: any(action.startswith(body["does"]) for action in turn),
            "keeps": lambda: not any(action.startswith(f"play {body['keeps']}") for action in turn),
            "closed": lambda: after.deal is not None and all(after.deal.piles[at] for at in spaces),
        }
        return all(found[answer]() for answer in ANSWERS if answer in body)

    def _where(self, turn: int) -> dict[str, Any]:
        body = self.body
        spaces = SIDES if self.rules.layout == Layout.CROSS else CORNERS
        names = [place_str(place) for place in spaces]
        quiet = [ace for ace in QUIET if ace not in str([body["hand"], body["piles"]])]
        free = iter(quiet)
        piles = {name: body["piles"].get(name) or "" for name in (*names, *body["piles"])}
        piles |= {name: next(free) for name in names if name not in body["piles"]}
        shown = {*cards(body["hand"]), *(c for pile in piles.values() for c in cards(pile))}
        shown |= set(cards(body.get("next", "")))
        hidden = [card * 7 % DECK_SIZE for card in range(DECK_SIZE)]
        names_left = [card_str(card) for card in hidden if card not in shown]
        hands = [body["hand"]]
        for count in body.get("others", (7,)):
            hands.append(" ".join(names_left[:count]))
            del names_left[:count]
        stock = [*body.get("next", "").split(), *names_left]
        buried = stock[body.get("stock", DECK_SIZE) :]
        if buried:
            under = " ".join(map(card_str, sorted(map(parse_card, buried))))
            last = next(name for name in reversed(names) if name not in body["piles"])
            piles[last] = f"{under} {piles[last]}"
            del stock[-len(buried) :]
        where = {"hands": hands, "piles": piles, "stock": " ".join(stock), "turn": turn}
        return {**where, "turn_number": 4 * self.rules.players + turn}


def answers() -> Iterator[Answer]:
    """Yield every position."""
    for body in yaml.safe_load(DATA.read_text(encoding="utf-8")):
        yield Answer(body["id"], body)


def play(answer: Answer, level: str) -> tuple[list[str], Match]:
    """Let ``level`` play the turn."""
    return play_turn(answer.match(), level, chance_of(0))
