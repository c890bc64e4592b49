"""What the system says when it has too little of something: files, memory, room on a disk."""

import errno
from typing import Final

SCARCE: Final = (
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ENOBUFS,
    errno.EAGAIN,
    errno.ENOSPC,
    errno.EDQUOT,
)


def is_scarce(error: BaseException) -> bool:
    """Say whether ``error`` means that there was too little, so that it may go well later."""
    if isinstance(error, OSError):
        return error.errno in SCARCE
    return isinstance(error, MemoryError)
