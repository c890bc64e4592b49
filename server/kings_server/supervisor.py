"""Tells the program that started a server how it stands, where that asks for it (systemd does)."""

import os
import socket
from contextlib import suppress
from typing import Final

VARIABLE: Final = "NOTIFY_SOCKET"
"""The variable of the environment that names where to tell it; an ``@`` stands for a zero byte."""

TELL_SECONDS: Final = 1.0
"""How long the program may take to make room for it."""


def tell_supervisor(state: str) -> None:
    """Say that the server is ``READY`` or ``STOPPING``; nobody may be listening."""
    address = os.environ.get(VARIABLE, "")
    if not address.startswith(("/", "@")) or not hasattr(socket, "AF_UNIX"):
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as telling:
        telling.settimeout(TELL_SECONDS)
        telling.sendto(f"{state}=1".encode(), address.replace("@", "\0", 1))
