"""What is logged: nothing that would help a player, or open a seat."""

import ast
import json
import re
import secrets
from contextlib import redirect_stderr
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
import structlog
import trio
from trio.testing import MockClock

from hall import cut, hall
from kings_engine.cards import card_str
from kings_protocol import messages as m
from kings_server import thinkers
from kings_server.log import LEVELS, described, logger, set_up
from people import new_id

WORD = "hush"
ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "server" / "kings_server"
GUIDE = ROOT / "docs" / "hosting.md"


async def test_the_log_of_a_whole_match_holds_no_cards_seeds_tokens_or_talk(
    log: StringIO, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann", 1)
        table = await h.table_of(ann, bots=("easy",), knobs={"points": 5}, password=WORD)
        await ann.ask_for(m.Done, m.Say(id=new_id(), text="xyzzy"))
        await ann.until_deal(1)
        for _ in range(3):
            await ann.play_once()
        with monkeypatch.context() as patch:
            patch.setattr(thinkers, "answer", lambda *_: (_ for _ in ()).throw(KeyError("KS")))
            await ann.until(lambda: ann.my_turn)
            await ann.ask_for(m.Done, m.EndTurn(id=new_id(), version=ann.version))
            await ann.until(lambda: ann.my_turn or ann.phase("between", "over"))
        await cut(ann)
        again = await h.back(ann)
        await again.play_match()
        match = table.match
        assert match is not None
        assert again.seat is not None
        await again.stream.send_all(b"\x00\x00\x00\x00")
        await again.until_ended()
        await trio.sleep(600)
    text = log.getvalue()
    assert "match begins" in text
    assert "bot failed" in text
    assert "protocol broken" in text
    words = set(re.findall(r"[0-9A-Za-z]+", text))
    assert not words & {card_str(card) for card in range(52)}
    actions = " ".join(str(step.action) for step in match.steps)
    hidden = {"xyzzy", WORD, again.seat.token, *re.findall(r"[0-9a-f]{64}", actions)}
    assert len(hidden) > 4
    assert not any(one in text for one in hidden)
    assert not re.search(r"[0-9a-f]{32}", text)


def events() -> set[str]:
    """Return the events that the server's source logs."""
    found = set()
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            # The call itself, or the arguments of what calls it later.
            words = [node.func, *node.args] if isinstance(node, ast.Call) else []
            for method, event in pairwise(words):
                logs = isinstance(method, ast.Attribute) and method.attr in LEVELS
                if (
                    logs
                    and "parser" not in ast.unparse(method)
                    and isinstance(event, ast.Constant)
                    and isinstance(event.value, str)
                ):
                    found.add(event.value)
    return found


def test_every_event_is_documented() -> None:
    (section,) = re.findall(r"^## Logs$(.*?)^## ", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    documented = {event for row in rows for event in re.findall("`([^`]+)`", row)}
    assert len(events()) > 40
    assert not events() - documented, "these are logged, and the guide does not name them"


def fail(error: Exception) -> None:
    raise error


def test_an_error_is_described_without_its_words() -> None:
    hidden = secrets.token_hex(8)
    with pytest.raises(ValueError, match=hidden) as caught:
        fail(ValueError(hidden))
    assert re.fullmatch(r"ValueError at test_log\.py:\d+", described(caught.value))
    several = ExceptionGroup(hidden, [ValueError(hidden), KeyError(hidden), KeyError(hidden)])
    assert described(several) == "KeyError; ValueError"


def test_a_log_for_programs_is_an_object_a_line() -> None:
    stream = StringIO()
    with redirect_stderr(stream):
        set_up("info", "json")
        logger().bind(connection=3).info("connection closes", code="stopped")
        logger().debug("nobody sees this")
    structlog.reset_defaults()
    (line,) = stream.getvalue().splitlines()
    told = json.loads(line)
    assert told.pop("timestamp").endswith("Z")
    assert told == {
        "event": "connection closes",
        "level": "info",
        "connection": 3,
        "code": "stopped",
    }
