"""A connection's life: who may say what, what crosses on the way, and how it ends."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kings_protocol import messages as m
from kings_protocol.codec import CLASS_BY_TAG, FRAME_LIMIT, encode
from kings_protocol.codes import CloseCode, RefusalCode
from kings_protocol.connection import Connection
from kings_protocol.errors import LocalError, RemoteError
from kings_protocol.frames import frame
from kings_protocol.limits import REQUESTS_IN_FLIGHT
from kings_protocol.states import CLIENT_SAYS, REPLIES, SERVER_SAYS, TAKES, Role, State
from kings_protocol.version import make_hello
from strategies_protocol import message_of
from wire import HEX16, HEX32, ConnectionPair, deliver, request_id

LIVE = [state for state in State if state not in (State.FAILED, State.CLOSED)]


def raw(message: m.Message) -> bytes:
    """Return a message's bytes without asking a connection whether it may be sent."""
    return frame(encode(message), FRAME_LIMIT[Role.SERVER])


def fails(connection: Connection, data: bytes) -> CloseCode:
    """Return the code with which ``connection`` dies of ``data``, and check that it is dead."""
    with pytest.raises(RemoteError) as caught:
        deliver(connection, data)
    assert connection.state == State.FAILED
    connection.receive(raw(m.Ping(n=1)))
    with pytest.raises(RemoteError) as again:
        connection.next_message()
    assert again.value.code == caught.value.code
    with pytest.raises(LocalError):
        connection.send(m.Ping(n=1))
    assert connection.send(m.Bye(code=caught.value.code)) == raw(m.Bye(code=caught.value.code))
    assert not connection.may_send(m.Bye)
    return caught.value.code


@pytest.mark.parametrize("step", [None, 1])
def test_a_visit_from_hello_to_bye(step: int | None) -> None:
    pair = ConnectionPair(step)
    assert pair.states == (State.START, State.START)
    pair.greet()
    assert pair.states == (State.GREETED, State.GREETED)
    entering = pair.client_says(m.Enter(id=pair.id(), client=HEX16, name="Ann"))
    assert pair.states == (State.ENTERING, State.ENTERING)
    pair.server_says(m.Entered(re=entering.id, name="Ann"))
    assert pair.states == (State.ENTERED, State.ENTERED)
    making = pair.client_says(m.MakeTable(id=pair.id(), name="ours", preset="pagat"))
    pair.server_says(m.Seated(re=making.id, table="t1", seat=0, token=HEX32))
    assert pair.states == (State.SEATED, State.SEATED)
    leaving = pair.client_says(m.Leave(id=pair.id()))
    pair.server_says(m.Done(re=leaving.id))
    assert pair.states == (State.ENTERED, State.ENTERED)
    watching = pair.client_says(m.Watch(id=pair.id(), table="t2"))
    pair.server_says(m.Watching(re=watching.id, table="t2"))
    assert pair.states == (State.WATCHING, State.WATCHING)
    pair.client_says(m.Bye(code=CloseCode.GOING))
    assert pair.states == (State.CLOSED, State.CLOSED)


@pytest.mark.parametrize("state", [s for s in LIVE if s is not State.START])
def test_ping_and_pong_pass_both_ways_in_every_state_after_the_hello(state: State) -> None:
    pair = ConnectionPair().in_state(state)
    for say in (pair.client_says, pair.server_says):
        say(m.Ping(n=5))
        say(m.Pong(n=5))
    assert pair.states == (state, state)


@pytest.mark.parametrize("state", LIVE)
@pytest.mark.parametrize("says", [ConnectionPair.client_says, ConnectionPair.server_says])
def test_a_bye_ends_every_state(
    state: State, says: Callable[[ConnectionPair, m.Message], m.Message]
) -> None:
    pair = ConnectionPair().in_state(state)
    says(pair, m.Bye(code=CloseCode.STOPPED))
    assert pair.states == (State.CLOSED, State.CLOSED)
    for connection in (pair.client, pair.server):
        connection.receive(b"what comes too late is passed over")
        assert connection.next_message() is None
        with pytest.raises(LocalError):
            connection.send(m.Ping(n=1))


@pytest.mark.parametrize("state", LIVE)
@pytest.mark.parametrize("role", Role)
@settings(max_examples=3)
@given(st.data())
def test_what_the_tables_do_not_list_is_neither_sent_nor_taken(
    state: State, role: Role, data: st.DataObject
) -> None:
    says = CLIENT_SAYS if role is Role.CLIENT else SERVER_SAYS
    peer = Role.SERVER if role is Role.CLIENT else Role.CLIENT
    for kind in CLASS_BY_TAG.values():
        message = data.draw(message_of(kind))
        if kind not in says[state]:
            pair = ConnectionPair().in_state(state)
            sender = pair.client if role is Role.CLIENT else pair.server
            assert not sender.may_send(kind)
            with pytest.raises(LocalError):
                sender.send(message)
            assert sender.state == state
        if kind not in TAKES[peer][state]:
            pair = ConnectionPair().in_state(state)
            receiver = pair.server if role is Role.CLIENT else pair.client
            assert fails(receiver, raw(message)) == CloseCode.OUT_OF_PLACE


def test_only_a_hello_opens_a_connection() -> None:
    entering = m.Enter(id=HEX16, client=HEX16, name="Ann")
    assert fails(Connection(Role.SERVER), raw(entering)) == CloseCode.OUT_OF_PLACE
    assert fails(Connection(Role.SERVER), b"GET / HTTP/1.1\r\n") == CloseCode.FRAME_TOO_LONG
    assert fails(Connection(Role.SERVER), raw(make_hello()) * 2) == CloseCode.OUT_OF_PLACE


def test_a_server_full_of_people_may_say_so_before_the_hello() -> None:
    pair = ConnectionPair()
    refusal = pair.server.send(m.Bye(code=CloseCode.TOO_MANY_CONNECTIONS))
    pair.client.send(make_hello())
    assert deliver(pair.client, refusal) == [m.Bye(code=CloseCode.TOO_MANY_CONNECTIONS)]
    assert pair.client.state == State.CLOSED


def test_an_unwelcome_client_is_told_and_the_connection_is_over() -> None:
    pair = ConnectionPair().in_state(State.HELLO_SENT)
    pair.server_says(
        m.Unwelcome(magic="kings", oldest=2, newest=3, program="9", words="Install version 9.")
    )
    assert pair.states == (State.CLOSED, State.CLOSED)


def test_a_welcome_in_a_version_that_was_not_offered_is_refused() -> None:
    pair = ConnectionPair().in_state(State.HELLO_SENT)
    welcome = m.Welcome(magic="kings", version=2, program="9", server=HEX16, name="x")
    assert fails(pair.client, raw(welcome)) == CloseCode.BAD_MESSAGE


def test_who_is_refused_at_the_door_may_knock_again() -> None:
    pair = ConnectionPair().in_state(State.ENTERING)
    pair.server_says(m.Refused(re=request_id(1), code=RefusalCode.BAD_NAME))
    assert pair.states == (State.GREETED, State.GREETED)
    again = pair.client_says(m.Enter(id=pair.id(), client=HEX16, name="Ann"))
    pair.server_says(m.Entered(re=again.id, name="Ann"))
    assert pair.states == (State.ENTERED, State.ENTERED)


# ---- requests and replies


def test_every_request_has_replies_that_every_state_of_its_own_allows() -> None:
    requests = {kind for kind in CLASS_BY_TAG.values() if issubclass(kind, m.Request)}
    assert set(REPLIES) == requests
    for state, said in CLIENT_SAYS.items():
        for request, after in said.items():
            if issubclass(request, m.Request):
                assert REPLIES[request] <= set(SERVER_SAYS[after]), (state, request)


def test_replies_may_come_in_another_order() -> None:
    pair = ConnectionPair().in_state(State.SEATED)
    first = pair.client_says(m.Say(id=pair.id(), text="one"))
    second = pair.client_says(m.GetProof(id=pair.id(), deal=1))
    pair.server_says(m.Refused(re=second.id, code=RefusalCode.NO_SUCH_DEAL))
    pair.server_says(m.Done(re=first.id))


@pytest.mark.parametrize(
    "reply",
    [
        m.Done(re=request_id(99)),
        m.Proof(re=request_id(3), deal=1, dealer=0, seats=(), begin="", actions=()),
        m.Done(re=request_id(1)),
    ],
    ids=["no request", "a request of another kind", "a request that was answered"],
)
def test_a_reply_to_nothing_is_neither_sent_nor_taken(reply: m.Reply) -> None:
    pair = ConnectionPair().in_state(State.SEATED)
    pair.client_says(m.Say(id=request_id(3), text="hello"))
    with pytest.raises(LocalError):
        pair.server.send(reply)
    assert fails(pair.client, raw(reply)) == CloseCode.NOT_ASKED


def test_a_request_sent_again_under_its_id_gets_a_reply_of_its_own() -> None:
    pair = ConnectionPair().in_state(State.SEATED)
    saying = m.Say(id=pair.id(), text="hello")
    pair.client_says(saying)
    pair.client_says(saying)
    pair.server_says(m.Done(re=saying.id))
    pair.server_says(m.Done(re=saying.id))
    with pytest.raises(LocalError):
        pair.server.send(m.Done(re=saying.id))


def test_requests_in_flight_are_bounded_at_both_ends() -> None:
    pair = ConnectionPair().in_state(State.SEATED)
    for _ in range(REQUESTS_IN_FLIGHT):
        saying = pair.client_says(m.Say(id=pair.id(), text="hello"))
    one_more = m.Say(id=pair.id(), text="hello")
    with pytest.raises(LocalError):
        pair.client.send(one_more)
    pair.server_says(m.Done(re=saying.id))
    pair.client_says(one_more)
    assert fails(pair.server, raw(one_more)) == CloseCode.TOO_MANY_IN_FLIGHT


def test_an_id_without_its_reply_belongs_to_one_kind_of_request() -> None:
    pair = ConnectionPair().in_state(State.SEATED)
    saying = pair.client_says(m.Say(id=pair.id(), text="hello"))
    pair.client_says(saying)
    assert fails(pair.server, raw(m.Ready(id=saying.id, on=True))) == CloseCode.BAD_MESSAGE
    pair = ConnectionPair().in_state(State.SEATED)
    pair.client_says(saying)
    pair.server_says(m.Done(re=saying.id))
    pair.client_says(m.Ready(id=saying.id, on=True))


@pytest.mark.parametrize(
    "message",
    [
        m.PlayCard(id=HEX16, version=0, card=52, place=0),
        m.PlayCard(id="x", version=0, card=1, place=0),
        m.Say(id=HEX16, text=""),
        m.Say(id=HEX16, text="x" * 301),
        m.Say(id=HEX16, text="\ud800"),
    ],
)
def test_a_client_does_not_send_what_would_end_its_connection(message: m.Message) -> None:
    pair = ConnectionPair().in_state(State.SEATED)
    with pytest.raises(LocalError):
        pair.client.send(message)
    assert pair.client.state == State.SEATED
    pair.client_says(m.Say(id=HEX16, text="still here"))


# ---- what crosses on the way


def refused_as_misplaced(pair: ConnectionPair, data: bytes) -> list[RefusalCode]:
    """Deliver requests to the server, refuse those out of place, and deliver the refusals."""
    codes = []
    for request in deliver(pair.server, data):
        assert isinstance(request, m.Request)
        code = pair.server.misplaced(request)
        if code is not None:
            codes.append(code)
            pair.server_says(m.Refused(re=request.id, code=code))
    return codes


@pytest.mark.parametrize("state", [State.SEATED, State.WATCHING])
def test_a_request_that_crosses_being_unseated_is_refused_and_nothing_else(state: State) -> None:
    pair = ConnectionPair().in_state(state)
    late = pair.client.send(m.Say(id=pair.id(), text="hello"))
    late += pair.client.send(m.Leave(id=pair.id()))
    pair.server_says(m.Unseated(code="table_closed"))
    assert pair.states == (State.ENTERED, State.ENTERED)
    assert refused_as_misplaced(pair, late) == [RefusalCode.NOT_AT_TABLE] * 2
    again = pair.client_says(m.Join(id=pair.id(), table="t2"))
    assert pair.server.misplaced(again) is None
    pair.server_says(m.Seated(re=again.id, table="t2", seat=1, token=HEX32))
    assert pair.states == (State.SEATED, State.SEATED)


def test_leaving_may_be_granted_although_the_table_is_gone_already() -> None:
    pair = ConnectionPair().in_state(State.SEATED)
    late = pair.client.send(m.Leave(id=HEX16))
    pair.server_says(m.Unseated(code="table_closed"))
    deliver(pair.server, late)
    pair.server_says(m.Done(re=HEX16))
    assert pair.states == (State.ENTERED, State.ENTERED)


def test_of_two_joins_sent_at_once_the_second_is_refused() -> None:
    pair = ConnectionPair().in_state(State.ENTERED)
    first, second = (m.Join(id=pair.id(), table=table) for table in ("t1", "t2"))
    both = pair.client.send(first) + pair.client.send(second)
    assert deliver(pair.server, both) == [first, second]
    pair.server_says(m.Seated(re=first.id, table="t1", seat=0, token=HEX32))
    assert pair.server.misplaced(second) == RefusalCode.ALREADY_AT_TABLE
    with pytest.raises(LocalError):
        pair.server.send(m.Seated(re=second.id, table="t2", seat=0, token=HEX32))
    pair.server_says(m.Refused(re=second.id, code=RefusalCode.ALREADY_AT_TABLE))
    assert pair.states == (State.SEATED, State.SEATED)


def test_what_is_asked_behind_a_leave_is_refused() -> None:
    pair = ConnectionPair().in_state(State.SEATED)
    leaving = m.Leave(id=pair.id())
    late = pair.client.send(leaving) + pair.client.send(m.Say(id=pair.id(), text="bye"))
    left, said = deliver(pair.server, late)
    pair.server_says(m.Done(re=leaving.id))
    assert isinstance(said, m.Request)
    assert left == leaving
    assert pair.server.misplaced(said) == RefusalCode.NOT_AT_TABLE


def test_who_watches_is_told_that_watchers_may_not() -> None:
    pair = ConnectionPair().in_state(State.WATCHING)
    (request,) = deliver(pair.server, raw(m.EndTurn(id=HEX16, version=1)))
    assert isinstance(request, m.Request)
    assert pair.server.misplaced(request) == RefusalCode.WATCHERS_MAY_NOT


# ---- ends


def test_the_end_of_the_stream_ends_a_connection_after_its_last_message() -> None:
    pair = ConnectionPair().in_state(State.SEATED)
    pair.server.receive(pair.client.send(m.Ping(n=7)))
    pair.server.receive(b"")
    assert pair.server.next_message() == m.Ping(n=7)
    assert pair.server.next_message() is None
    assert pair.server.state == State.CLOSED
    with pytest.raises(LocalError):
        pair.server.receive(b"x")


def test_a_stream_that_ends_inside_a_frame_is_cut_short() -> None:
    pair = ConnectionPair().in_state(State.SEATED)
    pair.server.receive(pair.client.send(m.Ping(n=7))[:-1])
    assert pair.server.next_message() is None
    pair.server.receive(b"")
    with pytest.raises(RemoteError) as caught:
        pair.server.next_message()
    assert caught.value.code == CloseCode.FRAME_CUT_SHORT


def test_messages_before_a_broken_one_still_arrive() -> None:
    pair = ConnectionPair().in_state(State.SEATED)
    pair.server.receive(pair.client.send(m.Ping(n=7)) + bytes(4))
    assert pair.server.next_message() == m.Ping(n=7)
    with pytest.raises(RemoteError) as caught:
        pair.server.next_message()
    assert caught.value.code == CloseCode.FRAME_EMPTY


def test_a_clients_frame_has_the_smaller_limit() -> None:
    header = (5000).to_bytes(4, "big")
    assert fails(Connection(Role.SERVER), header) == CloseCode.FRAME_TOO_LONG
    assert deliver(Connection(Role.CLIENT), header) == []
    too_long = (64 * 1024 + 1).to_bytes(4, "big")
    assert fails(Connection(Role.CLIENT), too_long) == CloseCode.FRAME_TOO_LONG
