"""Two hundred clients in one process, to be killed; ``crowd_child.py PORT`` says when all are in.

At each table two people are in the middle of a deal, and two look on, one of whom stops reading.
Some more connections never get further than into their handshake.
"""

import ssl
import sys
from contextlib import AsyncExitStack, suppress

import trio

from kings_protocol import messages as m
from people import Person, connected, new_id
from serving import TRUSTING

TABLES = 40
UNFINISHED = 40


async def run(port: int) -> None:
    """Let everybody come, print a seat that can be come back to, and stay."""
    async with AsyncExitStack() as stack:

        async def guest(name: str) -> Person:
            secured = trio.SSLStream(await trio.open_tcp_stream("127.0.0.1", port), TRUSTING)
            person = await stack.enter_async_context(connected(Person(secured, name)))
            await person.enter()
            return person

        for number in range(TABLES):
            ann, ben = await guest(f"Ann {number}"), await guest(f"Ben {number}")
            seat = await ann.make_table(2)
            await ben.join(seat.table)
            cleo, dan = await guest(f"Cleo {number}"), await guest(f"Dan {number}")
            for person in (cleo, dan):
                await person.ask_for(m.Watching, m.Watch(id=new_id(), table=seat.table))
            dan.pause()
            for person in (ann, ben):
                await person.ready()
            for person in (ann, ben):
                await person.until_deal(1)
        for number in range(UNFINISHED):
            stream = await stack.enter_async_context(await trio.open_tcp_stream("127.0.0.1", port))
            await stream.send_all(hello()[: 40 * (number % 2)])
        print(seat.table, seat.token, flush=True)
        await trio.sleep_forever()


def hello() -> bytes:
    """Return what a client of TLS says first."""
    outgoing = ssl.MemoryBIO()
    with suppress(ssl.SSLWantReadError):
        TRUSTING.wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
    return outgoing.read()


if __name__ == "__main__":
    trio.run(run, int(sys.argv[1]))
