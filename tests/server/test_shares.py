"""The making of a deck: all commit to their shares, the set is published, and all reveal them."""

from collections.abc import Callable
from typing import Final, TypeAlias

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock

from hall import hall
from kings_engine.commitments import commit_share, set_digest
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode
from kings_protocol.limits import COMMIT_SECONDS, REVEAL_SECONDS
from kings_server.limits import SHOWN_SECONDS
from offers import (
    ZEROS,
    begin,
    commit,
    missing,
    named,
    offer_attempts,
    offer_of,
    promise_of,
    refusal,
    seated,
    secret_of,
    until_set,
)
from people import Person, new_id

# ---- what is refused


def reveal(deal: int = 1, attempt: int = 0) -> m.Reveal:
    return m.Reveal(id=new_id(), match=1, deal=deal, attempt=attempt, members=ZEROS, share=ZEROS)


BEFORE: Final[dict[str, tuple[m.Request, str]]] = {
    "a commitment of another deal": (commit(deal=2), RefusalCode.NO_OFFER),
    "a commitment of the cut": (commit(deal=0), RefusalCode.NO_OFFER),
    "a commitment of another attempt": (commit(attempt=1), RefusalCode.NO_OFFER),
    "a second commitment": (commit(commitment="11" * 32), RefusalCode.SHARE_GIVEN),
    "a share before the set": (reveal(), RefusalCode.NO_OFFER),
}


@pytest.mark.parametrize(("request_", "code"), BEFORE.values(), ids=BEFORE)
async def test_what_is_out_of_place_before_the_set_is_refused_and_changes_nothing(
    autojump_clock: MockClock, request_: m.Request, code: str
) -> None:
    async with hall(autojump_clock) as h:
        table, people = await seated(h)
        people[1].answers_offers = False
        await begin(people)
        ann = people[0]
        await trio.testing.wait_all_tasks_blocked()
        before = table.dealing
        assert before is not None
        assert before.commitments[0] is not None
        assert await refusal(ann, request_) == code
        assert table.dealing == before


Forge: TypeAlias = Callable[[Person, Person, m.Reveal], m.Request]
"""Makes a request of somebody's, from another's and from the one that would be right."""


def changed(**fields: object) -> Forge:
    def forge(_: Person, __: Person, right: m.Reveal) -> m.Request:
        known = {name: getattr(right, name) for name in right.__struct_fields__}
        return type(right)(**{**known, "id": new_id(), **fields})

    return forge


def of_another_attempt(ann: Person, _: Person, right: m.Reveal) -> m.Request:
    promise = promise_of(ann)
    context = evolve(promise.context, attempt=1)
    digest = set_digest(context, promise.seed, promise.shares).hex()
    return changed(attempt=1, members=digest)(ann, ann, right)


def the_set_without_the_other(ann: Person, _: Person, right: m.Reveal) -> m.Request:
    promise = promise_of(ann)
    digest = set_digest(promise.context, promise.seed, (promise.shares[0], None)).hex()
    return changed(members=digest)(ann, ann, right)


def the_share_of_the_other(_: Person, ben: Person, right: m.Reveal) -> m.Request:
    share = promise_of(ben).share
    assert share is not None
    return changed(share=share.hex())(ben, ben, right)


AFTER: Final[dict[str, tuple[Forge, str]]] = {
    "another share": (changed(share=ZEROS), RefusalCode.BAD_SHARE),
    "another set": (changed(members=ZEROS), RefusalCode.BAD_SHARE),
    "a set without the other": (the_set_without_the_other, RefusalCode.BAD_SHARE),
    "the other's share": (the_share_of_the_other, RefusalCode.BAD_SHARE),
    "a share of another deal": (changed(deal=2), RefusalCode.NO_OFFER),
    "a share of another attempt": (of_another_attempt, RefusalCode.NO_OFFER),
    "a commitment after the set": (lambda *_: commit(commitment="11" * 32), RefusalCode.NO_OFFER),
}


@pytest.mark.parametrize(("forge", "code"), AFTER.values(), ids=AFTER)
async def test_what_does_not_fit_the_set_is_refused_and_the_right_share_is_taken_then(
    autojump_clock: MockClock, forge: Forge, code: str
) -> None:
    async with hall(autojump_clock) as h:
        table, people = await seated(h)
        ann, ben = people
        ann.reveals_shares = False
        await begin(people)
        await until_set(ann, ben)
        right = ann.reveal_of(promise_of(ann))
        assert await refusal(ann, forge(ann, ben, right)) == code
        assert named(ben) == []
        await ann.ask_for(m.Done, right)
        await ben.until_deal(1)
        assert secret_of(table).shares == (promise_of(ann).share, promise_of(ben).share)


async def test_a_share_counts_once(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, people = await seated(h)
        ann, ben = people
        ann.reveals_shares = ben.reveals_shares = False
        await begin(people)
        await until_set(ann, ben)
        await ann.ask_for(m.Done, ann.reveal_of(promise_of(ann)))
        assert await refusal(ann, ann.reveal_of(promise_of(ann))) == RefusalCode.SHARE_GIVEN


async def test_a_copied_commitment_cannot_be_revealed(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        table, people = await seated(h)
        ann, ben = people
        ben.answers_offers = False
        await begin(people)
        await ann.until(lambda: (1, 1, 0) in ann.offers)
        promise = promise_of(ann)
        assert promise.share is not None
        copied = commit_share(promise.context, promise.seed, 0, promise.share).hex()
        await ben.ask_for(m.Done, commit(commitment=copied))
        await until_set(ann, ben)
        members = tuple(bytes.fromhex(one.commitment or "") for one in offer_of(ben).members)
        assert members[0] == members[1]
        # As if the other's share were known by now.
        echo = ben.reveal_of(evolve(promise, shares=members))
        assert await refusal(ben, echo) == RefusalCode.BAD_SHARE
        await ann.until_deal(1)
        assert named(ann) == [(1, "Ben")]
        assert secret_of(table).shares == (promise_of(ann, attempt=1).share, None)


async def test_a_seat_without_a_commitment_has_nothing_to_reveal(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, people = await seated(h)
        ann, ben = people
        ann.reveals_shares = ben.answers_offers = False
        await begin(people)
        await until_set(ann, ben)
        promise = promise_of(ann)
        share = ben.reveal_of(evolve(promise, seat=1))
        assert await refusal(ben, share) == RefusalCode.NO_OFFER


# ---- how long it takes


async def test_two_slow_people_cost_two_seconds_together(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, people = await seated(h, 4)
        for slow in people[2:]:
            slow.answers_offers = False
        await begin(people)
        began = trio.current_time()
        await people[0].until_deal(1)
        assert trio.current_time() - began == pytest.approx(COMMIT_SECONDS)
        assert named(people[0]) == []


async def test_two_who_reveal_nothing_cost_the_time_of_one(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        _, people = await seated(h, 4)
        for slow in people[2:]:
            slow.reveals_shares = False
        await begin(people)
        began = trio.current_time()
        await people[0].until_deal(1)
        assert trio.current_time() - began == pytest.approx(REVEAL_SECONDS)
        assert named(people[0]) == [(2, "Cleo"), (3, "Dora")]
        assert offer_attempts(people[0]) == [0, 1]


@pytest.mark.parametrize("preset", ["pagat", "strict"])
async def test_nobody_waits_where_all_clients_answer(
    autojump_clock: MockClock, preset: str
) -> None:
    async with hall(autojump_clock) as h:
        began = trio.current_time()
        table, (ann,) = await seated(h, 1, bots=("easy", "easy"), preset=preset)
        await ann.until_deal(1)
        assert trio.current_time() == began
        share = promise_of(ann).share
        assert share is not None
        shares = [one for one in secret_of(table).shares if one is not None]
        assert shares == [share]


async def test_a_deck_without_any_share_is_seen_to_be_so_before_it_is_dealt(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann = await h.guest("Ann")
        ann.answers_offers = False
        began = trio.current_time()
        table = await h.table_of(ann, bots=("easy",))
        await until_set(ann)
        assert missing(ann) == ["late", "bot"]
        await ann.until_deal(1)
        assert trio.current_time() - began == pytest.approx(COMMIT_SECONDS + SHOWN_SECONDS)
        assert secret_of(table).shares == (None, None)
