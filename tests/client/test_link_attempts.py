"""How the link meets, loses and parts from a server: attempts, heartbeats, last words.

Conduct: as in ``test_link``.
"""

from itertools import pairwise
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock, lockstep_stream_pair

from kings_client.model import Linked, Reason
from kings_protocol import messages as m
from kings_protocol.codes import CloseCode, RefusalCode
from scripted import KITCHEN, SERVER, online, sit_down, visiting


async def test_pauses_grow_to_a_bound_and_are_announced(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN, first=1.0, longest=8.0) as visit:
        server = await sit_down(visit)
        visit.host.down = Reason.NOBODY_LISTENS
        visit.host.attempts.clear()
        await server.cut()
        await visit.until(lambda model: model.link.attempt == 8)
        announced = [one.link.retry_at for one in visit.models if one.link.state is Linked.WAITING]
        attempts = visit.host.attempts
        assert announced[: len(attempts)] == pytest.approx(attempts)
        pauses = [late - early for early, late in pairwise(attempts)]
        longest = [min(2.0**number, 8.0) for number in range(1, len(pauses) + 1)]
        assert all(most / 2 <= pause <= most for pause, most in zip(pauses, longest, strict=True))


async def test_a_retry_by_hand_does_not_wait(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN, first=100.0, longest=100.0) as visit:
        server = await sit_down(visit)
        await server.cut()
        await visit.until(lambda model: model.link.state is Linked.WAITING)
        lost_at = trio.current_time()
        visit.link.retry()
        await (await visit.host.accept()).resume()
        assert trio.current_time() - lost_at < 1


async def test_a_first_attempt_that_fails_is_the_last(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock) as visit:
        visit.host.down = Reason.NOBODY_LISTENS
        model = await visit.until(lambda model: model.link.state is Linked.CLOSED)
        assert model.link.reason == Reason.NOBODY_LISTENS
        await trio.sleep(100)
        assert len(visit.host.attempts) == 1
        visit.host.down = None
        visit.link.retry()
        await (await visit.host.accept()).enter()
        await visit.until(online)


async def test_a_server_that_does_not_answer_the_hello_is_given_up(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, connect=5.0) as visit:
        await visit.host.accept()
        model = await visit.until(lambda model: model.link.state is Linked.CLOSED)
        assert (model.link.reason, trio.current_time()) == (Reason.TIMED_OUT, 5.0)


async def test_a_silent_server_is_asked_and_then_given_up(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN, ping=10.0, dead=25.0) as visit:
        server = await sit_down(visit)
        heard_at = trio.current_time()
        assert isinstance(await server.hear(m.Ping), m.Ping)
        assert 10 <= trio.current_time() - heard_at <= 13
        model = await visit.until(lambda model: model.link.state is Linked.WAITING)
        assert model.link.reason == CloseCode.SILENT
        assert 25 <= trio.current_time() - heard_at <= 28


async def test_a_server_that_answers_pings_is_kept(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        with trio.move_on_after(600):
            await server.hear(m.Leave)
        assert online(visit.model)
        assert server.pings > 10


async def test_pings_are_answered(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with visiting(tmp_path, autojump_clock) as visit:
        server = await visit.host.accept()
        await server.enter()
        await server.hear(m.Browse)
        await server.say(m.Ping(n=41))
        assert (await server.hear(m.Pong)).n == 41


async def test_a_displaced_client_waits_for_its_person(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        await server.say(m.Bye(code=CloseCode.DISPLACED))
        model = await visit.until(lambda model: model.link.state is Linked.CLOSED)
        assert (model.link.reason, model.where) == (CloseCode.DISPLACED, "table")
        await trio.sleep(1000)
        assert len(visit.host.attempts) == 1
        visit.link.retry()
        await (await visit.host.accept()).resume()


async def test_another_version_is_told_in_the_servers_words(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock) as visit:
        server = await visit.host.accept()
        await server.hear(m.Hello)
        words = "Install \x1b[31mversion 9."
        await server.say(m.Unwelcome(magic="kings", oldest=9, newest=9, program="9", words=words))
        model = await visit.until(lambda model: model.link.state is Linked.CLOSED)
        assert (model.link.reason, model.link.words) == (Reason.UNWELCOME, "Install version 9.")


async def test_who_is_not_let_in_does_not_knock_again(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock) as visit:
        server = await visit.host.accept()
        hello = await server.hear(m.Hello)
        await server.say(
            m.Welcome(magic="kings", version=hello.newest, program="1", server=SERVER, name="den")
        )
        enter = await server.hear(m.Enter)
        await server.say(m.Refused(re=enter.id, code=RefusalCode.BAD_SECRET))
        model = await visit.until(lambda model: model.link.state is Linked.CLOSED)
        assert model.link.reason == RefusalCode.BAD_SECRET


async def test_rubbish_ends_the_connection_with_a_reason_and_is_not_final(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        await server.stream.send_all(b"\xff\xff\xff\xff")
        assert (await server.hear(m.Bye)).code == CloseCode.FRAME_TOO_LONG
        await (await visit.host.accept()).resume()
        await visit.until(online)


async def test_going_says_goodbye(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
    assert (await server.hear(m.Bye)).code == CloseCode.GOING


async def test_going_is_not_held_up_by_a_server_that_does_not_read(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN, bye=1.0) as visit:
        visit.host.pair = lockstep_stream_pair
        await sit_down(visit)
        left_at = trio.current_time()
    assert trio.current_time() - left_at == 1.0


@pytest.mark.parametrize("code", [CloseCode.KICKED, CloseCode.BANNED])
async def test_who_was_thrown_out_does_not_come_back_by_itself(
    tmp_path: Path, autojump_clock: MockClock, code: CloseCode
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        await server.say(m.Bye(code=code))
        model = await visit.until(lambda model: model.link.state is Linked.CLOSED)
        assert model.link.reason == code
        await trio.sleep(1000)
        assert len(visit.host.attempts) == 1
