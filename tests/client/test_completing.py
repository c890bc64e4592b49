"""What a shell and a manual know of the commands: all of them, and all their options."""

import shutil
import subprocess

import pytest
import shtab

from kings_client.completing import completion, whole_parsers
from kings_client.options import SHELLS
from manual import PAGE, manual

BASH = shutil.which("bash")


def completed(*words: str) -> set[str]:
    """Return what bash offers for the last of ``words``."""
    script = completion("bash") + (
        f"\nCOMP_WORDS=({' '.join(map(repr, words))}); COMP_CWORD={len(words) - 1}\n"
        f"COMP_LINE={' '.join(words)!r}; _shtab_kings kings {words[-1]!r} {words[-2]!r}\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    assert BASH is not None
    done = subprocess.run(
        [BASH, "--norc"], input=script, capture_output=True, text=True, check=True, timeout=30
    )
    return set(done.stdout.split())


def test_the_shells_are_those_that_the_library_knows() -> None:
    assert set(SHELLS) <= set(shtab.SUPPORTED_SHELLS)
    assert all(completion(shell) for shell in SHELLS)


@pytest.mark.skipif(BASH is None, reason="there is no bash here")
def test_bash_completes_commands_and_options_of_both_packages() -> None:
    assert completed("kings", "p") == {"play"}
    assert completed("kings", "se") == {"serve"}
    assert completed("kings", "play", "--hand") == {"--hand-size"}
    assert completed("kings", "serve", "--po") == {"--port"}
    assert completed("kings", "completion", "b") == {"bash"}


def test_the_manual_is_that_of_the_commands_as_they_are() -> None:
    """Run tests/manual.py where this fails: a command or an option has changed."""
    assert PAGE.read_text(encoding="utf-8") == manual()


def test_the_manual_tells_every_command_and_option() -> None:
    page = PAGE.read_text(encoding="utf-8").replace("\\-", "-")
    _, commands = whole_parsers()
    for name, parser in commands.items():
        assert f"kings {name}" in page
        for action in parser._actions:
            if action.help != "==SUPPRESS==":
                assert all(text in page for text in action.option_strings if text != "-h")
