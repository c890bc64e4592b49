"""One end of a connection: bytes in, messages out, and back; it does no input or output itself.

A program reads bytes and hands them to ``receive``, takes messages from ``next_message`` until
there is none, and writes the bytes that ``send`` returns, in the order of the calls.
"""

from kings_protocol import messages as m
from kings_protocol.checks import Agreement
from kings_protocol.codec import FRAME_LIMIT, decode, encode
from kings_protocol.codes import CloseCode, RefusalCode
from kings_protocol.errors import LocalError, RemoteError
from kings_protocol.frames import FrameDecoder, frame
from kings_protocol.limits import REQUESTS_IN_FLIGHT
from kings_protocol.messages import Message, Reply, Request
from kings_protocol.states import REPLIES, SENDS, TAKES, Role, State, after_reply, misplaced


class Connection:
    """The state of one connection, as one side sees it.

    Nothing here awaits, and an error leaves the connection either as it was (``LocalError``) or
    dead (``RemoteError``).
    """

    __slots__ = (
        "_agreement",
        "_ended",
        "_failure",
        "_frames",
        "_hello",
        "_in_flight",
        "_role",
        "_state",
    )

    def __init__(self, role: Role) -> None:
        """Make the end that ``role`` has of a new connection."""
        self._role = role
        self._state = State.START
        self._frames = FrameDecoder(FRAME_LIMIT[self._peer])
        self._in_flight: list[tuple[str, type[Request]]] = []
        self._hello: m.Hello | None = None
        self._agreement = Agreement()
        self._failure: RemoteError | None = None
        self._ended = False

    @property
    def state(self) -> State:
        """How far the connection has come."""
        return self._state

    @property
    def _peer(self) -> Role:
        return Role.SERVER if self._role is Role.CLIENT else Role.CLIENT

    def may_send(self, kind: type[Message]) -> bool:
        """Say whether a message of this class may be sent now (a reply: to its own request)."""
        return kind in SENDS[self._role][self._state]

    def misplaced(self, request: Request) -> RefusalCode | None:
        """Return the code to refuse ``request`` with if it is out of place in this state.

        Such a request crossed a message that moved its sender, and deserves a reply like any other.
        """
        return misplaced(self._state, type(request))

    def receive(self, data: bytes) -> None:
        """Take in bytes from the peer; no bytes mean the end of the stream.

        Raises:
            LocalError: the stream had ended before.
        """
        if self._ended:
            raise LocalError("the stream has ended")
        if not data:
            self._ended = True
        elif self._state not in (State.FAILED, State.CLOSED):
            self._frames.feed(data)

    def next_message(self) -> Message | None:
        """Return the next message, or nothing when more bytes are needed or the peer has ended.

        After a ``bye``, and after the end of the stream, ``state`` is ``closed``.

        Raises:
            RemoteError: the peer broke the protocol. The connection is dead: only a ``bye`` with
                the error's code may be sent. Asking again raises it again.
        """
        if self._failure is not None:
            raise self._failure
        if self._state is State.CLOSED:
            return None
        try:
            return self._next()
        except RemoteError as error:
            self._failure = error
            self._state = State.FAILED
            raise

    def send(self, message: Message) -> bytes:
        """Return the bytes that tell the peer ``message``.

        Raises:
            LocalError: the state does not allow it, it replies to nothing, or it is too long; of a
                client also: a field is out of its range.
        """
        kind = type(message)
        state = SENDS[self._role][self._state].get(kind)
        if state is None:
            raise LocalError(f"a {self._role} does not send {kind.__name__} when {self._state}")
        if isinstance(message, Request) and len(self._in_flight) >= REQUESTS_IN_FLIGHT:
            raise LocalError(f"{REQUESTS_IN_FLIGHT} requests wait for their replies")
        body = encode(message)
        if self._role is Role.CLIENT:
            try:
                decode(body, self._role, (kind,))
            except RemoteError as error:
                raise LocalError(str(error)) from None
        framed = frame(body, FRAME_LIMIT[self._role])
        if isinstance(message, Reply):
            request = self._settle(message)
            if request is None:
                raise LocalError(f"{kind.__name__} replies to no request of its kind")
            state = after_reply(self._state, request, type(message))
        self._note(message)
        self._state = state
        return framed

    def _next(self) -> Message | None:
        body = self._frames.next()
        if body is None:
            if self._ended:
                if self._frames.partial:
                    raise RemoteError(CloseCode.FRAME_CUT_SHORT)
                self._state = State.CLOSED
            return None
        kinds = TAKES[self._role][self._state]
        message = decode(body, self._peer, kinds)
        state = kinds[type(message)]
        if isinstance(message, Reply):
            request = self._settle(message)
            if request is None:
                raise RemoteError(CloseCode.NOT_ASKED, type(message).__name__)
            state = after_reply(self._state, request, type(message))
        elif isinstance(message, Request):
            self._hold_to_bounds(message)
        elif isinstance(message, m.Welcome) and not self._offered(message.version):
            raise RemoteError(CloseCode.BAD_MESSAGE, "a version that was not offered")
        if self._role is Role.CLIENT:
            self._hold_to_agreement(message)
        self._note(message)
        self._state = state
        return message

    def _hold_to_bounds(self, request: Request) -> None:
        if len(self._in_flight) >= REQUESTS_IN_FLIGHT:
            raise RemoteError(CloseCode.TOO_MANY_IN_FLIGHT)
        for request_id, kind in self._in_flight:
            if request_id == request.id and kind is not type(request):
                # Nobody could tell which of the two a reply is for.
                raise RemoteError(CloseCode.BAD_MESSAGE, "the id of another kind of request")

    def _hold_to_agreement(self, message: Message) -> None:
        try:
            self._agreement.follow(message)
        except ValueError as error:
            detail = f"{type(message).__name__}: {error}"
            raise RemoteError(CloseCode.BAD_MESSAGE, detail) from None

    def _note(self, message: Message) -> None:
        if isinstance(message, Request):
            self._in_flight.append((message.id, type(message)))
        elif isinstance(message, m.Hello):
            self._hello = message

    def _settle(self, reply: Reply) -> type[Request] | None:
        for at, (request_id, request) in enumerate(self._in_flight):
            if request_id == reply.re and type(reply) in REPLIES[request]:
                del self._in_flight[at]
                return request
        return None

    def _offered(self, version: int) -> bool:
        return self._hello is not None and self._hello.oldest <= version <= self._hello.newest
