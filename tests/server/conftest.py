"""What the server's tests share."""

from collections.abc import Iterator
from contextlib import redirect_stderr
from io import StringIO

import pytest
import structlog

from kings_server.bots import kernel_ready
from kings_server.log import set_up


@pytest.fixture(scope="session")
def compiled() -> None:
    """Have the kernel compiled: without it master plays as expert."""
    kernel_ready.make_ready()


@pytest.fixture
def log() -> Iterator[StringIO]:
    """Everything that is logged, from the least important level on."""
    stream = StringIO()
    with redirect_stderr(stream):
        set_up("debug")
    yield stream
    structlog.reset_defaults()
