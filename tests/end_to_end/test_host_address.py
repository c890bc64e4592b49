"""The addresses that a host is told to give to guests are addresses at which guests arrive."""

from pathlib import Path

import pytest

from lan import lan
from plain_lines import Script, script

JOIN = "Others on your network join with "


async def told_where(player: Script) -> str:
    while not (line := await player.line()).startswith((JOIN, "This machine has no address")):
        pass
    return line


@pytest.mark.parametrize(
    ("host", "guest"), [("198.18.0.1/24", "198.18.0.2/24"), ("fd00:db8::1/64", "fd00:db8::2/64")]
)
async def test_a_guest_arrives_without_a_default_route(
    tmp_path: Path, host: str, guest: str
) -> None:
    with lan("ann", "ben") as net:
        net.plug("ann", host)
        net.plug("ben", guest)
        hosting = ("host", "--plain", "--name", "Ann")
        async with script(*hosting, state=tmp_path / "a", within=net.inside("ann")) as ann:
            line = await told_where(ann)
            address = line.removeprefix(JOIN + "kings join ").rstrip(".")
            assert address == host.partition("/")[0]
            coming = ("join", address, "--plain", "--name", "Ben")
            async with script(*coming, state=tmp_path / "b", within=net.inside("ben")) as ben:
                assert await ben.ask("list") == "OK: 1 table."
                await ben.ask("quit")
            await ann.ask("quit stop")
            await ann.rest()


async def test_a_machine_without_a_network_says_that_there_is_no_address(tmp_path: Path) -> None:
    with lan("ann") as net:
        hosting = ("host", "--plain", "--name", "Ann")
        async with script(*hosting, state=tmp_path, within=net.inside("ann")) as ann:
            assert await told_where(ann) == (
                "This machine has no address to type; others find it in their list of servers."
            )
            await ann.ask("quit stop")
            await ann.rest()
