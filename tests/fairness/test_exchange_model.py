"""Every order of a small exchange: what an honest client can be brought to believe.

The client's part is the program's own (``fairness``). Against it plays everybody else at once: a
dishonest server, which knows all that is ever sent, with a seat that plays along. It has two seeds,
two shares of the ally, two attempts and two matches; it may show an offer or a set, take or not
take what it is sent, cut the line, end the match or the table, deal what it likes, and publish or
refuse the proof, in every order. The other honest seat is part of what it may show or hide: nothing
that one client concludes hangs on another.

The deck counts as chosen if it is not the only one that the commitments shown before her share was
sent could lead to, or if a deck that her share had been sent for was dropped before it.
"""

from collections import deque
from collections.abc import Hashable, Iterator
from operator import itemgetter
from typing import Final, TypeAlias
from unittest.mock import patch

import pytest
from attrs import evolve, frozen

from kings_client import fairness
from kings_client.fairness import Book
from kings_client.marks import Exchange, Mark
from kings_engine.commitments import (
    DealContext,
    LoosePromise,
    Promise,
    commit_seed,
    commit_share,
    rules_digest,
)
from kings_engine.events import Event
from kings_engine.rules import Rules, rules_as_plain
from kings_engine.sources import Secret
from kings_engine.verify import DealProof, Problem
from kings_protocol import messages as m
from kings_protocol.messages import Commit, Reveal
from scripted import TABLE, offer, table_state

SERVER: Final = "5e" * 16
RULES: Final = Rules(players=3)
DIGEST: Final = rules_digest(rules_as_plain(RULES))
SEEDS: Final = (b"\x01" * 32, b"\x02" * 32)
HONEST: Final = b"\x03" * 32
"""The share of the other honest seat; to the victim it is one more thing that is claimed."""
ALLY: Final = (b"\x0a" * 32, b"\x0b" * 32)

SEATS: Final = (m.SeatState(state="seated", name=name) for name in ("Ann", "Ben", "Cleo"))
PEOPLE: Final = tuple(SEATS)

Offered: TypeAlias = tuple[int, int, int, int]
"""Match, deal, attempt, and which seed."""


@frozen
class World:
    """The victim's book, and what the others know and have done.

    Attributes:
        book: what the victim knows.
        made: how many shares she has made.
        asked: what she would send now, if anything: the kind and for which offer.
        sent: what she has sent that was not answered.
        revealed: for each offer that her share was sent for, her share and the set she saw.
        honoured: the offers whose deck was dealt to her.
        out: the offer that is out, its seed, and the ally's commitment in its set (none yet: -1).
        withheld: the seats that the server names.
        dealt: the deck that is being played, if one is.
        steps: how many steps were made.
    """

    book: Book
    made: int = 0
    revealed: tuple[tuple[Offered, bytes, tuple[bytes | None, ...]], ...] = ()
    honoured: frozenset[tuple[int, int]] = frozenset()
    out: Offered | None = None
    members: tuple[str | None, ...] = ()
    withheld: tuple[int, ...] = ()
    sent: tuple[Commit | Reveal, ...] = ()
    steps: int = 0


def context(match: int, deal: int, attempt: int) -> DealContext:
    return DealContext(bytes.fromhex(SERVER), TABLE, match, deal, attempt, DIGEST)


def share_of(number: int) -> str:
    return (bytes((0xC0 + number,)) * 32).hex()


def shown(world: World, phase: str = "offering") -> World:
    """Let the victim see the table, and do what she does then."""
    members = tuple(
        m.Member(commitment=one) if one else m.Member(missing="late") for one in world.members
    )
    out = None
    if world.out is not None:
        match, deal, attempt, seed = world.out
        committed = commit_seed(context(match, deal, attempt), SEEDS[seed])
        out = offer(deal, committed, members, attempt)
    match = world.out[0] if world.out is not None else max(world.book.match, 1)
    table = table_state(
        RULES, phase=phase, seats=PEOPLE, offer=out, match=match, withheld=world.withheld
    )
    made = [world.made]

    def new_share() -> str:
        made[0] += 1
        return share_of(made[0])

    book = fairness.see_table(world.book, table, new_share)
    world = evolve(world, book=book, made=made[0])
    request = fairness.due(book, lambda: "00" * 16)
    if request is None or request in world.sent:
        return world
    world = evolve(world, book=fairness.sent(book, request), sent=(*world.sent, request))
    if isinstance(request, Reveal) and world.out is not None:
        entry = world.out, bytes.fromhex(request.share), decoded(world.members)
        world = evolve(world, revealed=(*world.revealed, entry))
    return world


def decoded(members: tuple[str | None, ...]) -> tuple[bytes | None, ...]:
    return tuple(None if one is None else bytes.fromhex(one) for one in members)


def ally(world: World, which: int) -> str:
    assert world.out is not None
    match, deal, attempt, seed = world.out
    here = context(match, deal, attempt)
    return commit_share(here, commit_seed(here, SEEDS[seed]), 2, ALLY[which]).hex()


def other(world: World) -> str:
    assert world.out is not None
    match, deal, attempt, seed = world.out
    here = context(match, deal, attempt)
    return commit_share(here, commit_seed(here, SEEDS[seed]), 1, HONEST).hex()


def steps(world: World) -> Iterator[World]:
    """Yield every world that one step of the others leads to."""
    yield from offers(world)
    yield from sets(world)
    yield from answers(world)
    yield from ends(world)


def offers(world: World) -> Iterator[World]:
    """An offer: the next, the same with another seed, anew for anybody, or of something else."""
    match, deal, attempt, seed = world.out or (max(world.book.match, 1), 1, 0, 0)
    wanted = [
        ((match, deal, attempt, seed), world.withheld),
        ((match, deal, attempt, 1 - seed), world.withheld),
    ]
    if attempt == 0:
        wanted += [((match, deal, 1, 1), withheld) for withheld in ((), (2,), (0,))]
    if deal == 1:
        wanted.append(((match, 2, 0, 1), world.withheld))
    if match == 1:
        wanted.append(((2, 1, 0, 1), ()))
    for out, withheld in wanted:
        if out != world.out or world.members:
            yield shown(evolve(world, out=out, members=(), withheld=withheld))


def sets(world: World) -> Iterator[World]:
    """The set of the offer that is out: with her or without, swapped, echoed, with either share."""
    if world.out is None:
        return
    mine = [
        one.commitment
        for one in world.sent
        if isinstance(one, Commit) and (one.match, one.deal, one.attempt) == world.out[:3]
    ]
    for hers in mine[-1:]:
        for members in (
            (hers, other(world), ally(world, 0)),
            (hers, other(world), ally(world, 1)),
            (hers, None, hers),
            (ally(world, 0), None, hers),
            (None, other(world), ally(world, 0)),
        ):
            yield shown(evolve(world, members=members))
    yield shown(evolve(world, members=(None, None, ally(world, 0))))


def answers(world: World) -> Iterator[World]:
    """What she sent last is taken; or the line is lost, and she asks again."""
    for request in world.sent[-1:]:
        yield evolve(world, book=fairness.taken(world.book, request))


def ends(world: World) -> Iterator[World]:
    """The match is said to be over, or the offer is gone, or a deck is dealt, proved or not."""
    yield shown(evolve(world, out=None, members=()), "over")
    yield shown(evolve(world, out=None, members=()), "playing")
    book = fairness.leave(world.book)
    yield evolve(
        world,
        book=Book(SERVER, TABLE, 0, dropped=book.dropped or book.undealt),
        out=None,
        members=(),
        withheld=(),
        sent=(),
    )
    deals = {deal for deal in (1, 2) if deal in world.book.checks}
    for deal in deals:
        yield from published(world, deal)


def published(world: World, deal: int) -> Iterator[World]:
    """Let her see a deck, and publish the one that was promised or another; or give no proof."""
    exchange = world.book.checks[deal].exchange
    dealt = fairness.see_dealt(world.book, deal, began=True)
    honoured = world.honoured | {(world.book.match, deal)}
    after = evolve(world, book=dealt, out=None, members=(), honoured=honoured)
    yield evolve(after, book=fairness.judge(dealt, deal, RULES, None, ()))
    if exchange is None:
        return
    here = exchange.context
    seed = next(one for one in SEEDS if commit_seed(here, one).hex() == exchange.commitment)
    mine = None if exchange.share is None else bytes.fromhex(exchange.share)
    echoed = exchange.members[2:] == exchange.members[:1]
    third = mine if echoed else ALLY[exchange.members[2:] == (ally_of(exchange, 1),)]
    second = HONEST if exchange.members[1:2] not in ((), (None,)) else None
    for secret in (
        Secret(seed, (mine, second, third)),
        Secret(SEEDS[seed == SEEDS[0]], (mine, second, third)),
        Secret(seed, (mine, second, ALLY[third == ALLY[0]])),
        Secret(seed, (None, second, third)),
    ):
        yield evolve(after, book=judged(dealt, deal, secret))


def ally_of(exchange: Exchange, which: int) -> str:
    seed = bytes.fromhex(exchange.commitment)
    return commit_share(exchange.context, seed, 2, ALLY[which]).hex()


def judged(book: Book, deal: int, secret: Secret) -> Book:
    proof = DealProof(deal, 0, (0, 1, 2), f"deal {secret}", ())
    return fairness.judge(book, deal, RULES, proof, ())


def only_promised(
    rules: Rules,
    proof: DealProof,
    promise: Promise | LoosePromise | None,
    viewer: int | None,
    seen: tuple[tuple[Event, ...], ...],
    shown: tuple[str, ...],
) -> tuple[Problem, ...]:
    """Check the promise as the engine does; that what was played is as seen, other tests show."""
    del rules, viewer, seen, shown
    words = proof.begin.split()[1:]
    seed, *shares = (None if word == "-" else bytes.fromhex(word) for word in words)
    assert seed is not None
    secret = Secret(seed, tuple(shares))
    if promise is None:
        return ()
    found = (
        (promise.fits_seed(secret), Problem.SEED_NOT_COMMITTED),
        (promise.fits_shares(secret), Problem.SHARES_NOT_COMMITTED),
        (promise.uses_own(secret), Problem.SHARE_NOT_USED),
    )
    return tuple(problem for fits, problem in found if not fits)


def chosen(world: World, deal: int) -> bool:
    """Say whether somebody could choose the deck of ``deal`` once her share was known."""
    match = world.book.match
    sent = [entry for entry in world.revealed if entry[0][:2] == (match, deal)]
    if not sent:
        return True
    *dropped, last = sent
    earlier = world.revealed[: world.revealed.index(last)]
    before = [entry for entry in earlier if entry[0][:2] not in world.honoured]
    exchange = world.book.checks[deal].exchange
    assert exchange is not None
    (_, _, attempt, seed), share, members = last
    here = context(match, deal, attempt)
    fixed = (
        exchange.attempt == attempt
        and exchange.commitment == commit_seed(here, SEEDS[seed]).hex()
        and decoded(exchange.members) == members
        and exchange.share == share.hex()
        and members[0] == commit_share(here, commit_seed(here, SEEDS[seed]), 0, share)
    )
    return bool(dropped) or bool(before) or not fixed


def lies(world: World) -> list[int]:
    """Return the deals that she believes in, and should not."""
    return [
        deal
        for deal, check in world.book.checks.items()
        if check.mark is Mark.FAIR and chosen(world, deal)
    ]


def known(world: World) -> Hashable:
    """Return what tells one world from another, however it came about."""
    book = world.book
    checks = tuple(sorted(book.checks.items(), key=itemgetter(0)))
    plain = (book.match, book.offered, book.withheld, book.over, book.dropped)
    others = (world.out, world.members, world.withheld, world.sent)
    return checks, plain, others, world.made, world.revealed, world.honoured


def explore(depth: int) -> tuple[int, int]:
    """Try everything up to ``depth`` steps; return the worlds, and those with a fair deal."""
    start = World(Book(SERVER, TABLE, 0))
    seen = {known(start)}
    queue, fair = deque([start]), 0
    while queue:
        world = queue.popleft()
        if world.steps == depth or len(world.book.checks) > 2:
            continue
        for after in steps(world):
            newer = evolve(after, steps=world.steps + 1)
            if (key := known(newer)) in seen:
                continue
            seen.add(key)
            assert lies(newer) == [], newer
            fair += Mark.FAIR in {check.mark for check in newer.book.checks.values()}
            queue.append(newer)
    return len(seen), fair


DEPTH: Final = 5
"""Steps in an ordinary run, which takes some seconds; with ``--soak`` one more, some minutes."""


def test_in_no_order_of_messages_is_a_chosen_deck_called_fair(
    pytestconfig: pytest.Config,
) -> None:
    depth = DEPTH + 1 if pytestconfig.getoption("--soak") else DEPTH
    with patch("kings_client.fairness.check_deal", only_promised):
        worlds, fair = explore(depth)
    assert worlds > 1000
    assert fair > 0
