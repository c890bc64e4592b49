"""A table's talk: bounded for all together, and stopped by the host."""

from pathlib import Path

import pytest
from trio.testing import MockClock

from hall import Hall, hall
from journals import breakable
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode, UnseatedCode
from kings_protocol.limits import CHAT_LINES
from kings_server.limits import SEATS_LINES, WATCHERS_LINES
from people import Person, new_id

REMOVED = m.Unseated(code=UnseatedCode.REMOVED)


def say(text: str = "hello") -> m.Say:
    return m.Say(id=new_id(), text=text)


def silence(seat: int | None, *, on: bool = True) -> m.Silence:
    return m.Silence(id=new_id(), seat=seat, on=on)


def kick(seat: int | None = None) -> m.Kick:
    return m.Kick(id=new_id(), seat=seat)


def watch(table: str) -> m.Watch:
    return m.Watch(id=new_id(), table=table)


async def watching(h: Hall, table: str, count: int) -> list[Person]:
    crowd = [await h.guest(f"Crowd {number}") for number in range(count)]
    for one in crowd:
        await one.ask_for(m.Watching, watch(table))
    return crowd


async def lines(crowd: list[Person], each: int) -> list[m.Reply]:
    return [await one.ask(say()) for one in crowd for _ in range(each)]


async def test_all_who_watch_say_no_more_together_than_one_may(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        table = await h.table_of(ann, ben)
        replies = await lines(await watching(h, table.settings.table, 10), 2)
        assert sum(isinstance(reply, m.Done) for reply in replies) == WATCHERS_LINES
        refused = [reply.code for reply in replies if isinstance(reply, m.Refused)]
        assert set(refused) == {RefusalCode.TOO_MUCH_CHAT}
        # Who plays may talk as before.
        for reply in await lines([ann, ben], CHAT_LINES):
            assert isinstance(reply, m.Done)


async def test_all_seats_together_have_a_limit_too(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben", "Cleo", "Dan")]
        await h.table_of(*people)
        replies = await lines(people, CHAT_LINES)
        assert sum(isinstance(reply, m.Done) for reply in replies) == SEATS_LINES


async def test_the_host_silences_who_watches_and_a_seat(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        table = await h.match_of(ann, ben)
        (eve,) = await watching(h, table.settings.table, 1)
        for seat, person in ((None, eve), (1, ben)):
            await ann.ask_for(m.Done, silence(seat))
            assert (await person.ask_for(m.Refused, say())).code == RefusalCode.SILENCED
            await ann.ask_for(m.Done, say("I may"))
            await ann.ask_for(m.Done, silence(seat, on=False))
            await person.ask_for(m.Done, say())
        await ann.ask_for(m.Done, silence(None))
        await ann.ask_for(m.Done, silence(1))
        await ben.until_table(lambda table: table.silent and table.seats[1].silent)


async def test_silence_survives_a_restart(autojump_clock: MockClock, tmp_path: Path) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.match_of(ann, ben)
        for seat in (None, 1):
            await ann.ask_for(m.Done, silence(seat))
    file.close()
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        ben = await h.back(ben)
        await ben.until_table(lambda table: table.silent and table.seats[1].silent)
        assert (await ben.ask_for(m.Refused, say())).code == RefusalCode.SILENCED
    file.close()


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (silence(0), RefusalCode.NOT_A_PERSON),
        (silence(2), RefusalCode.NOT_A_PERSON),
        (silence(7), RefusalCode.NO_SUCH_SEAT),
    ],
)
async def test_only_another_person_is_silenced_and_only_by_the_host(
    wish: m.Silence, code: RefusalCode, autojump_clock: MockClock
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.table_of(ann, ben, bots=("easy",))
        assert (await ann.ask_for(m.Refused, wish)).code == code
        for asked in (silence(None), silence(0), kick()):
            assert (await ben.ask_for(m.Refused, asked)).code == RefusalCode.HOST_ONLY


async def test_the_host_takes_out_all_who_watch_and_they_stay_out(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        table = (await h.match_of(ann, ben)).settings.table
        crowd = await watching(h, table, 3)
        await ann.ask_for(m.Done, kick())
        for one in crowd:
            await one.until_told(REMOVED)
            assert (await one.ask_for(m.Refused, watch(table))).code == RefusalCode.NOT_WATCHABLE
        await ann.until_table(lambda table: table.watchers == 0)
        assert isinstance(await ann.play_once(), m.Done)
        # Somebody else may watch.
        await watching(h, table, 1)
