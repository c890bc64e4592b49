"""Networks of a test's own: machines that are network namespaces, joined by bridges.

Nothing else of the machine is touched, and nothing here has a way to anywhere else: there is no
default route.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

BRIDGES = ("br0", "br1")


class Lan:
    """Machines, by name, and a switch with two bridges that they can be plugged into."""

    def __init__(self, *machines: str) -> None:
        self.machines = machines

    def space(self, machine: str) -> str:
        """Return the name of a machine's namespace."""
        return f"kings-{os.getpid()}-{machine}"

    def inside(self, machine: str) -> tuple[str, ...]:
        """Return what goes before a command that is to run on a machine."""
        return inside(self.space(machine))

    def set_up(self) -> None:
        """Switch on the bridges, and every machine's own loop."""
        for bridge in BRIDGES:
            ip("-n", self.space("switch"), "link", "add", bridge, "type", "bridge")
            ip("-n", self.space("switch"), "link", "set", bridge, "up")
        for machine in self.machines:
            ip("-n", self.space(machine), "link", "set", "lo", "up")

    def plug(self, machine: str, address: str, bridge: str = "br0") -> None:
        """Join a machine to a bridge by a cable, under an address such as ``192.0.2.1/24``."""
        end, card = f"{machine}-{bridge}"[:15], f"to-{bridge}"
        switch, space = self.space("switch"), self.space(machine)
        ip("-n", switch, "link", "add", end, "type", "veth", "peer", "name", card, "netns", space)
        ip("-n", switch, "link", "set", end, "master", bridge, "up")
        # Nobody else has an address of IPv6 here, so it need not be tried out first.
        at_once = ("nodad",) if ":" in address else ()
        ip("-n", space, "address", "add", address, "dev", card, *at_once)
        ip("-n", space, "link", "set", card, "up")

    def unplug(self, machine: str, bridge: str = "br0") -> None:
        """Pull a machine's cable out, as an adapter is pulled out with it."""
        ip("-n", self.space(machine), "link", "delete", f"to-{bridge}")

    def sockets(self, machine: str) -> str:
        """Return the table of the UDP sockets on a machine."""
        command = (*self.inside(machine), "cat", "/proc/net/udp", "/proc/net/udp6")
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def inside(space: str) -> tuple[str, ...]:
    """Return what goes before a command that is to run in a namespace."""
    return ("ip", "netns", "exec", space)


def ip(*words: str) -> None:
    """Run ``ip``, whose message is what a failure shows."""
    done = run_ip(*words)
    assert done.returncode == 0, done.stderr


def run_ip(*words: str) -> subprocess.CompletedProcess[str]:
    """Run ``ip``, which may fail."""
    command = ("ip", *words)
    return subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)


@contextmanager
def spaces(*names: str) -> Iterator[None]:
    """Make namespaces, and delete them at the end; skip the test where that cannot be done."""
    if shutil.which("ip") is None or os.geteuid() != 0:
        pytest.skip("network namespaces need the ip command, and root")
    try:
        for name in names:
            if run_ip("netns", "add", name).returncode:
                pytest.skip("this machine makes no network namespaces")
        yield
    finally:
        for name in names:
            run_ip("netns", "delete", name)


@contextmanager
def lan(*machines: str) -> Iterator[Lan]:
    """Set up a network of machines that are not plugged in yet."""
    made = Lan(*machines)
    with spaces(*map(made.space, ("switch", *machines))):
        made.set_up()
        yield made
