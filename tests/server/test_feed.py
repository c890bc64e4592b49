"""What a connection is shown of a match: the newest position, and each event once."""

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kings_engine.actions import TABLE, BeginDeal, EndTurn
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_engine.presets import preset_rules
from kings_engine.sources import Secret
from kings_engine.view import deal_history, history, legal_actions, observe, observe_own
from kings_protocol.codec import decode
from kings_protocol.limits import UPDATE_EVENTS
from kings_protocol.messages import Message, Update
from kings_protocol.states import Role
from kings_server.feed import Feed, Snapshot
from kings_server.outbox import Outbox

VIEWERS = (0, 1, None)


@cache
def played(seed: int = 1) -> tuple[Match, ...]:
    """Return the positions of two deals, in order."""
    rng = random.Random(seed)  # noqa: S311  a script's choices
    match = new_match(preset_rules("pagat", {"points": 500}))
    positions = [match]
    while match.number < 3:
        if match.turn is None:
            secret = Secret(rng.randbytes(32), (None, None))
            changed = apply(match, TABLE, BeginDeal(secret))
        else:
            choices = legal_actions(observe_own(match, match.turn))
            plays = [choice for choice in choices if not isinstance(choice, EndTurn)]
            action = rng.choice(plays) if plays and rng.random() < 0.8 else EndTurn()
            changed = apply(match, match.turn, action)
        assert not isinstance(changed, Refusal)
        match, _ = changed
        positions.append(match)
    return tuple(positions)


class Watched:
    """A feed and its outbox, read as a client would."""

    def __init__(self, viewer: int | None) -> None:
        self.outbox = Outbox()
        self.feed = Feed(self.outbox, viewer)

    def read(self) -> Update:
        frame = self.outbox.take(no_messages)
        update = decode(frame[4:], Role.SERVER, (Update,))
        assert isinstance(update, Update)
        return update


def no_messages(message: Message) -> bytes:
    raise AssertionError(message)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_first_update_tells_the_whole_current_deal(viewer: int | None) -> None:
    match = next(
        match
        for match in played()
        if match.deal is not None and match.number == 2 and match.deal.turn_number == 5
    )
    watched = Watched(viewer)
    watched.feed.show(Snapshot(1, match))
    update = watched.read()
    assert update.view == observe(match, viewer)
    assert update.events.events == deal_history(match, viewer)
    assert not update.gap


@given(st.data(), st.sampled_from(VIEWERS))
def test_whatever_is_skipped_each_event_comes_once_and_the_view_is_the_newest(
    data: st.DataObject, viewer: int | None
) -> None:
    second = next(at for at, match in enumerate(played()) if match.number == 2)
    positions = played()[second - 12 : second + 12]
    watched = Watched(viewer)
    watched.feed.show(Snapshot(1, positions[0]))
    watched.read()
    seen: list[object] = []
    for match in positions[1:]:
        watched.feed.show(Snapshot(1, match))
        if data.draw(st.booleans()) or match is positions[-1]:
            update = watched.read()
            assert update.view == observe(match, viewer)
            assert not update.gap
            seen += update.events.events
    assert tuple(seen) == history(positions[-1], viewer, positions[0].version)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_too_many_events_are_cut_to_the_newest_and_said_to_be(viewer: int | None) -> None:
    positions = played()
    watched = Watched(viewer)
    watched.feed.show(Snapshot(1, positions[0]))
    watched.read()
    watched.feed.show(Snapshot(1, positions[-1]))
    update = watched.read()
    assert update.gap
    assert update.events.events == history(positions[-1], viewer, 0)[-UPDATE_EVENTS:]


@pytest.mark.parametrize("missed", [False, True])
def test_a_rematch_begins_anew_and_says_if_the_end_of_the_last_match_was_missed(
    missed: bool,
) -> None:
    positions = played()
    watched = Watched(0)
    watched.feed.show(Snapshot(1, positions[-1]))
    if not missed:
        watched.read()
    watched.feed.show(Snapshot(2, positions[1]))
    update = watched.read()
    assert update.gap is missed
    assert update.events.events == deal_history(positions[1], 0)
