"""The closed set of actions, and their text form.

A seat may play a card, move a pile, play from the open stock and end its turn. The table alone may
cut for the dealer, begin a deal, time a seat out, forfeit a seat and abandon the match. The text
form (``play 9H N``, ``move N SW``, ``stock NE``, ``end``, …) is what records hold.
"""

from typing import Final, TypeAlias

from attrs import frozen

from kings_engine.cards import Card, card_str, parse_card
from kings_engine.places import Place, parse_place, place_str
from kings_engine.sources import Secret, Source, parse_secret, parse_source

TABLE: Final = -1
"""The actor of the table's own actions, where a seat's number would stand."""


@frozen
class Play:
    """Play ``card`` of one's hand to ``place``."""

    card: Card
    place: Place

    def __str__(self) -> str:
        return f"play {card_str(self.card)} {place_str(self.place)}"


@frozen
class Move:
    """Move the whole pile at ``source`` to ``place``."""

    source: Place
    place: Place

    def __str__(self) -> str:
        return f"move {place_str(self.source)} {place_str(self.place)}"


@frozen
class PlayStock:
    """Play the top card of the open stock to ``place`` (003)."""

    place: Place

    def __str__(self) -> str:
        return f"stock {place_str(self.place)}"


@frozen
class EndTurn:
    """End one's turn; the draw, if the rules have one here, follows by itself."""

    def __str__(self) -> str:
        return "end"


@frozen
class Cut:
    """Decide the first dealer by a cut or a lot, from a secret of its own."""

    secret: Secret

    def __str__(self) -> str:
        return f"cut {self.secret}"


@frozen
class BeginDeal:
    """Shuffle and deal."""

    source: Source

    def __str__(self) -> str:
        return f"deal {self.source}"


@frozen
class Timeout:
    """End the turn of the seat on turn, for the clock or for a player who is gone."""

    def __str__(self) -> str:
        return "timeout"


@frozen
class Forfeit:
    """Take ``seat`` out of this and all later deals."""

    seat: int

    def __str__(self) -> str:
        return f"forfeit {self.seat}"


@frozen
class Abandon:
    """End the match without a result; what is hidden may then be published."""

    def __str__(self) -> str:
        return "abandon"


SeatAction: TypeAlias = Play | Move | PlayStock | EndTurn
TableAction: TypeAlias = Cut | BeginDeal | Timeout | Forfeit | Abandon
Action: TypeAlias = SeatAction | TableAction


def parse_action(text: str) -> Action:
    """Return the action that ``text`` describes; the inverse of ``str``.

    Raises:
        ValueError: ``text`` describes no action.
    """
    match text.split():
        case ["play", card, place]:
            return Play(parse_card(card), parse_place(place))
        case ["move", source, place]:
            return Move(parse_place(source), parse_place(place))
        case ["stock", place]:
            return PlayStock(parse_place(place))
        case ["end"]:
            return EndTurn()
        case ["cut", *secret]:
            return Cut(parse_secret(secret))
        case ["deal", *source]:
            return BeginDeal(parse_source(source))
        case ["timeout"]:
            return Timeout()
        case ["forfeit", seat]:
            return Forfeit(int(seat))
        case ["abandon"]:
            return Abandon()
    raise ValueError(f"{text!r} is not an action")
