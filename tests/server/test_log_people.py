"""The log names people and addresses: who came, who tried passwords, what an admin did.

Conduct: real servers and real commands on loopback; an absolute time limit on every wait.
"""

import json
import re
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import trio

from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from people import Person, connected, new_id
from serving import Server, command, serving

LIMIT = 60
FILTER = Path(__file__).parents[2] / "docs" / "hosting" / "fail2ban.conf"
WORD = "sesame"
GUESS = "abracadabra"
HOSTILE = "[warning] wrong password"
"""A name that looks like a line of the log."""


def lines(server: Server) -> list[str]:
    """End a server, and return its log."""
    server.process.send_signal(signal.SIGINT)
    assert server.process.stderr is not None
    return server.process.stderr.read().decode().splitlines()


def told(server: Server) -> list[dict[str, Any]]:
    """End a server that logs in JSON, and return what it logged."""
    return [json.loads(line) for line in lines(server)]


def about(found: Sequence[dict[str, Any]], event: str) -> dict[str, Any]:
    """Return the one line of an event, without its time."""
    (line,) = [line for line in found if line["event"] == event]
    return {name: value for name, value in line.items() if name != "timestamp"}


async def try_passwords(server: Server, name: str, table: str) -> None:
    """Try wrong passwords until they are tried slowly, and once more."""
    async with server.guest(name) as guest:
        codes = []
        for _ in range(6):
            join = m.Join(id=new_id(), table=table, password=GUESS)
            codes.append((await guest.ask_for(m.Refused, join)).code)
        assert codes == [RefusalCode.WRONG_PASSWORD] * 6


async def test_the_log_says_who_came_where_from_and_what_they_tried(tmp_path: Path) -> None:
    options = ("--log-format", "json", "--data", str(tmp_path))
    with trio.fail_after(LIMIT), serving(*options) as server:
        async with server.guest("Ann") as ann:
            seat = await ann.make_table(2, password=WORD)
            await try_passwords(server, "Eve", seat.table)
        found = await trio.to_thread.run_sync(told, server)
    eve = {"connection": 2, "address": "127.0.0.1", "name": "Eve"}
    entered = [line for line in found if line["event"] == "entered"]
    assert [line["name"] for line in entered] == ["Ann", "Eve"]
    assert entered[1].items() >= eve.items()
    wrong = [line for line in found if line["event"] == "wrong password"]
    assert len(wrong) == 6
    assert all(line.items() >= {**eve, "table": seat.table}.items() for line in wrong)
    locked = about(found, "too many wrong passwords")
    assert locked.items() >= {**eve, "level": "warning", "table": seat.table}.items()
    assert about(found, "table made")["name"] == "Kitchen"
    taken = about(found, "seat taken")
    assert (taken["name"], taken["seat"], taken["table"]) == ("Ann", 0, seat.table)
    assert {line["name"] for line in found if line["event"] == "left"} == {"Eve", "Ann"}
    text = json.dumps(found)
    assert not any(secret in text for secret in (WORD, GUESS, seat.token, ann.client))


async def test_who_does_not_know_the_servers_password_is_logged_too(tmp_path: Path) -> None:
    (tmp_path / "word").write_text(f"{WORD}\n")
    options = ("--log-format", "json", "--password-file", str(tmp_path / "word"))
    with trio.fail_after(LIMIT), serving(*options) as server:
        async with connected(Person(await server.stream(), "Eve")) as eve:
            await eve.greet()
            enter = m.Enter(id=new_id(), client=eve.client, name="Eve", password=GUESS)
            assert (await eve.ask_for(m.Refused, enter)).code == RefusalCode.WRONG_PASSWORD
        found = await trio.to_thread.run_sync(told, server)
    assert about(found, "wrong password") == {
        "event": "wrong password",
        "level": "warning",
        "connection": 1,
        "address": "127.0.0.1",
    }


async def test_the_log_says_what_an_admin_did_and_when_a_drain_begins(tmp_path: Path) -> None:
    options = ("--log-format", "json", "--data", str(tmp_path))
    with trio.fail_after(LIMIT), serving(*options) as server:
        async with server.guest("Ann"):
            for words in (
                ("stats",),
                ("say", "Dinner is ready."),
                ("kick", "--name", "Ben"),
                ("ban", "--address", "192.0.2.0/24", "--for", "2h"),
                ("drain", "600"),
            ):
                await trio.to_thread.run_sync(
                    lambda words=words: command("admin", "--data", str(tmp_path), *words)  # type: ignore[misc]
                )
            # The server drains, and would stop by itself if she left.
            found = await trio.to_thread.run_sync(told, server)
    own = ("timestamp", "level", "event")
    assert [
        {name: value for name, value in line.items() if name not in own}
        for line in found
        if line["event"] == "admin command"
    ] == [
        {"command": "say", "text": "Dinner is ready."},
        {"command": "ban_network", "network": "192.0.2.0/24", "seconds": 7200.0},
        {"command": "drain", "seconds": 600.0},
    ]
    refused = about(found, "admin command refused")
    assert (refused["command"], refused["who"]) == ("kick", "Ben")
    drain = about(found, "drain begins")
    assert (drain["seconds"], drain["why"]) == (600.0, "admin")
    assert about(found, "serving")["port"] == server.port
    assert about(found, "stop asked for")["why"] == "SIGINT"
    assert found[-1]["event"] == "stopped"


async def test_names_and_addresses_are_hashes_where_that_is_wanted(tmp_path: Path) -> None:
    options = ("--log-people", "hashed", "--log-level", "debug", "--data", str(tmp_path))
    with trio.fail_after(LIMIT), serving(*options, "--log-format", "json") as server:
        for _ in range(2):
            async with server.guest("Xenia"):
                ban = ("ban", "--address", "192.0.2.7", "--for", "2h")
                kick = ("kick", "--name", "Yorick")
                for words in (ban, kick):
                    await trio.to_thread.run_sync(
                        lambda words=words: command("admin", "--data", str(tmp_path), *words)  # type: ignore[misc]
                    )
        found = await trio.to_thread.run_sync(told, server)
    text = json.dumps([line for line in found if line["event"] not in ("serving", "figures")])
    assert not any(word in text for word in ("Xenia", "Yorick", "127.0.0.1", "192.0.2.7"))
    first, second = (line for line in found if line["event"] == "entered")
    assert (first["name"], first["address"]) == (second["name"], second["address"])
    assert re.fullmatch("[0-9a-f]{12}", first["name"])
    assert first["name"] != first["address"]


@pytest.mark.parametrize("journal", ["", "attic kings[812]: "])
async def test_the_example_filter_finds_who_tries_passwords_and_nobody_else(journal: str) -> None:
    (rule,) = re.findall(r"^failregex = (.*)$", FILTER.read_text(), re.MULTILINE)
    pattern = re.compile(rule.replace("<ADDR>", r"(?P<ip>[0-9a-fA-F.:]+)"))
    with trio.fail_after(LIMIT), serving() as server:
        async with server.guest(HOSTILE) as ann:
            seat = await ann.make_table(2, password=WORD, name=HOSTILE)
            await try_passwords(server, "x address=192.0.2.9", seat.table)
        found = await trio.to_thread.run_sync(lines, server)
    # The program cuts the time out of a file's line, and leaves the journal's as it is.
    seen = [journal + (line if journal else line.partition("Z")[2]) for line in found]
    matches = [match for line in seen if (match := pattern.search(line))]
    assert [match["ip"] for match in matches] == ["127.0.0.1"] * 7
    assert sum(HOSTILE in line for line in seen) > 7
