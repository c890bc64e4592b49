"""What was chosen for a server, all sources together."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import platformdirs
from attrs import evolve

from kings_server.bounds import Bounds
from kings_server.config import Config, clashes
from kings_server.options import LIMITS
from kings_server.sources import (
    CONFIG_VARIABLE,
    Given,
    Setting,
    Settled,
    Source,
    from_environment,
    from_file,
    settle,
)


def chosen(line: Source, config: str | None, *, private: bool = False) -> Settled:
    """Return what is in force for a server, and what is wrong with it.

    Args:
        line: what the command line says.
        config: the file that the command line names.
        private: whether the command line alone counts.
    """
    sources = [line]
    if not private:
        file = config or os.environ.get(CONFIG_VARIABLE)
        sources += [from_environment(os.environ), *([from_file(Path(file))] if file else [])]
    settled = settle(sources)
    settings, faults = dict(settled.settings), settled.faults
    if settings["data"].origin == "default" and not private:
        folder = _usual_folder()
        if folder is None:
            faults = [
                *faults,
                "data: this account has no home directory; name a folder with --data",
            ]
        settings["data"] = evolve(settings["data"], value=folder)
    return Settled(settings, faults or clashes(config_of(settings)))


def _usual_folder() -> Path | None:
    """Return the platform's folder for data; nothing without a home directory."""
    try:
        folder = Path(platformdirs.user_data_dir("kings", appauthor=False))
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None


def chosen_for(data: str | None, config: str | None) -> tuple[Config, Sequence[str]]:
    """Return how a server would run that is named by its data directory or its file, and faults.

    Args:
        data: what the command line says of the data directory.
        config: the file of the server's options that the command line names.
    """
    line = {} if data is None else {"data": Given(data, "--data", "command line")}
    settled = chosen(Source(line), config)
    return config_of(settled.settings), settled.faults


def config_of(settings: Mapping[str, Setting]) -> Config:
    """Return what is in force as one value."""
    values = {name: setting.value for name, setting in settings.items()}
    limits = {
        name.partition(".")[2]: values.pop(name) for name in tuple(values) if LIMITS + "." in name
    }
    return Config(bounds=Bounds(**limits), **values)  # type: ignore[arg-type]  # kinds see to it
