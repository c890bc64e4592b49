"""What is kept of a match: no file is overwritten, and no server makes a client keep too much."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, evolve
from msgspec.structs import replace

from attack import MANY, SEED, Attack
from kings_client import fairness
from kings_client.fairness import KEPT_DEALS, Book
from kings_client.marks import Check, Mark
from kings_client.remembering import NEW_FILES, WRITES, Memory
from kings_client.saved import read_match
from kings_client.store import Seat, Store
from kings_client.witness import DEALS, EVENTS, Witness
from kings_engine.actions import TABLE as TABLE_ACTOR
from kings_engine.actions import BeginDeal
from kings_engine.events import DealBegan, DealEnded, DealEnding, Event, TurnBegan
from kings_engine.match import Match, new_match
from kings_engine.phase import Phase
from kings_engine.rules import Rules
from kings_engine.sources import Secret
from kings_engine.view import history
from kings_protocol import messages as m
from proofs import TOKEN, act
from scripted import TABLE, update_of


@define
class Clock:
    """A clock that a test sets."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path)
    yield opened
    opened.close()


def finished() -> Attack:
    one = Attack(MANY)
    one.finish(Secret(SEED, (one.exchange(), None)))
    return one


def note(memory: Memory, one: Attack) -> Path:
    path = memory.note(one.model, one.prover.proofs, one.prover.witness)
    assert path is not None
    return Path(path)


def test_a_table_number_that_is_used_again_overwrites_nothing(store: Store) -> None:
    memory = Memory(store, "2020-02-02")
    one = finished()
    memory._keep(Seat(one.model.identity, TABLE, "Kitchen", 0, TOKEN))
    file = note(memory, one)
    before = file.read_bytes()
    memory._keep(Seat(one.model.identity, TABLE, "Kitchen", 0, "71" * 32))
    another = note(memory, finished())
    assert another != file
    assert file.read_bytes() == before
    assert len(read_match(another).deals) == 1


def test_another_run_of_the_program_overwrites_nothing(store: Store) -> None:
    file = note(Memory(store, "2020-02-02"), finished())
    before = file.read_bytes()
    assert note(Memory(store, "2020-02-02"), finished()) != file
    assert file.read_bytes() == before


def test_a_match_goes_on_in_its_file_unless_deals_would_be_lost(store: Store) -> None:
    memory, one = Memory(store, "2020-02-02"), finished()
    file = note(memory, one)
    one.finish(Secret(SEED, (one.exchange(deal=2), None)))
    assert note(memory, one) == file
    assert [deal.number for deal in read_match(file).deals] == [1, 2]
    one.model = evolve(one.model, checks={2: one.model.checks[2]})
    assert note(memory, one) != file
    assert [deal.number for deal in read_match(file).deals] == [1, 2]


def test_a_server_cannot_have_files_written_without_end(store: Store) -> None:
    clock = Clock()
    memory, one = Memory(store, "2020-02-02", clock=clock), finished()
    table = one.model.table
    assert table is not None
    for match in range(1, 200):
        told = evolve(one.model, table=replace(table, match=match))
        memory.note(told, one.prover.proofs, one.prover.witness)
    (folder,) = {note(Memory(store, "2020-02-03"), one).parent}
    assert len(list(folder.glob("2020-02-02*"))) == NEW_FILES[0]
    assert memory.note(told, one.prover.proofs, one.prover.witness) is None
    clock.now += max(NEW_FILES[1], WRITES[1])
    assert memory.note(told, one.prover.proofs, one.prover.witness) is not None


def test_a_file_is_not_rewritten_without_end(store: Store) -> None:
    clock = Clock()
    memory, one = Memory(store, "2020-02-02", clock=clock), finished()
    file = note(memory, one)
    for deal in range(2, 200):
        checks = {**one.model.checks, deal: Check(Mark.UNCHECKED)}
        one.model = evolve(one.model, checks=checks)
        memory.note(one.model, one.prover.proofs, one.prover.witness)
    assert len(read_match(file).deals) == WRITES[0]
    clock.now += WRITES[1]
    note(memory, one)
    assert len(read_match(file).deals) == 199


def test_a_proof_is_asked_for_only_of_a_deal_that_is_known() -> None:
    one = Attack(Rules())
    one.exchange()
    for deal in range(1, 1000):
        one.prover._want(deal, one.model)
    assert [ask.deal for ask in one.asked if isinstance(ask, m.GetProof)] == [1]


def test_what_was_answered_and_what_ended_is_not_kept_without_end() -> None:
    one = Attack(Rules())
    for deal in range(1, DEALS + 10):
        one.offer(deal, one.seed(SEED, deal))
        ended = DealEnded(deal + 1000, DealEnding.BLOCKED, ((), ()), (0, 0))
        one.hear(replace(update_of(one.match, 0), events=m.Happened((ended,))))
    assert len(one.prover._asked) == 1
    assert len(one.prover.witness._ended) <= DEALS


def test_what_leaves_the_book_leaves_the_model() -> None:
    one = Attack(Rules())
    for deal in range(1, KEPT_DEALS + 10):
        one.offer(deal, one.seed(SEED, deal))
    assert one.prover.book is not None
    assert dict(one.prover.book.checks) == one.model.checks
    assert len(one.model.checks) <= 2


def test_the_witness_keeps_so_many_events_and_positions_and_no_more() -> None:
    witness = Witness()
    told = update_of(Attack(Rules()).match, 0)
    public = evolve(told.view.public, deal=1, phase=Phase.PLAY)
    began = DealBegan(1, 1, (0, 1), (), 0, (None, None))
    for number in range(EVENTS + 10):
        view = evolve(told.view, public=evolve(public, stock=number))
        events = m.Happened((TurnBegan(0, number),) if number else (began,))
        witness.see(m.Update(view=view, events=events))
    assert witness.began(1)
    assert (witness.seen(1), witness.shown(1)) == ((), ())


def test_the_witness_keeps_so_many_deals_and_no_more() -> None:
    witness = Witness()
    told = update_of(Attack(Rules()).match, 0)
    for number in range(1, DEALS + 10):
        began = DealBegan(number, 1, (0, 1), (), 0, (None, None))
        witness.see(m.Update(view=told.view, events=m.Happened((began,))))
    assert witness.knows(DEALS)
    assert not witness.knows(DEALS + 1)


def test_a_deal_is_judged_again_only_when_more_of_it_was_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = finished()
    judged: list[int] = []
    judge = fairness.judge

    def counted(book: Book, deal: int, *rest: Any) -> Book:
        judged.append(deal)
        return judge(book, deal, *rest)

    monkeypatch.setattr(fairness, "judge", counted)
    one.finish(Secret(SEED, (one.exchange(deal=2), None)))
    assert set(judged) == {2}


@pytest.mark.parametrize("steps", [(), (1, 2, 3)])
@pytest.mark.parametrize("newest", range(1, 40, 2))
def test_events_left_out_across_two_deals_accuse_nobody(
    newest: int, steps: tuple[int, ...]
) -> None:
    one = Attack(MANY)
    one.deal(Secret(SEED, (one.exchange(), None)))
    one.answer_proof()
    secret = Secret(SEED, (one.exchange(deal=2), None))
    seen = Attack(MANY)
    for match in (replayed(one.match, count) for count in steps):
        seen.hear(update_of(match, 0, seen.shown))
        seen.shown = match.version
    one.do(TABLE_ACTOR, BeginDeal(secret), shown=False)
    for _ in range(3):
        one.step()
    whole = update_of(one.match, 0, seen.shown)
    told = whole.events.events[-newest:]
    seen.hear(m.Update(view=whole.view, events=m.Happened(told), gap=True))
    events = history(one.match, 0, 0)
    second = next(at for at, event in enumerate(events) if is_start(event, 2))
    for deal, expected in ((1, events[:second]), (2, events[second:])):
        for run in seen.prover.witness.seen(deal):
            starts = range(len(expected) - len(run) + 1)
            assert any(expected[at : at + len(run)] == run for at in starts)


def is_start(event: Event, deal: int) -> bool:
    return isinstance(event, DealBegan) and event.number == deal


def replayed(match: Match, steps: int) -> Match:
    """Return the match as it was after its first steps."""
    again = new_match(match.rules)
    for step in match.steps[:steps]:
        again = act(again, step.actor, step.action)
    return again
