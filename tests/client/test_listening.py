"""What is taken from an announcement, in the threads of the library; nothing is sent here."""

from ipaddress import ip_interface
from threading import Thread

import pytest
import trio
from zeroconf import ServiceInfo

from kings_client.config import Address
from kings_client.listening import NEWS, Ear, own_networks
from kings_client.nearby import Heard
from kings_protocol.discovery import SERVICE, Announcement, write_txt

SAID = Announcement("0123456789abcdef", 1, 1, "0.1.0", "Kitchen")
LABEL = f"kings-{SAID.instance}.{SERVICE}"
NETWORKS = ("192.0.2.7/24", "127.0.0.1/8", "fe80::7/64")


def an_ear() -> Ear:
    ear = Ear()
    ear._networks = tuple(map(ip_interface, NETWORKS))
    return ear


def announced(*addresses: str, port: int = 7000, **changes: str) -> ServiceInfo:
    words = {**write_txt(SAID), **changes}
    return ServiceInfo(SERVICE, LABEL, port, properties=words, parsed_addresses=list(addresses))


async def test_only_addresses_of_ones_own_networks_are_taken() -> None:
    ear = an_ear()
    ear._note_announced(announced("203.0.113.5", "fe80::1", "192.0.2.255", "192.0.2.1", "10.0.0.1"))
    taken, vague = ear.take()
    near = tuple(Address(host, 7000) for host in ("192.0.2.1", "192.0.2.255", "fe80::1"))
    assert (taken, vague) == ({LABEL: Heard(LABEL, near, SAID)}, ())
    assert ear.take() == ({}, ())


@pytest.mark.parametrize(
    "info",
    [
        announced("203.0.113.5"),
        announced(),
        announced("192.0.2.1", port=0),
        announced("192.0.2.1", versions="x"),
    ],
)
async def test_what_leads_nowhere_is_left_out(info: ServiceInfo) -> None:
    ear = an_ear()
    ear._note_announced(info)
    assert ear.take() == ({}, ())


async def test_news_of_other_threads_wake_this_one_and_are_bounded() -> None:
    ear = an_ear()

    def flood() -> None:
        for number in range(10 * NEWS):
            ear._note(f"{number}", None)
            ear._note(f"vague {number}", None, vague=True)

    thread = Thread(target=flood)
    thread.start()
    with trio.fail_after(10):
        await ear.news.wait()
        await trio.to_thread.run_sync(thread.join)
    taken, vague = ear.take()
    assert len(taken) <= NEWS
    assert len(vague) < 10
    assert not ear.news.is_set()


async def test_the_machines_own_loop_is_one_of_its_networks() -> None:
    assert any(network.ip.is_loopback for network in own_networks())
