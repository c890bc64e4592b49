"""Where the values of the options come from, and which of them are in force.

The command line goes before the environment, that before the file, and that before the default.
Everything that is given is checked, also what another source overrides, and all faults are found at
once.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from attrs import field, frozen

from kings_server.options import BY_NAME, LIMITS, OPTIONS, PREFIX, Option

CONFIG_VARIABLE: Final = f"{PREFIX}CONFIG"
"""The variable of the environment that names the file."""


@frozen
class Given:
    """A value as it was given.

    Attributes:
        raw: the text, or the value of TOML.
        called: what the option is called where the value was given.
        origin: where that was.
    """

    raw: object
    called: str
    origin: str


@frozen
class Setting:
    """What is in force for one option, and where it was given."""

    option: Option
    value: object
    origin: str = "default"

    @property
    def text(self) -> str:
        """The value in words."""
        return self.option.kind.shown(self.value)


@frozen
class Source:
    """What one source gives: values by the names of their options, and what is wrong with it."""

    given: Mapping[str, Given] = field(factory=dict)
    faults: Sequence[str] = ()


@frozen
class Settled:
    """What is in force, and every fault of every source."""

    settings: Mapping[str, Setting]
    faults: Sequence[str]


def settle(sources: Iterable[Source]) -> Settled:
    """Return what is in force after all ``sources``, of which an earlier one goes first."""
    found: dict[str, Setting] = {}
    faults: list[str] = []
    for source in sources:
        faults += source.faults
        for name, given in source.given.items():
            option = BY_NAME[name]
            try:
                value = option.kind.value(given.raw)
            except ValueError:
                what = _said(option, given.raw)
                faults.append(f"{given.called}: not {what}; allowed: {option.kind.allowed}")
            else:
                found.setdefault(name, Setting(option, value, given.origin))
    settings = {
        option.name: found.get(option.name, Setting(option, option.default)) for option in OPTIONS
    }
    return Settled(settings, faults)


def _said(option: Option, raw: object) -> str:
    try:
        return repr(raw) if isinstance(raw, str) else option.kind.shown(raw)
    except ValueError:
        return "so long a number"


def from_environment(environment: Mapping[str, str]) -> Source:
    """Return what the variables of the environment give."""
    known = {option.variable: option for option in OPTIONS if option.everywhere}
    given, faults = {}, []
    for variable, text in environment.items():
        if variable in known:
            given[known[variable].name] = Given(text, variable, f"environment ({variable})")
        elif variable.startswith(PREFIX) and variable != CONFIG_VARIABLE:
            faults.append(f"{variable}: {unknown('variable', variable, [*known, CONFIG_VARIABLE])}")
    return Source(given, faults)


def from_file(path: Path) -> Source:
    """Return what a file gives."""
    try:
        with path.open("rb") as stream:
            tree = tomllib.load(stream)
    except OSError as error:
        return Source({}, [f"{path}: cannot be read: {(error.strerror or '').lower()}"])
    except (ValueError, RecursionError) as error:
        return Source({}, [f"{path}: is no TOML: {error}"])
    limits = tree.pop(LIMITS, {})
    if isinstance(limits, dict):
        tree |= {f"{LIMITS}.{name}": value for name, value in limits.items()}
    else:
        tree[LIMITS] = limits
    known = [option.name for option in OPTIONS if option.everywhere]
    given, faults = {}, []
    for name, value in tree.items():
        if name not in known:
            faults.append(f"{name} in {path}: {unknown('option', name, known)}")
        else:
            given[name] = Given(value, f"{name} in {path}", f"file ({path})")
    return Source(given, faults)


def unknown(what: str, name: str, known: Sequence[str]) -> str:
    """Say that there is nothing called ``name``, and what comes nearest."""
    near = get_close_matches(name, known, 1, 0.5)
    return f"there is no such {what}" + (f"; the nearest is {near[0]}" if near else "")
