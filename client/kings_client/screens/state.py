"""What the screen itself remembers: cursors, half-written lines, what lies over the picture.

None of it is the server's business, and none of it is lost when the connection is.
"""

from collections.abc import Callable
from math import inf
from typing import Any, Literal, TypeAlias

from attrs import evolve, field, frozen

from kings_client.intents import Intent
from kings_client.model import Model
from kings_client.parts.canvas import Canvas, Spot
from kings_client.screens.after import AfterUi
from kings_client.screens.draft import Draft
from kings_client.screens.selection import Selection
from kings_client.settings import Settings
from kings_client.style import UNICODE, Look

Overlay: TypeAlias = Literal["help", "sheet", "quit", "settings", "rules", "people", "fair"]
"""What lies over the picture until it is put away."""


FormKind: TypeAlias = Literal[
    "play", "host", "join", "make", "join_locked", "watch_locked", "accept", "enter"
]
"""The forms."""


@frozen
class Form:
    """A form being filled in.

    Attributes:
        kind: which one.
        fields: what was written or chosen so far, by field.
        row: the field that the cursor is on.
        about: the table that it is about, where it is about one.
    """

    kind: FormKind
    fields: dict[str, Draft] = field(factory=dict)
    row: int = 0
    about: str = ""


@frozen
class Ui:
    """The screen's own state.

    Attributes:
        look: the symbols in use.
        settings: what the person has set; the program keeps them when they change.
        plain: whether the terminal shows nothing but ASCII.
        colourless: whether the terminal shows no colours.
        selection: what is under the cursor and picked up in the game.
        overlay: what lies over the picture.
        line: the line of chat being written.
        form: the form being filled in.
        row: the cursor in a list or menu.
        server: the server on the network that the cursor is on.
        note: what the status line answers to the last key, until something changes.
        meanwhile: what the others did while somebody else had the keyboard, in ways that are
            shorter and shorter, until something changes.
        dismissed: the reply whose refusal has been read: a key was pressed since.
        table_shown: the last table is looked at instead of the end of its deal.
        setting: the setting that the cursor is on.
        person: the seat that the cursor is on in the list of people.
        told_at: when the server was last told that a key was pressed.
        scrolled: lines of a long page that lie above its window.
        after: the place in the finished matches.
        typed: the address that was typed last.
    """

    look: Look = UNICODE
    settings: Settings = field(factory=Settings)
    plain: bool = False
    colourless: bool = False
    selection: Selection = field(factory=Selection)
    overlay: Overlay | None = None
    line: Draft | None = None
    form: Form | None = None
    row: int = 0
    server: int | None = None
    note: str = ""
    meanwhile: tuple[str, ...] = ()
    dismissed: str = ""
    table_shown: bool = False
    setting: int = 0
    person: int = 0
    told_at: float = -inf
    scrolled: int = 0
    after: AfterUi = field(factory=AfterUi)
    typed: str = ""


@frozen
class Scene:
    """All that a picture is made of: the model, the screen's state, the size, and the time."""

    model: Model
    ui: Ui
    width: int
    height: int
    now: float

    def to(self, *intents: Intent, **changes: Any) -> "Step":
        """Return a step to a changed state of the screen, with what is asked for."""
        return Step(evolve(self.ui, **changes), intents)

    def say(self, note: str) -> "Step":
        """Return a step that only answers in the status line."""
        return self.to(note=note)


@frozen
class Step:
    """What a key or a click leads to: the screen's next state, and what is asked for."""

    ui: Ui
    intents: tuple[Intent, ...] = ()


@frozen
class Screen:
    """One screen: its picture, and what keys and clicks mean on it."""

    draw: Callable[[Scene], Canvas]
    press: Callable[[Scene, str], Step]
    click: Callable[[Scene, Spot], Step]
