"""A real server process on loopback, as its users start it."""

import os
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from types import MappingProxyType

import trio

from people import Person, connected

SECONDS_TO_START = 20


TRUSTING = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
TRUSTING.check_hostname = False
TRUSTING.verify_mode = ssl.CERT_NONE


class Server:
    """A running ``python -m kings_server serve``."""

    def __init__(self, process: subprocess.Popen[bytes], ready: str) -> None:
        self.process = process
        self.ready = ready
        self.host, port = ready.rsplit(" ", 1)[1].rsplit(":", 1)
        self.code = ready.partition("code ")[2].partition(",")[0]
        self.port = int(port)

    async def stream(self) -> trio.abc.Stream:
        """Return a connection on which nothing was said, under TLS if the server encrypts."""
        bare = await trio.open_tcp_stream("127.0.0.1", self.port)
        if not self.code:
            return bare
        secured = trio.SSLStream(bare, TRUSTING)
        await secured.do_handshake()
        return secured

    @asynccontextmanager
    async def guest(self, name: str, seed: int = 0) -> AsyncIterator[Person]:
        """Return somebody who has connected and entered; the connection is cut at the end."""
        async with connected(Person(await self.stream(), name, seed)) as person:
            await person.enter()
            yield person


def command(
    *arguments: str, environment: Mapping[str, str] = MappingProxyType({}), feed: bytes = b""
) -> subprocess.CompletedProcess[str]:
    """Run a command of the server's package to its end, with no options in the environment."""
    plain = {name: text for name, text in os.environ.items() if "KINGS_SERVE" not in name}
    return subprocess.run(
        (sys.executable, "-m", "kings_server", *arguments),
        env={**plain, **environment},
        input=feed.decode(),
        capture_output=True,
        text=True,
        timeout=SECONDS_TO_START,
        check=False,
    )


@contextmanager
def serving(
    *options: str,
    host: str = "127.0.0.1",
    feed: bytes | None = None,
    within: tuple[str, ...] = (),
    encrypted: bool = False,
) -> Iterator[Server]:
    """Run a server with ``options`` on a free port, and stop it at the end.

    Args:
        options: more options of ``serve``; without a data directory, nothing is kept.
        host: where it listens.
        feed: what is written to its standard input, which stays open; nothing means no input.
        within: a command that runs another one somewhere, such as in a network namespace.
        encrypted: whether it encrypts, as it does for its users; without, bytes can be looked at.
    """
    command = (*within, sys.executable, "-m", "kings_server", "serve")
    listen = ("--host", host, *(() if "--port" in options else ("--port", "0")))
    keep = () if "--data" in options else ("--no-data",)
    keep = keep if encrypted else (*keep, "--plain-text")
    with subprocess.Popen(
        (*command, *listen, *keep, *options),
        stdin=subprocess.DEVNULL if feed is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            if process.stdin is not None and feed is not None:
                process.stdin.write(feed)
                process.stdin.flush()
            assert process.stdout is not None
            yield Server(process, process.stdout.readline().decode().strip())
        finally:
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(SECONDS_TO_START)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
