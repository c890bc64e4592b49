"""Runs before the program of a one-file archive: says in a line if it is made for another Python.

The archive's runtime hands over the global ``site_packages``: the folder that it is unpacked to.
"""

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

compiled = sorted(Path(globals()["site_packages"]).glob("msgspec/_core*"))
if not any(file.name == f"_core{suffix}" for file in compiled for suffix in EXTENSION_SUFFIXES):
    made_for = ", ".join(file.name.removeprefix("_core.") for file in compiled)
    running = f"{sys.version_info[0]}.{sys.version_info[1]} on {sys.platform}"
    sys.exit(
        f"kings: this file is made for another Python ({made_for}), and this is {running}. "
        "Start it with that Python, or make one for this with .ci/archive of the source."
    )
