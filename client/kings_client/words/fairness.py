"""What the client found out about a deck, in words: the same on every way out."""

from collections.abc import Iterable, Mapping
from typing import Final

from attrs import frozen

from kings_client.marks import Check, Mark, Why, Withheld
from kings_client.words.spoken import capital
from kings_client.words.tongue import all_of, later, tell, tell_some

_MARKS: Final = {
    Mark.PENDING: later("being checked"),
    Mark.FAIR: later("fair, with your share"),
    Mark.FAIR_WITHOUT: later("fair, without your share"),
    Mark.ANEW: later("offered anew"),
    Mark.UNCHECKED: later("not checked"),
    Mark.BROKEN: later("broken"),
}

_WHY: Final = {
    Why.LATE: later("it came too late"),
    Why.GONE: later("you were gone"),
    Why.BOT: later("a bot played for you"),
    Why.WITHHELD: later("it was withheld before"),
    Why.WATCHED: later("you looked on"),
    Why.FIRST_FORM: later("when this file was written, no share was committed to"),
    Why.NO_PROMISE: later("no commitments were seen before it"),
    Why.OFFER_NOT_SEEN: later("not all of its commitments were seen"),
    Why.NOTHING_SEEN: later("nothing of it was seen"),
    Why.START_NOT_SEEN: later("its start was not seen"),
    Why.NO_PROOF: later("the server gave no proof"),
    Why.NEVER_DEALT: later("it was promised and never dealt"),
}

_DOUBTS: Final = {
    "another_deal": later("it is the proof of another deal"),
    "another_match": later("an offer was for a match that is over"),
    "another_table": later("an offer was for another table"),
    "commitment_changed": later("the server committed to two seeds"),
    "commitment_left_out": later("your commitment was taken, and left out of the set"),
    "commitment_not_yours": later("the set has another commitment in your name"),
    "dealer_out_of_turn": later("somebody dealt whose turn to deal it was not"),
    "dropped": later("your share was asked for, and the deal was never dealt"),
    "match_dropped": later("a new match began while a deal was promised"),
    "not_as_seen": later("the published deal is not the one that was shown"),
    "not_by_the_rules": later("the published deal is not by the rules"),
    "offer_taken_back": later("an offer came that had been replaced"),
    "offered_after_it_was_dealt": later("it was offered again after it had been dealt"),
    "offered_anew_without_cause": later("it was offered anew, and nobody had withheld a share"),
    "rules_changed": later("the rules changed between two offers of it"),
    "seed_not_committed": later("the seed is not the one that was committed to"),
    "set_changed": later("the set of commitments changed"),
    "set_incomplete": later("the set of commitments lacks a seat"),
    "set_taken_back": later("the set of commitments was taken back"),
    "share_denied": later("the server had your share, and says that you withheld it"),
    "share_not_used": later("your share is not in the deck"),
    "shares_not_committed": later("the shares are not those that were committed to"),
    "unreadable": later("the proof cannot be read"),
    "withheld_forgotten": later("a withheld share was forgotten"),
    "withheld_without_commitment": later("somebody without a share is said to have withheld one"),
}


def mark(found: Mark) -> str:
    """Return a mark in the words that name it everywhere."""
    return tell(_MARKS[found])


def told(check: Check) -> str:
    """Return what was found out about a deck, in a line."""
    match check.mark:
        case Mark.BROKEN:
            return tell("broken: {doubts}", doubts=_doubts(check))
        case Mark.ANEW | Mark.PENDING if check.anew:
            times = tell_some("once", "{count} times", len(check.anew))
            return tell("offered anew {times}: {who}", times=times, who=_whose(check.anew))
        case Mark.FAIR_WITHOUT | Mark.UNCHECKED if check.why is not None:
            return tell("{mark}: {why}", mark=mark(check.mark), why=tell(_WHY[check.why]))
    return mark(check.mark)


def explained(check: Check) -> tuple[str, ...]:
    """Say in two sentences what a mark means, and what it does not."""
    match check.mark:
        case Mark.FAIR:
            return (
                tell(
                    "Your program put a secret share into this deck before it knew anybody else's, "
                    "and what was dealt matches all that was promised."
                ),
                tell(
                    "So nobody chose the cards, neither the server nor a player; whoever runs the "
                    "server could still look at them."
                ),
            )
        case Mark.FAIR_WITHOUT:
            return (
                tell("The deck was fixed before the deal and matches what was promised."),
                tell(
                    "There is no share of yours in it, so whoever knew all the others could have "
                    "chosen the cards."
                ),
            )
        case Mark.ANEW:
            return (
                tell(
                    "A first deck was thrown away after the shares were asked for, and the second "
                    "one matches its promise."
                ),
                tell(
                    "A server together with a player can refuse a deck in this way, once for each "
                    "player, and everybody sees it."
                ),
            )
        case Mark.UNCHECKED:
            return (
                tell("Something is missing that the check needs."),
                tell("So nothing can be said of this deck, neither good nor bad."),
            )
        case Mark.BROKEN:
            return (
                tell("What the server said does not match what it said before, or what it showed."),
                tell("An honest server never does this: keep the file, and play elsewhere."),
            )
    return (
        tell("The deck's secret is published when the deal is over."),
        tell("Then your program deals and plays it again, and compares."),
    )


@frozen
class Line:
    """A line of the page about decks: one about a deck, or what a mark means."""

    text: str
    heads: bool


def page(checks: Iterable[tuple[int, Check]]) -> tuple[Line, ...]:
    """Return a line for each deck, as given, and what each mark means where it comes first.

    Each deck has the code that all who play it can compare by voice.
    """
    lines: list[Line] = []
    met: set[Mark] = set()
    coded = False
    for deal, check in checks:
        said = tell("{deal}: {mark}", deal=deal_name(deal), mark=told(check))
        exchange = check.exchange
        if exchange is not None and exchange.members:
            coded = True
            said = tell("{deck}  (code {code})", deck=said, code=exchange.code)
        lines.append(Line(capital(said), heads=True))
        if check.mark not in met:
            lines.append(Line(" ".join(explained(check)), heads=False))
        met.add(check.mark)
    if coded:
        same = tell("Everybody who plays a deck reads the same code for it.")
        lines.append(Line(same, heads=False))
    return tuple(lines)


def deal_name(deal: int) -> str:
    """Return what a check is of."""
    return tell("deal {deal}", deal=deal) if deal else tell("cut for the dealer")


def summary(checks: Mapping[int, Check]) -> str:
    """Return how many deals of a match have which mark, and who withheld a share."""
    found = [check.mark for deal, check in checks.items() if deal or check.mark is Mark.BROKEN]
    parts = [
        tell("{mark}: {count}", mark=mark(one), count=found.count(one))
        for one in Mark
        if one in found and one is not Mark.PENDING
    ]
    if anew := [one for check in checks.values() for one in check.anew]:
        parts.append(_whose(anew))
    return "; ".join(parts)


def owed(deal: int) -> str:
    """Say that a table was left, or ended, with a deck promised and not dealt."""
    deck = deal_name(deal)
    return tell("your share was asked for, and {deal} was never dealt at that table", deal=deck)


def _doubts(check: Check) -> str:
    return "; ".join(
        tell(_DOUBTS[doubt]) if doubt in _DOUBTS else doubt.replace("_", " ")
        for doubt in check.doubts
    )


def _whose(anew: Iterable[Withheld]) -> str:
    names = tuple(dict.fromkeys(one.name for one in anew if one.seat is not None and one.name))
    if not names:
        return tell("a deck was dropped")
    return tell("{names} withheld a share", names=all_of(names))
