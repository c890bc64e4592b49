"""People at a table where a deck is being made, and what they see of it."""

from typing import Any, Final

from hall import Hall
from kings_engine.actions import BeginDeal, Cut
from kings_engine.commitments import Promise
from kings_engine.sources import Secret
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode
from kings_server.table import Table
from people import Person, new_id

ZEROS: Final = "00" * 32
NAMES: Final = ("Ann", "Ben", "Cleo", "Dora")


async def seated(h: Hall, count: int = 2, **fields: Any) -> tuple[Table, list[Person]]:
    """Seat so many people at a new table, who are not ready yet."""
    people = [await h.guest(name, seed) for seed, name in enumerate(NAMES[:count])]
    return await h.table_of(*people, **fields), people


async def begin(people: list[Person]) -> None:
    """Let the match begin: its first offer is out."""
    for person in people:
        await person.ready()
    for person in people:
        await person.until_table(lambda table: table.offer is not None)


def offer_of(person: Person) -> m.Offer:
    assert person.table is not None
    assert person.table.offer is not None
    return person.table.offer


async def until_set(*people: Person) -> None:
    """Wait until the set of commitments is published."""
    for person in people:
        await person.until_table(
            lambda table: table.offer is not None and bool(table.offer.members)
        )


async def until_attempt(person: Person, attempt: int) -> None:
    await person.until_table(
        lambda table: table.offer is not None and table.offer.attempt == attempt
    )


def promise_of(person: Person, deal: int = 1, attempt: int = 0) -> Promise:
    """Return what somebody saw of an offer of the first match."""
    return person.offers[1, deal, attempt]


def secret_of(table: Table) -> Secret:
    """Return what the newest deck, or cut, was made of."""
    assert table.match is not None
    action = [
        step.action for step in table.match.steps if isinstance(step.action, BeginDeal | Cut)
    ][-1]
    made_of = action.secret if isinstance(action, Cut) else action.source
    assert isinstance(made_of, Secret)
    return made_of


def named(person: Person) -> list[tuple[int | None, str | None]]:
    """Return who was named to somebody for withholding a share."""
    told = [one for one in person.others if isinstance(one, m.Notice)]
    return [(one.seat, one.name) for one in told if one.code == NoticeCode.SHARE_WITHHELD]


def missing(person: Person) -> list[str | None]:
    """Return why each seat has no share in the offer that is out."""
    return [one.missing for one in offer_of(person).members]


def offer_attempts(person: Person) -> list[int]:
    """Return the attempts of the first deal that somebody committed to or saw."""
    return sorted(attempt for match, deal, attempt in person.offers if (match, deal) == (1, 1))


def commit(deal: int = 1, attempt: int = 0, commitment: str = ZEROS) -> m.Commit:
    return m.Commit(id=new_id(), match=1, deal=deal, attempt=attempt, commitment=commitment)


async def refusal(person: Person, request: m.Request) -> str:
    return (await person.ask_for(m.Refused, request)).code
