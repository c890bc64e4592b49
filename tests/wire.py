"""Both ends of a connection joined by a wire that is only a variable."""

from collections.abc import Iterator
from typing import TypeVar

from kings_protocol import messages as m
from kings_protocol.connection import Connection
from kings_protocol.states import Role, State
from kings_protocol.version import answer_hello, make_hello

HEX16 = "0123456789abcdef" * 2
HEX32 = HEX16 * 2

M = TypeVar("M", bound=m.Message)


def request_id(number: int) -> str:
    """Return a request id that is easy to read in a failure."""
    return f"{number:032x}"


class ConnectionPair:
    """A client and a server; whatever one says must arrive at the other as it was said.

    With ``step`` the bytes arrive in pieces of so many, otherwise whole.
    """

    def __init__(self, step: int | None = None) -> None:
        self.client = Connection(Role.CLIENT)
        self.server = Connection(Role.SERVER)
        self._step = step
        self._requests = 0

    def client_says(self, message: M) -> M:
        return self._carry(self.client, self.server, message)

    def server_says(self, message: M) -> M:
        return self._carry(self.server, self.client, message)

    def id(self) -> str:
        self._requests += 1
        return request_id(self._requests)

    @property
    def states(self) -> tuple[State, State]:
        return self.client.state, self.server.state

    def greet(self) -> "ConnectionPair":
        hello = self.client_says(make_hello())
        self.server_says(answer_hello(hello, HEX16, "the den"))
        return self

    def enter(self) -> "ConnectionPair":
        self.greet()
        request = self.client_says(m.Enter(id=self.id(), client=HEX16, name="Ann"))
        self.server_says(m.Entered(re=request.id, name="Ann"))
        return self

    def sit(self, seat: int = 0) -> "ConnectionPair":
        self.enter()
        request = self.client_says(m.Join(id=self.id(), table="t1"))
        self.server_says(m.Seated(re=request.id, table="t1", seat=seat, token=HEX32))
        return self

    def watch(self) -> "ConnectionPair":
        self.enter()
        request = self.client_says(m.Watch(id=self.id(), table="t1"))
        self.server_says(m.Watching(re=request.id, table="t1"))
        return self

    def in_state(self, state: State) -> "ConnectionPair":
        """Bring a new pair into ``state``, both ends alike."""
        match state:
            case State.HELLO_SENT:
                self.client_says(make_hello())
            case State.GREETED:
                self.greet()
            case State.ENTERING:
                self.greet()
                self.client_says(m.Enter(id=self.id(), client=HEX16, name="Ann"))
            case State.ENTERED:
                self.enter()
            case State.SEATED:
                self.sit()
            case State.WATCHING:
                self.watch()
            case State.CLOSED:
                self.client_says(m.Bye(code="going"))
        assert self.states == (state, state)
        return self

    def _carry(self, sender: Connection, receiver: Connection, message: M) -> M:
        data = sender.send(message)
        (arrived,) = deliver(receiver, data, self._step)
        assert arrived == message
        assert type(arrived) is type(message)
        return arrived


def deliver(receiver: Connection, data: bytes, step: int | None = None) -> list[m.Message]:
    """Hand ``data`` to ``receiver``, in pieces of ``step`` bytes, and return what it makes of it.

    Raises:
        RemoteError: as ``receiver`` raised it.
    """
    return list(_delivered(receiver, data, step))


def _delivered(receiver: Connection, data: bytes, step: int | None) -> Iterator[m.Message]:
    step = step or max(1, len(data))
    for at in range(0, len(data), step):
        receiver.receive(data[at : at + step])
        while (message := receiver.next_message()) is not None:
            yield message
