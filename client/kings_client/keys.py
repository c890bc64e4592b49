"""Which keys of the keyboard are which keys of the screens.

The screens know keys by short names and single characters; here they are bound to what a terminal
sends. A key means the same whatever alphabet the keyboard is set to.
"""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys

_NAMED: Final[Mapping[Keys | str, str]] = {
    Keys.Left: "left",
    Keys.Right: "right",
    Keys.Up: "up",
    Keys.Down: "down",
    Keys.ShiftLeft: "s-left",
    Keys.ShiftRight: "s-right",
    Keys.ControlLeft: "s-left",
    Keys.ControlRight: "s-right",
    Keys.Home: "home",
    Keys.End: "end",
    Keys.PageUp: "pageup",
    Keys.PageDown: "pagedown",
    Keys.Tab: "tab",
    Keys.BackTab: "s-tab",
    Keys.Enter: "enter",
    Keys.ControlJ: "enter",
    Keys.Escape: "escape",
    Keys.Backspace: "backspace",
    Keys.Delete: "delete",
    Keys.ControlC: "c-c",
    # An interrupt from outside reaches prompt_toolkit as a key of its own.
    Keys.SIGINT: "c-c",
}

_RUSSIAN: Final = str.maketrans(
    dict(zip("йцукенгшщзфывапролдячсмить.", "qwertyuiopasdfghjklzxcvbnm/", strict=True))
)
"""The letters of a Russian keyboard by the Latin ones on the same keys."""


class Pressed(Protocol):
    """What takes keys: the application."""

    def press(self, key: str) -> None:
        """Take one key."""

    def suspend(self) -> None:
        """Give the terminal back to the shell until the program is continued."""

    def writes(self) -> bool:
        """Say whether characters go into a line of text now."""


def make_bindings(pressed: Pressed) -> KeyBindings:
    """Return the bindings that hand every key to ``pressed``."""
    bindings = KeyBindings()
    for key, name in _NAMED.items():
        bindings.add(key)(_handler(pressed, name))

    @bindings.add(Keys.ControlZ)
    def _suspend(_: KeyPressEvent) -> None:
        pressed.suspend()

    @bindings.add(Keys.Any)
    def _character(event: KeyPressEvent) -> None:
        if len(event.data) == 1 and event.data.isprintable():
            pressed.press(event.data if pressed.writes() else command(event.data))

    @bindings.add(Keys.BracketedPaste)
    def _paste(event: KeyPressEvent) -> None:
        if pressed.writes():
            for character in " ".join(event.data.split()):
                pressed.press(character)

    return bindings


def command(character: str) -> str:
    """Return the key that a character stands for where nothing is being written."""
    return character.lower().translate(_RUSSIAN)


def _handler(pressed: Pressed, name: str) -> Callable[[KeyPressEvent], None]:
    def handle(_: KeyPressEvent) -> None:
        pressed.press(name)

    return handle
