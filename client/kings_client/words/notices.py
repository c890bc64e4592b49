"""A sentence for each notice of a table."""

from typing import Final

from kings_client.words.people import clock, name_of
from kings_client.words.tongue import later, tell
from kings_protocol.codes import NoticeCode
from kings_protocol.messages import Notice, TableState

SENTENCES: Final = {
    NoticeCode.JOINED: later("{who} sat down"),
    NoticeCode.LEFT: later("{who} left the table"),
    NoticeCode.DROPPED: later("{who} lost the connection"),
    NoticeCode.QUIT: later("{who} closed the game"),
    NoticeCode.AWAY_SOON: later(
        "{who} pressed no key for long; in {left} the seat counts as left alone"
    ),
    NoticeCode.AWAY: later("{who} pressed no key for too long"),
    NoticeCode.BACK: later("{who} is back"),
    NoticeCode.BOT_PLAYS: later("a bot plays for {who}"),
    NoticeCode.SEAT_LOST: later("{who} did not come back; the seat is given up"),
    NoticeCode.REMOVED: later("the host took {who} from the table"),
    NoticeCode.BOT_WANTED: later("somebody wants a bot to take over {who}'s seat"),
    NoticeCode.VOTED_OUT: later("most of the others gave {who}'s seat to a bot"),
    NoticeCode.HOST_IS: later("{who} can now add bots and start"),
    NoticeCode.PAUSE_WANTED: later("{who} asked for a pause"),
    NoticeCode.PAUSED: later("the match is paused"),
    NoticeCode.GOES_ON: later("everybody is back; the match goes on"),
    NoticeCode.TURN_ENDS: later("the clock ends {who}'s turn in {left}"),
    NoticeCode.TURN_TIMED_OUT: later("the clock ended {who}'s turn"),
    NoticeCode.BOT_FAILED: later("a bot failed; a plain move was made for {who}"),
    NoticeCode.SHARE_WITHHELD: later(
        "{who} withheld a share of the deck; the deal is offered anew, without one of theirs"
    ),
    NoticeCode.PROOF_READY: later("deal {number} can be checked"),
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
    NoticeCode.AWAY_SOON: later("you pressed no key for long; in {left} your seat counts as left"),
    NoticeCode.AWAY: later("you pressed no key for too long"),
    NoticeCode.BACK: later("you are back"),
    NoticeCode.BOT_PLAYS: later("a bot plays for you"),
    NoticeCode.SEAT_LOST: later("you did not come back; your seat is given up"),
    NoticeCode.REMOVED: later("the host took you from the table"),
    NoticeCode.BOT_WANTED: later("somebody wants a bot to take over your seat"),
    NoticeCode.VOTED_OUT: later("most of the others gave your seat to a bot"),
    NoticeCode.HOST_IS: later("you can now add bots and start"),
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
    mine = about.seat is not None and about.seat == me
    sentence = (MINE.get(code) if mine else None) or SENTENCES[code]
    return tell(
        sentence,
        who=_who(about, table),
        number=about.number,
        left=clock((about.number or 0) / 1000),
    )


def stops_in(seconds: float) -> str:
    """Say how long a server still goes on that is about to stop."""
    return tell(SENTENCES[NoticeCode.STOPPING], left=clock(seconds))


def announcement(text: str) -> str:
    """Return what whoever runs the server says to everybody, as a line of its own."""
    return tell("the server says: {text}", text=text)


def _who(about: Notice, table: TableState) -> str:
    """Return whom a notice is about: who had the seat then, though another has it by now."""
    if about.seat is None:
        return tell("somebody")
    now = table.seats[about.seat].name if about.seat < len(table.seats) else ""
    return about.name if about.name and about.name != now else name_of(table, about.seat)


_KNOWN: Final = frozenset(code.value for code in NoticeCode)
