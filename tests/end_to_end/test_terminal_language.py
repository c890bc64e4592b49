"""A game in Russian in a real terminal: chosen in the settings, kept, and played by its letters."""

import re
from pathlib import Path

from terminal import kings

GAME = ("play", "--bots", "easy", "--pace", "0", "--name", "Маша")


def test_a_language_set_during_the_game_holds_at_once_and_the_next_time(tmp_path: Path) -> None:
    with kings(*GAME, state=tmp_path) as terminal:
        terminal.until("Your turn:")
        terminal.press("o")
        terminal.until("settings")
        terminal.press("up")
        terminal.until("language")
        terminal.press("left")
        terminal.until("Русский")
        terminal.press("escape")
        terminal.until("Ваш ход")
        terminal.press("q")
        terminal.until(re.escape("Выйти из игры?"))
        terminal.press("enter")
        assert terminal.ended() == 0
    with kings(*GAME, state=tmp_path) as terminal:
        terminal.until("Ваш ход|Вас ждёт партия")


def test_keys_work_on_a_russian_keyboard(tmp_path: Path) -> None:
    with kings(*GAME, state=tmp_path) as terminal:
        terminal.until("Your turn:")
        terminal.press("щ")
        terminal.until("settings")
