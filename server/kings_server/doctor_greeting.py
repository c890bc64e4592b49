"""What ``kings doctor`` hears from a server, which it greets as a player's program does."""

import socket
import ssl
from contextlib import suppress
from typing import Final

from attrs import frozen

from kings_protocol.codes import CloseCode
from kings_protocol.connection import Connection
from kings_protocol.errors import ProtocolError
from kings_protocol.identity_code import code_of, fingerprint_of
from kings_protocol.messages import Bye, Message, Unwelcome, Welcome
from kings_protocol.states import Role
from kings_protocol.text import clean
from kings_protocol.version import make_hello

ANSWER_SECONDS: Final = 3.0
"""How long a server may take to answer."""

SAID_LENGTH: Final = 400
"""Characters that are shown of what a server says; whatever it is, it disturbs no terminal."""

_ALERTS: Final = {
    "TLSV1_ALERT_ACCESS_DENIED": CloseCode.BANNED,
    "TLSV1_ALERT_INTERNAL_ERROR": CloseCode.TOO_MANY_CONNECTIONS,
}
"""What a server says under TLS to whom it turns away at once."""


@frozen
class Greeting:
    """What came back.

    Attributes:
        answer: the server's message; nothing if none of ours came.
        code: of its certificate; empty without encryption.
        turned_away: why it lets nobody in from here, if it does not.
    """

    answer: Message | None = None
    code: str = ""
    turned_away: CloseCode | None = None

    @property
    def words(self) -> str:
        """Say which server of ours answers; nothing if none does."""
        known_by = f"code {self.code}" if self.code else "not encrypted"
        match self.answer:
            case Welcome(name=name, program=program):
                said = f"the server {name} answers, program {program}, {known_by}"
            case Unwelcome(words=words):
                said = f"a server answers that speaks another protocol: {words}"
            case _:
                return ""
        return clean(said, SAID_LENGTH)


def greeting(host: str, port: int) -> Greeting:
    """Greet whoever listens at ``port`` of ``host``: under TLS, or where that fails, without."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    for encrypted in (True, False):
        try:
            found = _greeted(host, port, context if encrypted else None)
        except ssl.SSLError as error:
            if error.reason in _ALERTS:
                return Greeting(turned_away=_ALERTS[error.reason])
        except (OSError, ProtocolError):
            continue
        else:
            if found.answer is not None or found.turned_away is not None:
                return found
    return Greeting()


def _greeted(host: str, port: int, context: ssl.SSLContext | None) -> Greeting:
    with socket.create_connection((host, port), ANSWER_SECONDS) as plain:
        if context is None:
            return _heard(_welcome(plain), "")
        with context.wrap_socket(plain) as secured:
            der = secured.getpeercert(binary_form=True) or b""
            return _heard(_welcome(secured), code_of(fingerprint_of(der)))


def _heard(answer: Message | None, code: str) -> Greeting:
    match answer:
        case Welcome() | Unwelcome():
            return Greeting(answer, code)
        case Bye(code=(CloseCode.BANNED | CloseCode.TOO_MANY_CONNECTIONS) as why):
            return Greeting(turned_away=CloseCode(why))
    return Greeting()


def _welcome(stream: socket.socket) -> Message | None:
    connection = Connection(Role.CLIENT)
    with suppress(BrokenPipeError, ConnectionResetError):  # it may have said why, and closed
        stream.sendall(connection.send(make_hello()))
    while (message := connection.next_message()) is None:
        data = stream.recv(4096)
        if not data:
            return None
        connection.receive(data)
    return message
