"""What a monitoring program is shown: figures that are right, and no names."""

import socket
import struct
from contextlib import ExitStack
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from hall import hall
from kings_protocol import messages as m
from kings_server.config import LOOPBACK
from kings_server.house import House
from kings_server.log import logger
from kings_server.metrics import ASKING, ILL_SECONDS, Watcher, bound, show
from monitoring import fetched, figures, free_port
from people import new_id
from serving import command, serving
from thinking import pool

LIMIT = 60


async def test_a_real_server_shows_what_it_does(tmp_path: Path) -> None:
    with free_port() as port:
        pass
    options = ("--data", str(tmp_path), "--metrics-port", str(port))
    with trio.fail_after(LIMIT), serving(*options) as server:
        async with server.guest("Xenia") as ann, server.guest("Yorick") as ben:
            seat = await ann.make_table(2)
            await ben.join(seat.table)
            for person in (ann, ben):
                await person.ready()
            for person in (ann, ben):
                await person.until_deal(1)
            await (ann if ann.my_turn else ben).play_once()
            found: dict[str, float] = {}
            while found.get("kings_people") != 2 or not found.get("kings_tables playing"):
                _, text = await trio.to_thread.run_sync(fetched, port, "/metrics")
                found = figures(text)
        assert found["kings_moves_total"] == 1
        assert found["kings_tables_made_total"] == 1
        assert found["kings_connections_made_total"] == 2
        assert found["kings_saving"] == 1
        assert found["kings_answer_seconds_count"] >= 5
        assert found["kings_commit_seconds_count"] >= 3
        assert found["kings_commit_seconds_bucket +Inf"] == found["kings_commit_seconds_count"]
        assert not any(word in text for word in ("Xenia", "Yorick", "Kitchen", seat.table))
        assert await trio.to_thread.run_sync(fetched, port, "/health") == (200, "well\n")
        assert (await trio.to_thread.run_sync(fetched, port, "/"))[0] == 404


async def test_gauges_follow_what_is_there(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        house = House(h.lobby, h.listener, None, pool(None), lambda _: None, 0.0)
        watcher = Watcher(house)
        h.nursery.start_soon(watcher.run)
        ann = await h.guest("Ann")
        await h.stranger("Ben")
        await h.match_of(ann, bots=("easy",))
        await trio.sleep(1.5)
        moment = watcher.moment
        assert (moment.connections, moment.people, moment.tables) == (2, 1, {"playing": 1})
        await ann.ask_for(m.Done, m.Leave(id=new_id()))
        await trio.sleep(1.5)
        assert watcher.moment.tables == {}


async def test_a_server_that_stands_still_or_cannot_save_is_not_well(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(autojump_clock) as h:
        house = House(h.lobby, h.listener, None, pool(None), lambda _: None, 0.0)
        watcher = Watcher(house)
        assert watcher.trouble() == ""
        with monkeypatch.context() as patch:
            patch.setattr(House, "saving", False)
            assert "journal" in Watcher(house).trouble()
        at = watcher.moment.at
        monkeypatch.setattr("kings_server.metrics.time.monotonic", lambda: at + ILL_SECONDS + 1)
        assert "event loop" in watcher.trouble()


async def test_the_port_is_free_again_afterwards(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        house = House(h.lobby, h.listener, None, pool(None), lambda _: None, 0.0)
        server = bound(0)
        port = server.server_port
        async with trio.open_nursery() as nursery:
            nursery.start_soon(show, server, house, logger())
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        bound(port).server_close()


def test_a_taken_port_is_one_clear_line() -> None:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = command("serve", "--no-data", "--port", "0", "--metrics-port", port)
    assert (ended.returncode, ended.stdout) == (1, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"kings: cannot show figures on port {port}")


async def test_who_asks_for_no_figures_or_leaves_is_passed_over(tmp_path: Path) -> None:
    with free_port() as port:
        pass
    options = ("--data", str(tmp_path), "--metrics-port", str(port))
    with trio.fail_after(LIMIT), serving(*options) as server:
        for _ in range(20):
            hasty = socket.create_connection((LOOPBACK, port))
            hasty.sendall(b"GET /metr")
            hasty.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            hasty.close()
        assert await trio.to_thread.run_sync(fetched, port, "/health") == (200, "well\n")
        with ExitStack() as closing:
            crowd = [
                closing.enter_context(socket.create_connection((LOOPBACK, port)))
                for _ in range(ASKING + 1)
            ]
            assert await trio.to_thread.run_sync(crowd[-1].recv, 1) == b""
        server.process.terminate()
        assert await trio.to_thread.run_sync(server.process.wait) == 0
        assert server.process.stderr is not None
        assert b"Traceback" not in server.process.stderr.read()


async def test_figures_are_shown_where_that_is_wanted() -> None:
    with free_port() as port:
        pass
    options = ("--metrics-port", str(port), "--metrics-host", "127.0.0.2")
    with trio.fail_after(LIMIT), serving(*options):
        found = await trio.to_thread.run_sync(fetched, port, "/health", "127.0.0.2")
        assert found == (200, "well\n")
        with pytest.raises(ConnectionRefusedError):
            await trio.to_thread.run_sync(fetched, port, "/health")


def test_a_host_of_figures_that_is_not_ours_is_one_clear_line() -> None:
    options = ("--no-data", "--port", "0", "--metrics-port", "0", "--metrics-host", "203.0.113.7")
    ended = command("serve", *options)
    assert (ended.returncode, ended.stdout) == (1, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("kings: cannot show figures on port 0 of 203.0.113.7")
