"""Scripted clients in a process of their own: N tables of four, against the server or the relay.

They parse frames without checking them, so that the load costs as little as it can beside what it
measures. Run by ``bench/server.py`` and ``bench/restart.py``; prints one JSON object.
"""

import argparse
import json
import os
import ssl
import struct
from collections.abc import Callable
from functools import partial
from typing import Any

import msgpack  # type: ignore[import-untyped]
import trio

from kings_engine.commitments import DealContext, commit_share, rules_digest, set_digest

SEATS = 4
HEADER = 4
RELAY_BODY = struct.Struct(">QB")

PAUSE = 0.05
"""Seconds between the end of a connection and the next one, which the server has learnt of then."""

Send = Callable[[bytes], None]

TRUSTING = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
TRUSTING.check_hostname = False
TRUSTING.verify_mode = ssl.CERT_NONE


class Tally:
    """What is measured while ``open``: moves, their latencies, and the sizes of frames."""

    def __init__(self) -> None:
        self.open = False
        self.moves = 0
        self.latencies: list[float] = []
        self.update_bytes = 0
        self.updates = 0
        self.request_bytes = 0


class Table:
    """One table of four clients: its moves on their way, and the one that waits for its beat."""

    def __init__(self, number: int, tally: Tally, *, paced: bool) -> None:
        self.number = number
        self.tally = tally
        self.paced = paced
        self.under_way: dict[int, list[float]] = {}
        self.made = trio.Event()
        self.name = ""
        self.joined = 0
        self.pending: tuple[bytes, int, Frames] | None = None

    def seen(self, before: int, version: int) -> None:
        """Count one client's receipt of ``version``, and of those after ``before`` it passed over.

        A move has arrived when all four have it; a newer position counts for the older ones.
        """
        for number in [made for made in self.under_way if before < made <= version]:
            sent_at, *receipts = self.under_way[number]
            if len(receipts) < SEATS - 1:
                self.under_way[number].append(0.0)
            else:
                del self.under_way[number]
                self.tally.latencies.append(trio.current_time() - sent_at)

    async def move(self, frame: bytes, version: int, frames: "Frames") -> None:
        """Send the move of the seat on turn: now, or at the table's next beat."""
        if self.paced:
            self.pending = (frame, version, frames)
        else:
            await self.send_move(frame, version, frames)

    async def send_move(self, frame: bytes, version: int, frames: "Frames") -> None:
        """Send a move and start its clock."""
        if self.tally.open:
            self.tally.moves += 1
            self.under_way[version + 1] = [trio.current_time()]
        self.tally.request_bytes = len(frame)
        await frames.send(frame)

    async def beat(self, seconds: float) -> None:
        """Send a pending move every so many ``seconds``, each table at its own moment of them."""
        await trio.sleep(self.number % 100 / 100 * seconds)
        due = trio.current_time()
        while True:
            due += seconds
            await trio.sleep_until(due)
            if self.pending is not None:
                pending, self.pending = self.pending, None
                await self.send_move(*pending)


def packed(message: dict[str, Any]) -> bytes:
    """Return a message's frame."""
    body: bytes = msgpack.packb(message)
    return len(body).to_bytes(HEADER, "big") + body


def request(tag: str, **fields: object) -> bytes:
    """Return the frame of a request with a new id."""
    return packed({"t": tag, "id": os.urandom(16).hex(), **fields})


class Frames:
    """The frames of a stream, one at a time."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self.sending = trio.Lock()
        self.buffer = bytearray()

    async def send(self, frame: bytes) -> None:
        """Send a frame, after one that a table's beat may just be sending."""
        async with self.sending:
            await self.stream.send_all(frame)

    async def next(self) -> bytes:
        """Return the next frame's body."""
        while True:
            if len(self.buffer) >= HEADER:
                end = HEADER + int.from_bytes(self.buffer[:HEADER], "big")
                if len(self.buffer) >= end:
                    body = bytes(self.buffer[HEADER:end])
                    del self.buffer[:end]
                    return body
            chunk = await self.stream.receive_some(65536)
            if not chunk:
                raise SystemExit("the peer closed a connection")
            self.buffer += chunk


async def connected(port: int, *, tls: bool) -> Frames:
    """Return a connection; whose certificate it is does not matter here."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    return Frames(trio.SSLStream(stream, TRUSTING) if tls else stream)


async def until(frames: Frames, tag: str) -> dict[str, Any]:
    """Read messages until one has the tag."""
    while True:
        message: dict[str, Any] = msgpack.unpackb(await frames.next())
        if message["t"] == tag:
            return message
        if message["t"] in ("refused", "bye", "unwelcome"):
            raise SystemExit(f"the server says {message}")


async def enter(frames: Frames, name: str) -> str:
    """Greet the server and say who this is, each as soon as it lets one; return the server's id."""
    hello = {"t": "hello", "magic": "kings", "oldest": 1, "newest": 1, "program": "bench"}
    await frames.send(packed(hello))
    server: str = (await until(frames, "welcome"))["server"]
    client = os.urandom(16).hex()
    await frames.send(request("enter", client=client, name=name))
    await until(frames, "entered")
    return server


class Shares:
    """One client's part in the making of each deck: it commits to a share, and reveals it."""

    def __init__(self, server: str, seat: int) -> None:
        self.server = bytes.fromhex(server)
        self.seat = seat
        self.context: DealContext | None = None
        self.share = b""
        self.revealed = False

    def answer(self, table: dict[str, Any]) -> bytes | None:
        """Return the frame that the offer asks for now, if it asks for one."""
        offer = table["offer"]
        seed, attempt = bytes.fromhex(offer["commitment"]), offer["attempt"]
        rules = rules_digest(table["rules"])
        numbers = (table["match"], offer["deal"], attempt)
        context = DealContext(self.server, table["table"], *numbers, rules)
        if not offer["members"]:
            if context == self.context:
                return None
            self.context, self.share, self.revealed = context, os.urandom(32), False
            own = commit_share(context, seed, self.seat, self.share).hex()
            return request("commit", deal=offer["deal"], attempt=attempt, commitment=own)
        found = [one["commitment"] for one in offer["members"]]
        if context != self.context or self.revealed or found[self.seat] is None:
            return None
        self.revealed = True
        members = tuple(None if one is None else bytes.fromhex(one) for one in found)
        digest = set_digest(context, seed, members).hex()
        share = self.share.hex()
        return request("reveal", deal=offer["deal"], attempt=attempt, members=digest, share=share)


async def play(table: Table, frames: Frames, seat: int) -> None:
    """Be one client of the server, for ever: the first makes the table, the others join it."""
    server = await enter(frames, f"p{seat}")
    if seat == 0:
        rules = {"players": SEATS, "match": "points", "points": 500}
        await frames.send(request("make_table", name="bench", preset="pagat", knobs=rules))
    else:
        await table.made.wait()
        await frames.send(request("join", table=table.name))
    seated = await until(frames, "seated")
    seat = seated["seat"]
    table.name = seated["table"]
    table.made.set()
    shares = Shares(server, seat)
    shown = 0
    while True:
        body = await frames.next()
        message = msgpack.unpackb(body)
        if message["t"] == "update":
            table.tally.updates += 1
            table.tally.update_bytes += len(body) + HEADER
            shown = await on_update(table, frames, message["view"], seat, shown)
        elif message["t"] == "table":
            answer = shares.answer(message) if message["offer"] else None
            if answer is not None:
                await frames.send(answer)
            idle = message["phase"] in ("waiting", "between", "over")
            if idle and not message["seats"][seat]["ready"]:
                await frames.send(request("ready", on=True))
        elif message["t"] == "ping":
            await frames.send(packed({"t": "pong", "n": message["n"]}))
        elif message["t"] == "bye":
            raise SystemExit(f"the server says {message}")


async def on_update(
    table: Table, frames: "Frames", view: dict[str, Any], seat: int, before: int
) -> int:
    """Note the receipt and, on turn, play the first thing possible; return the version."""
    public, own = view["public"], view["own"]
    version: int = public["version"]
    table.seen(before, version)
    if public["turn"] != seat or version == before:
        return version
    if own["plays"]:
        card, places = own["plays"][-1]
        frame = request("play", version=version, card=card, place=places[0])
    elif own["moves"]:
        source, place = own["moves"][0]
        frame = request("move", version=version, source=source, place=place)
    else:
        frame = request("end_turn", version=version)
    await table.move(frame, version, frames)
    return version


async def relay(table: Table, frames: Frames, seat: int) -> None:
    """Be one client of the relay, for ever: seats take turns to send a frame."""
    room = table.number.to_bytes(8, "big")
    await frames.send(len(room).to_bytes(HEADER, "big") + room)
    table.joined += 1
    if table.joined == SEATS:
        table.made.set()
    if seat == SEATS - 1:
        await table.made.wait()
        await trio.sleep(0.2)  # the relay reads the last joining frame
        await table.move(relay_frame(0, 0), 0, frames)
    while True:
        body = await frames.next()
        table.tally.updates += 1
        table.tally.update_bytes += len(body) + HEADER
        version, turn = RELAY_BODY.unpack_from(body)
        table.seen(version, version + 1)
        if turn == seat:
            await table.move(relay_frame(version + 1, (seat + 1) % SEATS), version + 1, frames)


def relay_frame(version: int, turn: int) -> bytes:
    """Return a frame of a move request's size."""
    body = RELAY_BODY.pack(version, turn).ljust(78, b"\0")
    return len(body).to_bytes(HEADER, "big") + body


def percentile(sorted_values: list[float], share: float) -> float | None:
    """Return the value below which ``share`` of the values lie."""
    if not sorted_values:
        return None
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * share))]


async def come_back(port: int, times: int, *, tls: bool) -> None:
    """Lose the connection of a seat in a running match so often, and print how long returns take.

    Each is timed from the first packet of a connection to the first whole update.
    """
    ann, ben = await connected(port, tls=tls), await connected(port, tls=tls)
    await enter(ann, "Ann")
    await enter(ben, "Ben")
    await ann.send(request("make_table", name="bench", preset="pagat", knobs={"players": 2}))
    seat = await until(ann, "seated")
    await ben.send(request("join", table=seat["table"]))
    await until(ben, "seated")
    for one in (ann, ben):
        await one.send(request("ready", on=True))
    await until(ann, "update")
    print("started", flush=True)
    found = []
    for _ in range(times):
        await trio.aclose_forcefully(ann.stream)
        await trio.sleep(PAUSE)
        began = trio.current_time()
        ann = await connected(port, tls=tls)
        await enter(ann, "Ann")
        await ann.send(request("resume", table=seat["table"], token=seat["token"]))
        await until(ann, "update")
        found.append(trio.current_time() - began)
    found.sort()
    shares = {"p50_ms": 0.5, "p99_ms": 0.99}
    figures = {name: (percentile(found, share) or 0) * 1000 for name, share in shares.items()}
    print(json.dumps(figures), flush=True)


async def main(options: argparse.Namespace) -> None:
    """Run the load and print what was measured."""
    if options.returns:
        await come_back(options.port, options.returns, tls=options.tls)
        return
    tally = Tally()

    async def client(table: Table, seat: int) -> None:
        frames = await connected(options.port, tls=options.tls)
        await (relay if options.relay else play)(table, frames, seat)

    async with trio.open_nursery() as nursery:
        for number in range(options.tables):
            table = Table(number, tally, paced=options.paced)
            for seat in range(SEATS):
                nursery.start_soon(client, table, seat)
            if options.paced:
                nursery.start_soon(table.beat, 1 / options.rate)
            await trio.sleep(0.005)
        await trio.sleep(options.warm_up)
        print("started", flush=True)
        tally.open = True
        updates, sizes = tally.updates, tally.update_bytes
        await trio.sleep(options.seconds)
        tally.open = False
        updates, sizes = tally.updates - updates, tally.update_bytes - sizes
        ordered = sorted(tally.latencies)
        result = {
            "moves": tally.moves,
            "seconds": options.seconds,
            "p50_ms": (percentile(ordered, 0.5) or 0) * 1000,
            "p99_ms": (percentile(ordered, 0.99) or 0) * 1000,
            "longest_ms": max(ordered, default=0) * 1000,
            "update_bytes": sizes / max(1, updates),
            "request_bytes": tally.request_bytes,
        }
        print(json.dumps(result), flush=True)
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--tables", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--warm-up", type=float, default=3)
    parser.add_argument("--paced", action="store_true")
    parser.add_argument("--rate", type=float, default=1, help="moves a second a table, if paced")
    parser.add_argument("--relay", action="store_true")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--returns", type=int, help="only come back to a seat so often")
    trio.run(partial(main, parser.parse_args()))
