"""Which data directory is meant: as ``kings serve`` would choose it."""

import os
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from kings_server.sources import CONFIG_VARIABLE, Given, Source, from_environment, from_file, settle


def usual_folder() -> Path:
    """Return the data directory of this user."""
    return Path(platformdirs.user_data_dir("kings", appauthor=False))


def data_folder(data: str | None, config: str | None) -> tuple[Path | None, Sequence[str]]:
    """Return the directory that a server uses, if it keeps anything, and the faults met on the way.

    Args:
        data: what the command line says of it.
        config: the file of the server's options that the command line names.
    """
    line = {} if data is None else {"data": Given(data, "--data", "command line")}
    file = config or os.environ.get(CONFIG_VARIABLE)
    others = [from_file(Path(file))] if file else []
    settled = settle([Source(line), from_environment(os.environ), *others])
    setting = settled.settings["data"]
    if setting.origin == "default":
        return usual_folder(), settled.faults
    return setting.value if isinstance(setting.value, Path) else None, settled.faults
