"""The simulation itself: a seed repeats its evening, and each kind of fault is found.

A fault is planted in the server or the client, and a few evenings have to notice it.
"""

from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
import trio
from msgspec import structs

from kings_client.updating import update
from kings_engine.events import Event
from kings_engine.match import Match
from kings_engine.view import history
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode
from kings_server import course
from kings_server.committer import Committer
from kings_server.dealing import Dealing
from kings_server.journal import Done
from kings_server.listener import Listener
from kings_server.outbox import Outbox
from kings_server.roster import Roster
from kings_server.session import Session
from kings_server.table import Table
from kings_server.thinkers import Thinkers
from simnet import CALM, Weather
from simulation.crowd import Crowd
from simulation.disk import SOUND, Wear
from simulation.evening import run
from simulation.wiretap import Wiretap
from simulation.world import Evening, World

Patch: TypeAlias = pytest.MonkeyPatch
Plant: TypeAlias = Callable[[Patch], None]

HANDED_OVER: Final = (
    NoticeCode.DROPPED,
    NoticeCode.QUIT,
    NoticeCode.AWAY,
    NoticeCode.BOT_PLAYS,
    NoticeCode.SEAT_LOST,
    NoticeCode.BACK,
)
"""What is told of seats whose people are gone for a while."""

LONG: Final = 38
"""The seed of an evening that is long enough for what is rarest."""

SEEDS: Final = (*range(8, 0, -1), LONG)
"""Evenings in which something rare has to show."""


def evening(
    seed: int,
    folder: Path,
    weather: Weather = CALM,
    wear: Wear = SOUND,
    kills: float | None = None,
) -> World:
    """Play an evening of a few people."""
    folder.mkdir()
    crowd = Crowd(players=3, rascals=seed % 2)
    made = Evening(seed, weather, seconds=400.0 if seed == LONG else 30.0, wear=wear, kills=kills)
    return run(made, folder, crowd.live, crowd.check)


def test_a_seed_repeats_its_evening_byte_for_byte(tmp_path: Path, monkeypatch: Patch) -> None:
    sums: list[Any] = []
    said = Wiretap.said

    def summed(self: Wiretap, data: bytes) -> None:
        sums[-1].update(f"{self.number} {trio.current_time()} ".encode() + data)
        said(self, data)

    monkeypatch.setattr(Wiretap, "said", summed)
    weather = Weather(delay=0.5, piece=200, cut=40.0, stall=30.0)
    for number, seed in enumerate((1, 2, 1, 2)):
        sums.append(sha256())
        evening(seed, tmp_path / f"{number}", weather, Wear(delay=0.1, failing=0.02), 15.0)
    first, second, again, once_more = (one.hexdigest() for one in sums)
    assert (first, second) == (again, once_more)
    assert first != second


def test_seats_are_handed_over_in_many_ways(tmp_path: Path) -> None:
    sent: Counter[str] = Counter()
    for seed in SEEDS:
        sent += evening(seed, tmp_path / f"{seed}").ledger.sent
    assert [code for code in HANDED_OVER if not sent[code]] == []


# ---- planted faults


def an_event_is_left_out(patch: Patch) -> None:
    def shortened(match: Match, viewer: int | None, after: int) -> tuple[Event, ...]:
        return history(match, viewer, after)[1:]

    patch.setattr("kings_server.feed.history", shortened)


def shown_before_it_is_kept(patch: Patch) -> None:
    hand_in = Committer.hand_in

    def hasty(self: Committer, writes: Any, done: Done) -> None:
        done(None)
        hand_in(self, writes, lambda _: None)

    patch.setattr(Committer, "hand_in", hasty)


def a_bot_never_moves(patch: Patch) -> None:
    patch.setattr(Thinkers, "_pause", lambda _: 1e9)


def a_table_never_ends(patch: Patch) -> None:
    patch.setattr(Roster, "alive", property(lambda _: True))


def a_match_is_lost_with_the_others(patch: Patch) -> None:
    patch.setattr(Roster, "deserted", property(lambda _: False))


def a_reply_is_forgotten(patch: Patch) -> None:
    put, number = Outbox.put, count()

    def forgetful(self: Outbox, message: m.Message) -> None:
        if not isinstance(message, m.Done) or next(number) % 10:
            put(self, message)

    patch.setattr(Outbox, "put", forgetful)


def a_reply_is_given_twice(patch: Patch) -> None:
    answer, number = Session.answer, count(1)

    def twice(self: Session, reply: m.Reply) -> None:
        answer(self, reply)
        if next(number) == 20:
            answer(self, reply)

    patch.setattr(Session, "answer", twice)


def a_promise_is_changed(patch: Patch) -> None:
    offer, number = Dealing.offer, count()

    def other(self: Dealing, now: float) -> m.Offer:
        return structs.replace(offer(self, now), commitment=f"{next(number):064x}")

    patch.setattr(Dealing, "offer", other)


def a_set_is_changed(patch: Patch) -> None:
    offer, number = Dealing.offer, count()

    def other(self: Dealing, now: float) -> m.Offer:
        made = offer(self, now)
        return structs.replace(made, members=made.members[:: -1 if next(number) % 2 else 1])

    patch.setattr(Dealing, "offer", other)


def a_set_is_shown_too_early(patch: Patch) -> None:
    offer = Dealing.offer
    patch.setattr(Dealing, "offer", lambda self, now: offer(self.close(now), now))


def a_seed_is_told(patch: Patch) -> None:
    offer = Dealing.offer

    def telling(self: Dealing, now: float) -> m.Offer:
        return structs.replace(offer(self, now), commitment=self.seed.hex())

    patch.setattr(Dealing, "offer", telling)


def a_deck_is_dropped(patch: Patch) -> None:
    go_on, number = course._go_on_dealing, count()

    def dropping(table: Table, dealing: Dealing) -> None:
        if dealing.closed and next(number) % 3 == 0:
            course._prepare(table, dealing.context.attempt + 1)
        else:
            go_on(table, dealing)

    patch.setattr(course, "_go_on_dealing", dropping)


def a_share_is_denied(patch: Patch) -> None:
    reveal, number = Dealing.reveal, count()

    def denying(self: Dealing, *args: Any) -> Any:
        taken = reveal(self, *args)
        return self if isinstance(taken, Dealing) and next(number) % 3 == 0 else taken

    patch.setattr(Dealing, "reveal", denying)


def a_client_misses_a_position(patch: Patch) -> None:
    number = count()

    def missing(model: Any, news: Any, now: float) -> Any:
        lost = isinstance(news, m.Update) and next(number) % 3 == 0
        return model if lost else update(model, news, now)

    patch.setattr("kings_client.link.update", missing)


def a_connection_leaves_a_task(patch: Patch) -> None:
    handle = Listener.handle

    async def leaving(self: Listener, stream: trio.abc.Stream) -> None:
        nursery = self._lobby._nursery
        assert nursery is not None
        nursery.start_soon(trio.sleep_forever)
        await handle(self, stream)

    patch.setattr(Listener, "handle", leaving)


@pytest.mark.parametrize(
    ("plant", "words"),
    [
        (an_event_is_left_out, "does not explain"),
        (shown_before_it_is_kept, "does not explain"),
        (a_bot_never_moves, "has stood still"),
        (a_table_never_ends, "is left"),
        (a_match_is_lost_with_the_others, "opens nothing"),
        (a_reply_is_forgotten, "no reply to"),
        (a_reply_is_given_twice, "connection failed"),
        (a_promise_is_changed, "another commitment"),
        (a_set_is_changed, "another set"),
        (a_set_is_shown_too_early, "shown before it was kept"),
        (a_seed_is_told, "tells a secret"),
        (a_deck_is_dropped, "offered anew without a cause"),
        (a_share_is_denied, "withhold a share that it revealed"),
        (a_client_misses_a_position, "sees another position"),
        (a_connection_leaves_a_task, "tasks are left"),
    ],
)
def test_a_planted_fault_is_found(
    plant: Plant, words: str, tmp_path: Path, monkeypatch: Patch
) -> None:
    plant(monkeypatch)
    found: list[str] = []
    for seed in SEEDS:
        found += evening(seed, tmp_path / f"{seed}").ledger.faults
        if any(words in fault for fault in found):
            return
    pytest.fail(f"not noticed: {found[:10]}")
