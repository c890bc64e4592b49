"""The file that the settings are kept in: a few lines of TOML that a person can edit as well.

A file that cannot be read, or that a newer program wrote, never keeps the client from starting:
what is understood of it is taken, and the person is told about the rest.
"""

import os
import tomllib
from pathlib import Path
from typing import Final

import platformdirs
from attrs import evolve, field, frozen

from kings_client.folders import own_folder
from kings_client.settings import CHOICES, Settings, as_plain
from kings_client.store import ENVIRONMENT as STATE
from kings_client.words.tongue import tell

ENVIRONMENT: Final = "KINGS_CONFIG_DIR"
"""The environment variable that names another folder; without it, that of the state does."""

NAME: Final = "settings.toml"
LARGEST: Final = 64 * 1024
"""Bytes of a file that are read at most."""


@frozen
class Loaded:
    """What the file said, and what was wrong with it, if anything."""

    settings: Settings = field(factory=Settings)
    problem: str = ""


def config_folder() -> Path | None:
    """Return the folder of the settings, which need not exist; nothing without a home."""
    named = os.environ.get(ENVIRONMENT) or os.environ.get(STATE)
    return own_folder(named, platformdirs.user_config_dir)


def load(folder: Path | None) -> Loaded:
    """Return the settings kept in ``folder``; defaults stand for what cannot be had from there."""
    if folder is None:
        return Loaded()
    try:
        with (folder / NAME).open("rb") as stream:
            found = tomllib.loads(stream.read(LARGEST).decode("utf-8"))
    except FileNotFoundError:
        return Loaded()
    except OSError as error:
        return Loaded(
            problem=tell("the settings cannot be read: {why}; defaults hold", why=error.strerror)
        )
    except ValueError:
        return Loaded(
            problem=tell(
                "the file {file} is damaged; defaults hold until you change a setting", file=NAME
            )
        )
    known = {name: value for name, value in found.items() if value in CHOICES.get(name, ())}
    strange = ", ".join(sorted(found.keys() - known.keys()))
    if not strange:
        return Loaded(evolve(Settings(), **known))
    problem = tell(
        "the file {file}: not understood, so left at the default: {names}",
        file=NAME,
        names=strange[:60],
    )
    return Loaded(evolve(Settings(), **known), problem)


def save(settings: Settings, folder: Path | None) -> str:
    """Keep the settings in ``folder``; return what went wrong, or nothing.

    The file is replaced whole. One that cannot be understood is kept beside it as ``.old``.
    """
    if folder is None:
        why = tell("this account has no home directory")
        return _not_kept(f"{why}; {tell('{variable} names a folder', variable=ENVIRONMENT)}")
    lines = [f'{name} = "{value}"' for name, value in as_plain(settings).items()]
    path, fresh = folder / NAME, folder / (NAME + ".new")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if load(folder).problem:
            path.replace(folder / (NAME + ".old"))
        fresh.write_text("\n".join(lines) + "\n", encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        return _not_kept(error.strerror or "")
    return ""


def _not_kept(why: str) -> str:
    return tell("the settings hold for now, but cannot be kept: {why}", why=why)
