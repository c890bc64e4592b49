"""The record of a match: its rules and everything that was done. All else is computed from it."""

import hashlib
import json
from typing import Any, Final

from attrs import frozen

from kings_engine.actions import parse_action
from kings_engine.apply import apply
from kings_engine.cards import cards_in
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_engine.rules import REVISION, BadRules, Rules, make_rules, rules_as_plain

FORMAT: Final = 1
"""The version of the record's text form."""

_NOT_A_RECORD: Final = (
    KeyError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,  # a number without end, which JSON may hold here
    RecursionError,  # brackets in brackets without end
)
"""What reading something else than a record's text runs into."""


class BadRecord(ValueError):  # noqa: N818  the field's own word
    """A record cannot be read or replayed; the message says where and why, without cards."""


@frozen
class Record:
    """What a match is computed from.

    Attributes:
        revision: which reading of the rules it was played under.
        rules: the table's rules.
        rotation: how many rematches went before.
        steps: actor and action, in the text form of ``actions``, in order. They hold secrets and
            hidden cards: a record of an unfinished deal is not for players.
    """

    revision: int
    rules: Rules
    rotation: int
    steps: tuple[tuple[int, str], ...]

    def __repr__(self) -> str:
        return f"<Record of {len(self.steps)} steps>"


def record_of(match: Match) -> Record:
    """Return the record of ``match``."""
    steps = tuple((step.actor, str(step.action)) for step in match.steps)
    return Record(REVISION, match.rules, match.rotation, steps)


def replay(record: Record) -> Match:
    """Return the match that ``record`` describes, step by step through the rules.

    Raises:
        BadRecord: the record is of another revision, or holds a step that cannot be read or is
            not legal.
    """
    if record.revision != REVISION:
        raise BadRecord(f"rules revision {record.revision}; this program plays {REVISION}")
    match = new_match(record.rules, record.rotation)
    for index, (actor, text) in enumerate(record.steps):
        try:
            action = parse_action(text)
        except ValueError:
            raise BadRecord(f"step {index + 1} is not an action") from None
        changed = apply(match, actor, action)
        if isinstance(changed, Refusal):
            raise BadRecord(f"step {index + 1} is not legal: {changed.code}")
        match, _ = changed
    return match


def record_to_text(record: Record) -> str:
    """Return the canonical text of ``record``: the same record gives the same bytes everywhere."""
    return _canonical(
        {
            "format": FORMAT,
            "revision": record.revision,
            "rules": rules_as_plain(record.rules),
            "rotation": record.rotation,
            "steps": record.steps,
        }
    )


def record_from_text(text: str) -> Record:
    """Return the record that ``text`` holds.

    Raises:
        BadRecord: it is not a record's text, or of another format.
    """
    try:
        data = json.loads(text)
        written = int(data["format"])
        record = _record_from(data) if written == FORMAT else None
    except BadRules as bad:
        raise BadRecord(f"rules that cannot be played: {bad}") from None
    except _NOT_A_RECORD:
        raise BadRecord("not a record") from None
    if record is None:
        raise BadRecord(f"record format {written}; this program reads {FORMAT}")
    return record


def _record_from(data: Any) -> Record:
    return Record(
        revision=int(data["revision"]),
        rules=make_rules(data["rules"]),
        rotation=int(data["rotation"]),
        steps=tuple((int(actor), str(action)) for actor, action in data["steps"]),
    )


def state_hash(match: Match) -> str:
    """Return a digest of the whole state, hidden cards included.

    It must never leave the server and its journal: with few hidden cards it can be guessed by
    trial.
    """
    deal = match.deal
    state = {
        "phase": match.phase,
        "seats": match.seats,
        "forfeited": match.forfeited,
        "dealer": match.dealer,
        "number": match.number,
        "sheet": match.sheet,
        "winners": match.winners,
        "losers": match.losers,
        "deal": deal
        and {
            "playing": deal.playing,
            "out": deal.out,
            "hands": tuple(map(cards_in, deal.hands)),
            "known": tuple(map(cards_in, deal.known)),
            "piles": deal.piles,
            "stock": deal.stock,
            "turn": (deal.turn, deal.turn_number, deal.acted, deal.played),
            "vacated": deal.vacated,
            "idle": deal.idle,
            "ending": deal.ending,
        },
    }
    return hashlib.sha256(_canonical(state).encode()).hexdigest()


_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def _canonical(data: object) -> str:
    return _ENCODER.encode(data)
