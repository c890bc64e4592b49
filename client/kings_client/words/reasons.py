"""Why a connection ended or was not made, and why one was sent back from a table."""

from collections.abc import Mapping
from typing import Final

from kings_client.model import Reason
from kings_client.words.refusals import SENTENCES
from kings_client.words.tongue import later, tell
from kings_protocol.codes import CloseCode, RefusalCode, UnseatedCode

REASONS: Final[Mapping[str, str]] = {
    CloseCode.FRAME_EMPTY: later("an empty message came over the connection"),
    CloseCode.FRAME_TOO_LONG: later("a message came that is longer than allowed"),
    CloseCode.FRAME_CUT_SHORT: later("the connection broke off in the middle of a message"),
    CloseCode.UNREADABLE: later("a message came that nobody can read"),
    CloseCode.UNKNOWN_MESSAGE: later("a message of an unknown kind came"),
    CloseCode.OUT_OF_PLACE: later("a message came at the wrong time"),
    CloseCode.BAD_MESSAGE: later("a message came with a part missing or wrong"),
    CloseCode.NOT_ASKED: later("an answer came to a question nobody asked"),
    CloseCode.TOO_MANY_IN_FLIGHT: later("too many questions were open at once"),
    CloseCode.GOING: later("the other side said goodbye"),
    CloseCode.DISPLACED: later("your seat was taken over from another window"),
    CloseCode.STOPPED: later("the server was stopped"),
    CloseCode.KICKED: later("whoever runs the server ended your connection"),
    CloseCode.BANNED: later("whoever runs the server does not let you in for now"),
    CloseCode.TOO_MANY_CONNECTIONS: later("the server has all the connections it takes from here"),
    CloseCode.TOO_LATE: later("the introduction took too long"),
    CloseCode.TOO_SLOW: later("the connection is too slow for the game"),
    CloseCode.FLOOD: later("too much was sent at once"),
    CloseCode.INTERNAL: later("the other side met an error of its own"),
    Reason.NAME_UNKNOWN: later("there is no computer of that name"),
    Reason.UNREACHABLE: later("that computer cannot be reached"),
    Reason.NOBODY_LISTENS: later("no server answers at that address"),
    Reason.TIMED_OUT: later("nobody answered in time"),
    Reason.CUT: later("the connection was lost"),
    Reason.SILENT: later("nothing was heard from the server any more"),
    Reason.STALLED: later("nothing can be sent any more"),
    Reason.UNWELCOME: later("the server speaks another version of the game"),
    Reason.OTHER_SERVER: later("another server answers there now"),
    Reason.CERTIFICATE_CHANGED: later("this is not the server that you know at this address"),
    Reason.OTHER_CODE: later("this is not the server whose code you gave"),
    Reason.CERTIFICATE_EXPIRED: later(
        "the server's certificate has run out, so that nobody can tell whose server it is; whoever "
        "runs it has to renew it, or the clock of this computer is wrong"
    ),
    Reason.NOT_ENCRYPTED: later(
        "what answers there does not encrypt, and nothing was sent to it: it is an old server, "
        "one that was started with --plain-text, or something else altogether"
    ),
    Reason.ENCRYPTED: later("the server encrypts all connections; leave out --plain-text"),
    Reason.NO_HANDSHAKE: later("the server encrypts in no way that this program takes"),
    Reason.NO_PASSWORD: later("the server wants its password, and none was given"),
    RefusalCode.NOT_ENCRYPTED: later(
        "the server wants its password, and none is sent without encryption: others could read it"
    ),
    RefusalCode.WRONG_PASSWORD: later("that is not the server's password"),
    Reason.BAD_ADDRESS: later("that is no address"),
    Reason.SERVER_FAILED: later("the game's own server did not start"),
    Reason.SERVER_ENDED: later("the game's own server has ended"),
}
"""Every reason with its sentence, without a full stop."""

UNSEATED: Final[Mapping[str, str]] = {
    UnseatedCode.TABLE_CLOSED: later("the table was closed"),
    UnseatedCode.SEAT_LOST: later("your seat was given up while you were away"),
    UnseatedCode.REMOVED: later("you were taken from the table"),
    UnseatedCode.TABLE_FAILED: later("the table met an error of the server's and was ended"),
    UnseatedCode.TABLE_ENDED: later("whoever runs the server ended the table"),
}
"""Why the server sent somebody back to the lobby."""


def reason(code: str) -> str:
    """Return the sentence of a reason; an unknown one is named by its code.

    A server may also refuse to let somebody in: then the code is that of the refusal.
    """
    sentence = REASONS.get(code) or SENTENCES.get(code)
    return tell(sentence) if isinstance(sentence, str) else code.replace("_", " ")


def unseated(code: str) -> str:
    """Return the sentence of why one was sent back to the lobby; an unknown code is named."""
    return tell(UNSEATED[code]) if code in UNSEATED else code.replace("_", " ")
