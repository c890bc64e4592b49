"""Servers are found on networks without any way to the Internet, and found again when they move."""

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
import trio

from lan import Lan, ip, lan
from plain_lines import Script, script
from serving import Server, serving
from terminal import kings

FOUND_SECONDS = 20.0
LEFT_SECONDS = 10.0
GONE_SECONDS = 60.0
"""A server that was killed is asked every five seconds, and left out after twenty."""

BACK_SECONDS = 60.0
MDNS = ":14E9 "
"""The port 5353 in a table of sockets."""

LIMITS = ("--limit", "ping_seconds=0.5", "--limit", "dead_seconds=5")


@pytest.fixture(scope="module", autouse=True)
def networks() -> None:
    """Skip the tests where networks cannot be made; within a task a skip loses its reason."""
    with lan("nobody"):
        pass


@contextmanager
def announced(net: Lan, machine: str, name: str, *options: str) -> Iterator[Server]:
    """Run a server that is announced on a machine's networks."""
    where, everywhere = net.inside(machine), "0.0.0.0"  # noqa: S104
    named = ("--announce", "--name", name)
    with serving(*named, *options, host=everywhere, within=where, encrypted=True) as server:
        yield server


@asynccontextmanager
async def looking(net: Lan, machine: str, folder: Path, *options: str) -> AsyncIterator[Script]:
    """Look for servers on a machine's networks, by lines."""
    name, state = machine.capitalize(), folder / machine
    command = ("join", "--plain", "--name", name, *options)
    async with script(*command, state=state, within=net.inside(machine), seeks=True) as player:
        yield player


async def until(player: Script, words: str, seconds: float = FOUND_SECONDS) -> str:
    """Return the first new line with these words; fail if none comes in time."""
    with trio.move_on_after(seconds):
        while words not in (line := await player.line()):
            pass
        return line
    raise AssertionError(f"waited for {words!r}; there was {player.lines}")


def mentions(player: Script, words: str) -> int:
    """Return in how many lines these words were."""
    return sum(words in line for line in player.lines)


async def test_three_machines_on_a_bridge_see_servers_come_and_go(tmp_path: Path) -> None:
    with lan("ann", "ben", "cleo") as net:
        for number, machine in enumerate(net.machines, 1):
            net.plug(machine, f"192.0.2.{number}/24")
        with announced(net, "ann", "Küche") as ann, announced(net, "ben", "Attic") as ben:
            async with (
                looking(net, "ann", tmp_path) as here,
                looking(net, "cleo", tmp_path) as there,
            ):
                for player in (here, there):
                    for _ in range(2):
                        await until(player, "Server ")
                    assert await player.ask("servers") == "OK: 2 servers."
                    assert mentions(player, "is Küche: 0 people") == 1
                    assert mentions(player, "is Attic: 0 people") == 1
                ann.process.terminate()
                ben.process.kill()
                await until(there, "is gone: Küche", LEFT_SECONDS + 5)
                await until(there, "is gone: Attic", GONE_SECONDS)
                assert (await there.ask("servers")).startswith("No: ")


async def test_two_networks_meet_at_a_machine_with_two_cards(tmp_path: Path) -> None:
    with lan("ann", "ben", "cleo") as net:
        net.plug("ann", "192.0.2.1/24")
        net.plug("ann", "198.51.100.1/24", "br1")
        net.plug("ben", "192.0.2.2/24")
        net.plug("cleo", "198.51.100.2/24", "br1")
        with announced(net, "ann", "Kitchen"):
            async with looking(net, "ben", tmp_path) as ben, looking(net, "cleo", tmp_path) as cleo:
                assert "192.0.2.1" in await until(ben, "Server 1 is Kitchen")
                assert "198.51.100.1" in await until(cleo, "Server 1 is Kitchen")
                for player in (ben, cleo):
                    assert await player.ask("servers") == "OK: 1 server."
                assert (await ben.ask("join 1")).startswith("OK: ")
                assert (await ben.ask("make pagat name=Den")).startswith("OK: ")
                with trio.fail_after(FOUND_SECONDS):
                    while not mentions(cleo, "Kitchen: 1 person") * mentions(cleo, " 1 table,"):
                        await cleo.ask("servers")
                assert (await cleo.ask("join 1")).startswith("OK: ")
                while await cleo.ask("list") != "OK: 1 table.":
                    pass
                assert await cleo.ask("join 1") == "OK: you sit down."


async def test_a_server_that_comes_back_under_another_address_is_followed(tmp_path: Path) -> None:
    with lan("ann", "ben") as net:
        net.plug("ann", "192.0.2.1/24")
        net.plug("ben", "192.0.2.2/24")
        with announced(net, "ann", "Kitchen", *LIMITS) as server:
            near = f"127.0.0.1:{server.port}"
            command = ("join", near, "--plain", "--name", "Ann")
            async with (
                script(*command, state=tmp_path / "a", within=net.inside("ann")) as ann,
                looking(net, "ben", tmp_path) as ben,
            ):
                await until(ben, "Server 1 is Kitchen")
                assert (await ben.ask("join 1")).startswith("OK: ")
                assert (await ann.ask("make pagat name=Den")).startswith("OK: ")
                while await ben.ask("list") != "OK: 1 table.":
                    pass
                assert await ben.ask("join 1") == "OK: you sit down."
                for player in (ann, ben):
                    assert await player.ask("ready") == "OK: you are ready."
                assert await ann.ask("wait") == "OK: it is your turn."
                net.unplug("ann")
                await until(ann, "Ben lost the connection", BACK_SECONDS)
                assert await ann.ask("end") == "OK: your turn has ended."
                net.plug("ann", "192.0.2.77/24")
                await until(ben, "Connected again.", BACK_SECONDS)
                assert await ben.ask("wait") == "OK: it is your turn."
                assert await ben.ask("end") == "OK: your turn has ended."
                assert await ann.ask("wait") == "OK: it is your turn."


async def test_a_machine_without_any_network_finds_its_own_servers(tmp_path: Path) -> None:
    with lan("ann") as net:
        where = net.inside("ann")
        with serving("--announce", "--name", "Den", within=where, encrypted=True):
            async with looking(net, "ann", tmp_path) as ann:
                assert "127.0.0.1" in await until(ann, "Server 1 is Den")


async def test_nothing_is_announced_or_asked_by_those_who_do_not_want_it(tmp_path: Path) -> None:
    with lan("ann", "ben") as net:
        net.plug("ann", "192.0.2.1/24")
        net.plug("ben", "192.0.2.2/24")
        with announced(net, "ann", "Shown"), announced(net, "ann", "Hidden", "--no-announce"):
            async with looking(net, "ben", tmp_path) as ben:
                await until(ben, "is Shown")
                assert await ben.ask("servers") == "OK: 1 server."
                assert not mentions(ben, "Hidden")
            async with looking(net, "ben", tmp_path, "--no-discovery") as ben:
                assert await ben.ask("servers 1") == (
                    "No: no servers are looked for; join and an address works."
                )
                assert MDNS not in net.sockets("ben")
        play = ("play", "--plain", "--pace", "0")
        async with script(*play, state=tmp_path / "p", within=net.inside("ben"), seeks=True) as ben:
            assert await ben.ask("wait") == "OK: it is your turn."
            assert MDNS not in net.sockets("ben")


TWIN = """
import sys, threading, trio
from kings_protocol.discovery import Announcement
from kings_server import log
from kings_server.discovery import Announcer

async def main():
    async with trio.open_nursery() as nursery:
        said = Announcement("0" * 16, 1, 1, "", "Twin")
        twin = Announcer(["0.0.0.0"], 1, said, log.logger())
        nursery.start_soon(twin.run, lambda: (0, 0))
        while not twin.label:
            await trio.sleep(0.05)
        print(twin.label.partition(".")[0], flush=True)
        await trio.to_thread.run_sync(sys.stdin.read)
        nursery.cancel_scope.cancel()
    print(*(one.name for one in threading.enumerate() if "Trio" not in one.name))

trio.run(main)
"""


@contextmanager
def twin(net: Lan, machine: str) -> Iterator[str]:
    """Announce the same server on a machine, and see that nothing is left of that at the end."""
    pipe = subprocess.PIPE
    command = (*net.inside(machine), sys.executable, "-X", "dev", "-W", "error", "-c", TWIN)
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
            assert process.communicate("", timeout=30) == ("MainThread\n", "")
        finally:
            process.kill()


def test_a_name_that_is_taken_is_changed_and_nothing_is_left_at_the_end() -> None:
    with lan("ann", "ben") as net:
        net.plug("ann", "192.0.2.1/24")
        net.plug("ben", "192.0.2.2/24")
        with twin(net, "ann") as first, twin(net, "ben") as second:
            assert (first, second) == (f"kings-{'0' * 16}", f"kings-{'0' * 16}-2")


def test_the_doctor_hears_an_echo_at_every_interface_and_who_else_is_there() -> None:
    with lan("ann", "ben") as net:
        net.plug("ann", "192.0.2.1/24")
        net.plug("ann", "198.51.100.1/24", "br1")
        net.plug("ben", "192.0.2.2/24")
        with announced(net, "ben", "Kitchen"), twin(net, "ben"):
            command = (*net.inside("ann"), sys.executable, "-m", "kings_server", "doctor")
            ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    for address in ("127.0.0.1", "192.0.2.1", "198.51.100.1"):
        assert f"an announcement at {address} is heard after" in ran.stdout
    assert "Kitchen (192.0.2.2, port " in ran.stdout


async def test_a_machine_that_cannot_announce_serves_all_the_same() -> None:
    with lan("ann") as net:
        space = net.space("ann")
        ip("-n", space, "address", "flush", "dev", "lo")
        with announced(net, "ann", "Kitchen") as server:
            log = server.process.stderr
            assert log is not None
            told = b""
            with trio.fail_after(FOUND_SECONDS):
                while b"the network cannot be told of the server" not in told:
                    told = await trio.to_thread.run_sync(log.readline, abandon_on_cancel=True)
            ip("-n", space, "address", "add", "127.0.0.1/8", "dev", "lo")
            near = ("join", f"127.0.0.1:{server.port}", "--plain")
            command = (*net.inside("ann"), sys.executable, "-m", "kings_client", *near)
            done = await trio.run_process(command, stdin=b"list\n", capture_stdout=True)
            assert b"OK: 0 tables." in done.stdout
            server.process.terminate()
            assert "cannot be told" not in log.read().decode()


@contextmanager
def flooding(net: Lan, machine: str, source: str, count: int) -> Iterator[None]:
    """Have a machine announce thousands of servers that are none."""
    program = (sys.executable, "tests/hostile_announcer.py", source, str(count), "60")
    with subprocess.Popen((*net.inside(machine), *program), stdout=subprocess.PIPE) as mallory:
        try:
            assert mallory.stdout is not None
            assert mallory.stdout.readline() == b"flooding\n"
            yield
        finally:
            mallory.kill()


async def test_a_hostile_announcer_harms_nobody(tmp_path: Path) -> None:
    with lan("ann", "ben", "mallory") as net:
        for number, machine in enumerate(net.machines, 1):
            net.plug(machine, f"192.0.2.{number}/24")
        with announced(net, "ann", "Kitchen") as server:
            async with looking(net, "ben", tmp_path) as early:
                await until(early, "is Kitchen")
                with flooding(net, "mallory", "192.0.2.3", 3000):
                    async with looking(net, "ben", tmp_path / "late") as late:
                        for player in (late, early):
                            with trio.fail_after(FOUND_SECONDS):
                                answer = await player.ask("servers 3")
                            assert answer.startswith(("OK: ", "No: "))
                        assert await early.ask("servers") != "OK: 0 servers."
                        assert any("  1: Kitchen" in line for line in early.lines)
                        assert not mentions(early, "\x1b") + mentions(late, "\x1b")
                        address = f"192.0.2.1:{server.port}"
                        for player in (late, early):
                            with trio.fail_after(FOUND_SECONDS):
                                assert (await player.ask(f"join {address}")).startswith("OK: ")


def test_the_welcome_screen_lists_a_server_and_goes_there(tmp_path: Path) -> None:
    with lan("ann", "ben") as net:
        net.plug("ann", "192.0.2.1/24")
        net.plug("ben", "192.0.2.2/24")
        seeks = {"KINGS_DISCOVERY": "on"}
        with (
            announced(net, "ann", "Küche 你好"),
            kings(state=tmp_path, environment=seeks, within=net.inside("ben")) as ben,
        ):
            ben.until(r"Küche 你 ?好.* ms")
            ben.press("up", "enter")
            ben.until("lobby")
            ben.press("escape")
            ben.until("Play against the computer")
            ben.until(r"Küche 你 ?好.* ms")
            ben.press("q")
            assert ben.ended() == 0
            assert ben.restored
