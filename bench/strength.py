"""How strong the levels are, row by row: ``python bench/strength.py RESULTS``.

Every row is one command of the arena. Its figures are added to RESULTS, a file of JSON lines, as
soon as they are there; a row that is in the file already, from the same sources of the bots, is
not played again, so the table can be interrupted and resumed. ``--table`` prints what is there.
``--odd`` is about the odd values of the rules, one by one: whether a level falls below the next.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from attrs import evolve, frozen

ROOT: Final = Path(__file__).parents[1]
BOTS: Final = ROOT / "server" / "kings_server" / "bots"
RULES: Final = ("pagat", "classic")
SEEDS: Final = (2026, 1131)
"""The record's cards; none of them served for tuning. Rows with master have the first alone."""

DECIDED: Final = 0.01

ODD: Final = (
    *("--draw start", "--draw if_idle", "--draw after_hand_card --idle-round always"),
    *("--draw-count 2", "--empty-place not_king", "--empty-place vacated"),
    *("--dealt-kings to_corner_refilled", "--dealt-kings to_corner_open"),
    *("--king-pile-to-corner never", "--king-pile-to-corner opening"),
    *("--must-play hand", "--must-play any", "--forced-kings true", "--corner-build suit"),
    *("--open-stock true", "--open-stock true --draw start", "--open-hands true"),
    *("--going-out plays_on", "--stock-empty ends_deal", "--idle-counts hand"),
    *("--idle-round always", "--idle-round always --draw start", "--scoring face_value"),
    *("--hand-size 5", "--hand-size 10", "--layout corners"),
)
"""Words of the arena that change ``pagat`` by one value, or by the two that go together."""


@frozen
class Row:
    """One row of the table.

    Attributes:
        seats: who plays; the row is about the first.
        sets: how many deals, or matches.
        rules: the preset.
        seed: the cards.
        least: the win rate that the first should reach, in percent; without one, the question is
            whether it is above parity, and a row with master ends when that is decided.
        matches: whether whole matches to 25 points are played.
        thinking: master's seconds a turn.
        knobs: words of the arena that change single rules.
    """

    seats: str
    sets: int
    rules: str = "pagat"
    seed: int = SEEDS[0]
    least: float | None = None
    matches: bool = False
    thinking: float | None = None
    knobs: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The words after ``kings arena``."""
        words = ["--rules", self.rules, "--seats", self.seats, "--seed", str(self.seed)]
        words += ["--matches" if self.matches else "--deals", str(self.sets)]
        if self.matches and self.rules == "classic":
            words += ["--match", "points"]
        if self.thinking is not None:
            words += ["--thinking", f"{self.thinking:g}"]
            if self.least is None:
                words += ["--decide", f"{DECIDED:g}"]
        return (*words, *self.knobs.split())

    @property
    def key(self) -> str:
        """What the row is kept under: its command, and the sources that it depends on."""
        return f"{' '.join(self.words)} {sources(master=self.thinking is not None)}"


def rows() -> Iterator[Row]:
    """Yield every row, the quick ones first."""
    for seed in SEEDS:
        for rules in RULES:
            yield from level_rows(rules, seed)
    for trivial in ("never", "greedy", "random"):
        for level in ("easy", "medium", "hard", "expert"):
            yield Row(f"{level},{trivial}", 200, least=50)
        yield Row(f"master,{trivial}", 60, least=50, thinking=0.1)
    for rules in RULES:
        yield Row("master,medium", 400, rules, least=84, thinking=0.1)
        yield Row("master,expert", 400, rules, thinking=0.1)
    for seconds in (0.01, 0.1, 0.3, 1.0):
        yield Row("master,expert", 150, least=60, thinking=seconds)
    for rules in RULES:
        for others in ("expert,expert", "expert,expert,expert"):
            yield Row(f"master,{others}", 1000, rules, thinking=0.1)


def odd_rows() -> Iterator[Row]:
    """Yield the rows of the odd rules: each level beside the one under it, and elimination."""
    for first, second in (("medium", "easy"), ("hard", "medium"), ("expert", "hard")):
        for players in (2, 3, 4):
            seats = ",".join([first, *[second] * (players - 1)])
            for knobs in ODD:
                yield Row(seats, 200, knobs=knobs)
            for rules in ("strict", "royal_corners"):
                yield Row(seats, 200, rules)
            yield Row(seats, 60, "classic_match", matches=True)
    yield Row("master,expert", 100, "classic_match", matches=True, thinking=0.1)


def level_rows(rules: str, seed: int) -> Iterator[Row]:
    """Yield the rows of the levels that answer at once."""
    yield Row("medium,easy", 400, rules, seed, 72)
    yield Row("hard,medium", 400, rules, seed, 63)
    yield Row("expert,hard", 400, rules, seed, 64)
    yield Row("expert,medium", 1000, rules, seed, 81)
    yield Row("expert,easy", 400, rules, seed)
    yield Row("hard,easy", 400, rules, seed)
    yield Row("medium,easy,easy,easy", 400, rules, seed, 46)
    for first, second in (("hard", "medium"), ("expert", "hard"), ("expert", "medium")):
        for players in (3, 4):
            yield Row(",".join([first, *[second] * (players - 1)]), 2000, rules, seed)
    for pair in ("medium,easy", "hard,medium", "expert,hard"):
        yield Row(pair, 200, rules, seed, matches=True)
    yield Row("expert,hard,medium,easy", 800, rules, seed, matches=True)


def sources(*, master: bool) -> str:
    """Return a hash of the bots' sources; those of master count for its rows alone."""
    found = sha256()
    for file in sorted(BOTS.glob("*.py")):
        if master or not file.name.startswith(("master", "kernel", "policy", "question")):
            found.update(file.read_bytes())
    return found.hexdigest()[:12]


def main(argv: Sequence[str] | None = None) -> int:
    """Play what is missing, or print what is there."""
    parser = argparse.ArgumentParser(description="How strong the levels are, row by row.")
    parser.add_argument("results", type=Path, help="a file of JSON lines, made if it is not there")
    parser.add_argument("--table", action="store_true", help="print the table, and play nothing")
    parser.add_argument("--odd", action="store_true", help="the rows of the odd rules instead")
    parser.add_argument("--only", default="", help="rows whose command holds this text")
    parser.add_argument("--without", help="no rows whose command holds this text")
    parser.add_argument("--workers", help="as the arena's (default: all cores)")
    options = parser.parse_args(argv)
    wanted = [
        row
        for row in (odd_rows() if options.odd else rows())
        if options.only in " ".join(row.words)
        and (options.without is None or options.without not in " ".join(row.words))
    ]
    if options.table:
        print_table(wanted, read(options.results))
        return 0
    for number, row in enumerate(wanted, 1):
        if row.key in read(options.results):
            continue
        print(f"{number} of {len(wanted)}: kings arena {' '.join(row.words)}", flush=True)
        workers = ["--workers", options.workers] if options.workers else []
        command = [sys.executable, "-m", "kings_server", "arena", *row.words, *workers, "--json"]
        ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if ran.returncode:
            return ran.returncode
        with options.results.open("a", encoding="utf-8") as file:
            print(json.dumps({"key": row.key, **json.loads(ran.stdout)}), file=file)
    return 0


def read(results: Path) -> dict[str, dict[str, Any]]:
    """Return the rows that have been played, by their keys."""
    if not results.exists():
        return {}
    lines = results.read_text(encoding="utf-8").splitlines()
    return {found["key"]: found for found in map(json.loads, lines)}


def print_table(wanted: Sequence[Row], done: dict[str, dict[str, Any]]) -> None:
    """Print the rows that are there as Markdown, both seeds in one, and name the others."""
    print(
        "| the first v the others | players | rules | played | aim "
        f"| wins of the first, seed {SEEDS[0]} | seed {SEEDS[1]} "
        "| points of the first, and difference | blocked | turns | ms a turn |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|"
    )
    alike: dict[Row, list[dict[str, Any] | None]] = {}
    for row in wanted:
        found = alike.setdefault(evolve(row, seed=0), [None] * len(SEEDS))
        found[SEEDS.index(row.seed)] = done.get(row.key)
    for row, found in alike.items():
        if any(found):
            print(line(row, found))
    missing = [" ".join(row.words) for row in wanted if row.key not in done]
    if missing:
        print("\nNot played: " + "; ".join(f"`{words}`" for words in missing))


def line(row: Row, found: Sequence[dict[str, Any] | None]) -> str:
    """Return one row of the table: wins with each seed, everything else with the first."""
    main_figures = next(figures for figures in found if figures)
    first, pair = main_figures["levels"][0], main_figures["pairs"][0]
    thinking = first["thinking_ms"]
    seats = row.seats.split(",")
    others = " + ".join(dict.fromkeys(seats[1:]))
    sets = main_figures["matches" if row.matches else "deals"]
    points = pair["penalty"]
    low, high = points["ci"]
    penalty = f"{first['penalty']:.2f}, {points['mean']:+.2f} [{low:+.2f}, {high:+.2f}]"
    cells = (
        f"`{seats[0]}`{f' at {row.thinking:g} s' if row.thinking is not None else ''} v `{others}`",
        str(len(seats)),
        f"{row.rules} {row.knobs}".strip(),
        f"{sets} {'matches' if row.matches else 'deals'}",
        "" if row.least is None else f"{row.least:g}",
        *("" if figures is None else wins(figures) for figures in found),
        penalty + chance(points["p"]),
        f"{main_figures['blocked_rate']:.1%}",
        f"{main_figures['deal_turns']:.0f}",
        ", ".join(f"{thinking[what]:.3g}" for what in ("median", "p99", "longest")),
    )
    return "| " + " | ".join(cells) + " |"


def wins(figures: dict[str, Any]) -> str:
    """Return the win rate of the first, with its interval; at any stop, if one was looked for."""
    first, pair = figures["levels"][0], figures["pairs"][0]
    decision = figures.get("decision")
    low, high = decision["win_rate_ci_at_any_stop"] if decision else first["win_rate_ci"]
    rate = f"{first['win_rate']:.1%} [{100 * low:.1f}, {100 * high:.1f}]"
    return f"{rate}, {decision['found']}" if decision else rate + chance(pair["win_rate"]["p"])


def chance(p: float) -> str:
    """Return the p-value of a difference, where it is not far below all that matters."""
    return "" if p < 0.0001 else f", p {p:.2g}"


if __name__ == "__main__":
    raise SystemExit(main())
