"""Numbers with their nouns: one card, three cards, and as many forms as a language has."""

from kings_client.words.tongue import tell_some


def cards(count: int) -> str:
    """Return a number of cards."""
    return tell_some("{count} card", "{count} cards", count)


def piles(count: int) -> str:
    """Return a number of piles."""
    return tell_some("{count} pile", "{count} piles", count)


def points(count: int) -> str:
    """Return a number of points."""
    return tell_some("{count} point", "{count} points", count)


def seconds(count: int) -> str:
    """Return a number of seconds, as a time that passes."""
    return tell_some("{count} second", "{count} seconds", count)


def bots(count: int) -> str:
    """Return a number of bots."""
    return tell_some("{count} bot", "{count} bots", count)


def tables(count: int) -> str:
    """Return a number of tables."""
    return tell_some("{count} table", "{count} tables", count)


def spectators(count: int) -> str:
    """Return a number of spectators."""
    return tell_some("{count} spectator", "{count} spectators", count)


def deals(count: int) -> str:
    """Return a number of deals."""
    return tell_some("{count} deal", "{count} deals", count)


def players(count: int) -> str:
    """Return a number of players."""
    return tell_some("{count} player", "{count} players", count)


def files(count: int) -> str:
    """Return a number of files."""
    return tell_some("{count} file", "{count} files", count)


def matches(count: int) -> str:
    """Return a number of matches."""
    return tell_some("{count} match", "{count} matches", count)


def servers(count: int) -> str:
    """Return a number of servers."""
    return tell_some("{count} server", "{count} servers", count)


def people(count: int) -> str:
    """Return a number of people."""
    return tell_some("{count} person", "{count} people", count)
