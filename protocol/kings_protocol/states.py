"""Who may say what, and when: the connection's state machine, as tables.

Rules of this file: all of the machine is here, and nothing here knows which side we are on.

Theory of operation. A connection has one state. What the client says and what the server says both
move it, and each side moves its own copy when it sends or receives. The server's sayings decide
where the client is (in the lobby, at a table): ``entered``, ``seated``, ``watching``, ``unseated``,
and ``done`` in reply to ``leave``. Bytes keep their order, so the client is always in the state in
which the server spoke, and a message that its table does not list is an error.

The other way round the client speaks into the future: its request may be on its way while the
server moves it. So once somebody has entered, a server takes every request in every state, and
answers one that is out of place (``misplaced``) with a refusal. A client program sends only what
``CLIENT_SAYS`` lists. ``hello`` and ``enter`` cannot cross anything, so they have no such leeway.

States that end, ``failed`` and ``closed``, are in the tables with nothing, or only a last ``bye``,
that may still be said: the failed look-up is the protocol error.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeAlias

from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode


class Role(StrEnum):
    """Which side of the connection this is."""

    CLIENT = "client"
    SERVER = "server"


class State(StrEnum):
    """How far a connection has come."""

    START = "start"  #: connected; the client's hello is due
    HELLO_SENT = "hello_sent"  #: the server's answer to the hello is due
    GREETED = "greeted"  #: a version is agreed; the client may enter
    ENTERING = "entering"  #: the reply to ``enter`` is due
    ENTERED = "entered"  #: in the lobby
    SEATED = "seated"  #: at a table, with a seat
    WATCHING = "watching"  #: at a table, looking on
    FAILED = "failed"  #: the peer broke the protocol; it may be told why
    CLOSED = "closed"  #: nothing more is said or heard


Kind: TypeAlias = type[m.Message]
Table: TypeAlias = Mapping[State, Mapping[Kind, State]]


def _stay(state: State, *kinds: Kind) -> dict[Kind, State]:
    return dict.fromkeys(kinds, state)


def _always(state: State) -> dict[Kind, State]:
    return {m.Ping: state, m.Pong: state, m.Bye: State.CLOSED}


IN_LOBBY: Final[tuple[type[m.Request], ...]] = (
    m.Browse,
    m.MakeTable,
    m.Join,
    m.Watch,
    m.Resume,
)
WATCHING: Final[tuple[type[m.Request], ...]] = (m.Leave, m.Say, m.GetProof)
SEATED: Final[tuple[type[m.Request], ...]] = (
    *WATCHING,
    m.AddBot,
    m.RemoveBot,
    m.Kick,
    m.Silence,
    m.Vote,
    m.Pause,
    m.Here,
    m.Ready,
    m.Commit,
    m.Reveal,
    m.PlayCard,
    m.MovePile,
    m.PlayTop,
    m.EndTurn,
    m.GetHint,
)

CLIENT_SAYS: Final[Table] = {
    State.START: {m.Hello: State.HELLO_SENT, m.Bye: State.CLOSED},
    State.HELLO_SENT: _always(State.HELLO_SENT),
    State.GREETED: {**_always(State.GREETED), m.Enter: State.ENTERING},
    State.ENTERING: _always(State.ENTERING),
    State.ENTERED: {**_always(State.ENTERED), **_stay(State.ENTERED, *IN_LOBBY)},
    State.SEATED: {**_always(State.SEATED), **_stay(State.SEATED, *SEATED)},
    State.WATCHING: {**_always(State.WATCHING), **_stay(State.WATCHING, *WATCHING)},
    State.FAILED: {m.Bye: State.CLOSED},
    State.CLOSED: {},
}
"""What a client may send in each state, and the state after it."""

SERVER_TAKES: Final[Table] = {
    state: {**said, **_stay(state, *IN_LOBBY, *SEATED)}
    if state in (State.ENTERED, State.SEATED, State.WATCHING)
    else said
    for state, said in CLIENT_SAYS.items()
}
"""What a server accepts: as above, and requests that crossed a move to another state."""


def _at_table(state: State) -> dict[Kind, State]:
    return {
        **_always(state),
        **_stay(state, m.Done, m.Refused, m.Proof, m.Hint),
        **_stay(state, m.TableState, m.Update, m.Said, m.Notice, m.Announcement),
        m.Unseated: State.ENTERED,
    }


SERVER_SAYS: Final[Table] = {
    State.START: {m.Bye: State.CLOSED},
    State.HELLO_SENT: {
        **_always(State.HELLO_SENT),
        m.Welcome: State.GREETED,
        m.Unwelcome: State.CLOSED,
    },
    State.GREETED: _always(State.GREETED),
    State.ENTERING: {
        **_always(State.ENTERING),
        m.Entered: State.ENTERED,
        m.Refused: State.GREETED,
    },
    State.ENTERED: {
        **_always(State.ENTERED),
        **_stay(State.ENTERED, m.Done, m.Refused, m.Proof, m.Hint),
        **_stay(State.ENTERED, m.LobbyPage, m.Notice, m.Announcement),
        m.Seated: State.SEATED,
        m.Watching: State.WATCHING,
    },
    State.SEATED: _at_table(State.SEATED),
    State.WATCHING: _at_table(State.WATCHING),
    State.FAILED: {m.Bye: State.CLOSED},
    State.CLOSED: {},
}
"""What a server may send in each state, and the state after it."""

SENDS: Final[Mapping[Role, Table]] = {Role.CLIENT: CLIENT_SAYS, Role.SERVER: SERVER_SAYS}
TAKES: Final[Mapping[Role, Table]] = {
    Role.CLIENT: {**SERVER_SAYS, State.FAILED: {}},
    Role.SERVER: {**SERVER_TAKES, State.FAILED: {}},
}

REPLIES: Final[Mapping[type[m.Request], frozenset[type[m.Reply]]]] = {
    **{kind: frozenset({m.Done, m.Refused}) for kind in (*IN_LOBBY, *SEATED)},
    m.Enter: frozenset({m.Entered, m.Refused}),
    m.MakeTable: frozenset({m.Seated, m.Refused}),
    m.Join: frozenset({m.Seated, m.Refused}),
    m.Resume: frozenset({m.Seated, m.Refused}),
    m.Watch: frozenset({m.Watching, m.Refused}),
    m.GetProof: frozenset({m.Proof, m.Refused}),
    m.GetHint: frozenset({m.Hint, m.Refused}),
}
"""The replies that answer each request."""


def after_reply(state: State, request: type[m.Request], reply: type[m.Reply]) -> State:
    """Return the state that ``reply`` leads to from ``state``, in which it may be said.

    The one reply whose meaning hangs on its request is ``done``: in reply to ``leave`` it leads
    back to the lobby.
    """
    if request is m.Leave and reply is m.Done:
        return State.ENTERED
    return SERVER_SAYS[state][reply]


def misplaced(state: State, request: type[m.Request]) -> RefusalCode | None:
    """Return the code with which a server refuses a request that is out of place in ``state``."""
    if request in CLIENT_SAYS[state]:
        return None
    if request in IN_LOBBY:
        return RefusalCode.ALREADY_AT_TABLE
    return RefusalCode.WATCHERS_MAY_NOT if state is State.WATCHING else RefusalCode.NOT_AT_TABLE
