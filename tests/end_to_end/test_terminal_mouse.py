"""The mouse with its button down, settings that outlast the program, and hints, at a terminal."""

import operator
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from terminal import Terminal, kings

GAME = ("play", "--bots", "easy", "--pace", "0", "--name", "Ann")
HEADS, NAMES, FEET = 19, 20, 21
"""The rows of the hand in a window of 80 columns and 24 rows."""


def names(text: str) -> list[str]:
    """Return the names of the cards in the hand, from left to right."""
    return re.findall(r"[│┃║]\s*(10|[2-9AJQK])[♠♥♣♦shcd]", text.split("\n")[NAMES])


def lefts(text: str) -> list[int]:
    """Return the columns of the cards in the hand."""
    return [at for at, head in enumerate(text.split("\n")[HEADS]) if head in "╭┏╔"]


def a_playable_card(terminal: Terminal) -> int:
    """End turns until a card can be played; return its column."""
    while True:
        text = terminal.until("Your turn:|Next deal ")
        found = re.search(r"[╰┗][─━]\*", text.split("\n")[FEET])
        if found is not None and "Your turn:" in text:
            return found.start() + 2
        terminal.press("d" if "Your turn:" in text else "enter")
        terminal.until(partial(operator.ne, text))


def test_a_card_is_dragged_to_its_place_and_played(tmp_path: Path) -> None:
    with kings(*GAME, state=tmp_path) as terminal:
        x = a_playable_card(terminal)
        terminal.hold(x, NAMES)
        aimed = terminal.until("Esc put back").split("\n")
        y, at = next((y, row.index("◦")) for y, row in enumerate(aimed) if "◦" in row)
        for step in range(1, 6):
            terminal.carry(x + (at - x) * step // 5, NAMES + (y - 1 - NAMES) * step // 5)
        terminal.let_go(at, y - 1)
        terminal.until(r"You +\S+ → ")
        terminal.until(lambda now: "put back" not in now)


def test_a_picked_card_can_be_dragged_and_a_second_click_puts_it_back(tmp_path: Path) -> None:
    with kings(*GAME, state=tmp_path) as terminal:
        x = a_playable_card(terminal)
        terminal.click(x, NAMES)
        terminal.until("Esc put back")
        terminal.click(x, NAMES)
        terminal.until(lambda now: "put back" not in now)
        terminal.click(x, NAMES)
        aimed = terminal.until("Esc put back").split("\n")
        y, at = next((y, row.index("◦")) for y, row in enumerate(aimed) if "◦" in row)
        terminal.hold(x, NAMES - 1)
        terminal.carry(at, y - 1)
        terminal.let_go(at, y - 1)
        terminal.until(r"You +\S+ → ")


def test_a_hand_is_laid_anew_by_the_mouse_and_by_keys(tmp_path: Path) -> None:
    with kings(*GAME, state=tmp_path) as terminal:
        before = terminal.until("Your turn:")
        first, second, third, *rest = names(before)
        columns = lefts(before)
        terminal.hold(columns[0] + 1, NAMES)
        terminal.carry(columns[1] + 1, NAMES)
        terminal.carry(columns[2] + 1, NAMES)
        terminal.let_go(columns[2] + 1, NAMES)
        terminal.until(lambda now: names(now) == [second, third, first, *rest])
        terminal.press("s-right")
        terminal.until(lambda now: names(now) == [second, third, rest[0], first, *rest[1:]])
        terminal.press("a")
        terminal.until(lambda now: names(now) == names(before))


def test_a_connection_lost_in_the_middle_of_a_drag(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kings_server", "serve", "--no-data", "--host", "127.0.0.1"]
    with subprocess.Popen(
        [*command, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            found = re.search(r":(\d+)", server.stdout.readline())
            assert found is not None
            with kings("join", f"127.0.0.1:{found.group(1)}", state=tmp_path) as terminal:
                terminal.until("No table yet")
                terminal.press("n")
                terminal.until("make a table")
                terminal.press("down", "left", "left", "down", "right", "enter")
                x = a_playable_card(terminal)
                before = terminal.text
                terminal.hold(x, NAMES)
                terminal.until("Esc put back")
                server.kill()
                terminal.until(r"reconnecting in \d+ s")
                terminal.carry(40, 8)
                terminal.let_go(40, 8)
                terminal.until("No connection")
                terminal.press("escape")
                terminal.until(lambda now: names(now) == names(before))
                terminal.press("q", "enter")
                assert terminal.ended() == 0
                assert terminal.restored
        finally:
            server.kill()


def test_settings_hold_at_once_and_when_the_program_starts_again(tmp_path: Path) -> None:
    with kings(state=tmp_path) as terminal:
        terminal.until("Play against the computer")
        assert "K♠" in terminal.text
        terminal.press("o")
        terminal.until("suits are shown as")
        terminal.press("down", "down", "right", "escape")
        terminal.until("Ks")
        terminal.press("q")
        assert terminal.ended() == 0
    with kings(state=tmp_path) as terminal:
        terminal.until("Ks")
        terminal.press("q")
        assert terminal.ended() == 0


@pytest.mark.parametrize(
    ("environment", "allowed"),
    [
        ({"NO_COLOR": "1"}, rb"[014578]|2[24578]|"),
        ({"TERM": "linux"}, rb"[014578]|2[24578]|[34][0-79]|"),
        ({"COLORTERM": "truecolor"}, rb"[014578]|2[24578]|[34]8;2;\d+;\d+;\d+|[34]9|"),
    ],
)
def test_no_colours_are_sent_that_the_terminal_does_not_have(
    tmp_path: Path, environment: dict[str, str], allowed: bytes
) -> None:
    with kings(*GAME, state=tmp_path, environment=environment) as terminal:
        terminal.until("Your turn:")
        terminal.press("q", "enter")
        assert terminal.ended() == 0
        sent = set(re.findall(rb"\x1b\[([\d;]*)m", bytes(terminal.raw)))
        assert sent
        one = re.compile(rb"(0;)?(" + allowed + rb")(;(" + allowed + rb"))*")
        assert [codes for codes in sent if not one.fullmatch(codes)] == []


def test_a_damaged_file_of_settings_is_told_and_keeps_nobody_out(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes(b"\xff\x00[")
    with kings(state=tmp_path) as terminal:
        terminal.until("settings.toml is damaged")
        terminal.press("q")
        assert terminal.ended() == 0


def test_a_hint_points_at_what_can_be_done(tmp_path: Path) -> None:
    with kings(*GAME, state=tmp_path) as terminal:
        a_playable_card(terminal)
        terminal.press("h")
        terminal.until("Hint: ")
