"""People take a seat from somebody: the host before a start, most of the others in a match."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from hall import Hall, cut, hall
from journals import breakable
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode, RefusalCode, UnseatedCode
from kings_protocol.messages import Absent
from people import Person, new_id

REMOVED = m.Unseated(code=UnseatedCode.REMOVED)


async def people(h: Hall, count: int) -> list[Person]:
    return [await h.guest(name) for name in ("Ann", "Ben", "Cleo", "Dan")[:count]]


def vote(seat: int, *, on: bool = True) -> m.Vote:
    return m.Vote(id=new_id(), seat=seat, on=on)


def kick(seat: int) -> m.Kick:
    return m.Kick(id=new_id(), seat=seat)


def resume(person: Person) -> m.Resume:
    assert person.seat is not None
    return m.Resume(id=new_id(), table=person.seat.table, token=person.seat.token)


def codes(person: Person) -> list[str]:
    return [one.code for one in person.others if isinstance(one, m.Notice)]


async def test_the_host_takes_somebody_out_before_the_start(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, cleo = await people(h, 3)
        table = await h.table_of(ann, ben, cleo)
        await ann.ask_for(m.Done, kick(1))
        await ben.until_told(REMOVED)
        await cleo.until_state(1, "open")
        assert NoticeCode.REMOVED in codes(cleo)
        assert (await ben.ask_for(m.Refused, resume(ben))).code == RefusalCode.SEAT_GIVEN_UP
        await ben.ask_for(m.Done, m.Browse(id=new_id(), page=0))
        await ben.join(table.settings.table)


async def test_the_host_takes_out_who_was_cut_off_at_once(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await people(h, 2)
        await h.table_of(ann, ben)
        await cut(ben)
        await ann.until_state(1, "dropped")
        await ann.ask_for(m.Done, kick(1))
        await ann.until_state(1, "open")


async def test_a_kick_is_the_hosts_alone_of_another_person_and_never_in_a_match(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await people(h, 2)
        await h.table_of(ann, ben, bots=("easy",))
        for asker, seat, code in (
            (ben, 0, RefusalCode.HOST_ONLY),
            (ann, 0, RefusalCode.NOT_A_PERSON),
            (ann, 2, RefusalCode.NOT_A_PERSON),
            (ann, 7, RefusalCode.NO_SUCH_SEAT),
        ):
            assert (await asker.ask_for(m.Refused, kick(seat))).code == code
        for person in (ann, ben):
            await person.ready()
        await ann.until_deal(1)
        assert (await ann.ask_for(m.Refused, kick(1))).code == RefusalCode.NOT_NOW


async def test_it_takes_more_than_half_of_the_others_to_give_a_seat_to_a_bot(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, cleo, dan = await people(h, 4)
        table = await h.match_of(ann, ben, cleo, dan)
        await ann.ask_for(m.Done, vote(3))
        await dan.until_table(lambda table: table.seats[3].votes == (0,))
        assert NoticeCode.BOT_WANTED in codes(dan)
        await ann.ask_for(m.Done, vote(3, on=False))
        await ben.ask_for(m.Done, vote(3))
        await dan.until_table(lambda table: table.seats[3].votes == (1,))
        await cleo.ask_for(m.Done, vote(3))
        await dan.until_told(REMOVED)
        await ann.until_state(3, "bot")
        assert NoticeCode.VOTED_OUT in codes(ann)
        assert NoticeCode.BOT_PLAYS not in codes(ann)
        assert (await dan.ask_for(m.Refused, resume(dan))).code == RefusalCode.SEAT_GIVEN_UP
        await dan.ask_for(m.Watching, m.Watch(id=new_id(), table=table.settings.table))
        await ann.until_table(lambda table: table.watchers == 1)


async def test_who_is_cut_off_counts_among_the_others(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, cleo = await people(h, 3)
        await h.match_of(ann, ben, cleo, absent="wait")
        await cut(cleo)
        await ann.until_state(2, "dropped")
        await ann.ask_for(m.Done, vote(1))
        await ben.until_table(lambda table: table.seats[1].votes == (0,))
        assert ben.state_of(1) == "seated"


@pytest.mark.parametrize("absent", ["bot", "wait", "skip"])
@pytest.mark.parametrize("gone", ["before", "after", "away"])
async def test_the_vote_of_one_waits_until_the_person_was_gone_for_the_grace(
    gone: str, absent: Absent, autojump_clock: MockClock
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await people(h, 2)
        await h.match_of(ben, ann, absent=absent, grace_seconds=60, away_seconds=100)
        if gone == "before":
            await cut(ben)
            await ann.until_state(0, "dropped")
        await ann.ask_for(m.Done, vote(0))
        await ann.until_table(lambda table: table.seats[0].votes == (1,))
        assert NoticeCode.BOT_WANTED in codes(ann)
        if gone == "after":
            await trio.sleep(90)
            assert ann.state_of(0) == "seated"
            await cut(ben)
        began = autojump_clock.current_time()
        await ann.until_state(0, "bot")
        waited = autojump_clock.current_time() - began
        assert waited == pytest.approx(160 if gone == "away" else 60, abs=1)


async def test_the_vote_of_one_takes_nobodys_seat_who_is_back_in_time(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await people(h, 2)
        await h.match_of(ann, ben, bots=("easy",), grace_seconds=60)
        await ann.ask_for(m.Done, vote(1))
        for _ in range(3):
            await cut(ben)
            await ann.until_state(1, "dropped")
            await trio.sleep(50)
            ben = await h.back(ben)
            await ann.until_state(1, "seated")
        await trio.sleep(300)
        assert ann.state_of(1) == "seated"


async def test_a_vote_is_about_another_person_and_in_a_match(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await people(h, 2)
        await h.table_of(ann, ben, bots=("easy",))
        assert (await ann.ask_for(m.Refused, vote(1))).code == RefusalCode.NOT_NOW
        for person in (ann, ben):
            await person.ready()
        await ann.until_deal(1)
        for seat, code in (
            (0, RefusalCode.NOT_A_PERSON),
            (2, RefusalCode.NOT_A_PERSON),
            (7, RefusalCode.NO_SUCH_SEAT),
        ):
            assert (await ann.ask_for(m.Refused, vote(seat))).code == code


async def test_a_vote_of_somebody_who_left_counts_no_more(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, cleo, dan = await people(h, 4)
        await h.match_of(ann, ben, cleo, dan)
        await ann.ask_for(m.Done, vote(3))
        await ann.ask_for(m.Done, m.Leave(id=new_id()))
        await dan.until_state(0, "bot")
        assert dan.table is not None
        assert dan.table.seats[3].votes == ()
        assert dan.state_of(3) == "seated"


@pytest.mark.parametrize("absent", ["bot", "wait"])
@pytest.mark.parametrize("goes", ["leaves", "is gone for long"])
async def test_votes_are_counted_again_when_others_go(
    autojump_clock: MockClock, absent: Absent, goes: str
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, cleo, dan = await people(h, 4)
        await h.match_of(ann, ben, cleo, dan, absent=absent, knobs={"points": 500})
        await ann.ask_for(m.Done, vote(3))
        for person in (ben, cleo):
            assert ann.state_of(3) == "seated"
            if goes == "leaves":
                await person.ask_for(m.Done, m.Leave(id=new_id()))
            else:
                await cut(person)
        await trio.sleep(600)
        # Only one of the others is left, and Dan is there.
        assert ann.state_of(3) == "seated"
        await cut(dan)
        await trio.sleep(600)
        gone = (goes, absent) == ("is gone for long", "wait")
        assert ann.state_of(3) == ("dropped" if gone else "bot")
        assert codes(ann).count(NoticeCode.VOTED_OUT) == (not gone)


async def test_nobody_is_voted_out_while_nobody_is_there(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, cleo = await people(h, 3)
        table = await h.match_of(ann, ben, cleo, absent="wait")
        await ann.ask_for(m.Done, vote(2))
        for person in (ann, cleo):
            await cut(person)
        await ben.until_state(0, "dropped")
        await ben.until_state(2, "dropped")
        await ben.ask_for(m.Done, m.Leave(id=new_id()))
        await trio.sleep(3600)
        assert table.roster.seats[2].state == "dropped"
        await h.back(cleo)
        assert table.roster.seats[2].state == "seated"


async def test_who_gave_up_a_seat_does_not_watch_that_deal_with_open_hands(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, cleo = await people(h, 3)
        knobs = {"open_hands": True, "points": 500}
        table = await h.match_of(ann, ben, cleo, knobs=knobs)
        await cleo.ask_for(m.Done, m.Leave(id=new_id()))
        watch = m.Watch(id=new_id(), table=table.settings.table)
        assert (await cleo.ask_for(m.Refused, watch)).code == RefusalCode.SEAT_WAS_YOURS
        stranger = await h.guest("Eve")
        await stranger.ask_for(m.Watching, m.Watch(id=new_id(), table=table.settings.table))
        while not ann.phase("between"):
            for person in (ann, ben):
                if person.my_turn:
                    await person.play_once()
            await trio.sleep(0.1)
        for person in (ann, ben):
            await person.ready()
        await ann.until_deal(2)
        await cleo.ask_for(m.Watching, watch)


async def test_who_lost_a_seat_may_watch_a_table_that_others_may_not(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, cleo = await people(h, 3)
        table = await h.match_of(ann, ben, cleo, watchable=False)
        for person in (ann, ben):
            await person.ask_for(m.Done, vote(2))
        await cleo.until_told(REMOVED)
        watch = m.Watch(id=new_id(), table=table.settings.table)
        stranger = await h.guest("Eve")
        assert (await stranger.ask_for(m.Refused, watch)).code == RefusalCode.NOT_WATCHABLE
        await cleo.ask_for(m.Watching, watch)


async def test_watching_a_locked_table_takes_its_password(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await people(h, 2)
        seat = await ann.make_table(2, password="hush")  # noqa: S106
        for given in (None, "", "Hush"):
            watch = m.Watch(id=new_id(), table=seat.table, password=given)
            assert (await ben.ask_for(m.Refused, watch)).code == RefusalCode.WRONG_PASSWORD
        watch = m.Watch(id=new_id(), table=seat.table, password="hush")  # noqa: S106
        await ben.ask_for(m.Watching, watch)


async def test_what_crosses_a_removal_is_refused(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, cleo = await people(h, 3)
        await h.table_of(ann, ben, cleo)
        said = m.Say(id=new_id(), text="wait")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.ask_for, m.Done, kick(1))
            nursery.start_soon(ben.send, said)
        await ben.until(lambda: said.id in ben.replies)
        told = [one.text for one in cleo.others if isinstance(one, m.Said)]
        reply = ben.replies[said.id]
        assert bool(told) == isinstance(reply, m.Done)
        if isinstance(reply, m.Refused):
            assert reply.code == RefusalCode.NOT_AT_TABLE


async def test_a_notice_names_whose_seat_it_was(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, cleo = await people(h, 3)
        await h.match_of(ann, ben, cleo)
        await cleo.ask_for(m.Done, m.Leave(id=new_id()))
        await ann.until_state(2, "bot")
        assert ann.table is not None
        assert ann.table.seats[2].name == "medium"
        told = [(one.code, one.name) for one in ann.others if isinstance(one, m.Notice)]
        assert told[-2:] == [(NoticeCode.LEFT, "Cleo"), (NoticeCode.BOT_PLAYS, "Cleo")]


async def test_votes_and_who_gave_up_a_seat_survive_a_restart(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        ann, ben, cleo, dan = await people(h, 4)
        await h.match_of(ann, ben, cleo, dan, knobs={"open_hands": True}, grace_seconds=3600)
        await cleo.ask_for(m.Done, m.Leave(id=new_id()))
        await ann.ask_for(m.Done, vote(3))
        await ann.until_table(lambda table: table.seats[3].votes == (0,))
    file.close()
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        (table,) = h.lobby.tables
        gone = await h.stranger("Cleo")
        gone.client = cleo.client
        await gone.enter()
        watch = m.Watch(id=new_id(), table=table)
        assert (await gone.ask_for(m.Refused, watch)).code == RefusalCode.SEAT_WAS_YOURS
        _, ben, dan = [await h.back(person) for person in (ann, ben, dan)]
        await ben.until_table(lambda table: table.seats[3].votes == (0,))
        await ben.ask_for(m.Done, vote(3))
        await dan.until_told(REMOVED)
    file.close()
