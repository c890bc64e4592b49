"""A server that is killed and started again: everything is as it was, and downtime costs nobody."""

import random
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from hall import cut
from kings_protocol import messages as m
from kings_protocol.codec import encode
from kings_protocol.codes import RefusalCode
from kings_server.bounds import Bounds
from kings_server.config import Config
from kings_server.limits import GROUP_SECONDS, RECONNECT_SECONDS
from people import Person, new_id
from restarting import back, server, table_of

GRACE = 60
PATIENCE = 3600.0
CONFIG = Config(bounds=Bounds(requests_per_second=0, pause_seconds=PATIENCE))
WORD = "hush"


async def until_dealt(person: Person) -> None:
    await person.until(lambda: not person.phase("offering"))


def seen(person: Person) -> bytes:
    """Return the first update that a connection brought."""
    return encode(person.updates[0])


@pytest.mark.parametrize("preset", ["pagat", "strict", "royal_corners"])
async def test_views_come_back_byte_for_byte_wherever_the_server_was_killed(
    autojump_clock: MockClock, tmp_path: Path, preset: str, request: pytest.FixtureRequest
) -> None:
    seed = random.randrange(2**32) if request.config.getoption("--soak") else 3  # noqa: S311
    print(f"seed {seed}")
    async with server(autojump_clock, tmp_path) as h:
        people = [await h.guest(name, seed + at) for at, name in enumerate(("Ann", "Ben"))]
        await h.match_of(*people, preset=preset, knobs={"points": 60})
    for _ in range(12 * max(1, request.config.getoption("--soak"))):
        async with server(autojump_clock, tmp_path) as h:
            people = [await back(h, person) for person in people]
            for _ in range(3):
                for person in people:
                    if person.phase("between", "over"):
                        await person.ready()
                    elif person.my_turn:
                        assert isinstance(await person.play_once(), m.Done)
            await until_dealt(people[0])
            people = [await back(h, person) for person in people]
            before = [seen(person) for person in people]
        async with server(autojump_clock, tmp_path) as h:
            people = [await back(h, person) for person in people]
            assert [seen(person) for person in people] == before


async def test_table_seats_chat_and_settings_come_back(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        seat = await ann.make_table(
            4, name="Den", password=WORD, bots=("easy",), absent="skip", grace_seconds=GRACE
        )
        await ben.join(seat.table, password=WORD, seat=2)
        await ben.ask_for(m.Done, m.Say(id=new_id(), text="good evening"))
        await ben.until(lambda: table_of(ben).seats[2].state == "seated")
        before, line = table_of(ben), h.lobby.tables[seat.table].line
        server_id = h.lobby.server_id
    async with server(autojump_clock, tmp_path) as h:
        assert h.lobby.server_id == server_id
        assert h.lobby.tables[seat.table].line == line
        ann, ben = await back(h, ann), await back(h, ben)
        await ann.until(lambda: table_of(ann).seats[2].state == "seated")
        assert encode(table_of(ann)) == encode(before)
        assert ann.seat is not None
        assert ann.seat.chat == (m.ChatLine(seat=2, name="Ben", text="good evening"),)
        stranger = await h.guest("Cleo")
        join = m.Join(id=new_id(), table=seat.table, password="o")  # noqa: S106
        refused = await stranger.ask_for(m.Refused, join)
        assert refused.code == RefusalCode.WRONG_PASSWORD


async def test_an_offer_keeps_its_commitment(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        ben.answers_offers = False
        table = await h.table_of(ann, ben)
        await ann.ready()
        await ben.ready()
        await ben.until(lambda: table_of(ben).offer is not None)
        offer = table_of(ben).offer
        assert table.dealing is not None
        secret = table.dealing.secret
    async with server(autojump_clock, tmp_path) as h:
        (table,) = h.lobby.tables.values()
        assert table.dealing is not None
        assert table.dealing.secret == secret
        again = await back(h, ben)
        assert offer is not None
        shown = table_of(again).offer
        assert shown is not None
        assert shown.commitment == offer.commitment
        commit = m.Commit(id=new_id(), match=1, deal=shown.deal, attempt=0, commitment="ab" * 32)
        assert isinstance(await again.ask(commit), m.Done)


async def test_times_go_on_with_what_was_left_and_some_to_reconnect(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben, knobs={"turn_seconds": 90}, grace_seconds=GRACE)
        await cut(ben)
        await ann.until_state(1, "dropped")
        await trio.sleep(20)
        await ann.ask_for(m.Done, m.Say(id=new_id(), text="where are you?"))
    await trio.sleep(3600)
    async with server(autojump_clock, tmp_path) as h:
        ann = await back(h, ann)
        state = table_of(ann)
        back_in, turn_in = GRACE - 20 + RECONNECT_SECONDS, 90 - 20 + RECONNECT_SECONDS
        saved = 3000 * GROUP_SECONDS  # the clocks run while what happens is being kept
        assert state.seats[1].back_in == pytest.approx(back_in * 1000, abs=saved)
        assert state.turn_in == pytest.approx(turn_in * 1000, abs=saved)
        assert ann.my_turn
        ben = await back(h, ben)
        assert ben.view is not None


async def test_who_does_not_come_back_is_replaced_after_the_grace_and_not_before(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben, grace_seconds=GRACE)
    async with server(autojump_clock, tmp_path) as h:
        began = trio.current_time()
        ann = await back(h, ann)
        await ann.until_state(1, "held")
        assert trio.current_time() - began == pytest.approx(GRACE + RECONNECT_SECONDS)


async def test_a_request_sent_again_after_a_restart_gets_its_first_answer(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben)
        version = ann.version
        request = m.EndTurn(id=new_id(), version=version)
        first = await ann.ask(request)
    async with server(autojump_clock, tmp_path) as h:
        ann = await back(h, ann)
        now = ann.version
        assert await ann.ask(request) == first
        assert ann.version == now
        other = m.EndTurn(id=request.id, version=version + 1)
        assert (await ann.ask_for(m.Refused, other)).code == RefusalCode.ID_REUSED


@pytest.mark.parametrize("making", [True, False])
async def test_a_seat_whose_answer_was_lost_with_the_server_is_given_again(
    autojump_clock: MockClock, tmp_path: Path, *, making: bool
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        made = m.MakeTable(id=new_id(), name="Den", preset="pagat", knobs={"players": 2})
        first = await ann.ask_for(m.Seated, made)
        joined = m.Join(id=new_id(), table=first.table)
        second = await ben.ask_for(m.Seated, joined)
    who, request, seated = (ann, made, first) if making else (ben, joined, second)
    async with server(autojump_clock, tmp_path) as h:
        thief = await h.guest("Cleo")
        stolen = await thief.ask(request)
        assert not isinstance(stolen, m.Seated) or stolen.table != seated.table
        again = await h.stranger(who.name)
        again.client = who.client
        await again.enter()
        found = await again.ask_for(m.Seated, request)
        assert (found.table, found.seat) == (seated.table, seated.seat)
        assert found.token != seated.token
        await cut(again)
        once_more = await h.guest(who.name)
        await once_more.resume(found)


async def test_a_seat_that_was_given_up_is_known_as_such_after_a_restart(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.table_of(ann, ben)
        seat = ben.seat
        await ben.ask_for(m.Done, m.Leave(id=new_id()))
    assert seat is not None
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await back(h, ann), await h.guest("Ben")
        for token, code in (
            (seat.token, RefusalCode.SEAT_GIVEN_UP),
            ("0" * 64, RefusalCode.BAD_TOKEN),
        ):
            resume = m.Resume(id=new_id(), table=seat.table, token=token)
            assert (await ben.ask_for(m.Refused, resume)).code == code


async def test_no_table_remains_that_nobody_comes_back_to(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path, CONFIG) as h:
        ann, ben, cleo = await h.guest("Ann", 1), await h.guest("Ben", 2), await h.guest("Cleo")
        await h.match_of(ann, ben)
        await cleo.make_table(3)
        await cleo.ask_for(m.Done, m.Leave(id=new_id()))
        await trio.sleep(1)
    async with server(autojump_clock, tmp_path, CONFIG) as h:
        assert len(h.lobby.tables) == 1
        await trio.sleep(PATIENCE + RECONNECT_SECONDS + 1)
        assert h.lobby.tables == {}
    async with server(autojump_clock, tmp_path, CONFIG) as h:
        assert h.lobby.tables == {}


async def test_a_table_of_nobody_but_bots_is_gone_at_once(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        table = await h.match_of(ann, bots=("easy",), pace=(10_000, 10_000))
        await ben.ask_for(m.Watching, m.Watch(id=new_id(), table=table.settings.table))
        await ann.ask_for(m.Done, m.Leave(id=new_id()))
        await trio.sleep(1)
        assert h.lobby.tables, "who looks on still does"
    async with server(autojump_clock, tmp_path) as h:
        await trio.sleep(1)
        assert not h.lobby.tables
    async with server(autojump_clock, tmp_path) as h:
        assert not h.lobby.tables, "and forgotten"
