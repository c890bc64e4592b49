"""The line at the top (which table, how the connection stands) and the line of keys below."""

from collections.abc import Sequence
from typing import Final

from kings_client.model import Hosting, Linked, LinkState
from kings_client.parts.canvas import Canvas, OnKey, fit, width_of
from kings_client.parts.panel import Row, row_width
from kings_client.style import Look
from kings_client.words.notices import stops_in
from kings_client.words.reasons import reason
from kings_client.words.tongue import tell


def connection(link: LinkState, now: float, look: Look) -> Row:
    """Say how the connection stands, in a symbol and in words."""
    match link.state:
        case Linked.ONLINE if link.stop is not None:
            return (("class:away", f"{look.online} {stops_in(link.stop.at - now)}"),)
        case Linked.ONLINE if link.security is not None and link.security.how == "plain":
            return (("class:away", f"{look.online} {tell('online, not encrypted')}"),)
        case Linked.ONLINE if link.security is not None and link.security.encrypted:
            told = tell("online, encrypted")
            return (("class:good", look.online), ("class:dim", f" {told}"))
        case Linked.ONLINE:
            return (("class:good", look.online), ("class:dim", " " + tell("online")))
        case Linked.CONNECTING:
            return (("class:note", f"{look.offline} {tell('connecting')}"),)
        case Linked.WAITING:
            left = max(0, round((link.retry_at or now) - now))
            return (
                ("class:away", f"{look.offline} {tell('reconnecting in {left} s', left=left)}"),
            )
        case Linked.CLOSED:
            return (("class:bad", f"{look.no} {tell('disconnected')}"),)
    return (("class:dim", f"{look.offline} {tell('offline')}"),)


ADDRESSES: Final = 3
"""Addresses of one's own machine that are told of: it may have many, and most lead nowhere."""


def joins_at(hosting: Hosting | None) -> Row:
    """Return where others join the server that this client started, if it did."""
    return () if hosting is None else tuple(("class:key", one) for one in hosting.addresses[:1])


def trouble(link: LinkState) -> str:
    """Say why there is no connection, where that is known."""
    if link.words:
        return link.words
    return reason(link.reason) if link.reason else ""


_LEAST: Final = 8
"""Columns that a name in the top line is cut to before what follows it is left out."""


def title(left: str, middle: Row, right: Row, width: int, *, after: Sequence[str] = ()) -> Canvas:
    """Draw the top line: what this is, then at the right its state. The right side never yields.

    Args:
        left: what this is; where room is short, it is cut first.
        middle: what stands before the state.
        right: the state.
        width: columns.
        after: what follows ``left``, the most useful first; then the last of it is left out.
    """
    canvas = Canvas(width, 1)
    room = width - row_width(right) - 2
    start = room - row_width(middle) - 2 if middle else room
    follows = [f" · {one}" for one in after]
    while follows and start - 1 - width_of("".join(follows)) < min(width_of(left), _LEAST):
        follows.pop()
    rest = "".join(follows)
    canvas.put(1, 0, fit(left, start - 1 - width_of(rest)) + rest, "class:title")
    x = start + 1
    for style, text in middle:
        x = canvas.put(x, 0, text, style)
    x = room + 1
    for style, text in right:
        x = canvas.put(x, 0, text, style)
    return canvas


ALWAYS: Final = ("?", "q")
"""Keys that are shown wherever they are offered: who finds these finds all others."""


def keys(pairs: Sequence[tuple[str, str, str]], width: int) -> Canvas:
    """Draw a line of keys and what they do; each can be clicked. What does not fit is left out.

    Args:
        pairs: the key to press when clicked (or nothing), how it is shown, what it does (or
            nothing, where the next one tells).
        width: columns.
    """
    canvas = Canvas(width, 1)
    x = 1
    kept = sum(_size(pair) + 2 for pair in pairs if pair[0] in ALWAYS)
    for pair in pairs:
        key, shown, does = pair
        size = _size(pair)
        if key in ALWAYS:
            kept -= size + 2
        if x + size + kept > width:
            continue
        after = canvas.put(x, 0, shown, "class:key")
        if does:
            canvas.put(after + 1, 0, does, "class:dim")
        if key:
            canvas.mark(x, 0, size, 1, OnKey(key))
        x += size + 2
    return canvas


def _size(pair: tuple[str, str, str]) -> int:
    """Return the columns that a key and what it does take."""
    _, shown, does = pair
    return width_of(shown) + (1 + width_of(does) if does else 0)
