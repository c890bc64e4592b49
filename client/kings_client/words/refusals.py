"""A sentence for each refusal: which rule stood in the way, with the cards it is about."""

from collections.abc import Callable, Mapping
from typing import Final

from kings_client.words.cards import article, kind, the_card, wanted
from kings_client.words.people import plural
from kings_engine.cards import KING, is_red
from kings_engine.errors import Code
from kings_engine.places import place_str
from kings_protocol.codes import RefusalCode
from kings_protocol.messages import Refused

Sentence = str | Callable[[Refused], str]


def _not_in_hand(refused: Refused) -> str:
    if refused.card is None:
        return "that card is not in your hand"
    return f"the {the_card(refused.card)} is not in your hand"


def _source_empty(refused: Refused) -> str:
    where = "there" if refused.source is None else f"on {place_str(refused.source)}"
    return f"no pile lies {where}"


def _goes_on(refused: Refused) -> str:
    """Say what a card goes on, and what lies there instead."""
    if refused.card is None or refused.top is None:
        return "a card goes on one that is a rank higher and of the other colour"
    if refused.card >> 2 == KING:
        return f"a king goes on no card, not on the {the_card(refused.top)}"
    subject, object_ = article(kind(refused.card)), article(wanted(refused.card))
    return f"{subject} goes on {object_}, not on the {the_card(refused.top)}"


def _on_ace(refused: Refused) -> str:
    ace = "an ace" if refused.top is None else f"the {the_card(refused.top)}"
    return f"nothing goes on {ace}: an ace closes its pile"


def _colour(refused: Refused) -> str:
    if refused.card is None or refused.top is None:
        return "the two cards have the same colour; colours alternate"
    colour = "red" if is_red(refused.top) else "black"
    return _goes_on(refused).replace("not on the ", f"not on the {colour} ")


def _suit(refused: Refused) -> str:
    if refused.top is None:
        return "this corner is built in its king's suit"
    return f"this corner is built in one suit, that of the {the_card(refused.top)}"


def _needs_king(refused: Refused) -> str:
    where = "" if refused.place is None else f" {place_str(refused.place)}"
    return f"only a king opens the corner{where}"


def _place_needs_king(refused: Refused) -> str:
    where = "that place" if refused.place is None else place_str(refused.place)
    return f"{where} takes only a king now: no pile was moved away from it this turn"


def _king_first(refused: Refused) -> str:
    king = "your king" if refused.card is None else f"the {the_card(refused.card)}"
    return f"play {king} first: an empty corner waits for it"


def _must_play(refused: Refused) -> str:
    if refused.card is not None:
        return f"you can still play the {the_card(refused.card)}, so your turn cannot end yet"
    if refused.source is not None:
        return f"the pile on {place_str(refused.source)} can still move, so your turn cannot end"
    return "you can still play, so your turn cannot end yet"


def _table_full(refused: Refused) -> str:
    if refused.limit is None:
        return "no seat is open at that table"
    return f"{refused.limit} people watch that table already"


def _bad_rules(refused: Refused) -> str:
    faults = (f"{one.knob}: {one.given} is not possible; {one.allowed}" for one in refused.faults)
    return "these rules cannot be played. " + "; ".join(faults)


def _stale(_: Refused) -> str:
    return "the table changed just before that; look again"


def _too_many(refused: Refused) -> str:
    wait = "" if refused.seconds is None else f"; wait {plural(refused.seconds, 'second')}"
    return f"that was too much at once{wait}"


def _too_much_chat(refused: Refused) -> str:
    wait = "a while" if refused.seconds is None else plural(refused.seconds, "second")
    return f"too many lines of chat; say it again in {wait}"


def _too_many_tables(refused: Refused) -> str:
    have = "all the tables it can" if refused.limit is None else plural(refused.limit, "table")
    return f"the server has {have} already; join one of them"


SENTENCES: Final[Mapping[str, Sentence]] = {
    Code.MATCH_OVER: "the match is over",
    Code.NO_DEAL: "no deal is running just now",
    Code.DEAL_RUNNING: "the deal has to end first",
    Code.TABLE_ONLY: "only the table itself can do that",
    Code.SEAT_ONLY: "only a player can do that",
    Code.NOT_YOUR_TURN: "it is not your turn",
    Code.NOT_IN_MATCH: "that seat is not in the match any more",
    Code.NOT_IN_HAND: _not_in_hand,
    Code.STOCK_CLOSED: "the stock lies face down here: its cards are drawn, not played",
    Code.STOCK_EMPTY: "the stock is empty",
    Code.NO_SUCH_PLACE: "there is no such place on this table",
    Code.SOURCE_EMPTY: _source_empty,
    Code.SAME_PILE: "a pile does not go on itself",
    Code.PILE_TO_EMPTY_SIDE: "an empty side is filled from the hand; piles do not move there",
    Code.CORNER_TO_CORNER: "a king's pile stays in its corner",
    Code.KING_PILE_STAYS: "at this table a king's pile never moves to a corner",
    Code.KING_PILE_LATE: "a king's pile moves to a corner only in the first turn of a deal",
    Code.CORNER_NEEDS_KING: _needs_king,
    Code.PLACE_NEEDS_KING: _place_needs_king,
    Code.NO_KING_HERE: "a king goes to a corner, not to a side",
    Code.ON_ACE: _on_ace,
    Code.WRONG_RANK: _goes_on,
    Code.WRONG_COLOUR: _colour,
    Code.WRONG_SUIT: _suit,
    Code.PILE_NOT_OF_SUIT: "this corner is built in one suit, and that pile has several",
    Code.KING_FIRST: _king_first,
    Code.MUST_PLAY: _must_play,
    Code.BAD_SOURCE: "the cards for the deal are not in order",
    RefusalCode.BAD_SECRET: "this server was started for one person alone",
    RefusalCode.BAD_NAME: "that name has nothing in it that can be shown; choose another",
    RefusalCode.ALREADY_AT_TABLE: "you are at a table already; leave it first",
    RefusalCode.NOT_AT_TABLE: "you are at no table",
    RefusalCode.WATCHERS_MAY_NOT: "you are watching; only players can do that",
    RefusalCode.NO_SUCH_TABLE: "that table is gone",
    RefusalCode.TABLE_FULL: _table_full,
    RefusalCode.NO_SUCH_SEAT: "the table has no such seat",
    RefusalCode.SEAT_TAKEN: "that seat is taken",
    RefusalCode.WRONG_PASSWORD: "that is not the table's password",
    RefusalCode.NOT_WATCHABLE: "that table takes no spectators",
    RefusalCode.NO_SUCH_PRESET: "the server knows no rules of that name",
    RefusalCode.BAD_RULES: _bad_rules,
    RefusalCode.BAD_PACE: "the bots' shortest pace is longer than their longest",
    RefusalCode.TOO_MANY_BOTS: "there are more bots than seats beside yours",
    RefusalCode.LEVEL_UNKNOWN: "the server has no bots of that level",
    RefusalCode.TOO_MANY_TABLES: _too_many_tables,
    RefusalCode.BAD_TOKEN: "your seat could not be proved yours; join the table anew",
    RefusalCode.SEAT_GIVEN_UP: "your seat was given up meanwhile",
    RefusalCode.HOST_ONLY: "only the table's host can do that",
    RefusalCode.SEAT_WAS_YOURS: "all hands are open in the deal you left; watch the next one",
    RefusalCode.NOT_NOW: "that is not possible just now",
    RefusalCode.PAUSED: "the match is paused until everybody wants to go on",
    RefusalCode.NOT_A_PERSON: "no other person sits there",
    RefusalCode.NOT_A_BOT: "no bot sits there",
    RefusalCode.HINTS_OFF: "this table is played without hints",
    RefusalCode.STALE_VERSION: _stale,
    RefusalCode.NO_OFFER: "the deal was already made without your share of the shuffle",
    RefusalCode.NONCE_GIVEN: "your share of the shuffle is already in",
    RefusalCode.NO_SUCH_DEAL: "this match has had no such deal",
    RefusalCode.DEAL_UNFINISHED: "a deal can be checked when it is over",
    RefusalCode.ID_REUSED: "the server took this for an older request; try once more",
    RefusalCode.TOO_MANY_REQUESTS: _too_many,
    RefusalCode.TOO_MUCH_CHAT: _too_much_chat,
    RefusalCode.JOURNAL_UNAVAILABLE: "the server cannot save; nothing was changed, try again soon",
    RefusalCode.SHUTTING_DOWN: "the server is about to stop",
}
"""Every code with its sentence; a function where the facts of the refusal belong in it."""


def refusal(refused: Refused) -> str:
    """Return the sentence of a refusal, without a full stop; an unknown code is named."""
    sentence = SENTENCES.get(refused.code)
    if sentence is None:
        return f"the server refused: {refused.code.replace('_', ' ')}"
    return sentence if isinstance(sentence, str) else sentence(refused)
