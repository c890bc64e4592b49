"""What every version of the protocol says in the same way: the hello, pings and the bye.

And what all messages are: a message, a request, a reply. ``messages`` has the rest.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from kings_protocol.limits import FEATURES, NAME_LENGTH, PROGRAM_LENGTH, TEXT_LENGTH
from kings_protocol.values import Count, Hex16, Slug


class Message(Struct, frozen=True, kw_only=True, tag_field="t", forbid_unknown_fields=True):
    """Any message; unknown fields are refused unless a class says otherwise."""


class Request(Message, frozen=True, kw_only=True):
    """A message that gets exactly one reply; ``id`` is 16 random bytes, new for each wish."""

    id: Hex16


class Reply(Message, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """The one reply to the request whose id is ``re``."""

    re: Hex16


# ---- hello: frozen for ever


class Hello(Message, frozen=True, kw_only=True, tag="hello", forbid_unknown_fields=False):
    """The first message of a client: which protocol versions it speaks."""

    magic: Literal["kings"]
    oldest: Count
    newest: Count
    program: Annotated[str, Meta(max_length=PROGRAM_LENGTH)]
    features: Annotated[tuple[Slug, ...], Meta(max_length=FEATURES)] = ()


class Welcome(Message, frozen=True, kw_only=True, tag="welcome", forbid_unknown_fields=False):
    """The server's answer to a hello: the version both will speak, and which server this is."""

    magic: Literal["kings"]
    version: Count
    program: Annotated[str, Meta(max_length=PROGRAM_LENGTH)]
    features: Annotated[tuple[Slug, ...], Meta(max_length=FEATURES)] = ()
    server: Hex16
    name: Annotated[str, Meta(max_length=NAME_LENGTH)]


class Unwelcome(Message, frozen=True, kw_only=True, tag="unwelcome", forbid_unknown_fields=False):
    """The server speaks no version of the client's: what it speaks, and what to do, in words."""

    magic: Literal["kings"]
    oldest: Count
    newest: Count
    program: Annotated[str, Meta(max_length=PROGRAM_LENGTH)]
    words: Annotated[str, Meta(max_length=TEXT_LENGTH)]


# ---- either way, at any time


class Ping(Message, frozen=True, kw_only=True, tag="ping"):
    """Asks for a pong with the same number."""

    n: Count


class Pong(Message, frozen=True, kw_only=True, tag="pong"):
    """The answer to a ping."""

    n: Count


class Bye(Message, frozen=True, kw_only=True, tag="bye"):
    """The last message on a connection, and why it ends."""

    code: Slug
