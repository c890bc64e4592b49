"""Floods a network with announcements of servers that are none; run as a program on a machine.

Thousands of labels, names full of control characters, records of kilobytes, ports where something
else listens or nobody, addresses elsewhere, goodbyes for everybody, and packets that are no DNS.
"""

import random
import socket
import struct
import sys
import time

from kings_protocol.discovery import SERVICE

GROUP = ("224.0.0.251", 5353)
A, PTR, TXT, SRV = 1, 12, 16, 33
SHARED, UNIQUE = 0x0001, 0x8001
"""The classes of a record that others may have too, and of one that is its own (RFC 6762)."""

CONTROLS = "\x1b[2J\x1b]0;owned\x07\u202e\x00\r\n"


def name_of(*labels: str | bytes) -> bytes:
    """Return a name of the given labels, which may hold anything."""
    found = b""
    for label in labels:
        raw = (label if isinstance(label, bytes) else label.encode())[:63]
        found += bytes([len(raw)]) + raw
    return found + b"\0"


def record(name: bytes, kind: int, shared: int, seconds: int, data: bytes) -> bytes:
    """Return a resource record."""
    return name + struct.pack("!HHIH", kind, shared, seconds, len(data)) + data


def text(**pairs: str | bytes) -> bytes:
    """Return a TXT record's bytes; a value that is too long is cut."""
    found = b""
    for key, value in pairs.items():
        raw = value if isinstance(value, bytes) else value.encode()
        pair = (f"{key}=".encode() + raw)[:255]
        found += bytes([len(pair)]) + pair
    return found


def announced(number: int, chance: random.Random, seconds: int = 120) -> bytes:
    """Return the packet that announces a server that is none."""
    label = f"kings-{number:016x}" if number % 3 else f"{CONTROLS}{number}"
    service = SERVICE.rstrip(".").split(".")
    name, host = name_of(label, *service), name_of(f"kings-{number:016x}", "local")
    words = text(
        id=f"{number:016x}",
        versions=chance.choice(["1-1", "7-9", "1", "99999999999-1"]),
        program=CONTROLS,
        name=f"{CONTROLS}{'W' * chance.randrange(300)}{number}",
        people=chance.choice(["3", "-1", "4000000000"]),
        tables="1",
        locked="0",
    )
    if number % 5 == 0:
        words += text(**{f"k{at}": b"\xff" * 250 for at in range(25)})
    port = chance.choice([1, 9, 22, 5353, 26480, 65535])
    near = f"192.0.2.{chance.randrange(1, 255)}"
    address = chance.choice([near, near, "127.0.0.1", "203.0.113.5", "255.255.255.255"])
    answers = (
        record(name_of(*service), PTR, SHARED, seconds, name),
        record(name, SRV, UNIQUE, seconds, struct.pack("!HHH", 0, 0, port) + host),
        record(name, TXT, UNIQUE, seconds, words),
        record(host, A, UNIQUE, seconds, socket.inet_aton(address)),
    )
    return struct.pack("!6H", 0, 0x8400, 0, len(answers), 0, 0) + b"".join(answers)


def flood(source: str, count: int, seconds: float) -> None:
    """Send ``count`` different announcements again and again for some seconds."""
    chance = random.Random(1)  # noqa: S311  the same flood every time
    packets = [announced(number, chance) for number in range(count)]
    packets += [announced(number, chance, seconds=0) for number in range(0, count, 7)]
    packets += [chance.randbytes(chance.randrange(1, 1400)) for _ in range(count // 10)]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
        sending.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sending.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(source))
        sending.bind((source, 5353))
        print("flooding", flush=True)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for packet in packets:
                sending.sendto(packet, GROUP)
                time.sleep(0.0005)


if __name__ == "__main__":
    flood(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
