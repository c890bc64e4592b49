"""Everything random of a simulated run comes from its seed, so that a failure can be repeated."""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, get_args

import trio

from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import KNOBS, BadRules
from kings_protocol import messages as m

SHORT: Final[dict[str, m.KnobValue]] = {"match": "deals", "deals": 1}

ABSENCES: Final[tuple[m.Absent, ...]] = get_args(m.Absent)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw from ``seed`` what else the system gives, and the order of tasks that are ready."""
    chance = random.Random(seed)  # noqa: S311
    run: Any = trio._core._run
    places: tuple[tuple[Any, str, object], ...] = (
        (os, "urandom", chance.randbytes),
        (random, "_urandom", chance.randbytes),
        (run, "_ALLOW_DETERMINISTIC_SCHEDULING", True),
    )
    before = [getattr(module, name) for module, name, _ in places]
    states = random.getstate(), run._r.getstate()
    try:
        for module, name, value in places:
            setattr(module, name, value)
        random.seed(seed)
        run._r.seed(seed)
        yield
    finally:
        for (module, name, _), value in zip(places, before, strict=True):
            setattr(module, name, value)
        random.setstate(states[0])
        run._r.setstate(states[1])


def any_preset(chance: random.Random) -> tuple[str, dict[str, m.KnobValue]]:
    """Return a preset and changes of its knobs that make rules which can be played, briefly."""
    preset = chance.choice(tuple(PRESETS))
    while True:
        knobs: dict[str, m.KnobValue] = {"players": chance.choice((2, 2, 3, 4)), **SHORT}
        for name in chance.sample(tuple(KNOBS), chance.choice((0, 0, 1, 3, 8))):
            if name not in ("scoring", "points", *knobs):
                knobs[name] = _any_value(name, chance)
        if chance.random() < 0.2:
            knobs["deals"] = 2
        if chance.random() < 0.2:
            knobs["turn_seconds"] = chance.choice((10, 10, 20, 60))
        try:
            preset_rules(preset, knobs)
        except BadRules:
            continue
        return preset, knobs


def any_absence(chance: random.Random) -> tuple[m.Absent, int, int]:
    """Return what becomes of who is gone, after how many seconds, and after how many without a key.

    The times are mostly the shortest that there are.
    """
    return chance.choice(ABSENCES), chance.choice((5, 5, 15, 40)), chance.choice((30, 30, 45, 180))


def _any_value(name: str, chance: random.Random) -> m.KnobValue:
    knob = KNOBS[name]
    values: list[Any] = [getattr(choice, "value", choice) for choice in knob.choices]
    values += knob.numbers or ()
    values += [None] if knob.optional else []
    value: m.KnobValue = chance.choice(values)
    return value
