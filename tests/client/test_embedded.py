"""The server of one's own: private, quick to start, and gone when its client is, however it goes.

Conduct: real processes; each is known by its number and ended by it; every test has a time limit.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import trio

from kings_client import embedded, hosting
from kings_client.asking import ask
from kings_client.config import PATIENCE, Address
from kings_client.embedded import ServerFailed, detached_server, embedded_server
from kings_client.nearby import Answer
from kings_client.store import Store
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from people import Person, connected, new_id

LIMIT = 30.0


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def gone(pid: int) -> None:
    """Wait until a process that is not ours is no more; nobody would tell us of its end."""
    while alive(pid):  # noqa: ASYNC110
        await trio.sleep(0.01)


async def nobody_listens(address: Address) -> bool:
    return await ask(address) is None


async def test_it_listens_on_loopback_and_is_gone_with_its_context(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT):
        async with embedded_server(tmp_path / "log", tmp_path / "tables") as server:
            assert server.address.host == "127.0.0.1"
            assert isinstance(await ask(server.address), Answer)
        assert server.process.returncode == 0
        assert await nobody_listens(server.address)


async def test_it_takes_nobody_without_the_secret(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT):
        async with embedded_server(tmp_path / "log", tmp_path / "tables") as server:
            stream = await trio.open_tcp_stream(server.address.host, server.address.port)
            async with connected(Person(stream)) as stranger:
                await stranger.greet()
                enter = m.Enter(id=new_id(), client=stranger.client, name="Eve")
                refused = await stranger.ask_for(m.Refused, enter)
                assert refused.code == RefusalCode.BAD_SECRET


async def test_it_is_gone_when_its_client_is_cancelled(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT):
        with trio.CancelScope() as scope:
            async with embedded_server(tmp_path / "log", tmp_path / "tables") as server:
                scope.cancel()
                await trio.sleep_forever()
        assert server.process.returncode == 0


async def test_a_server_that_does_not_stop_by_itself_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stubborn = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "print('kings: listening on 127.0.0.1:9', flush=True); time.sleep(600)"
    )
    monkeypatch.setattr(embedded, "COMMAND", (sys.executable, "-c", stubborn))
    monkeypatch.setattr(embedded, "STOP_SECONDS", 0.1)
    with trio.fail_after(LIMIT):
        async with embedded_server(tmp_path / "log", tmp_path / "tables") as server:
            pass
        assert server.process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGTERM])
async def test_it_is_gone_when_its_client_is_killed(tmp_path: Path, signal_number: int) -> None:
    code = (
        "import pathlib, sys, trio\n"
        "from kings_client.embedded import embedded_server\n"
        "async def main():\n"
        "    async with embedded_server(*map(pathlib.Path, sys.argv[1:])) as server:\n"
        "        print(server.process.pid, server.address, flush=True)\n"
        "        await trio.sleep_forever()\n"
        "trio.run(main)\n"
    )
    with trio.fail_after(LIMIT):
        client = await trio.lowlevel.open_process(
            [sys.executable, "-c", code, str(tmp_path / "log"), str(tmp_path / "tables")],
            stdout=subprocess.PIPE,
        )
        assert client.stdout is not None
        try:
            said = b""
            while not said.endswith(b"\n"):
                said += await client.stdout.receive_some(1024)
            pid = int(said.split()[0])
            assert alive(pid)
        finally:
            client.send_signal(signal_number)
            await client.wait()
            await client.stdout.aclose()
        await gone(pid)


async def test_a_server_that_cannot_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "COMMAND", (str(tmp_path / "none"),))
    with trio.fail_after(LIMIT), pytest.raises(ServerFailed, match="No such file"):
        async with embedded_server(tmp_path / "log", tmp_path / "tables"):
            pass
    monkeypatch.setattr(embedded, "COMMAND", (sys.executable, "-c", "pass"))
    with trio.fail_after(LIMIT), pytest.raises(ServerFailed, match="without a word"):
        async with embedded_server(tmp_path / "log", tmp_path / "tables"):
            pass


async def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT):
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listener.socket.getsockname()[1]
        with pytest.raises(ServerFailed, match=f"port {port}.*in use"):
            await detached_server(port, 5, tmp_path / "log", tmp_path / "data")
        await listener.aclose()


# ---- hosting


async def test_a_hosted_server_is_found_again_and_stopped(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    with trio.fail_after(LIMIT):
        assert await hosting.find(store, PATIENCE) is None
        hosted, process = await hosting.start(store, 0, PATIENCE)
        assert await hosting.find(store, PATIENCE) == hosted
        assert await hosting.people(hosted, PATIENCE) == 0
        await hosting.stop(store, hosted, PATIENCE)
        await process.wait()
        assert store.hosted() is None
        assert await nobody_listens(hosted.address)
    store.close()


async def test_a_server_that_is_to_be_on_no_list_is_not_announced(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    with trio.fail_after(LIMIT):
        hosted, process = await hosting.start(store, 0, PATIENCE, announce=False)
        assert "--no-announce" in psutil.Process(hosted.pid).cmdline()
        process.terminate()
        await process.wait()
    store.close()


async def test_another_server_in_its_place_is_not_taken_for_it_nor_stopped(
    tmp_path: Path,
) -> None:
    store = Store.open(tmp_path)
    with trio.fail_after(LIMIT):
        hosted, process = await hosting.start(store, 0, PATIENCE)
        code = "0000-0000-0000-0000"
        for server, known_by in (("0f" * 16, hosted.code), (hosted.server, code)):
            other = hosting.Hosted(hosted.pid, hosted.port, server, known_by)
            store.keep_hosted(other.pid, other.port, other.server, other.code)
            assert await hosting.find(store, PATIENCE) is None
            assert (
                await hosting.people(hosting.Hosted(1, hosted.port, server, code), PATIENCE) is None
            )
            await hosting.stop(store, other, PATIENCE)
            assert process.poll() is None
        process.terminate()
        await process.wait()
    store.close()


@pytest.mark.skipif(os.name != "posix", reason="sessions are Unix's")
async def test_a_hosted_server_is_in_no_group_of_ours(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    with trio.fail_after(LIMIT):
        hosted, process = await hosting.start(store, 0, PATIENCE)
        assert os.getsid(hosted.pid) == hosted.pid != os.getsid(0)
        process.terminate()
        await process.wait()
    store.close()


async def test_a_server_ends_after_nobody_was_there_for_its_grace(tmp_path: Path) -> None:
    with trio.fail_after(LIMIT):
        began = time.monotonic()
        _, process = await detached_server(0, 1, tmp_path / "log", tmp_path / "data")
        assert await process.wait() == 0
        assert time.monotonic() - began >= 1


def test_own_addresses_are_not_loopback() -> None:
    found = hosting.own_addresses()
    assert len(set(found)) == len(found)
    assert not any(address.startswith("127.") for address in found)
