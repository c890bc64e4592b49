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
from kings_server.arena_run import play_all
from kings_server.bots.kernel_ready import Why
from kings_server.bots.policy import why_not

__all__ = ["main", "make_parser"]

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
        result, interrupted = _played(field, options)
        unit = "matches" if options.matches else "deals"
        if result is None:
            print("kings arena: interrupted before anything was played", file=sys.stderr)
            return INTERRUPTED
        print(json.dumps(as_json(result)) if options.json else as_table(result), flush=True)
        if interrupted:
            played = f"{len(result.tallies)} {unit}"
            print(f"kings arena: interrupted after {played}", file=sys.stderr)
            return 0
    return 0


def _played(field: Field, options: Options) -> tuple[Result | None, bool]:
    """Return what came of ``field``, if anything was played, and whether it was interrupted."""
    fixture = field.fixture
    decision = None
    if options.decide is not None:
        decision = Decision(1 / len(fixture.seats), options.decide)

    def enough(tally: Tally) -> bool:
        return decision is not None and decision.see(win_share(fixture, 0, tally))

    if any(why_not(level) == Why.NOT_COMPILED for level in fixture.levels):
        print("kings arena: compiling for master: half a minute, once", file=sys.stderr)
    began = monotonic()
    tallies, interrupted = play_all(fixture, options.sets, options.workers, enough)
    if not tallies:
        return None, interrupted
    seconds = monotonic() - began
    found = None if decision is None else decision.found or "not decided"
    return (
        Result(field, options.matches, tallies, options.decide, found, seconds),
        interrupted,
    )
