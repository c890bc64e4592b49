"""Lines are answered one at a time and in order, whatever the other side does."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import pytest
import trio
import trio.testing
from attrs import evolve

from kings_client.intents import EndTurn, Here, Intent, PlayCard, Say
from kings_client.model import Linked, LinkState, Model, Pending
from kings_client.plain.running import _Client
from kings_client.screenless import PAUSE_SECONDS
from kings_client.session import Publish
from kings_engine.actions import EndTurn as EndsTurn
from kings_engine.cards import parse_card
from kings_engine.errors import Code
from kings_protocol import messages as m
from kings_protocol.messages import Refused, Said
from tables import acted, model_of, position, table_of
from wire import request_id

MATCH: Final = position("9H 8S 3D", {"N": "TS", "E": "TC"})
START: Final = model_of(MATCH)
LIMIT = 60

Reaction = Callable[[Intent, Publish], Awaitable[None]]


class Typed:
    """Lines that a test types; each is read when the one before is answered."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    async def read(self) -> str | None:
        await trio.lowlevel.checkpoint()
        return self.lines.pop(0) if self.lines else None


async def nothing(intent: Intent, publish: Publish) -> None:
    del intent, publish


@asynccontextmanager
async def playing(react: Reaction, start: Model = START) -> AsyncIterator[_Client]:
    """Give a client whose other side shows ``start`` and then reacts to intents."""

    async def talk(intents: trio.MemoryReceiveChannel[Intent], publish: Publish) -> None:
        publish(start)
        async for intent in intents:
            await react(intent, publish)

    client = _Client(Model(link=LinkState(Linked.CONNECTING, "here")), talk)
    with trio.fail_after(LIMIT):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client._talk_until, trio.Event())
            yield client
            nursery.cancel_scope.cancel()


def sent(model: Model, intent: Say | EndTurn | PlayCard) -> Model:
    request = m.Say(id=request_id(1), text="x")
    return evolve(model, pending=(Pending(request, intent),))


async def agree(intent: Intent, publish: Publish) -> None:
    if isinstance(intent, Say | EndTurn | PlayCard):
        publish(sent(START, intent))
        publish(START)


async def test_a_wish_is_answered_when_the_server_has_agreed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with playing(agree) as client:
        await client._take_lines(Typed("say one", "# nothing", "", "say two"))
    answers = [line for line in capsys.readouterr().out.splitlines() if line.startswith("OK")]
    assert answers == ["OK: said.", "OK: said."]


async def test_the_answer_comes_before_the_news_that_follow_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    after = model_of(acted(MATCH, (0, EndsTurn())))

    async def react(intent: Intent, publish: Publish) -> None:
        assert isinstance(intent, EndTurn)
        publish(sent(START, intent))
        publish(START)
        publish(evolve(after, fresh=3))

    async with playing(react) as client:
        await client._take_lines(Typed("end", "can"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:] == [
        "OK: your turn has ended.",
        "You draw the 5 of clubs.",
        "No: it is Ben's turn; wait for it to be yours.",
    ]


async def test_a_refusal_is_told_with_what_is_possible(capsys: pytest.CaptureFixture[str]) -> None:
    async def react(intent: Intent, publish: Publish) -> None:
        assert isinstance(intent, PlayCard)
        publish(sent(START, intent))
        code = Code.CORNER_NEEDS_KING
        refused = Refused(re=request_id(1), code=code, card=parse_card("9H"), place=4)
        publish(evolve(START, refusal=refused, refused=intent))

    async with playing(react) as client:
        await client._take_lines(Typed("play 9h ne"))
    assert capsys.readouterr().out.splitlines()[-1] == (
        "No: only a king opens the corner NE; the 9 of hearts can go to north, east, south or west."
    )


async def test_a_connection_lost_before_the_answer_is_an_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def react(intent: Intent, publish: Publish) -> None:
        assert isinstance(intent, Say)
        publish(sent(START, intent))
        lost = LinkState(Linked.WAITING, "here", 1, 9.0, "cut")
        publish(evolve(sent(START, intent), link=lost))

    async with playing(react) as client:
        await client._take_lines(Typed("say one", "say two"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:] == [
        "No: the connection is lost; it is asked again when the connection is back.",
        "The connection was lost. Trying to connect again; retry does it at once.",
        "No: there is no connection now; retry tries again at once.",
    ]


async def test_what_cannot_be_sent_is_answered_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    async with playing(nothing) as client:
        await client._take_lines(Typed("say one"))
    assert capsys.readouterr().out.splitlines()[-1].startswith("No: that cannot be asked for")


async def test_no_name_looks_like_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    async def react(intent: Intent, publish: Publish) -> None:
        assert isinstance(intent, Say)
        publish(sent(START, intent))
        publish(START)
        publish(evolve(START, lines=(Said(seat=1, name="OK: Ben", text="hello"),)))

    async with playing(react) as client:
        await client._take_lines(Typed("say one"))
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "OK: said.",
        "- OK: Ben says: hello",
    ]


async def test_fast_requests_are_slowed_down(autojump_clock: trio.testing.MockClock) -> None:
    async with playing(agree) as client:
        began = trio.current_time()
        await client._take_lines(Typed(*["say so"] * 41, *["hand"] * 100))
        assert trio.current_time() - began == pytest.approx(40 * PAUSE_SECONDS)
    del autojump_clock


async def test_a_typed_line_tells_a_doubting_server_that_somebody_is_there() -> None:
    heard: list[Intent] = []

    async def react(intent: Intent, publish: Publish) -> None:
        del publish
        heard.append(intent)

    doubting = evolve(START, table=table_of(MATCH, away_in=9000))
    async with playing(react, doubting) as client:
        await client._take_lines(Typed("hand"))
    assert heard == [Here()]
    async with playing(react) as client:
        await client._take_lines(Typed("hand"))
    assert heard == [Here()]


async def test_the_end_of_lines_after_the_end_of_the_connection_is_a_failure() -> None:
    async with playing(nothing) as client:
        await client._take_lines(Typed("hand"))
        assert client._code == 0
        client._publish(evolve(START, link=LinkState(Linked.CLOSED, "here", reason="displaced")))
        await client._take_lines(Typed("hand"))
        assert client._code == 1
