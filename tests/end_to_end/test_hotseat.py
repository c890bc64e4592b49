"""Two people at one keyboard of a real terminal: whole matches, and no frame with both hands."""

import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from serving import serving
from terminal import Terminal, kings

CARD = re.compile(r"(?:10|[2-9AJQK])[♠♥♣♦]")
MARKED = re.compile(r"[╰┗╚][─━═]\*[─━═][╯┛╝]")
COVER = "Pass the keyboard to (Ann|Ben)"
TURN = r"D  (Draw|End|Pass)"
OVER = r"wins? the match|share the win|match is a draw"
NAMES, FEET = 20, 21
"""The rows of the hand in a window of 80 columns and 24 rows: its cards' names and lower edges."""


class Table:
    """Two people before one terminal, who look at every picture that is drawn."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.at = ""
        self.hands: dict[str, set[str]] = {"Ann": set(), "Ben": set()}
        self.covers = 0
        read = terminal.read
        terminal.read = lambda patience=0.5: self._looked(read(patience))  # type: ignore[method-assign]

    def _looked(self, written: bool) -> bool:
        text = self.terminal.text
        cards = set(CARD.findall(self.terminal.lines[NAMES]))
        owners = [name for name, hand in self.hands.items() if cards & hand]
        assert len(owners) < 2, text
        if owners and self.at and "in all" not in text:
            assert owners == [self.at], text
        return written

    def lift(self) -> None:
        """Take the keyboard as the one whom the cover names."""
        found = re.search(COVER, self.terminal.text)
        assert found is not None
        assert not CARD.search(self.terminal.lines[NAMES])
        self.covers += 1
        self.at = found[1]
        self.press_until("enter", lambda text: "Pass the keyboard" not in text)

    def press_until(self, key: str, seen: Callable[[str], object]) -> str:
        """Press a key again and again until it is taken: one that comes too soon is not."""

        def look(text: str) -> object:
            done = seen(text)
            if not done:
                self.terminal.press(key)
            return done

        return self.terminal.until(look)

    def play(self) -> None:
        """Play a marked card, or end the turn."""
        lines = self.terminal.lines
        self.hands[self.at] = set(CARD.findall(lines[NAMES]))
        before = self.terminal.text
        if MARKED.search(lines[FEET]):
            self.terminal.press("n", "enter")
            self.terminal.until("Esc put back")
            self.terminal.press("enter")
            self.terminal.until(lambda text: text != before and "put back" not in text)
        else:
            self.terminal.press("d")
            asked = "This ends the deal."
            if asked in self.terminal.until(
                lambda text: asked in text or not re.search(TURN, text)
            ):
                self.terminal.press("d")
                self.terminal.until(lambda text: asked not in text)

    def play_on(self, until: str) -> str:
        """Play until the picture shows ``until``."""
        while True:
            text = self.terminal.until(f"{COVER}|{TURN}|Next deal |{until}")
            if re.search(until, text):
                return text
            if "Pass the keyboard" in text:
                self.lift()
            elif "Next deal " in text:
                self.at = ""
                self.hands = {"Ann": set(), "Ben": set()}
                self.press_until("enter", lambda text: "Next deal " not in text)
            else:
                self.play()


def test_two_people_play_a_match_and_no_frame_shows_both_hands(tmp_path: Path) -> None:
    # A deal is soon over so: each cover takes half a second.
    short = ("--hand-size", "5", "--draw-count", "2", "--stock-empty", "ends_deal")
    rules = (*short, "--match", "deals", "--deals", "2")
    with kings("play", "--people", "Ann,Ben", *rules, state=tmp_path, limit=240) as terminal:
        table = Table(terminal)
        terminal.until(COVER)
        table.lift()
        terminal.until(TURN)
        # A new size draws everything anew, and never more than before.
        terminal.resize(100, 30)
        terminal.until(TURN)
        terminal.resize(80, 24)
        terminal.until(TURN)
        text = table.play_on(OVER)
        assert re.search(r"Ann|Ben|draw", text)
        assert table.covers >= 2
        terminal.press("q")
        terminal.until("Quit the game")
        terminal.press("enter")
        assert terminal.ended() == 0
    assert len(list((tmp_path / "matches").glob("*.json"))) == 1


def test_a_terminal_killed_under_the_cover_comes_back_under_the_cover(tmp_path: Path) -> None:
    with serving(encrypted=True) as den:
        join = ("join", "--people", "Ann,Ben", "--no-discovery")
        with kings(*join, state=tmp_path) as terminal:
            terminal.until("At this keyboard: Ann and Ben")
            terminal.press("j")
            terminal.until("join a server")
            terminal.press(*f"127.0.0.1:{den.port}", "enter")
            terminal.until("No table yet")
            terminal.press("n")
            terminal.until("make a table")
            terminal.press("down", "left", "left", "enter")
            terminal.until("Everybody is here")
            terminal.press("enter")
            terminal.until(COVER)
            Table(terminal).lift()
            terminal.until(TURN)
            terminal.press("d")
            text = terminal.until(COVER)
            due = re.search(COVER, text)
            terminal.child.kill(signal.SIGKILL)
            assert terminal.ended() == -signal.SIGKILL
        with kings(*join, state=tmp_path) as terminal:
            terminal.until("1 .*127.0.0.1")
            terminal.press("1")
            terminal.until("your seat")
            terminal.press("enter")
            text = terminal.until(COVER)
            again = re.search(COVER, text)
            assert due is not None
            assert again is not None
            assert again[1] == due[1]
            table = Table(terminal)
            assert not CARD.search(terminal.lines[NAMES])
            table.lift()
            terminal.until(TURN)
            table.play()


@pytest.mark.parametrize("command", [("play",), ("join", "localhost")])
def test_lines_are_for_one_person(command: tuple[str, ...], tmp_path: Path) -> None:
    with kings(*command, "--people", "2", "--plain", state=tmp_path) as terminal:
        assert terminal.ended() == 2
        assert "the line mode is for one person" in terminal.text
