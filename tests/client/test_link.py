"""The link against a scripted server, on the virtual clock.

Conduct: streams are in memory, every wait is virtual, and a test that hangs fails after
``scripted.LIMIT`` virtual seconds. The server's side always says which end closes first.
"""

from pathlib import Path

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock

from kings_client.config import Address, Target
from kings_client.conversation import HEARD_BURST, HEARD_PER_SECOND, TALK_COST
from kings_client.intents import (
    BeginAnew,
    BrowsePage,
    ComeBack,
    EndTurn,
    GivePassword,
    Join,
    Leave,
    MakeTable,
    Say,
    Watch,
)
from kings_client.model import Linked, Reason
from kings_client.updating import LINES
from kings_engine.rules import Rules
from kings_protocol import messages as m
from kings_protocol.codes import CloseCode, RefusalCode, UnseatedCode
from scripted import KITCHEN, SERVER, TABLE, TARGET, TOKEN, online, sit_down, table_state, visiting


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


async def test_a_seat_to_be_given_up_that_is_gone_costs_no_other_seat(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        await sit_down(visit)
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await visit.host.accept()
        await server.enter()
        await visit.until(lambda model: model.unfinished)
        visit.link.want(BeginAnew())
        resume = await server.hear(m.Resume)
        await server.say(m.Refused(re=resume.id, code=RefusalCode.NO_SUCH_TABLE))
        made = await server.hear(m.MakeTable)
        seated = m.Seated(re=made.id, table="another", seat=0, token=TOKEN)
        await server.say(seated)
        await server.say(table_state(table="another"))
        await visit.until(lambda model: model.where == "table")
        visit.link.want(Say("here I am"))
        await server.hear(m.Say)


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


async def test_a_table_that_contradicts_itself_is_not_shown(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        open_seat = m.SeatState(state="open", name="")
        await server.say(table_state(seats=(open_seat,) * 2, watchers=3))
        await visit.until(lambda model: model.table and model.table.watchers == 3)
        await server.say(table_state(Rules(players=3)))
        assert (await server.hear(m.Bye)).code == CloseCode.BAD_MESSAGE
        assert visit.model.table is not None
        assert len(visit.model.table.seats) == 2


async def test_a_seat_at_a_table_that_was_not_asked_for_is_kept_nowhere(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        files = sorted(visit.store.place.glob("seat-*"))
        await server.cut()
        again = await visit.host.accept()
        await again.enter()
        resume = await again.hear(m.Resume)
        await again.say(m.Seated(re=resume.id, table="t2", seat=0, token=TOKEN))
        assert (await again.hear(m.Bye)).code == CloseCode.BAD_MESSAGE
        assert sorted(visit.store.place.glob("seat-*")) == files


@pytest.mark.parametrize(
    ("message", "a_second"),
    [
        (m.Said(seat=1, name="Ben", text="hello"), HEARD_PER_SECOND / TALK_COST),
        (m.Notice(code="back", seat=1), HEARD_PER_SECOND / TALK_COST),
        (table_state(), HEARD_PER_SECOND),
    ],
)
async def test_a_server_that_talks_without_end_is_read_no_faster_than_people_talk(
    message: m.Message, a_second: float, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock, KITCHEN) as visit:
        server = await sit_down(visit)
        began, count = autojump_clock.current_time(), len(visit.models)
        for _ in range(4000):
            await server.say(message)
        await visit.until(lambda _: len(visit.models) >= count + 4000)
        spent = autojump_clock.current_time() - began
        assert spent >= 4000 / a_second - HEARD_BURST / HEARD_PER_SECOND - 1
        # It is not taken for a lost connection meanwhile, and does as it is told.
        visit.link.want(EndTurn(1))
        await server.hear(m.EndTurn)
        assert len(visit.model.lines) <= LINES


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


async def test_a_second_key_press_joins_no_second_time(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with visiting(tmp_path, autojump_clock) as visit:
        server = await visit.host.accept()
        await server.enter()
        await server.hear(m.Browse)
        for _ in range(2):
            visit.link.want(Join(TABLE))
        visit.link.want(ComeBack(TABLE))
        await server.seat(await server.hear(m.Join))
        await visit.until(lambda model: model.where == "table")
        visit.link.want(Say("hi"))
        assert (await server.hear(m.Say)).text == "hi"


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


@pytest.mark.parametrize("given", [None, ""])
async def test_a_missing_password_is_told_from_a_wrong_one(
    tmp_path: Path, autojump_clock: MockClock, given: str | None
) -> None:
    async with visiting(tmp_path, autojump_clock, target=evolve(TARGET, password=given)) as visit:
        reasons = []
        for word in ("guess", ""):
            server = await visit.host.accept()
            enter = await server.greet()
            await server.say(m.Refused(re=enter.id, code=RefusalCode.WRONG_PASSWORD))
            closed = await visit.until(lambda model: model.link.wants_password)
            reasons.append(closed.link.reason)
            visit.link.try_again(GivePassword(word))
        assert reasons == [Reason.NO_PASSWORD, RefusalCode.WRONG_PASSWORD]


@pytest.mark.parametrize("given", [None, "sesame"])
async def test_who_could_be_overheard_is_told_that_no_password_is_sent(
    tmp_path: Path, autojump_clock: MockClock, given: str | None
) -> None:
    far = Target(Address("den.example"), "den", plain_text=True, password=given)
    async with visiting(tmp_path, autojump_clock, target=far) as visit:
        server = await visit.host.accept()
        enter = await server.greet()
        assert enter.password is None
        await server.say(m.Refused(re=enter.id, code=RefusalCode.WRONG_PASSWORD))
        closed = await visit.until(lambda model: model.link.state is Linked.CLOSED)
        assert closed.link.reason == RefusalCode.NOT_ENCRYPTED
        assert not closed.link.wants_password


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
