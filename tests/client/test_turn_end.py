"""What the end of a turn would do is told as the engine then does it."""

from hypothesis import given

from kings_client.turn_end import turn_end
from kings_engine.actions import EndTurn
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.events import Drew
from kings_engine.match import Match
from kings_engine.view import deal_history, observe_public
from strategies import journeys


@given(journeys())
def test_the_end_of_a_turn_does_what_was_told(states: tuple[Match, ...]) -> None:
    for match in states:
        if match.turn is None:
            continue
        told = turn_end(match.rules, observe_public(match), deal_history(match, match.turn))
        ended = apply(match, match.turn, EndTurn())
        if isinstance(ended, Refusal):
            continue
        after, events = ended
        assert after.deal is not None
        assert told.ends_deal == (after.deal.ending is not None)
        if after.deal.ending is not None or match.rules.draw != "start":
            assert told.draws == sum(one.count for one in events if isinstance(one, Drew))
