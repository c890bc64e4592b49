"""What really happened: every match of every table of a server, at each of its versions.

It is taken from the tables themselves and made again step by step through the rules, so that what
viewers were sent can be compared with what the engine says that they may know.
"""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_server.table import Table

MatchId: TypeAlias = tuple[str, int]
"""A table's id, and which of its matches it is, from 1."""


class Record:
    """The states of all matches; ``states[id][v]`` is version ``v``."""

    def __init__(self) -> None:
        self.states: dict[MatchId, list[Match]] = {}

    def look(self, tables: Mapping[str, Table]) -> None:
        """Take in what is new at the tables."""
        for name, table in tables.items():
            match = table.match
            if match is None:
                continue
            known = self.states.get((name, table.matches))
            if known is None:
                known = [new_match(match.rules, table.matches - 1)]
                self.states[name, table.matches] = known
            for state in _replayed(known[-1], match):
                known.append(state)

    def newest(self, table: str, number: int) -> Match:
        """Return a match as it stands."""
        return self.states[table, number][-1]


def _replayed(state: Match, whole: Match) -> Iterator[Match]:
    for step in whole.steps[state.version :]:
        changed = apply(state, step.actor, step.action)
        assert not isinstance(changed, Refusal), "a step of the record is not legal"
        state, events = changed
        assert events == step.events, "a step of the record did something else"
        yield state
