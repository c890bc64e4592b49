"""The servers on the network in words: how one answers, and what to know before going there."""

from kings_client.search import Found, Search
from kings_client.words import counts
from kings_client.words.tongue import number, tell


def title(found: Found) -> str:
    """Return what a server calls itself, or what stands for that."""
    return found.name or tell("server")


def answer(found: Found) -> str:
    """Say how soon a server answered."""
    if found.silent:
        return tell("no answer")
    if found.seconds is None:
        return tell("asking…")
    thousandths = found.seconds * 1000
    return tell("{time} ms", time=number(thousandths, 0 if thousandths >= 10 else 1))


def notes(found: Found) -> str:
    """Say what hinders one from going in at once: a password, another version."""
    found_notes = []
    if not found.speaks:
        found_notes.append(tell("another version, {program}", program=found.program or "?"))
    if found.locked:
        found_notes.append(tell("password"))
    return ", ".join(found_notes)


def spoken(found: Found) -> str:
    """Return a line about a server that is read by itself."""
    return f"{title(found)}: {counts.people(found.people)}, {answer(found)}, {more(found)}"


def more(found: Found) -> str:
    """Return what a list has no room for: where a server is, and which version it has."""
    version = tell("version {program}", program=found.program) if found.speaks else ""
    said = (found.address, counts.tables(found.tables), version, notes(found))
    return ", ".join(filter(None, said))


def none_yet(search: Search) -> str:
    """Say why no server is listed."""
    if search.deaf:
        return tell("Servers on the network cannot be heard here now; an address always works.")
    return tell("No server has been found yet; one is listed as soon as it answers.")


def no_address() -> str:
    """Say how others come to a machine of which there is no address that they could type."""
    return tell("This machine has no address to type; others find it in their list of servers.")
