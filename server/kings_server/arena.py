"""``kings arena``: bots against bots, without a screen."""

import json
import sys
from collections.abc import Sequence
from time import monotonic
from typing import Final

from kings_engine.rules import BadRules
from kings_server.arena_decide import Decision
from kings_server.arena_figures import win_share
from kings_server.arena_options import BadUsageError, Field, Options, make_parser, parse
from kings_server.arena_play import Tally
from kings_server.arena_report import Result, as_json, as_table
from kings_server.arena_run import Cut, play_all
from kings_server.bots.kernel_ready import Why
from kings_server.bots.policy import why_not

__all__ = ["main", "make_parser"]

FAILED: Final = 1
MISUSED: Final = 2
INTERRUPTED: Final = 130


def main(argv: Sequence[str]) -> int:
    """Run ``kings arena`` with ``argv``, the words after ``arena``; return the exit code."""
    try:
        options = parse(argv)
    except (BadUsageError, BadRules) as bad:
        print(f"kings arena: {bad}", file=sys.stderr)
        return MISUSED
    for field in options.fields:
        result, cut = _played(field, options)
        unit = "matches" if options.matches else "deals"
        if result is None:
            print(f"kings arena: {cut} before anything was played", file=sys.stderr)
            return INTERRUPTED if cut is Cut.INTERRUPTED else FAILED
        print(json.dumps(as_json(result)) if options.json else as_table(result), flush=True)
        if cut is not None:
            print(f"kings arena: {cut} after {len(result.tallies)} {unit}", file=sys.stderr)
            return 0 if cut is Cut.INTERRUPTED else FAILED
    return 0


def _played(field: Field, options: Options) -> tuple[Result | None, Cut | None]:
    """Return what came of ``field``, if anything was played, and why it was cut short, if so."""
    fixture = field.fixture
    decision = None
    if options.decide is not None:
        decision = Decision(1 / len(fixture.seats), options.decide)

    def enough(tally: Tally) -> bool:
        return decision is not None and decision.see(win_share(fixture, 0, tally))

    if any(why_not(level) == Why.NOT_COMPILED for level in fixture.levels):
        print("kings arena: compiling for master: half a minute, once", file=sys.stderr)
    began = monotonic()
    tallies, cut = play_all(fixture, options.sets, options.workers, enough)
    if not tallies:
        return None, cut
    seconds = monotonic() - began
    found = None if decision is None else decision.found or "not decided"
    return Result(field, options.matches, tallies, options.decide, found, seconds), cut
