"""A player at a real terminal: whole matches that are played by looking at the screen alone."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from terminal import Terminal, kings

PLAYABLE = re.compile(r"[╰┗╚][─━═]([*─━═])[─━═][╯┛╝]")
BOT_TABLE = ("--bots", "easy", "--pace", "0", "--name", "Ann")
HAND = slice(19, 22)
"""The rows of the hand in a window of 80 columns and 24 rows."""


def hand(text: str) -> tuple[list[int], int]:
    """Return which cards of the hand are marked, and which is under the cursor."""
    rows = text.split("\n")[HAND]
    feet = PLAYABLE.findall(rows[2])
    heads = [head for head in rows[0].replace(" ", "") if head in "╭┏╔"]
    marked = [at for at, mark in enumerate(feet) if mark == "*"]
    return marked, heads.index("┏") if "┏" in heads else -1


def play_by_keys(terminal: Terminal, text: str) -> None:
    """Play the marked card next to the cursor, else move a pile, else end the turn."""
    marked, cursor = hand(text)
    if marked and cursor >= 0:
        nearest = min(marked, key=lambda at: abs(at - cursor))
        terminal.press(*["right" if nearest > cursor else "left"] * abs(nearest - cursor))
        terminal.press("enter")
        terminal.until("Esc put back")
        terminal.press("enter")
    elif "can move" in text:
        terminal.press("tab", "enter")
        terminal.until("Esc put back")
        terminal.press("enter")
    else:
        terminal.press("d")


def play_by_mouse(terminal: Terminal, text: str) -> None:
    """Click a marked card and a place that takes it, else the button that ends the turn."""
    rows = text.split("\n")
    starts = [found.start() for found in PLAYABLE.finditer(rows[21]) if found.group(1) == "*"]
    if not starts:
        terminal.click(rows[22].index("D  ") + 2, 22)
        return
    terminal.click(starts[0] + 1, 20)
    aimed = terminal.until("Esc put back").split("\n")
    y, x = next((y, row.index("◦")) for y, row in enumerate(aimed) if "◦" in row)
    terminal.click(x, y - 1)


def moved_on(before: str, now: str) -> bool:
    """Say whether the picture is another one, with nothing in hand."""
    return now != before and "put back" not in now


def whole_match(
    terminal: Terminal, play: Callable[[Terminal, str], None], ready: Callable[[Terminal], None]
) -> str:
    """Play until the match is over, whatever comes; return the last picture."""
    while True:
        text = terminal.until("Your turn:|Next deal |Rematch ")
        if "Rematch" in text:
            return text
        if "Your turn:" in text:
            play(terminal, text)
        else:
            ready(terminal)
        terminal.until(partial(moved_on, text))


def test_a_match_is_played_by_the_keyboard(tmp_path: Path) -> None:
    with kings("play", *BOT_TABLE, "--points", "5", state=tmp_path) as terminal:
        text = whole_match(terminal, play_by_keys, lambda at: at.press("enter"))
        assert re.search(r"(You win|easy wins) the match", text)
        sums = re.search(r"sum +(\d+) +(\d+)", text)
        assert sums is not None
        assert max(map(int, sums.groups())) >= 5
        terminal.press("q")
        terminal.until("Quit the game")
        terminal.press("enter")
        assert terminal.ended() == 0
        assert terminal.restored


def test_a_match_is_played_by_the_mouse_alone(tmp_path: Path) -> None:
    with kings("play", *BOT_TABLE, "--match", "one_deal", state=tmp_path) as terminal:

        def ready(at: Terminal) -> None:
            at.click(at.lines[22].index("Next deal"), 22)

        text = whole_match(terminal, play_by_mouse, ready)
        assert re.search(r"You win|easy wins|draw", text)
        terminal.click(terminal.lines[23].index("Q quit"), 23)
        terminal.until("Quit the game")
        y = next(y for y, row in enumerate(terminal.lines) if "Enter  Quit" in row)
        terminal.click(terminal.lines[y].index("Enter  Quit"), y)
        assert terminal.ended() == 0
