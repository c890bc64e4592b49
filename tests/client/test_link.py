"""The link against a scripted server, on the virtual clock.

Conduct: streams are in memory, every wait is virtual, and a test that hangs fails after
``scripted.LIMIT`` virtual seconds. The server's side always says which end closes first.
"""

from itertools import pairwise
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock, lockstep_stream_pair

from kings_client.intents import (
    BrowsePage,
    ComeBack,
    EndTurn,
    Leave,
    MakeTable,
    Say,
    Watch,
)
from kings_client.model import Linked, Model, Reason
from kings_engine.rules import Rules
from kings_protocol import messages as m
from kings_protocol.codes import CloseCode, RefusalCode, UnseatedCode
from scripted import SERVER, TABLE, TOKEN, ServerEnd, Visit, table_state, visiting

KITCHEN = MakeTable("Kitchen", "pagat", bots=("medium",))


async def sit_down(visit: Visit) -> ServerEnd:
    server = await visit.host.accept()
    await server.enter_and_seat()
    await visit.until(lambda model: model.table)
    return server


def online(model: Model) -> bool:
    return model.link.state is Linked.ONLINE


async def test_enters_and_looks_at_the_lobby(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with visiting(tmp_path, autojump_clock) as visit:
        server = await visit.host.accept()
        enter = await server.enter()
        assert (enter.name, len(enter.client)) == ("Ann", 32)
        browse = await server.hear(m.Browse)
        assert browse.page == 0
        await server.say(m.Done(re=browse.id))
        model = await visit.until(lambda model: not model.pending)
        assert (model.where, model.server, model.server_name) == ("lobby", SERVER, "the den")


async def test_goes_straight_to_a_table_and_is_ready(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN, ready=True) as visit:
        server = await visit.host.accept()
        await server.enter()
        await server.seat(await server.hear(m.MakeTable))
        assert (await server.hear(m.Ready)).on
        assert not any(model.where == "lobby" for model in visit.models)


async def test_comes_back_by_token_and_sends_again_what_had_no_reply(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        visit.link.want(Say("answered"))
        visit.link.want(EndTurn(7))
        said, act = await server.hear(m.Say), await server.hear(m.EndTurn)
        await server.say(m.Done(re=said.id))
        await visit.until(lambda model: len(model.pending) == 1)
        await server.cut()
        await visit.until(lambda model: model.link.state is Linked.WAITING)
        again = await visit.host.accept()
        resume = await again.resume()
        assert (resume.table, resume.token) == (TABLE, TOKEN)
        assert await again.hear(m.EndTurn) == act
        await again.say(m.Done(re=act.id, version=8))
        await visit.until(lambda model: online(model) and not model.pending)


async def test_the_table_stays_in_sight_while_the_connection_is_lost(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        before = visit.model
        await server.cut()
        model = await visit.until(lambda model: model.link.state is Linked.WAITING)
        assert (model.where, model.table, model.seat) == ("table", before.table, before.seat)
        assert model.link.reason == Reason.CUT
        assert model.link.retry_at is not None
        assert model.link.retry_at > trio.current_time()


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


@pytest.mark.parametrize(
    "code", [RefusalCode.BAD_TOKEN, RefusalCode.NO_SUCH_TABLE, RefusalCode.SEAT_GIVEN_UP]
)
async def test_a_lost_seat_leads_to_the_lobby_and_is_forgotten(
    tmp_path: Path, autojump_clock: MockClock, code: RefusalCode
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        visit.link.want(EndTurn(3))
        await visit.until(lambda model: model.acting)
        await server.cut()
        again = await visit.host.accept()
        await again.enter()
        resume = await again.hear(m.Resume)
        await again.say(m.Refused(re=resume.id, code=code))
        await again.hear(m.Browse)
        assert (visit.model.where, visit.model.acting) == ("lobby", False)
        assert visit.model.refusal is not None
        assert visit.model.refusal.code == code
        assert visit.store.seats(SERVER) == ()


async def test_a_resume_refused_for_now_is_tried_again(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        await server.cut()
        again = await visit.host.accept()
        await again.enter()
        resume = await again.hear(m.Resume)
        await again.say(m.Refused(re=resume.id, code=RefusalCode.SHUTTING_DOWN))
        model = await visit.until(lambda model: model.link.reason == RefusalCode.SHUTTING_DOWN)
        assert (model.link.state, model.where) == (Linked.WAITING, "table")
        await (await visit.host.accept()).resume()


async def test_a_token_is_sent_to_its_own_server_only(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        await server.cut()
        other = await visit.host.accept()
        hello = await other.hear(m.Hello)
        await other.say(
            m.Welcome(magic="kings", version=hello.newest, program="1", server="0f" * 16, name="x")
        )
        assert (await other.hear(m.Bye)).code == CloseCode.GOING
        model = await visit.until(lambda model: model.link.state is Linked.CLOSED)
        assert model.link.reason == Reason.OTHER_SERVER
        visit.link.retry()
        another = await visit.host.accept()
        await another.enter("0f" * 16)
        await another.hear(m.Browse)
        assert visit.store.seat(SERVER, TABLE) is not None


async def test_a_new_client_of_the_same_person_is_offered_its_old_seat(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        await sit_down(visit)
        first = visit.store.client()
    async with visiting(tmp_path, autojump_clock) as visit:
        server = await visit.host.accept()
        assert (await server.enter()).client == first
        await server.hear(m.Browse)
        kept = (await visit.until(lambda model: model.kept)).kept
        assert [(seat.table, seat.name) for seat in kept] == [(TABLE, "Kitchen")]
        visit.link.want(ComeBack(TABLE))
        resume = await server.hear(m.Resume)
        assert resume.token == TOKEN
        await server.seat(resume)
        await server.say(table_state())
        await visit.until(lambda model: model.where == "table" and model.table)


async def test_rubbish_ends_the_connection_with_a_reason_and_is_not_final(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        await server.stream.send_all(b"\xff\xff\xff\xff")
        assert (await server.hear(m.Bye)).code == CloseCode.FRAME_TOO_LONG
        await (await visit.host.accept()).resume()
        await visit.until(online)


async def test_a_table_that_contradicts_itself_is_not_shown(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        open_seat = m.SeatState(state="open", name="")
        await server.say(table_state(seats=(open_seat,) * 2, name="same"))
        await visit.until(lambda model: model.table and model.table.name == "same")
        await server.say(table_state(Rules(players=3), name="other"))
        assert (await server.hear(m.Bye)).code == CloseCode.BAD_MESSAGE
        assert visit.model.table is not None
        assert len(visit.model.table.seats) == 2


async def test_an_action_waits_for_the_reply_to_the_last_one(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        visit.link.want(EndTurn(1))
        visit.link.want(EndTurn(1))
        first = await server.hear(m.EndTurn)
        await server.say(m.Refused(re=first.id, code=RefusalCode.STALE_VERSION, version=2))
        await visit.until(lambda model: model.refusal)
        visit.link.want(EndTurn(2))
        assert (await server.hear(m.EndTurn)).version == 2


async def test_wishes_that_have_no_place_or_no_sense_are_not_asked(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock) as visit:
        visit.link.want(BrowsePage(3))
        server = await visit.host.accept()
        await server.enter()
        await server.hear(m.Browse)
        for wish in (Leave(), EndTurn(1), Watch("T!"), MakeTable("", "pagat"), ComeBack("none")):
            visit.link.want(wish)
        visit.link.want(BrowsePage(3))
        assert (await server.hear(m.Browse)).page == 3


async def test_leaving_forgets_the_seat_and_leads_to_the_lobby(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        assert visit.store.seat(SERVER, TABLE) is not None
        visit.link.want(Leave())
        leave = await server.hear(m.Leave)
        await server.say(m.Done(re=leave.id))
        await server.hear(m.Browse)
        assert (visit.model.where, visit.model.table, visit.model.kept) == ("lobby", None, ())


async def test_being_sent_back_to_the_lobby_says_why(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        await server.say(m.Unseated(code=UnseatedCode.TABLE_CLOSED))
        await server.hear(m.Browse)
        model = await visit.until(lambda model: model.where == "lobby")
        assert model.unseated == UnseatedCode.TABLE_CLOSED
        assert visit.store.seats(SERVER) == ()


async def test_who_watched_watches_again(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with visiting(tmp_path, autojump_clock) as visit:
        server = await visit.host.accept()
        await server.enter()
        await server.hear(m.Browse)
        visit.link.want(Watch(TABLE, "sesame"))
        watch = await server.hear(m.Watch)
        await server.say(m.Watching(re=watch.id, table=TABLE))
        await server.say(table_state())
        await visit.until(lambda model: model.where == "table")
        await server.cut()
        again = await visit.host.accept()
        await again.enter()
        repeated = await again.hear(m.Watch)
        assert (repeated.table, repeated.password) == (TABLE, "sesame")
        assert repeated.id != watch.id


async def test_a_table_asked_for_just_before_the_cut_is_made_once(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await visit.host.accept()
        await server.enter()
        asked = await server.hear(m.MakeTable)
        await server.cut()
        again = await visit.host.accept()
        await again.enter()
        assert (await again.hear(m.MakeTable)).id == asked.id
        await again.seat(asked)
        await visit.until(lambda model: model.where == "table")


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
