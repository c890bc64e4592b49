"""What whoever runs the server says to everybody."""

import trio.testing
from attrs import evolve
from trio.testing import MockClock

from hall import UNLIMITED, hall
from kings_protocol import messages as m

WORDS = m.Announcement(text="Chess is on Thursdays.")


async def test_the_message_of_the_day_comes_to_everybody_who_enters(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, evolve(UNLIMITED, motd=WORDS.text)) as h:
        ann = await h.guest("Ann")
        await ann.until_told(WORDS)
        ben = await h.guest("Ben")
        await ben.until_told(WORDS)
        stranger = await h.stranger("Cleo")
        await stranger.greet()
        await trio.testing.wait_all_tasks_blocked()
        assert ann.others.count(WORDS) == 1
        assert WORDS not in stranger.others


async def test_without_one_nothing_is_said(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann")
        await trio.testing.wait_all_tasks_blocked()
        assert not any(isinstance(one, m.Announcement) for one in ann.others)
