"""Bots that think, at a real server: they play to the end, and leave no process behind."""

import signal

import psutil
import pytest
import trio

from people import Person
from serving import SECONDS_TO_START, Server, serving

LIMIT = 60


def processes_of(server: Server) -> list[psutil.Process]:
    return psutil.Process(server.process.pid).children(recursive=True)


def gone(processes: list[psutil.Process]) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=SECONDS_TO_START)
    return not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]


async def play_against_experts(person: Person) -> None:
    """Play a deal against bots that think, up to one's second turn."""
    await person.make_table(4, bots=("hard", "expert", "expert"), knobs={"match": "one_deal"})
    await person.until(lambda: person.my_turn)
    turn = person.turn
    await person.play_once(0.0)
    await person.until(lambda: person.phase("over") or (person.my_turn and person.turn > turn))


async def test_a_deal_is_played_against_bots_that_think() -> None:
    with trio.fail_after(LIMIT), serving("--drain", "0") as server:
        async with server.guest("Ann") as ann:
            await ann.make_table(4, bots=("hard", "expert", "expert"), knobs={"match": "one_deal"})
            await ann.play_match()
            assert ann.phase("over")
            assert not [one for one in ann.others if "bot_failed" in str(one)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_no_process_is_left_behind_however_the_server_ends(number: signal.Signals) -> None:
    with trio.fail_after(LIMIT), serving("--drain", "0") as server:
        async with server.guest("Ann") as ann:
            await play_against_experts(ann)
            children = processes_of(server)
            assert children
            server.process.send_signal(number)
            code = await trio.to_thread.run_sync(server.process.wait)
        assert code == (-signal.SIGKILL if number == signal.SIGKILL else 0)
        assert await trio.to_thread.run_sync(gone, children)
        assert server.process.stderr is not None
        assert b"Traceback" not in server.process.stderr.read()


async def test_a_bots_process_that_is_killed_costs_nothing_but_its_thought() -> None:
    with trio.fail_after(LIMIT), serving("--drain", "0") as server:
        async with server.guest("Ann") as ann:
            await play_against_experts(ann)
            for child in processes_of(server):
                if "spawn_main" in " ".join(child.cmdline()):
                    child.kill()
            await ann.play_match()
            assert ann.phase("over")
