"""When bots move, as a person at their table sees it."""

import trio

from kings_engine.actions import EndTurn
from people import Person


async def beyond(person: Person, version: int) -> int:
    """Wait for a version after ``version``, and return it."""
    await person.until(lambda: person.version > version)
    return person.version


async def until_turn(person: Person) -> None:
    """Wait for a person's turn, in the next deal if this one is over."""
    await person.until(lambda: person.my_turn or person.phase("between"))
    if person.phase("between"):
        await person.go_on()
        await person.until(lambda: person.my_turn)


async def timed(person: Person) -> list[float]:
    """End a person's turn, and return after how long each of the bots' moves came."""
    await until_turn(person)
    began, before = trio.current_time(), person.version
    await person.act(EndTurn())
    version = await beyond(person, before)
    times = []
    while not person.my_turn and person.phase("playing"):
        version = await beyond(person, version)
        times.append(round(trio.current_time() - began, 3))
        await trio.testing.wait_all_tasks_blocked()
    return times


def short(person: Person, seat: int = 1) -> bool:
    assert person.table is not None
    return person.table.seats[seat].short
