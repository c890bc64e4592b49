"""What is promised to people who come back, or are gone, in every phase and for every choice.

Single cases are elsewhere; here each promise is gone through phase by phase and way by way.
"""

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

import pytest
import trio
from trio.testing import MockClock

from hall import Hall, cut, hall
from kings_protocol import messages as m
from kings_protocol.codec import encode
from kings_protocol.codes import CloseCode, NoticeCode, RefusalCode
from kings_protocol.limits import DEAD_SECONDS
from kings_protocol.messages import Absent
from kings_server.reviving import kept_state
from kings_server.table import Table
from people import Person, new_id

PHASES: Final = ("waiting", "offering", "playing", "between", "over")
CHOICES: Final[tuple[Absent, ...]] = ("bot", "skip", "forfeit", "wait")
KNOBS: Final = {"hand_size": 5, "match": "deals", "deals": 2}
GRACE: Final = 20
WORD: Final = "hush"

phases = pytest.mark.parametrize("phase", PHASES)
choices = pytest.mark.parametrize("absent", CHOICES)


async def play(people: tuple[Person, ...], *until: str) -> None:
    """Let people play until their table is in one of some phases."""

    async def one(person: Person) -> None:
        while not person.phase(*until):
            if person.phase("between"):
                await person.go_on()
            elif person.my_turn:
                await person.play_once()
            else:
                await person.until(
                    lambda: person.my_turn or person.phase("between") or person.phase(*until)
                )

    async with trio.open_nursery() as nursery:
        for person in people:
            nursery.start_soon(one, person)


async def table_in(h: Hall, phase: str, absent: Absent = "bot") -> tuple[Table, Person, Person]:
    """Return a full table of two with a password, in a phase."""
    ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
    seat = await ann.make_table(2, knobs=KNOBS, absent=absent, grace_seconds=GRACE, password=WORD)
    await ben.join(seat.table, password=WORD)
    ann.reveals_shares = ben.answers_offers = phase != "offering"
    if phase != "waiting":
        await ann.ready()
        await ben.ready()
        await ben.until(lambda: ben.phase("offering", "playing"))
    if phase in ("between", "over"):
        await play((ann, ben), phase)
    elif phase == "playing":
        await ann.until_deal(1)
    await ann.until(lambda: ann.phase(phase))
    return h.lobby.tables[seat.table], ann, ben


def resume(person: Person, token: str | None = None) -> m.Resume:
    assert person.seat is not None
    return m.Resume(id=new_id(), table=person.seat.table, token=token or person.seat.token)


@phases
async def test_a_token_alone_opens_the_seat(autojump_clock: MockClock, phase: str) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await table_in(h, phase)
        await cut(ben)
        await ann.until_state(1, "dropped")
        namesake = await h.guest("Ben")
        namesake.client = ben.client
        for password in (None, WORD):
            join = m.Join(id=new_id(), table=table.settings.table, password=password)
            assert isinstance(await namesake.ask(join), m.Refused)
        stranger = await h.guest("Somebody else")
        seated = await stranger.ask_for(m.Seated, resume(ben))
        assert seated.seat == 1
        await ann.until_state(1, "seated")


@phases
async def test_a_wrong_token_changes_nothing(autojump_clock: MockClock, phase: str) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await table_in(h, phase)
        await cut(ben)
        await ann.until_state(1, "dropped")
        before = kept_state(table)
        thief = await h.guest("Ben")
        for token in ("0" * 64, "f" * 64):
            refused = await thief.ask_for(m.Refused, resume(ben, token))
            assert refused.code == RefusalCode.BAD_TOKEN
        assert kept_state(table) == before
        assert isinstance(await thief.ask(resume(ben)), m.Seated)


@phases
async def test_coming_back_twice_shows_the_same_bytes(
    autojump_clock: MockClock, phase: str
) -> None:
    async with hall(autojump_clock) as h:
        _, _, ben = await table_in(h, phase)
        shown = []
        for _ in range(2):
            again = await h.guest("Ben")
            again.answers_offers = False
            assert isinstance(await again.ask(resume(ben)), m.Seated)
            await trio.testing.wait_all_tasks_blocked()
            assert again.table is not None
            shown.append((encode(again.table), tuple(map(encode, again.updates))))
        assert shown[0] == shown[1]


async def test_every_refusal_of_a_token_leaves_a_way_on(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        table, _, ben = await table_in(h, "playing")
        await ben.ask_for(m.Done, m.Leave(id=new_id()))
        elsewhere = m.Resume(id=new_id(), table="gone", token="0" * 64)
        stranger = await h.guest("Cleo")
        for wish, code in (
            (resume(ben), RefusalCode.SEAT_GIVEN_UP),
            (resume(ben, "0" * 64), RefusalCode.BAD_TOKEN),
            (elsewhere, RefusalCode.NO_SUCH_TABLE),
        ):
            assert (await stranger.ask_for(m.Refused, wish)).code == code
            await stranger.ask_for(m.Done, m.Browse(id=new_id(), page=0))
        watch = m.Watch(id=new_id(), table=table.settings.table, password=WORD)
        assert isinstance(await stranger.ask(watch), m.Watching)


@phases
async def test_who_broke_the_protocol_may_come_back(autojump_clock: MockClock, phase: str) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await table_in(h, phase)
        await ben.stream.send_all(b"\xff\xff\xff\xff")
        assert await ben.until_ended() == m.Bye(code=CloseCode.FRAME_TOO_LONG)
        await ann.until_state(1, "dropped")
        await h.back(ben)
        await ann.until_state(1, "seated")


@choices
@phases
async def test_a_return_just_before_the_end_of_the_grace_is_in_time(
    autojump_clock: MockClock, phase: str, absent: Absent
) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await table_in(h, phase, absent)
        await cut(ben)
        await ann.until_state(1, "dropped")
        await trio.sleep(GRACE - 0.001)
        ben = await h.back(ben)
        await trio.sleep(3 * GRACE)
        assert ann.state_of(1) == "seated"
        lost = {NoticeCode.SEAT_LOST, NoticeCode.BOT_PLAYS}
        assert not lost & {one.code for one in ann.others if isinstance(one, m.Notice)}


Way: TypeAlias = Callable[[Person], Awaitable[object]]


async def leaves(person: Person) -> None:
    await person.ask_for(m.Done, m.Leave(id=new_id()))


async def says_goodbye(person: Person) -> None:
    await person.send(m.Bye(code=CloseCode.GOING))


async def falls_silent(person: Person) -> None:
    person.answers_pings = False
    await trio.sleep(DEAD_SECONDS)


async def breaks_the_protocol(person: Person) -> None:
    await person.stream.send_all(b"\0\0\0\0")


WAYS: Final = (leaves, says_goodbye, cut, falls_silent, breaks_the_protocol)


@choices
@pytest.mark.parametrize("goes", WAYS, ids=lambda way: way.__name__)
async def test_however_a_seat_is_lost_the_others_play_on(
    autojump_clock: MockClock, goes: Way, absent: Absent
) -> None:
    async with hall(autojump_clock) as h:
        people = tuple([await h.guest(name, seed) for seed, name in enumerate("ABC")])
        table = await h.match_of(
            *people, knobs={**KNOBS, "players": 3}, absent=absent, grace_seconds=GRACE
        )
        await goes(people[2])
        with trio.move_on_after(1800) as limit:
            await play(people[:2], "over")
        waits = absent == "wait" and goes is not leaves
        assert limit.cancelled_caught is waits
        if waits:
            again = await h.back(people[2])
            await play((*people[:2], again), "over")
        assert table.phase == "over"


async def test_leaving_is_told_apart_from_dropping(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, ann, ben = await table_in(h, "playing")
        await cut(ben)
        await ann.until_state(1, "dropped")
        await trio.sleep(GRACE + 1)
        assert ann.state_of(1) == "held"
        ben = await h.back(ben)
        await leaves(ben)
        await ann.until_state(1, "bot")
        codes = [one.code for one in ann.others if isinstance(one, m.Notice)]
        assert codes.index(NoticeCode.DROPPED) < codes.index(NoticeCode.LEFT)


async def test_who_was_refused_is_sent_nothing_more(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        table, ann, ben = await table_in(h, "playing")
        name = table.settings.table
        refused = await h.guest("Cleo")
        for wish in (
            m.Join(id=new_id(), table=name),
            m.Watch(id=new_id(), table=name, password="open"),  # noqa: S106
            resume(ben, "0" * 64),
        ):
            assert isinstance(await refused.ask(wish), m.Refused)
        received = refused.received
        await ann.ask_for(m.Done, m.Say(id=new_id(), text="who is there?"))
        await play((ann, ben), "between")
        await trio.testing.wait_all_tasks_blocked()
        assert refused.received == received
