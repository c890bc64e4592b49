"""Starts a one-file archive: where it cannot unpack itself, it says why in a line, and what helps.

The archive's own maker writes a start that ends with a traceback there.
"""

import sys
from pathlib import Path
from typing import Any

import _bootstrap  # type: ignore[import-not-found]  # it is in the archive

HELP = "Set the variable SHIV_ROOT to a folder that this user may write, with 100 MB of room."

find, unpack = _bootstrap.cache_path, _bootstrap.extract_site_packages


def found(*arguments: Any) -> Path:
    """Return the folder to unpack to."""
    try:
        folder: Path = find(*arguments)
    except RuntimeError:
        sys.exit(f"kings: this file unpacks itself to the home folder, and there is none. {HELP}")
    return folder


def unpacked(archive: Any, folder: Path, *arguments: Any) -> None:
    """Unpack the archive to ``folder``."""
    try:
        unpack(archive, folder, *arguments)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        sys.exit(f"kings: this file cannot unpack itself to {folder.parent}: {why}. {HELP}")


_bootstrap.cache_path, _bootstrap.extract_site_packages = found, unpacked
_bootstrap.bootstrap()
