"""How the arena's figures are printed: a table for people, one JSON object for programs."""

from typing import Any, Final

from attrs import asdict, frozen

from kings_engine.presets import preset_rules
from kings_engine.rules import Value, differences
from kings_server.arena_decide import lasting_interval
from kings_server.arena_figures import Difference, figures, win_share
from kings_server.arena_options import Field
from kings_server.arena_play import Tally
from kings_server.bots.policy import TIMED

_TIMES: Final = "ms a turn: median, p99, longest"


@frozen
class Result:
    """What came of one field.

    Attributes:
        field: what was played.
        matches: whether a set was a whole match.
        tallies: the sets.
        decide: the error that was asked for, where a sequential test ran.
        found: what it found of the first level's win rate: above or below parity, or not decided.
        seconds: how long it took.
    """

    field: Field
    matches: bool
    tallies: tuple[Tally, ...]
    decide: float | None
    found: str | None
    seconds: float

    @property
    def changed(self) -> dict[str, Value]:
        """The knobs in which the rules differ from the preset."""
        preset = preset_rules(self.field.preset)
        return differences(self.field.fixture.rules, preset)

    @property
    def timed(self) -> bool:
        """Whether a level took the time that it was given."""
        return any(level in TIMED for level in self.field.fixture.seats)

    @property
    def lasting(self) -> tuple[float, float] | None:
        """The interval of the first level's win rate that holds however the play was stopped."""
        if self.decide is None:
            return None
        fixture = self.field.fixture
        return lasting_interval([win_share(fixture, 0, tally) for tally in self.tallies], 0.05)


def as_json(result: Result) -> dict[str, Any]:
    """Return all figures as plain data."""
    fixture = result.field.fixture
    found = figures(fixture, result.tallies)
    decision = {
        "error": result.decide,
        "found": result.found,
        "win_rate_ci_at_any_stop": result.lasting,
    }
    return {
        "rules": {"preset": result.field.preset, **result.changed},
        "seats": fixture.seats,
        "matches" if result.matches else "deals": len(result.tallies),
        "seed": fixture.seed,
        **({"thinking": fixture.thinking} if result.timed else {}),
        "levels": [asdict(level) for level in found.levels],
        "pairs": [asdict(pair) for pair in found.pairs],
        **({"decision": decision} if result.decide is not None else {}),
        "blocked_rate": found.blocked_rate,
        "deal_turns": found.deal_turns,
        "seconds": round(result.seconds, 3),
    }


def as_table(result: Result) -> str:
    """Return the figures as lines for people."""
    fixture = result.field.fixture
    found = figures(fixture, result.tallies)
    own = ("players",) if result.matches else ("players", "match")
    knobs = "".join(f", {k}: {v}" for k, v in result.changed.items() if k not in own)
    unit = "matches" if result.matches else "deals"
    seats = ",".join(fixture.seats)
    thinking = f"; {fixture.thinking:g} s a turn" if result.timed else ""
    times = f"each played {len(fixture.seats)} times"
    played = f"{len(result.tallies)} {unit}, {times}; seed {fixture.seed}{thinking}"
    parity = f"win rate (parity {1 / len(fixture.seats):.1%})"
    lines = [
        f"{result.field.preset}{knobs}; {seats}; {played}",
        f"{'level':<10}{'games':>8}   {parity:<26}{'penalty points':<25}{_TIMES}",
    ]
    for level in found.levels:
        wins = f"{level.win_rate:7.1%}{_span(level.win_rate_ci, '.1%')}"
        points = f"{level.penalty:7.2f}{_span(level.penalty_ci, '.2f')}"
        spent = level.thinking_ms
        times = f"{spent.median:.3g}, {spent.p99:.3g}, {spent.longest:.3g}"
        lines.append(f"{level.level:<10}{level.games:>8}   {wins:<26}{points:<25}{times}")
    for pair in found.pairs:
        wins = _difference(pair.win_rate, "+.1%")
        points = _difference(pair.penalty, "+.2f")
        lines.append(f"{pair.first} less {pair.second}: win rate {wins}; points {points}")
    if result.decide is not None:
        first = fixture.levels[0]
        lines.append(
            f"{first} and parity: {result.found} (error {result.decide:g}); its win rate, "
            f"wherever the play stops:{_span(result.lasting, '.1%')}"
        )
    lines.append(
        f"blocked deals {found.blocked_rate:.1%}; {found.deal_turns:.1f} turns a deal; "
        f"intervals of 95%; {result.seconds:.1f} s"
    )
    return "\n".join(lines)


def _difference(found: Difference, style: str) -> str:
    if found.p is None:
        return f"{found.mean:{style}}"
    chance = "< 0.0001" if found.p < 0.0001 else f"{found.p:.2g}"
    return f"{found.mean:{style}}{_span(found.ci, style)}, p {chance}"


def _span(ci: tuple[float, float] | None, style: str) -> str:
    return "" if ci is None else f"  [{ci[0]:{style}}, {ci[1]:{style}}]"
