"""What really happened: every match of every table of a server, at each of its versions.

With a journal it is what the disk holds, action by action as transactions end there; without one it
is taken from the tables. Each action is played again through the rules, so that what viewers were
sent can be compared with what the engine says that they may know.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from kings_engine.actions import Action, parse_action
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.match import Match, new_match
from kings_engine.record import state_hash
from kings_engine.rules import Rules
from kings_server.journal_rows import (
    Write,
    forget_table,
    keep_match,
    keep_state,
    keep_step,
    keep_table,
)
from kings_server.kept import KeptOffer, state_from
from kings_server.table import Table

MatchId: TypeAlias = tuple[str, int]
"""A table's id, and which of its matches it is, from 1."""

DeckId: TypeAlias = tuple[str, int, int, int]
"""A table's id, the numbers of a match and a deal of it, and how often it was offered before."""

_TABLE: Final = keep_table("", "", "").sql
_STATE: Final = keep_state("", "").sql
_MATCH: Final = keep_match("", 0, 0, "", 0).sql
_STEP: Final = keep_step("", 0, 0, 0, "", "").sql
_FORGET: Final = forget_table("")[-1].sql


class Record:
    """The states of all matches; ``states[id][v]`` is version ``v``.

    Attributes:
        states: every match that was ever played.
        forgotten: the tables that the journal holds no longer.
        offers: every offer of a deck as the journal had it last.
        keeps: whether there is a journal.
    """

    def __init__(self, fault: Callable[[str], None]) -> None:
        self.states: dict[MatchId, list[Match]] = {}
        self.forgotten: set[str] = set()
        self.offers: dict[DeckId, KeptOffer] = {}
        self.keeps = False
        self._fault = fault

    def look(self, tables: Mapping[str, Table]) -> None:
        """Take in what is new at tables that nothing is kept of."""
        for name, table in tables.items():
            if table.match is None:
                continue
            known = self._states(name, table.matches, table.settings.rules)
            for step in table.match.steps[known[-1].version :]:
                self._take(known, step.actor, step.action)

    def keep(self, writes: Iterable[Write], rules_of: Callable[[str], Rules]) -> None:
        """Take in what is on the disk now."""
        self.keeps = True
        for write in writes:
            match write.sql, write.values:
                case (sql, (str(table), _, str(state))) if sql == _TABLE:
                    self._keep_offer(table, state)
                case (sql, (str(state), str(table))) if sql == _STATE:
                    self._keep_offer(table, state)
                case (sql, (str(table), int(number), *_)) if sql == _MATCH:
                    self._states(table, number, rules_of(table))
                case (sql, (str(table), int(number), int(version), int(actor), str(text), hashed)):
                    assert sql == _STEP or "answers" in sql
                    if sql == _STEP:
                        self._keep_step((table, number), version, actor, text, str(hashed))
                case (sql, (str(table),)) if sql == _FORGET:
                    self.forgotten.add(table)

    def newest(self, table: str) -> tuple[int, Match] | None:
        """Return the number of a table's newest match, and the match as it stands."""
        numbers = [number for name, number in self.states if name == table]
        return (max(numbers), self.states[table, max(numbers)][-1]) if numbers else None

    def _keep_offer(self, table: str, text: str) -> None:
        state = state_from(text)
        if state.offer is not None:
            deck = (table, state.matches, state.offer.deal, state.offer.attempt)
            self.offers[deck] = state.offer

    def _states(self, table: str, number: int, rules: Rules) -> list[Match]:
        if (table, number) not in self.states:
            self.states[table, number] = [new_match(rules, number - 1)]
        return self.states[table, number]

    def _keep_step(self, match: MatchId, version: int, actor: int, text: str, hashed: str) -> None:
        known = self.states[match]
        if version < len(known):
            step = known[version].steps[-1]
            if (step.actor, str(step.action)) != (actor, text):
                self._fault(f"version {version} of {match} was kept twice, each time another")
            return
        if version > len(known):
            self._fault(f"version {version} of {match} was kept after {len(known) - 1}")
            return
        self._take(known, actor, parse_action(text))
        if state_hash(known[-1]) != hashed:
            self._fault(f"version {version} of {match} is kept with another state's hash")

    def _take(self, known: list[Match], actor: int, action: Action) -> None:
        changed = apply(known[-1], actor, action)
        if isinstance(changed, Refusal):
            self._fault(f"an action of the record is not legal: {changed.code}")
            return
        known.append(changed[0])
