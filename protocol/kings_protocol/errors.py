"""Errors by whose fault they are: ours (``LocalError``) or the peer's (``RemoteError``)."""

from kings_protocol.codes import CloseCode


class ProtocolError(Exception):
    """The base of both; catch it where the fault does not matter."""


class LocalError(ProtocolError):
    """This side asked for what the protocol does not allow: a mistake in our own program."""


class RemoteError(ProtocolError):
    """The peer broke the protocol, and the connection is dead.

    Attributes:
        code: what to say in the last ``bye``.
        detail: what was wrong, for a log; at most a field's name in it is the peer's, cleaned.
    """

    def __init__(self, code: CloseCode, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else str(code))
        self.code = code
        self.detail = detail
