"""The commands before a server is chosen: which there are on the network, and going to one."""

from collections.abc import Sequence
from typing import Final

from kings_client.config import parse_address
from kings_client.intents import StartJoin, ToWelcome
from kings_client.model import Model
from kings_client.plain.orders import Context, Step
from kings_client.search import Found
from kings_client.words import counts
from kings_client.words.servers import none_yet, spoken
from kings_client.words.tongue import tell

LONGEST: Final = 600
"""Seconds for which ``servers`` waits, at most."""


def listing(context: Context, words: Sequence[str]) -> Step:
    """List the servers, at once or when one has been found."""
    model = context.model
    if not model.at_home:
        return Step(ok=tell("back to the list of servers."), intent=ToWelcome())
    if model.search is None:
        return Step(
            _visited(model), no=tell("no servers are looked for; join and an address works")
        )
    if words:
        if not words[0].isdecimal() or not 0 < int(words[0]) <= LONGEST:
            return Step(no=tell("write servers, or servers and how many seconds to wait for one"))
        return Step(patience=float(words[0]))
    return listed(model)


def listed(model: Model) -> Step:
    """Return the list as it is now."""
    found = answering(model)
    lines = (*(_numbered(one) for one in found), *_visited(model))
    if found or model.search is None:
        return Step(lines, counts.servers(len(found)) + ".")
    return Step(lines, no=none_yet(model.search).rstrip("."))


def answering(model: Model) -> tuple[Found, ...]:
    """Return the servers on the network that have answered."""
    servers = () if model.search is None else model.search.servers
    return tuple(one for one in servers if one.seconds is not None)


def _numbered(found: Found) -> str:
    return f"{found.number}: {spoken(found)}"


def _visited(model: Model) -> tuple[str, ...]:
    return tuple(
        tell("visited before: {name}, {address}", name=one.name, address=one.address)
        for one in model.recent
    )


def join(context: Context, words: Sequence[str]) -> Step:
    """Go to a server, by its number or its address."""
    usage = tell("write join and a server's number or address; servers lists them")
    if len(words) != 1:
        return Step(no=usage)
    address = words[0]
    search = context.model.search
    known = {} if search is None else {str(one.number): one.address for one in search.servers}
    if address.isdecimal():
        if address not in known:
            return Step(
                no=tell(
                    "there is no server {number} now; {usage}", number=address[:40], usage=usage
                )
            )
        address = known[address]
    try:
        parse_address(address)
    except ValueError as bad:
        return Step(no=str(bad))
    return Step(
        ok=tell("you are at {address}.", address=address),
        intent=StartJoin(address, context.model.name),
        listed=(),
    )
