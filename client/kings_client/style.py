"""How things look: the symbols that are drawn, and the colours of the style classes.

A theme is one mapping of class names; a look is one set of symbols. Colour never carries a meaning
alone: whatever a class says is also said by a symbol, a frame or a word.
"""

from collections.abc import Mapping
from typing import Final

from attrs import frozen

from kings_engine.cards import RANKS, Card, is_red


@frozen
class Look:
    """The symbols of the screen.

    Attributes:
        suits: in the engine's order, spades, hearts, clubs, diamonds.
        frame: corners and edges of a box: ╭ ╮ ╰ ╯ ─ │.
        chosen: the same for what the cursor is on.
        picked: the same for what was picked up.
        hollow: the same for an empty place.
        back: what fills the back of a card.
        playable: the mark of what can be played or moved.
        target: the mark of a place that takes what is picked.
        turn: stands before the player on turn.
        online: the connection works.
        offline: it does not, or a player is away.
        yes: a proved deal, a player who is ready.
        no: a deal whose proof failed.
        arrow: stands between what was moved and where to.
    """

    suits: str
    frame: str
    chosen: str
    picked: str
    hollow: str
    back: str
    playable: str
    target: str
    turn: str
    online: str
    offline: str
    yes: str
    no: str
    arrow: str

    def card(self, card: Card) -> str:
        """Return a card's short name: ``K♠``, ``10♥``."""
        rank = RANKS[card >> 2]
        return ("10" if rank == "T" else rank) + self.suits[card & 3]


UNICODE: Final = Look(
    suits="♠♥♣♦",
    frame="╭╮╰╯─│",
    chosen="┏┓┗┛━┃",
    picked="╔╗╚╝═║",
    hollow="╭╮╰╯╌╎",
    back="▒",
    playable="*",
    target="◦",
    turn="▸",
    online="●",
    offline="◌",
    yes="✓",
    no="✗",
    arrow="→",
)

ASCII: Final = Look(
    suits="shcd",
    frame="++++-|",
    chosen="####=#",
    picked="@@@@=@",
    hollow="....  ",
    back="/",
    playable="*",
    target="o",
    turn=">",
    online="*",
    offline="o",
    yes="+",
    no="x",
    arrow=">",
)

PLAIN: Final = str.maketrans({"×": "x", "·": "-", "…": "~", "←": "<", "→": ">", "↑": "^", "↓": "v"})
"""What stands for the few other symbols in the texts, where only ASCII can be shown."""

DARK: Final[Mapping[str, str]] = {
    "face": "bg:#eeeee6",
    "red": "#c00018 bold",
    "black": "#101018 bold",
    "back": "#4f6f9f",
    "edge": "#8a8a8a",
    "hollow": "#6c6c6c",
    "playable": "#5fafff bold",
    "target": "#5fd75f bold",
    "chosen": "#ffd75f bold",
    "label": "#9a9a9a",
    "name": "#d0d0d0",
    "panel": "#6c6c6c",
    "title": "bold",
    "turn": "#ffd75f bold",
    "away": "#d7875f",
    "good": "#5fd75f",
    "bad": "#ff5f5f bold",
    "dim": "#8a8a8a",
    "fresh": "bold",
    "suit.red": "#ff6f6f bold",
    "suit.black": "bold",
    "note": "#ffd75f",
    "key": "#5fafff bold",
    "button": "reverse",
    "button.off": "#6c6c6c",
    "row": "reverse",
    "field": "underline",
    "heading": "#ffd75f bold",
}
"""Class names and their colours on a dark terminal; the background is the terminal's own."""


def ink(card: Card) -> str:
    """Return the style class of a card's name in running text."""
    return "class:suit.red" if is_red(card) else "class:suit.black"
