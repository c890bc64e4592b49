"""The platform's folders of this person, where there are any: some accounts have no home."""

from collections.abc import Callable
from pathlib import Path


def own_folder(named: str | None, usual: Callable[..., str]) -> Path | None:
    """Return the folder that is named, or the platform's; nothing without a home directory.

    Args:
        named: what the environment names, if anything.
        usual: the function of platformdirs that knows the platform's.
    """
    if named:
        return Path(named)
    try:
        folder = Path(usual("kings", appauthor=False))
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None
