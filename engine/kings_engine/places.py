"""The nine places of the table: four sides, four corners, and the stock in the middle.

Sides and corners are numbered clockwise, sides first. The stock is no place to play to, and has no
number.
"""

from typing import Final, TypeAlias

Place: TypeAlias = int

PLACES: Final = ("N", "E", "S", "W", "NE", "SE", "SW", "NW")
PLACE_COUNT: Final = 8
SIDES: Final[tuple[Place, ...]] = (0, 1, 2, 3)
CORNERS: Final[tuple[Place, ...]] = (4, 5, 6, 7)


def is_corner(place: Place) -> bool:
    """Say whether the place is a corner (NE, SE, SW or NW)."""
    return place >= 4


def place_str(place: Place) -> str:
    """Return the place's name: a compass point."""
    return PLACES[place]


def parse_place(text: str) -> Place:
    """Return the place that ``text`` names; case does not matter.

    Raises:
        ValueError: ``text`` names no place.
    """
    name = text.strip().upper()
    if name not in PLACES:
        raise ValueError(f"{text!r} is not a place: write one of {', '.join(PLACES)}")
    return PLACES.index(name)
