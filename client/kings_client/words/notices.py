"""A sentence for each notice of a table."""

from typing import Final

from kings_client.words.people import clock, is_mine, name_then
from kings_client.words.tongue import later, tell
from kings_protocol.codes import NoticeCode
from kings_protocol.messages import Notice, TableState

SENTENCES: Final = {
    NoticeCode.JOINED: later("{who} sat down"),
    NoticeCode.LEFT: later("{who} left the table"),
    NoticeCode.DROPPED: later("{who} lost the connection"),
    NoticeCode.QUIT: later("{who} closed the game"),
    NoticeCode.AWAY_SOON: later("{who} pressed no key for a while, and counts as away in {left}"),
    NoticeCode.AWAY: later("{who} pressed no key for too long"),
    NoticeCode.BACK: later("{who} is back"),
    NoticeCode.BOT_PLAYS: later("a bot plays for {who}"),
    NoticeCode.SEAT_LOST: later("{who} did not come back; the seat is given up"),
    NoticeCode.REMOVED: later("the host took {who} from the table"),
    NoticeCode.BOT_WANTED: later("somebody wants a bot to take over {who}'s seat"),
    NoticeCode.VOTED_OUT: later("most of the others gave {who}'s seat to a bot"),
    NoticeCode.HOST_IS: later("{who} is the host now"),
    NoticeCode.PAUSE_WANTED: later("{who} asked for a pause"),
    NoticeCode.PAUSED: later("the match is paused"),
    NoticeCode.GOES_ON: later("everybody is back; the match goes on"),
    NoticeCode.TURN_ENDS: later("the clock ends {who}'s turn in {left}"),
    NoticeCode.TURN_TIMED_OUT: later("the clock ended {who}'s turn"),
    NoticeCode.BOT_FAILED: later("a bot failed; a plain move was made for {who}"),
    NoticeCode.SHARE_WITHHELD: later(
        "{who} withheld a share of the deck; the deal is offered anew, without one of theirs"
    ),
    NoticeCode.CANNOT_SAVE: later("the server cannot save; the game waits"),
    NoticeCode.MATCH_CLOSED: later(
        "the server plays by newer rules; a match under way ends with its score"
    ),
    NoticeCode.SAVED_AGAIN: later("the server can save again; the game goes on"),
    NoticeCode.STOPPING: later("the server stops in {left}"),
}
"""The closed set of notices, each with its sentence."""


MINE: Final = {
    NoticeCode.JOINED: later("you sat down"),
    NoticeCode.LEFT: later("you left the table"),
    NoticeCode.DROPPED: later("you lost the connection"),
    NoticeCode.QUIT: later("you closed the game"),
    NoticeCode.AWAY_SOON: later("you pressed no key for a while, and count as away in {left}"),
    NoticeCode.AWAY: later("you pressed no key for too long"),
    NoticeCode.BACK: later("you are back"),
    NoticeCode.BOT_PLAYS: later("a bot plays for you"),
    NoticeCode.SEAT_LOST: later("you did not come back; your seat is given up"),
    NoticeCode.REMOVED: later("the host took you from the table"),
    NoticeCode.BOT_WANTED: later("somebody wants a bot to take over your seat"),
    NoticeCode.VOTED_OUT: later("most of the others gave your seat to a bot"),
    NoticeCode.HOST_IS: later("you are the host now"),
    NoticeCode.PAUSE_WANTED: later("you asked for a pause"),
    NoticeCode.TURN_ENDS: later("the clock ends your turn in {left}"),
    NoticeCode.TURN_TIMED_OUT: later("the clock ended your turn"),
    NoticeCode.BOT_FAILED: later("a bot failed; a plain move was made for you"),
    NoticeCode.SHARE_WITHHELD: later(
        "your share of the deck did not come; the deal is offered anew, without one of yours"
    ),
}
"""Those that are said otherwise to whom they are about."""


def notice(about: Notice, table: TableState, me: int | None) -> str:
    """Return the sentence of a notice; an unknown one is named by its code."""
    if about.code not in _KNOWN:
        return about.code.replace("_", " ")
    code = NoticeCode(about.code)
    mine = is_mine(table, about.seat, about.name, me)
    sentence = (MINE.get(code) if mine else None) or SENTENCES[code]
    return tell(
        sentence,
        who=name_then(table, about.seat, about.name),
        number=about.number,
        left=clock((about.number or 0) / 1000),
    )


def stops_in(seconds: float) -> str:
    """Say how long a server still goes on that is about to stop."""
    return tell(SENTENCES[NoticeCode.STOPPING], left=clock(seconds))


def announcement(text: str) -> str:
    """Return what whoever runs the server says to everybody, as a line of its own."""
    return tell("the server says: {text}", text=text)


_KNOWN: Final = frozenset(code.value for code in NoticeCode)
