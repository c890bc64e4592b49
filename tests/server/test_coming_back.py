"""Resuming: by token alone, checked before anything changes, and at any moment."""

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from hall import Hall, cut, hall
from kings_protocol import messages as m
from kings_protocol.codec import encode
from kings_protocol.codes import CloseCode, RefusalCode
from kings_server.seats import State
from people import Person, new_id

WORD = "hush"


async def two(h: Hall, **fields: object) -> tuple[Person, Person]:
    ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
    await h.match_of(ann, ben, **fields)
    return ann, ben


def token_of(person: Person) -> m.Seated:
    assert person.seat is not None
    return person.seat


async def test_a_wrong_token_changes_nothing(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await two(h)
        seat = token_of(ann)
        table = h.lobby.tables[seat.table]
        await cut(ann)
        await ben.until_state(0, "dropped")
        before = tuple(table.roster.seats)
        thief = await h.guest("Ann")
        for token in ("00" * 32, seat.token[:-1] + ("0" if seat.token[-1] != "0" else "1")):
            resume = m.Resume(id=new_id(), table=seat.table, token=token)
            refused = await thief.ask_for(m.Refused, resume)
            assert refused.code == RefusalCode.BAD_TOKEN
        assert tuple(table.roster.seats) == before
        assert thief.view is None
        assert thief.table is None
        await h.back(ann)


async def test_a_token_opens_its_own_table_alone(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, _ = await two(h)
        other = await h.guest("Cleo")
        elsewhere = await other.make_table(2)
        await cut(ann)
        again = await h.guest("Ann")
        for table, code in (
            (elsewhere.table, RefusalCode.BAD_TOKEN),
            ("0", RefusalCode.NO_SUCH_TABLE),
        ):
            resume = m.Resume(id=new_id(), table=table, token=token_of(ann).token)
            assert (await again.ask_for(m.Refused, resume)).code == code


async def test_resuming_twice_gives_the_same_view_byte_for_byte(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, _ = await two(h)
        for _ in range(3):
            if ann.my_turn:
                await ann.play_once()
        updates = []
        for _ in range(2):
            again = await h.back(ann)
            await again.until_view()
            updates.append(encode(again.updates[0]))
            await cut(again)
            await wait_all_tasks_blocked()
        assert updates[0] == updates[1]


async def test_what_comes_back_is_the_whole_deal_so_far_and_the_power_to_act(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await two(h)
        await ann.play_once()
        await cut(ann)
        await ben.until_state(0, "dropped")
        again = await h.back(ann)
        await again.until_view()
        assert again.events == ann.events
        assert again.view == ann.view
        assert again.table is not None
        assert again.table.seats[0].state == "seated"
        if again.my_turn:
            assert isinstance(await again.play_once(), m.Done)


async def test_a_newer_connection_displaces_the_older_at_once(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await two(h)
        again = await h.back(ann)
        bye = await ann.until_ended()
        assert bye is not None
        assert bye.code == CloseCode.DISPLACED
        await trio.sleep(600)
        assert ben.state_of(0) == "seated"
        await again.until(lambda: again.my_turn)
        assert isinstance(await again.play_once(), m.Done)


async def test_a_token_works_whatever_the_password_and_however_full_the_table(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann")
        seat = await ann.make_table(2, password=WORD, bots=("easy",))
        await ann.until_deal(1)
        await cut(ann)
        again = await h.back(ann)
        await again.until_view()
        late = await h.guest("Ben")
        join = m.Join(id=new_id(), table=seat.table, password=WORD)
        assert (await late.ask_for(m.Refused, join)).code == RefusalCode.TABLE_FULL


async def test_a_move_sent_again_after_a_cut_is_carried_out_once(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, _ = await two(h)
        act = m.EndTurn(id=new_id(), version=ann.version)
        await ann.send(act)
        await cut(ann)
        again = await h.back(ann)
        done = await again.ask_for(m.Done, act)
        assert done.version == act.version + 1
        assert (await again.ask_for(m.Done, act)) == done
        await again.until(lambda: again.version >= act.version + 1)
        assert again.version == act.version + 1


async def test_an_id_that_was_answered_takes_no_other_body(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, _ = await two(h)
        act = m.EndTurn(id=new_id(), version=ann.version)
        await ann.ask_for(m.Done, act)
        other = m.Say(id=act.id, text="hello")
        assert (await ann.ask_for(m.Refused, other)).code == RefusalCode.ID_REUSED


async def test_a_refused_request_may_be_judged_afresh(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await two(h)
        act = m.EndTurn(id=new_id(), version=ben.version + 1)
        assert (await ben.ask_for(m.Refused, act)).code == "not_your_turn"
        await ann.ask_for(m.Done, m.EndTurn(id=new_id(), version=ann.version))
        await ben.until(lambda: ben.my_turn)
        await ben.ask_for(m.Done, act)


async def test_a_move_decided_on_an_older_position_is_refused_as_stale(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, _ = await two(h)
        stale = m.EndTurn(id=new_id(), version=ann.version - 1)
        refused = await ann.ask_for(m.Refused, stale)
        assert (refused.code, refused.version) == (RefusalCode.STALE_VERSION, ann.version)


@pytest.mark.parametrize("make", [True, False])
async def test_a_seat_whose_answer_was_lost_is_given_again_not_twice(
    make: bool, autojump_clock: MockClock
) -> None:
    async with hall(autojump_clock) as h:
        host = await h.guest("Host")
        seat = await host.make_table(4)
        request: m.Request = m.Join(id=new_id(), table=seat.table)
        if make:
            request = m.MakeTable(id=new_id(), name="Attic", preset="pagat")
        ann = await h.guest("Ann")
        first = await ann.ask_for(m.Seated, request)
        await cut(ann)
        again = await h.stranger("Ann")
        again.client = ann.client
        await again.enter()
        assert await again.ask_for(m.Seated, request) == m.Seated(
            re=request.id, table=first.table, seat=first.seat, token=first.token
        )
        await again.until(lambda: again.table is not None)
        assert len(h.lobby.tables) == 1 + make
        assert len(h.lobby.tables[seat.table].roster.where(State.OPEN)) == (3 if make else 2)


async def test_a_resume_may_come_in_the_middle_of_an_offer(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        ann.answers_offers = ben.answers_offers = False
        await h.table_of(ann, ben)
        await ann.ready()
        await ben.ready()
        await ann.until(lambda: ann.phase("offering"))
        await cut(ann)
        again = await h.back(ann)
        await again.until_deal(1)
        assert again.replied
        assert not [r for r in again.replies.values() if isinstance(r, m.Refused)]


async def test_a_resume_and_the_end_of_the_grace_may_meet(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        for early in (0.001, 0.0, -0.001):
            ann, ben = await two(h, grace_seconds=5)
            await cut(ann)
            again = await h.stranger("Ann")
            await again.enter()
            await ben.until_state(0, "dropped")
            await trio.sleep(5 - early)
            await again.resume(token_of(ann))
            await ben.until_state(0, "seated")
            await again.until_view()
            for person in (again, ben):
                await cut(person)
