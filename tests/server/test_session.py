"""One connection: what it may do before it has entered, how fast, and how it ends."""

from io import StringIO

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from hall import cut, hall
from journals import Slow
from kings_protocol import limits
from kings_protocol import messages as m
from kings_protocol.codes import CloseCode, NoticeCode, RefusalCode
from kings_protocol.connection import Connection
from kings_protocol.states import Role
from kings_protocol.version import make_hello
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.limits import FLOOD_PAUSE
from kings_server.log import logger
from kings_server.session import Session
from people import Person, connected, new_id

SECRET = "5e" * 32


async def bye_of(person: Person) -> str | None:
    """Return why the server ended somebody's connection."""
    bye = await person.until_ended()
    return None if bye is None else bye.code


async def test_who_says_nothing_is_shown_out(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        silent = await h.stranger()
        began = trio.current_time()
        assert await bye_of(silent) == CloseCode.TOO_LATE
        assert trio.current_time() - began <= limits.HELLO_SECONDS + limits.BYE_SECONDS


async def test_who_does_not_enter_is_shown_out(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        shy = await h.stranger()
        await shy.send(make_hello())
        began = trio.current_time()
        assert await bye_of(shy) == CloseCode.TOO_LATE
        assert trio.current_time() - began <= limits.ENTER_SECONDS + limits.BYE_SECONDS


async def test_who_neither_enters_nor_reads_is_cut_off(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        near, far = trio.testing.lockstep_stream_pair()
        h.nursery.start_soon(h.handle, far)
        await near.send_all(Connection(Role.CLIENT).send(make_hello()))
        assert len(h.listener.sessions) == 1
        await trio.sleep(limits.ENTER_SECONDS + limits.WRITE_SECONDS + limits.PING_SECONDS)
        assert not h.listener.sessions


async def test_a_wrong_password_is_no_slow_answer(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        table = (await ann.make_table(2, password="hush")).table  # noqa: S106
        await trio.sleep(3600)
        before = h.lobby.counts.answers.seconds
        await ben.ask_for(m.Refused, m.Join(id=new_id(), table=table, password="loud"))  # noqa: S106
        assert h.lobby.counts.answers.seconds - before < 1


async def test_who_answers_pings_may_stay_and_who_does_not_is_taken_for_gone(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        lively, dead = await h.guest("Ann"), await h.stranger("Ben")
        dead.answers_pings = False
        await dead.enter()
        heard = trio.current_time()
        assert await bye_of(dead) == CloseCode.SILENT
        silence = trio.current_time() - heard
        assert limits.DEAD_SECONDS <= silence <= limits.DEAD_SECONDS + limits.PING_SECONDS
        await trio.sleep(3600)
        await lively.ask_for(m.Done, m.Browse(id=new_id(), page=None))


async def test_a_server_with_little_patience_asks_before_it_takes_anybody_for_gone(
    autojump_clock: MockClock,
) -> None:
    bounds = Bounds(ping_seconds=1.0, dead_seconds=4.0)
    assert bounds.dead_seconds < bounds.enter_seconds
    async with hall(autojump_clock, Config(bounds=bounds)) as h:
        quiet = await h.guest("Ann")
        await trio.sleep(60)
        assert not quiet.ended, quiet.bye


async def test_only_the_secret_opens_a_private_server(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock, Config(secret=SECRET)) as h:
        person = await h.stranger()
        await person.greet()
        for secret in (None, "00" * 32):
            enter = m.Enter(id=new_id(), client=person.client, name="Ann", secret=secret)
            assert (await person.ask_for(m.Refused, enter)).code == RefusalCode.BAD_SECRET
        enter = m.Enter(id=new_id(), client=person.client, name="Ann", secret=SECRET)
        await person.ask_for(m.Entered, enter)


async def test_a_name_is_cleaned_and_must_not_be_empty_then(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        person = await h.stranger()
        await person.greet()
        enter = m.Enter(id=new_id(), client=person.client, name="\u202e\x1b[31m \u200b")
        assert (await person.ask_for(m.Refused, enter)).code == RefusalCode.BAD_NAME
        enter = m.Enter(
            id=new_id(), client=person.client, name="\x1b[31mAnn\u202e  B" + "\u0336" * 9
        )
        assert (await person.ask_for(m.Entered, enter)).name == "Ann B" + "\u0336" * 4


async def at_once(person: Person, count: int) -> list[m.Reply]:
    """Return the replies to so many requests that are sent in one go; fewer, if it ends before."""
    requests = [m.Browse(id=new_id(), page=None) for _ in range(count)]
    await person.stream.send_all(b"".join(map(person.connection.send, requests)))
    await person.until(lambda: person.bye or all(one.id in person.replies for one in requests))
    return [person.replies[request.id] for request in requests if request.id in person.replies]


async def test_a_flood_is_refused_request_by_request_then_ended(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, Config()) as h:
        eager, calm = await h.guest("Ann"), await h.guest("Ben")
        replies = await at_once(eager, 60)
        done = [reply for reply in replies if isinstance(reply, m.Done)]
        refused = [reply for reply in replies if isinstance(reply, m.Refused)]
        assert len(done) == limits.REQUESTS_BURST - 1
        assert {reply.code for reply in refused} == {RefusalCode.TOO_MANY_REQUESTS}
        await calm.ask_for(m.Done, m.Browse(id=new_id(), page=None))
        await trio.sleep(1)
        await eager.ask_for(m.Done, m.Browse(id=new_id(), page=None))
        for _ in range(limits.FLOOD_REFUSALS // 20):
            if eager.bye is None:
                await at_once(eager, 60)
        assert await bye_of(eager) == CloseCode.FLOOD


async def test_who_was_refused_as_asking_too_much_is_not_heard_for_a_while_others_are(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, Config()) as h:
        eager, calm = await h.guest("Ann"), await h.guest("Ben")
        await at_once(eager, limits.REQUESTS_BURST)
        began = trio.current_time()
        await calm.ask_for(m.Done, m.Browse(id=new_id(), page=None))
        assert trio.current_time() == began
        await eager.ask_for(m.Done, m.Browse(id=new_id(), page=None))
        assert FLOOD_PAUSE - 0.1 < trio.current_time() - began <= FLOOD_PAUSE
        began = trio.current_time()
        for _ in range(5):
            await eager.ask_for(m.Done, m.Browse(id=new_id(), page=None))
        assert trio.current_time() == began


async def test_who_was_not_heard_for_a_while_is_heard_at_once_after_it_whatever_comes_first(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, Config()) as h:
        eager = await h.guest("Ann")
        await at_once(eager, limits.REQUESTS_BURST)
        await trio.sleep(2 * FLOOD_PAUSE)
        await eager.send(m.Pong(n=1))
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
        await eager.ask_for(m.Done, m.Browse(id=new_id(), page=None))
        assert trio.current_time() == began


async def test_who_floods_at_a_steady_pace_is_ended_too(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock, Config()) as h:
        eager = await h.guest("Ann")
        began = trio.current_time()
        with trio.fail_after(60):
            while eager.bye is None:
                await eager.send(m.Browse(id=new_id(), page=None))
                await trio.sleep(1 / (2 * limits.REQUESTS_PER_SECOND))
        assert await bye_of(eager) == CloseCode.FLOOD
        refused_a_second = limits.REQUESTS_PER_SECOND - limits.FLOOD_FORGIVEN_PER_SECOND
        fewest = limits.FLOOD_REFUSALS / refused_a_second
        assert trio.current_time() - began == pytest.approx(fewest, abs=4)


async def test_a_few_requests_too_many_now_and_then_are_forgiven(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, Config()) as h:
        hasty = await h.guest("Ann")
        for _ in range(20):
            for _ in range(limits.REQUESTS_BURST + 10):
                await hasty.ask(m.Browse(id=new_id(), page=None))
            await trio.sleep(10 / limits.FLOOD_FORGIVEN_PER_SECOND)
        assert hasty.bye is None


async def test_chat_has_a_bound_of_its_own(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest()
        await ann.make_table(2)
        replies = [await ann.ask(m.Say(id=new_id(), text="hello")) for _ in range(12)]
        assert [type(reply) for reply in replies[: limits.CHAT_LINES]] == [m.Done] * 8
        refused = replies[limits.CHAT_LINES]
        assert isinstance(refused, m.Refused)
        assert refused.code == RefusalCode.TOO_MUCH_CHAT
        await ann.ready()


async def test_every_request_gets_one_reply_even_when_many_come_at_once(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, journal=Slow()) as h:
        ann = await h.guest()
        await ann.make_table(2)
        requests = [m.Ready(id=new_id(), on=bool(number % 2)) for number in range(40)]
        wire = b"".join(map(ann.connection.send, requests))
        await ann.stream.send_all(wire)
        await ann.until(lambda: all(request.id in ann.replies for request in requests))
        assert all(ann.replied[request.id] == 1 for request in requests)
        codes = [reply.code for reply in ann.replies.values() if isinstance(reply, m.Refused)]
        assert codes == [RefusalCode.TOO_MANY_REQUESTS] * len(codes)
        assert len(requests) - len(codes) == limits.PENDING_COMMANDS + 1


async def test_a_request_that_crossed_a_move_is_refused_not_punished(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest()
        await ann.make_table(2)
        for request, code in (
            (m.Browse(id=new_id(), page=0), RefusalCode.ALREADY_AT_TABLE),
            (m.Join(id=new_id(), table="0"), RefusalCode.ALREADY_AT_TABLE),
        ):
            reply = await ann.ask_anyway(request)
            assert isinstance(reply, m.Refused)
            assert reply.code == code
        await ann.ask_for(m.Done, m.Leave(id=new_id()))
        reply = await ann.ask_anyway(m.Ready(id=new_id(), on=True))
        assert isinstance(reply, m.Refused)
        assert reply.code == RefusalCode.NOT_AT_TABLE


@pytest.mark.parametrize(
    "rubbish",
    [
        b"\x00\x00\x00\x00",
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x05\xdd\xff\xff\xff\xff",
        b"\x00\x00\x00\x02\xc1\xc1",
        b"\x00\x00\x00\x0b\x81\xa1t\xa7unknown",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
async def test_malformed_bytes_end_that_one_connection(
    rubbish: bytes, autojump_clock: MockClock
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.match_of(ann, ben)
        await ann.stream.send_all(rubbish)
        bye = await ann.until_ended()
        assert bye is not None
        assert bye.code in set(CloseCode)
        await ben.until(lambda: ben.state_of(0) == "dropped")
        again = await h.back(ann)
        await again.until(lambda: again.my_turn)
        assert isinstance(await again.play_once(), m.Done)


async def test_a_ping_is_answered_while_the_table_is_busy(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock, journal=Slow()) as h:
        ann = await h.guest()
        await ann.make_table(2, bots=("easy",))
        await ann.until_deal(1)
        await ann.until(lambda: ann.my_turn)
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.play_once)
            await ann.send(m.Ping(n=7))
            await ann.until(lambda: m.Pong(n=7) in ann.others)
            assert trio.current_time() == began
        assert trio.current_time() - began >= 5


async def test_a_reader_that_stops_reading_costs_only_itself(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        table = await h.table_of(ann, ben)
        near, far = trio.testing.lockstep_stream_pair()
        h.nursery.start_soon(h.handle, far)
        eve = Person(near, "Eve")
        async with connected(eve):
            await eve.enter()
            await eve.ask_for(m.Watching, m.Watch(id=new_id(), table=table.settings.table))
            assert table.roster.watchers == 1
            eve.pause()
            began = trio.current_time()
            await ann.ready()
            await ben.ready()
            async with trio.open_nursery() as players:
                players.start_soon(ann.play_match)
                players.start_soon(ben.play_match)
            assert trio.current_time() - began < limits.WRITE_SECONDS
            await trio.sleep(limits.WRITE_SECONDS + limits.PING_SECONDS)
            assert table.roster.watchers == 0
            assert len(h.listener.sessions) == 2


async def test_a_bye_ends_the_connection_and_keeps_the_seat(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.match_of(ann, ben)
        await ann.send(m.Bye(code=CloseCode.GOING))
        assert await ann.until_ended() is None
        await ben.until(lambda: ben.state_of(0) == "dropped")
        assert [one.code for one in ben.others if isinstance(one, m.Notice)][-1] == NoticeCode.QUIT
        await h.back(ann)


async def test_what_waits_for_somebody_who_said_goodbye_is_never_written(
    autojump_clock: MockClock, log: StringIO
) -> None:
    async with hall(autojump_clock) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben", "Cleo", "Dan")]
        await h.match_of(*people)
        for person in people:
            await person.send(m.Bye(code=CloseCode.GOING))
        for person in people:
            assert await person.until_ended() is None
        await trio.sleep(3600)
        assert not h.listener.sessions
    assert "connection ended" in log.getvalue()
    assert "failed" not in log.getvalue()


async def test_an_error_of_ours_ends_one_connection(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")

        def broken(*_: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(h.lobby.listing, "look", broken)
        await ann.send(m.Browse(id=new_id(), page=0))
        await ann.until_ended()
        monkeypatch.undo()
        await ben.ask_for(m.Done, m.Browse(id=new_id(), page=0))


async def test_a_full_server_says_so(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock, Config(bounds=Bounds(connections=1))) as h:
        await h.guest("Ann")
        late = await h.stranger("Ben")
        assert await bye_of(late) == CloseCode.TOO_MANY_CONNECTIONS


async def test_bytes_may_come_one_by_one(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        near, far = trio.testing.memory_stream_pair()
        h.nursery.start_soon(h.handle, far)
        person = Person(near)
        async with connected(person):
            for byte in person.connection.send(make_hello()):
                await near.send_all(bytes((byte,)))
            await person.until(lambda: person.others)
            assert isinstance(person.others[0], m.Welcome)


async def test_a_session_leaves_nothing_behind_when_it_is_cancelled(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        near, far = trio.testing.memory_stream_pair()
        session = Session(far, h.lobby, logger())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.run)
            await near.send_all(Connection(Role.CLIENT).send(make_hello()))
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        assert session.gone
        ann = await h.guest()
        await cut(ann)
