"""A sentence for each refusal: which rule stood in the way, with the cards it is about."""

from collections.abc import Callable, Mapping
from typing import Final

from kings_client.words import counts
from kings_client.words.cards import kind, the_card, wanted
from kings_client.words.knobs import not_possible
from kings_client.words.tongue import later, tell
from kings_engine.cards import KING, is_red
from kings_engine.errors import Code
from kings_engine.places import place_str
from kings_protocol.codes import RefusalCode
from kings_protocol.messages import Refused

Sentence = str | Callable[[Refused], str]


def _not_in_hand(refused: Refused) -> str:
    if refused.card is None:
        return tell("that card is not in your hand")
    return tell("the {card} is not in your hand", card=the_card(refused.card))


def _source_empty(refused: Refused) -> str:
    if refused.source is None:
        return tell("no pile lies there")
    return tell("no pile lies on {place}", place=place_str(refused.source))


def _goes_on(refused: Refused) -> str:
    """Say what a card goes on, and what lies there instead."""
    if refused.card is None or refused.top is None:
        return tell("a card goes on one that is a rank higher and of the other colour")
    if refused.card >> 2 == KING:
        return tell("a king goes on no card, not on the {top}", top=the_card(refused.top))
    return tell(
        "a {kind} goes on a {wanted}, not on the {top}",
        kind=kind(refused.card),
        wanted=wanted(refused.card),
        top=the_card(refused.top),
    )


def _on_ace(refused: Refused) -> str:
    if refused.top is None:
        return tell("nothing goes on an ace: an ace closes its pile")
    return tell("nothing goes on the {top}: an ace closes its pile", top=the_card(refused.top))


def _colour(refused: Refused) -> str:
    if refused.card is None or refused.top is None:
        return tell("the two cards have the same colour; colours alternate")
    if refused.card >> 2 == KING:
        return _goes_on(refused)
    red = later("a {kind} goes on a {wanted}, not on the red {top}")
    black = later("a {kind} goes on a {wanted}, not on the black {top}")
    return tell(
        red if is_red(refused.top) else black,
        kind=kind(refused.card),
        wanted=wanted(refused.card),
        top=the_card(refused.top),
    )


def _suit(refused: Refused) -> str:
    if refused.top is None:
        return tell("this corner is built in its king's suit")
    return tell("this corner is built in one suit, that of the {top}", top=the_card(refused.top))


def _needs_king(refused: Refused) -> str:
    if refused.place is None:
        return tell("only a king opens the corner")
    return tell("only a king opens the corner {place}", place=place_str(refused.place))


def _place_needs_king(refused: Refused) -> str:
    if refused.place is None:
        return tell("that place takes only a king now: no pile was moved away from it this turn")
    return tell(
        "{place} takes only a king now: no pile was moved away from it this turn",
        place=place_str(refused.place),
    )


def _king_first(refused: Refused) -> str:
    if refused.card is None:
        return tell("play your king first: an empty corner waits for it")
    return tell("play the {card} first: an empty corner waits for it", card=the_card(refused.card))


def _must_play(refused: Refused) -> str:
    if refused.card is not None:
        return tell(
            "you can still play the {card}, so your turn cannot end yet",
            card=the_card(refused.card),
        )
    if refused.source is not None:
        return tell(
            "the pile on {place} can still move, so your turn cannot end",
            place=place_str(refused.source),
        )
    return tell("you can still play, so your turn cannot end yet")


def _table_full(refused: Refused) -> str:
    if refused.limit is None:
        return tell("no seat is open at that table")
    return tell("{limit} people watch that table already", limit=refused.limit)


def _bad_rules(refused: Refused) -> str:
    faults = (not_possible(one.knob, one.given, one.allowed) for one in refused.faults)
    return tell("these rules cannot be played. {faults}", faults="; ".join(faults))


def _too_many(refused: Refused) -> str:
    if refused.seconds is None:
        return tell("that was too much at once")
    return tell("that was too much at once; wait {time}", time=counts.seconds(refused.seconds))


def _too_much_chat(refused: Refused) -> str:
    if refused.seconds is None:
        return tell("too many lines of chat; say it again in a while")
    time = counts.seconds(refused.seconds)
    return tell("too many lines of chat; say it again in {time}", time=time)


def _too_many_tables(refused: Refused) -> str:
    if refused.limit is None:
        return tell("the server has all the tables it can already; join one of them")
    have = counts.tables(refused.limit)
    return tell("no more than {tables} may be made; join one of them", tables=have)


SENTENCES: Final[Mapping[str, Sentence]] = {
    Code.MATCH_OVER: later("the match is over"),
    Code.NO_DEAL: later("no deal is running just now"),
    Code.DEAL_RUNNING: later("the deal has to end first"),
    Code.TABLE_ONLY: later("only the table itself can do that"),
    Code.SEAT_ONLY: later("only a player can do that"),
    Code.NOT_YOUR_TURN: later("it is not your turn"),
    Code.NOT_IN_MATCH: later("that seat is not in the match any more"),
    Code.NOT_IN_HAND: _not_in_hand,
    Code.STOCK_CLOSED: later("the stock lies face down here: its cards are drawn, not played"),
    Code.STOCK_EMPTY: later("the stock is empty"),
    Code.NO_SUCH_PLACE: later("there is no such place on this table"),
    Code.SOURCE_EMPTY: _source_empty,
    Code.SAME_PILE: later("a pile does not go on itself"),
    Code.PILE_TO_EMPTY_SIDE: later(
        "an empty side is filled from the hand; piles do not move there"
    ),
    Code.CORNER_TO_CORNER: later("a king's pile stays in its corner"),
    Code.KING_PILE_STAYS: later("at this table a king's pile never moves to a corner"),
    Code.KING_PILE_LATE: later("a king's pile moves to a corner only in the first turn of a deal"),
    Code.CORNER_NEEDS_KING: _needs_king,
    Code.PLACE_NEEDS_KING: _place_needs_king,
    Code.NO_KING_HERE: later("a king goes to a corner, not to a side"),
    Code.ON_ACE: _on_ace,
    Code.WRONG_RANK: _goes_on,
    Code.WRONG_COLOUR: _colour,
    Code.WRONG_SUIT: _suit,
    Code.PILE_NOT_OF_SUIT: later("this corner is built in one suit, and that pile has several"),
    Code.KING_FIRST: _king_first,
    Code.MUST_PLAY: _must_play,
    Code.BAD_SOURCE: later("the cards for the deal are not in order"),
    RefusalCode.BAD_SECRET: later("this server was started for one person alone"),
    RefusalCode.NOT_ENCRYPTED: later("no password without encryption: others could read it"),
    RefusalCode.BAD_NAME: later("that name shows nothing or is a word of the game; choose another"),
    RefusalCode.ALREADY_AT_TABLE: later("you are at a table already; leave it first"),
    RefusalCode.NOT_AT_TABLE: later("you are at no table"),
    RefusalCode.WATCHERS_MAY_NOT: later("you are watching; only players can do that"),
    RefusalCode.NO_SUCH_TABLE: later("that table is gone"),
    RefusalCode.TABLE_FULL: _table_full,
    RefusalCode.NO_SUCH_SEAT: later("the table has no such seat"),
    RefusalCode.SEAT_TAKEN: later("that seat is taken"),
    RefusalCode.WRONG_PASSWORD: later("that is not the table's password"),
    RefusalCode.NOT_WATCHABLE: later("that table takes no spectators"),
    RefusalCode.NO_SUCH_PRESET: later("the server knows no rules of that name"),
    RefusalCode.BAD_RULES: _bad_rules,
    RefusalCode.BAD_PACE: later("the bots' shortest pace is longer than their longest"),
    RefusalCode.TOO_MANY_BOTS: later("there are more bots than seats beside yours"),
    RefusalCode.LEVEL_NEEDS_COMPILER: later("such bots need numba, which is not on the server"),
    RefusalCode.LEVEL_NOT_READY: later("such bots are being made ready; try in half a minute"),
    RefusalCode.LEVEL_BROKEN: later("such bots do not work on this server; its log says why"),
    RefusalCode.TOO_MANY_TABLES: _too_many_tables,
    RefusalCode.BAD_TOKEN: later("your seat could not be proved yours; join the table anew"),
    RefusalCode.SEAT_GIVEN_UP: later("your seat was given up meanwhile"),
    RefusalCode.HOST_ONLY: later("only the table's host can do that"),
    RefusalCode.SEAT_WAS_YOURS: later(
        "all hands are open in the deal you left; watch the next one"
    ),
    RefusalCode.NOT_NOW: later("that is not possible just now"),
    RefusalCode.PAUSED: later("the match is paused until everybody wants to go on"),
    RefusalCode.NOT_A_PERSON: later("no other person sits there"),
    RefusalCode.NOT_A_BOT: later("no bot sits there"),
    RefusalCode.SILENCED: later("the host has silenced you"),
    RefusalCode.HINTS_OFF: later("this table is played without hints"),
    RefusalCode.STALE_VERSION: later("the table changed just before that; look again"),
    RefusalCode.NO_OFFER: later("the deal was already made without your share of the shuffle"),
    RefusalCode.SHARE_GIVEN: later("your share of the deck is already in"),
    RefusalCode.BAD_SHARE: later("your share of the deck is not the one that was committed to"),
    RefusalCode.NO_SUCH_DEAL: later("this match has had no such deal"),
    RefusalCode.DEAL_UNFINISHED: later("a deal can be checked when it is over"),
    RefusalCode.ID_REUSED: later("the server took this for an older request; try once more"),
    RefusalCode.TOO_MANY_REQUESTS: _too_many,
    RefusalCode.TOO_MUCH_CHAT: _too_much_chat,
    RefusalCode.JOURNAL_UNAVAILABLE: later(
        "the server cannot save; nothing was changed, try again soon"
    ),
    RefusalCode.SHUTTING_DOWN: later("the server is about to stop"),
}
"""Every code with its sentence; a function where the facts of the refusal belong in it."""


def refusal(refused: Refused) -> str:
    """Return the sentence of a refusal, without a full stop; an unknown code is named."""
    sentence = SENTENCES.get(refused.code)
    if sentence is None:
        return tell("the server refused: {code}", code=refused.code.replace("_", " "))
    return tell(sentence) if isinstance(sentence, str) else sentence(refused)


def not_offered(level: str, code: str) -> str:
    """Say why bots of a level, called ``level``, cannot be seated on the server."""
    why = refusal(Refused(re="", code=code))
    return tell("{level} is not offered here: {why}", level=level, why=why)
