"""What runs in a process in which bots think; it loads no more than they need."""

import os
from multiprocessing import parent_process
from threading import Thread
from typing import Final

import kings_server.bots.question  # noqa: F401  loaded before the first question comes
from kings_server import kernel_fault
from kings_server.bots import kernel_ready
from kings_server.scarcity import is_scarce

NICENESS: Final = 10
"""How much a worker yields to the server and to everything else on the machine (Unix)."""


def begin() -> None:
    """Yield to the server, where the system knows how, do not outlive it, and load the kernel.

    Where the kernel cannot be loaded, master plays expert's choice here.
    """
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    Thread(target=_end_with_server, daemon=True).start()
    if kernel_ready.why_not() is None:
        try:
            kernel_ready.make_ready()
        except Exception as error:  # noqa: BLE001  the other levels need none of it
            if not is_scarce(error):  # the next worker may load it
                kernel_fault.note(f"{type(error).__name__}: {error}")
            os.environ[kernel_ready.PLAIN] = "1"


def _end_with_server() -> None:
    server = parent_process()
    if server is not None:
        server.join()
        os._exit(1)
