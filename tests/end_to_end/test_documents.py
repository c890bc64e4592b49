"""Every command in the documents is one that there is, and those that can be run do what they say.

``documents`` says how blocks are marked.
"""

import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from documents import DOCUMENTS, ROOT, Block, blocks, commands, run
from kings_client.completing import whole_parsers

UNIX = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None, reason="the documents' shell is bash"
)
BY_NAME = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


@BY_NAME
def test_every_block_of_a_shell_says_whether_it_is_run(document: Path) -> None:
    shell = [block for block in blocks(document) if block.language == "sh"]
    assert [one for one in shell if not (one.runs or one.file or one.excused)] == []
    assert document.read_text(encoding="utf-8").count("```") == 2 * len(blocks(document))


@BY_NAME
def test_every_command_is_one_that_there_is(document: Path) -> None:
    for command in commands(document):
        assert understood(command), command


@UNIX
@BY_NAME
def test_what_the_document_runs_succeeds(document: Path, tmp_path: Path) -> None:
    for block in blocks(document):
        if block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        elif block.runs:
            ran = run(block, tmp_path)
            assert ran.returncode == 0, f"{block.text}\n{ran.stdout}\n{ran.stderr}"


def test_every_library_that_is_needed_has_a_reason() -> None:
    """A library that is gone from pyproject.toml goes from docs/architecture.md too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.split(r"[^\w-]", line)[0].lower() for lines in needed for line in lines}
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*?) \|", text.partition("## Dependencies")[2], re.MULTILINE)
    told = {name.lower() for row in rows for name in re.findall(r"[A-Za-z][\w-]+", row)}
    assert told - {"library", "extra", "master", "with"} == names - {project["name"]}


def understood(command: str) -> bool:
    """Say whether the parsers take a command; words in capitals stand for something."""
    parser, commands = whole_parsers()
    words = [_filled(word) for word in shlex.split(command, comments=True)[1:]]
    words = words[: next((at for at, word in enumerate(words) if word in "|>&"), len(words))]
    if words == ["1", "--help"] or (len(words) == 1 and words[0] in commands):
        return True
    try:
        if words[0] in commands:
            _, strays = commands[words[0]].parse_known_args(words[1:])
        else:
            _, strays = parser.parse_known_args(words)
    except SystemExit as end:
        return end.code == 0
    return not strays


def _filled(word: str) -> str:
    return "1" if re.fullmatch(r"[A-Z]+", word) else word


@UNIX
def test_a_block_that_fails_is_seen(tmp_path: Path) -> None:
    assert run(Block("run", "sh", "false\ntrue\n"), tmp_path).returncode != 0
    assert run(Block("run", "sh", "kings verify none.json\n"), tmp_path).returncode == 4
    beside = Block("run beside a server", "sh", "kings admin list\n")
    ran = run(beside, tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert run(Block("run", "sh", "kings admin list\n"), tmp_path).returncode == 1


def test_a_command_that_does_not_exist_is_seen() -> None:
    assert understood("kings serve --port 26480")
    assert not understood("kings serve --prot 26480")
    assert not understood("kings dance")
    assert not understood("kings admin dance")
