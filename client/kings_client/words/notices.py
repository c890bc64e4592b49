"""A sentence for each notice of a table."""

from typing import Final

from kings_client.words.people import clock, name_of
from kings_protocol.codes import NoticeCode
from kings_protocol.messages import Notice, TableState

SENTENCES: Final = {
    NoticeCode.JOINED: "{who} sat down",
    NoticeCode.LEFT: "{who} left the table",
    NoticeCode.DROPPED: "{who} lost the connection",
    NoticeCode.AWAY_SOON: "{who} pressed no key for long; in {left} the seat counts as left alone",
    NoticeCode.AWAY: "{who} pressed no key for too long",
    NoticeCode.BACK: "{who} is back",
    NoticeCode.BOT_PLAYS: "a bot plays for {who}",
    NoticeCode.SEAT_LOST: "{who} did not come back; the seat is given up",
    NoticeCode.REMOVED: "the host took {who} from the table",
    NoticeCode.BOT_WANTED: "somebody wants a bot to take over {whose} seat",
    NoticeCode.VOTED_OUT: "most of the others gave {whose} seat to a bot",
    NoticeCode.HOST_IS: "{who} can now add bots and start",
    NoticeCode.PAUSE_WANTED: "{who} asked for a pause",
    NoticeCode.PAUSED: "the match is paused",
    NoticeCode.GOES_ON: "everybody is back; the match goes on",
    NoticeCode.TURN_ENDS: "the clock ends {whose} turn in {left}",
    NoticeCode.TURN_TIMED_OUT: "the clock ended {whose} turn",
    NoticeCode.BOT_FAILED: "a bot failed; a plain move was made for {who}",
    NoticeCode.PROOF_READY: "deal {number} can be checked",
    NoticeCode.CANNOT_SAVE: "the server cannot save; the game waits",
    NoticeCode.MATCH_CLOSED: "the server plays by newer rules; the match ends with this score",
    NoticeCode.SAVED_AGAIN: "the server can save again; the game goes on",
    NoticeCode.STOPPING: "the server stops in {left}",
}
"""The closed set of notices, each with its sentence."""


def notice(about: Notice, table: TableState, me: int | None) -> str:
    """Return the sentence of a notice; an unknown one is named by its code."""
    sentence = SENTENCES.get(NoticeCode(about.code)) if about.code in _KNOWN else None
    if sentence is None:
        return about.code.replace("_", " ")
    who = "somebody" if about.seat is None else name_of(table, about.seat, me)
    if who == "You":
        sentence = _second_person(sentence)
    return sentence.format(
        who="you" if who == "You" and not sentence.startswith("{who}") else who,
        whose="your" if who == "You" else f"{who}'s",
        number=about.number,
        left=clock((about.number or 0) / 1000),
    )


def _second_person(sentence: str) -> str:
    return sentence.replace("{who} is ", "{who} are ")


_KNOWN: Final = frozenset(code.value for code in NoticeCode)
