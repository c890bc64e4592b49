"""How a server is known, and what to do where it is not."""

from kings_client.model import LinkState, Reason, Security
from kings_client.words.reasons import reason
from kings_client.words.tongue import tell


def known_as(security: Security | None) -> str:
    """Return a sentence on how the server is known; nothing for one's own on this machine."""
    match security:
        case Security("first", code):
            return tell(
                "First visit: compare the code {code} with the one that its host sees.", code=code
            )
        case Security("known", code):
            return tell("Encrypted; you know this server by its code, {code}.", code=code)
        case Security("real", code):
            return tell("Encrypted; an authority vouches for the server. Code: {code}.", code=code)
        case Security("plain"):
            return tell(
                "NOT ENCRYPTED: whoever is on this network can read your cards, the chat, and what "
                "brings you back to your seat."
            )
    return ""


def to_compare(link: LinkState) -> str:
    """Return what to compare before a server is given its password; nothing where it is known."""
    first = link.security is not None and link.security.how == "first"
    return known_as(link.security) if first and link.wants_password else ""


def warned(why: str | None) -> tuple[str, ...]:
    """Return the sentences that warn of another certificate than the one meant."""
    if why == Reason.OTHER_CODE:
        first = tell("This is not the server whose code you gave.")
    else:
        first = tell("This is not the server that you know at this address.")
    return (
        first,
        tell(
            "It may have been set up anew. Or somebody has put another computer in its place, to "
            "read your cards and take your seat."
        ),
        tell(
            "Nothing was sent to it: no name, no password, and nothing that opens a seat of yours."
        ),
        tell("Ask whoever runs the server to read you its code."),
    )


def ended(link: LinkState) -> str:
    """Return why a server was not reached, and for another certificate what to do about it."""
    told = reason(link.reason or "")
    if link.change is not None:
        return tell(
            "{why}: its code is {found}, and not {known}; nothing was sent to it. If whoever runs "
            "the server confirms the new code, add --accept {found}",
            why=told,
            found=link.change.found,
            known=link.change.known,
        )
    if link.wants_password:
        return tell("{why}; name a file with it in --server-password-file", why=told)
    return f"{told}: {link.words}" if link.words else told
