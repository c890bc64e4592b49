"""What the journal and the wire have of commitments and shares, and when."""

from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from hall import hall
from journals import Disk, Slow, breakable
from kings_engine.actions import Cut
from kings_engine.sources import Secret
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_protocol.connection import Connection
from kings_protocol.limits import REVEAL_SECONDS
from kings_server.dealing import Dealing
from kings_server.table import Table
from offers import begin, commit, named, offer_of, promise_of, refusal, seated, secret_of, until_set
from people import new_id

# ---- slow journals


async def test_a_slow_journal_costs_nobody_the_share(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock, journal=Slow()) as h:
        table, people = await seated(h, 4)
        await begin(people)
        await people[0].until_deal(1)
        assert named(people[0]) == []
        assert secret_of(table).shares == tuple(promise_of(one).share for one in people)


async def test_a_journal_that_fails_meanwhile_costs_nobody_the_share(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file = breakable(tmp_path)
    async with hall(autojump_clock, file=file) as h:
        table, people = await seated(h)
        ann, ben = people
        ann.reveals_shares = ben.reveals_shares = False
        await begin(people)
        await until_set(*people)
        file.break_by(before=True)
        right = ann.reveal_of(promise_of(ann))
        assert await refusal(ann, right) == RefusalCode.JOURNAL_UNAVAILABLE
        await trio.sleep(10 * REVEAL_SECONDS)
        file.break_by()
        for person in people:
            await person.until_table(lambda table: table.saving)
        for person in people:
            await person.ask_for(m.Done, person.reveal_of(promise_of(person)))
        await ann.until_deal(1)
        assert named(ann) == []
        assert secret_of(table).shares == tuple(promise_of(one).share for one in people)
    file.close()


async def test_a_set_is_kept_before_anybody_is_shown_it(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    file, disk = breakable(tmp_path), Disk(0)
    async with hall(autojump_clock, file=file, disk=disk) as h:
        table, people = await seated(h)
        ann, ben = people
        ben.answers_offers = False
        ann.reveals_shares = False
        await begin(people)
        await trio.sleep(1)
        received = ann.received
        disk.seconds = 5.0
        await ben.send(commit())
        await trio.sleep(4.9)
        assert table.dealing is not None
        assert table.dealing.closed
        assert (ann.received, offer_of(ann).members) == (received, ())
        await until_set(ann)
        (saved,) = file.load()
        assert '"closed":true' in saved.state
        for one in offer_of(ann).members:
            assert one.commitment is not None
            assert one.commitment in saved.state
    file.close()


# ---- what is on the wire


class Tapped:
    """A connection whose bytes from the server are noted."""

    def __init__(self, connection: Connection, heard: bytearray) -> None:
        self._connection = connection
        self._heard = heard

    def receive(self, data: bytes) -> None:
        self._heard += data
        self._connection.receive(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def shown_in(secret: bytes, data: bytearray) -> bool:
    return secret in data or secret.hex().encode() in data


async def test_no_share_and_no_seed_is_sent_to_anybody_before_the_proof(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[bytes] = []
    new = Dealing.new

    def noting(*args: Any) -> Dealing:
        dealing = new(*args)
        seeds.append(dealing.seed)
        return dealing

    monkeypatch.setattr(Dealing, "new", noting)
    async with hall(autojump_clock) as h:
        knobs = {"match": "one_deal", "hand_size": 5}
        table, people = await seated(h, 3, preset="strict", knobs=knobs)
        ann, _, cleo = people
        eve = await h.guest("Eve")
        await eve.ask_for(m.Watching, m.Watch(id=new_id(), table=table.settings.table))
        heard = bytearray()
        for person in (*people, eve):
            person.connection = Tapped(person.connection, heard)  # type: ignore[assignment]
        cleo.reveals_shares = False
        await begin(people)
        await ann.until_deal(1)
        shares = [one.share for person in people for one in person.offers.values()]
        hidden = [one for one in (*shares, *seeds) if one is not None]
        assert (len(seeds), len(hidden)) == (3, 3 + 3 + 2 + 2)  # the cut twice, and the deal
        of_deal = secret_of(table)
        assert [one for one in hidden if shown_in(one, heard)] == []
        async with trio.open_nursery() as players:
            for person in people:
                players.start_soon(person.play_match)
        for deal in (0, 1):
            await ann.ask_for(m.Proof, m.GetProof(id=new_id(), deal=deal))
        proved = {of_deal.seed, *of_deal.shares, *cut_of(table).shares, cut_of(table).seed}
        assert {one for one in hidden if shown_in(one, heard)} == proved - {None}


def cut_of(table: Table) -> Secret:
    assert table.match is not None
    (action,) = [one.action for one in table.match.steps if isinstance(one.action, Cut)]
    return action.secret
