"""The commands in the documents: found by the marks before their blocks, and run.

A mark is a comment on the line before a block:

- ``<!-- run -->``: the block is run, and must succeed, in a folder of the document's own that is
  also the home directory; one block after the other, so later ones find what earlier ones made;
- ``<!-- run beside a server -->``: the same, while ``kings serve`` runs there as it does without
  any option;
- ``<!-- file NAME -->``: the block is written to that file;
- ``<!-- not run: REASON -->``: only its commands are read, not run.

Every block of a shell has one of them. Blocks have a network of their own where that is possible,
so that nobody meets the ports of another.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from attrs import frozen

ROOT: Final = Path(__file__).parents[1]

DOCUMENTS: Final = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

LIMIT: Final = 120
"""Seconds for one block."""

_BLOCK: Final = re.compile(r"^(?:<!-- (.*?) -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

_INLINE: Final = re.compile(r"`(kings [^`\n]+)`")

_BESIDE: Final = """\
trap 'code=$?; kill $server || true; wait $server || true; exit $code' EXIT
coproc SERVER { exec kings serve 2>server.log; }
server=$SERVER_PID
read -r _ <&"${SERVER[0]}"
"""


@frozen
class Block:
    """A block of a document: its mark, its language, and what it says."""

    mark: str
    language: str
    text: str

    @property
    def runs(self) -> bool:
        """Whether it is to be run."""
        return self.mark in ("run", "run beside a server")

    @property
    def file(self) -> str:
        """The file that it is written to, if it is."""
        return self.mark.removeprefix("file ") if self.mark.startswith("file ") else ""

    @property
    def excused(self) -> bool:
        """Whether it says why it is not run."""
        return bool(re.fullmatch(r"not run: \S.*", self.mark))


def blocks(document: Path) -> list[Block]:
    """Return the blocks of a document."""
    found = _BLOCK.findall(document.read_text(encoding="utf-8"))
    return [Block(*parts) for parts in found]


def commands(document: Path) -> list[str]:
    """Return every command ``kings ...`` of a document, from its text and its blocks."""
    inline = _INLINE.findall(document.read_text(encoding="utf-8"))
    lines = [
        line.removeprefix("sudo -u kings ").removesuffix(" &")
        for block in blocks(document)
        if block.language == "sh"
        for line in block.text.splitlines()
    ]
    return [*inline, *(line for line in lines if line.startswith("kings "))]


def run(block: Block, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a block with ``home`` as its folder and home directory."""
    around = _BESIDE if block.mark == "run beside a server" else ""
    script = f"set -eu\n{around}{block.text}"
    apart: tuple[str, ...] = ()
    if has_networks():
        apart = ("unshare", "--net", "--map-root-user")
        script = f"ip link set lo up\n{script}"
    return subprocess.run(
        (*apart, "bash", "-c", script),
        cwd=home,
        env={
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "KINGS_LANG": "en",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


def has_networks() -> bool:
    """Say whether a process may have a network of its own here."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return False
    command = ("unshare", "--net", "--map-root-user", "ip", "link", "set", "lo", "up")
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
