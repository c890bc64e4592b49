"""The list of the servers on the network, as a part of the welcome screen."""

from typing import Final

from kings_client.parts.canvas import Canvas, OnServer, fit, pad, width_of, wrap
from kings_client.parts.panel import frame
from kings_client.search import Found, Search
from kings_client.style import Look
from kings_client.words.servers import answer, none_yet, notes, title
from kings_client.words.tongue import tell

_WIDE: Final = 62
"""Columns from which everything is told of a server."""

_PEOPLE: Final = 8
_TABLES: Final = 8
_ANSWER: Final = 11
_NOTES: Final = 20
"""Columns of each part of a line; the name has the rest."""


def draw_servers(
    search: Search, width: int, height: int, chosen: Found | None, look: Look
) -> Canvas:
    """Draw the list, with ``chosen`` under the cursor and in sight."""
    servers = search.servers
    count = f"{len(servers)}" if servers else ""
    box = frame(width, height, tell("on your network"), look, count)
    inner, room = width - 2, height - 3
    if not servers:
        for y, line in enumerate(wrap(none_yet(search), inner - 2)[: height - 2], 1):
            box.put(2, y, line, "class:dim")
        return box
    heads = (tell("server"), tell("people"), tell("tables"), tell("answer"), "")
    box.put(1, 1, _columns(*heads, inner), "class:label")
    first = 0 if chosen is None else max(servers.index(chosen) - room + 1, 0)
    for y, found in enumerate(servers[first : first + room], 2):
        style = "class:row" if found is chosen else "class:dim" if found.silent else ""
        box.put(1, y, pad(_line(found, inner), inner), style)
        box.mark(1, y, inner, 1, OnServer(found.number))
    return box


def _line(found: Found, width: int) -> str:
    parts = (title(found), str(found.people), str(found.tables), answer(found), notes(found))
    return _columns(*parts, width)


def _columns(name: str, people: str, tables: str, how: str, more: str, width: int) -> str:
    """Lay out a line; where there is not room for everything, what hinders one goes before."""
    if width < _WIDE:
        left = width - _PEOPLE - _ANSWER - 3
        return " ".join((pad(f" {name}", left), _right(people, _PEOPLE), fit(more or how, _ANSWER)))
    left = width - _PEOPLE - _TABLES - _ANSWER - _NOTES - 5
    numbers = (_right(people, _PEOPLE), _right(tables, _TABLES), _right(how, _ANSWER))
    return " ".join((pad(f" {name}", left), *numbers, "", fit(more, _NOTES)))


def _right(text: str, width: int) -> str:
    text = fit(text, width)
    return " " * (width - width_of(text)) + text
