"""Whether the kernel has failed in this process, to be compiled or to be loaded.

It is not tried again there: what was wrong is mended by whoever runs the server, who then starts it
anew. Levels that need it are not offered meanwhile, and the others play as ever.
"""

from typing import Final

_faults: Final[list[str]] = []


def note(fault: str) -> None:
    """Note what was wrong; what was noted first stays."""
    _faults.append(fault)


def fault() -> str | None:
    """Return what was wrong, if anything was."""
    return _faults[0] if _faults else None
