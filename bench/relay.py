"""A bare relay: rooms of clients, each frame broadcast to its whole room, and no game at all.

It is the plain way to write such a program with trio: one reader and one writer task a connection,
a bounded outbox, everything queued joined into one send. What the server takes beyond it, it takes
for the game.
"""

import argparse
from collections import defaultdict, deque
from functools import partial

import trio

from kings_server.certificate import own_identity

HEADER = 4
OUTBOX = 64


class Peer:
    """One connection with its outbox."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.waiting: deque[bytes] = deque()
        self.wake = trio.Event()

    def put(self, frame: bytes) -> None:
        """Queue a frame; a peer that does not read loses the oldest."""
        if len(self.waiting) >= OUTBOX:
            self.waiting.popleft()
        self.waiting.append(frame)
        self.wake.set()

    async def write(self) -> None:
        """Send what is queued, all of it at once."""
        while True:
            await self.wake.wait()
            self.wake = trio.Event()
            frames = b"".join(self.waiting)
            self.waiting.clear()
            if frames:
                await self.stream.send_all(frames)


class Relay:
    """All rooms. Frames sent out are padded to ``size`` bytes."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.rooms: defaultdict[bytes, list[Peer]] = defaultdict(list)

    async def serve(self, stream: trio.abc.Stream) -> None:
        """Run one connection: its first frame names its room, every other is broadcast."""
        peer = Peer(stream)
        room: list[Peer] | None = None
        buffer = bytearray()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(peer.write)
                async for chunk in stream:
                    buffer += chunk
                    room = self.take(peer, room, buffer)
                nursery.cancel_scope.cancel()
        except* trio.BrokenResourceError:
            pass
        if room is not None:
            room.remove(peer)

    def take(self, peer: Peer, room: list[Peer] | None, buffer: bytearray) -> list[Peer] | None:
        """Take all whole frames out of the buffer; return the room that the peer is in."""
        while len(buffer) >= HEADER:
            end = HEADER + int.from_bytes(buffer[:HEADER], "big")
            if len(buffer) < end:
                break
            body = bytes(buffer[HEADER:end])
            del buffer[:end]
            if room is None:
                room = self.rooms[body]
                room.append(peer)
            else:
                self.broadcast(room, body)
        return room

    def broadcast(self, room: list[Peer], body: bytes) -> None:
        """Send ``body``, padded, to everybody in the room."""
        padded = body.ljust(self.size, b"\0")
        frame = len(padded).to_bytes(HEADER, "big") + padded
        for peer in room:
            peer.put(frame)


async def main(options: argparse.Namespace) -> None:
    """Listen on a free port, say which, and relay until killed."""
    relay, context = Relay(options.size), own_identity(None).context

    async def secured(stream: trio.SocketStream) -> None:
        await relay.serve(trio.SSLStream(stream, context, server_side=True))

    serve = secured if options.tls else relay.serve
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, host="127.0.0.1"), serve, 0)
        port = listeners[0].socket.getsockname()[1]
        print(f"relay: listening on 127.0.0.1:{port}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", type=int)
    parser.add_argument("--tls", action="store_true")
    trio.run(main, parser.parse_args())
