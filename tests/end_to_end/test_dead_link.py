"""A link that drops everything without a word: the seat waits, or a bot plays meanwhile."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from lan import inside, ip, spaces
from plain_lines import Script, script
from serving import serving

SERVER = "192.0.2.1"
CLIENT = "192.0.2.2"
CARD = "kings0"
LIMITS = ("hello_seconds=2", "enter_seconds=2", "ping_seconds=0.5", "dead_seconds=4")
"""Pings begin when the time for a hello is over, which is to be before anybody counts as dead."""
NOTICED_SECONDS = 15.0
GRACE_SECONDS = 15.0
BACK_SECONDS = 60.0


class Link:
    """Two network namespaces joined by one cable; nothing else of the machine is touched."""

    def __init__(self) -> None:
        self.server = f"kings-{os.getpid()}-server"
        self.client = f"kings-{os.getpid()}-client"

    def lay(self) -> None:
        """Join the namespaces, and give both ends an address."""
        end = ("type", "veth", "peer", "name", CARD, "netns", self.client)
        ip("-n", self.server, "link", "add", CARD, *end)
        for space, address in ((self.server, SERVER), (self.client, CLIENT)):
            ip("-n", space, "address", "add", f"{address}/24", "dev", CARD)
            ip("-n", space, "link", "set", CARD, "up")
        ip("-n", self.server, "link", "set", "lo", "up")

    def cut(self) -> None:
        """Let the server's end drop whatever is sent, so that the client's learns nothing."""
        ip("-n", self.server, "link", "set", CARD, "down")

    def mend(self) -> None:
        """Let everything through again."""
        ip("-n", self.server, "link", "set", CARD, "up")


@pytest.fixture
def link() -> Iterator[Link]:
    """Lay a link, or skip where the machine allows none; take it away whatever happens."""
    made = Link()
    with spaces(made.server, made.client):
        made.lay()
        yield made


async def until(player: Script, start: str, seconds: float) -> str:
    """Return the first new line that begins so; fail if none comes in time."""
    with trio.fail_after(seconds):
        while not (line := await player.line()).startswith(start):
            pass
    return line


def cards(hand: str) -> set[str]:
    """Return the cards in an answer to ``hand``."""
    return set(hand.rstrip(".").split(": ")[2].split(", "))


@asynccontextmanager
async def table_of_two(
    link: Link, state: Path, options: str
) -> AsyncIterator[tuple[Script, Script]]:
    """Seat Ben, who is near the server, and Ann, who is behind the link; it is Ben's turn."""
    limits = [word for limit in LIMITS for word in ("--limit", limit)]
    where = inside(link.server)
    with serving(*limits, host="0.0.0.0", within=where, encrypted=True) as server:  # noqa: S104
        near, far = f"127.0.0.1:{server.port}", f"{SERVER}:{server.port}"
        ben_joins = ("join", near, "--plain", "--name", "Ben")
        ann_joins = ("join", far, "--plain", "--name", "Ann")
        async with (
            script(*ben_joins, state=state / "b", within=inside(link.server)) as ben,
            script(*ann_joins, state=state / "a", within=inside(link.client)) as ann,
        ):
            await ben.ask(f"make pagat name=Kitchen {options}")
            while await ann.ask("list") != "OK: 1 table.":
                pass
            assert await ann.ask("join 1") == "OK: you sit down."
            for player in (ben, ann):
                assert await player.ask("ready") == "OK: you are ready."
            assert await ben.ask("wait") == "OK: it is your turn."
            yield ben, ann


async def come_back(link: Link, ben: Script, ann: Script) -> None:
    """Mend the link, and wait until both clients say that Ann is back."""
    link.mend()
    await until(ben, "Ann is back", BACK_SECONDS)
    await until(ann, "Connected again.", BACK_SECONDS)


async def test_a_player_whose_link_dropped_everything_is_back_when_it_works_again(
    link: Link, tmp_path: Path
) -> None:
    async with table_of_two(link, tmp_path, "") as (ben, ann):
        hand = await ann.ask("hand")
        link.cut()
        await until(ben, "Ann lost the connection", NOTICED_SECONDS)
        assert await ben.ask("end") == "OK: your turn has ended."
        await come_back(link, ben, ann)
        assert await ann.ask("wait") == "OK: it is your turn."
        assert cards(hand) <= cards(await ann.ask("hand"))
        assert await ann.ask("end") == "OK: your turn has ended."
        assert await ben.ask("wait") == "OK: it is your turn."


async def test_a_bot_plays_for_a_player_whose_link_drops_everything_until_it_works_again(
    link: Link, tmp_path: Path
) -> None:
    # Hands so large that the bot does not go out in its first turn.
    async with table_of_two(link, tmp_path, "absent=bot grace_seconds=5 hand_size=10") as (
        ben,
        ann,
    ):
        link.cut()
        await until(ben, "Ann lost the connection", NOTICED_SECONDS)
        await until(ben, "A bot plays for Ann", GRACE_SECONDS)
        assert await ben.ask("end") == "OK: your turn has ended."
        with trio.fail_after(BACK_SECONDS):
            assert await ben.ask("wait") == "OK: it is your turn."
        await come_back(link, ben, ann)
        assert await ben.ask("end") == "OK: your turn has ended."
        assert await ann.ask("wait") == "OK: it is your turn."
        assert await ann.ask("end") == "OK: your turn has ended."
        assert await ben.ask("wait") == "OK: it is your turn."
