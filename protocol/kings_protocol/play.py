"""Messages of the game itself: shares of a deck, moves, positions, hints and proofs."""

from typing import Annotated

from msgspec import Meta

from kings_engine.view import View
from kings_protocol.greeting import Message, Reply, Request
from kings_protocol.limits import SERVER_ITEMS, TABLE_SEATS
from kings_protocol.values import (
    ActionText,
    CardNumber,
    Count,
    Happened,
    Hex32,
    PlaceNumber,
    SeatNumber,
)


class Commit(Request, frozen=True, kw_only=True, tag="commit"):
    """This client's commitment to its share in a deck, in answer to an offer."""

    match: Count
    deal: Count
    attempt: Count
    commitment: Hex32


class Reveal(Request, frozen=True, kw_only=True, tag="reveal"):
    """This client's share, after the whole set of commitments, whose digest is ``members``."""

    match: Count
    deal: Count
    attempt: Count
    members: Hex32
    share: Hex32


class Act(Request, frozen=True, kw_only=True):
    """An action of the seat's; ``version`` is the position it was decided on."""

    version: Count


class PlayCard(Act, frozen=True, kw_only=True, tag="play"):
    """Play a card of one's hand."""

    card: CardNumber
    place: PlaceNumber


class MovePile(Act, frozen=True, kw_only=True, tag="move"):
    """Move a whole pile."""

    source: PlaceNumber
    place: PlaceNumber


class PlayTop(Act, frozen=True, kw_only=True, tag="play_top"):
    """Play the top card of the open stock."""

    place: PlaceNumber


class EndTurn(Act, frozen=True, kw_only=True, tag="end_turn"):
    """End one's turn."""


class Update(Message, frozen=True, kw_only=True, tag="update", forbid_unknown_fields=False):
    """The position now, and the events since the version last sent on this connection.

    ``gap`` says that older events were left out.
    """

    view: View
    events: Happened
    gap: bool = False


class GetHint(Request, frozen=True, kw_only=True, tag="get_hint"):
    """Ask what a good player might do now; ``version`` is the position that it is asked about."""

    version: Count


class Hint(Reply, frozen=True, kw_only=True, tag="hint"):
    """What a good player might do, as far as the asker's seat can know; in the engine's text."""

    version: Count
    action: ActionText


class GetProof(Request, frozen=True, kw_only=True, tag="get_proof"):
    """Ask for what proves a finished deal (``deal`` 0: the cut or the lot) of the current match."""

    deal: Count


class Proof(Reply, frozen=True, kw_only=True, tag="proof"):
    """A finished deal's secret and its actions, enough to deal and play it again.

    ``begin`` is the action that made the deck (or the cut), in the engine's text form; ``actions``
    are all that followed until the deal's end, each with its actor (-1: the table).
    """

    deal: Count
    dealer: SeatNumber | None
    seats: Annotated[tuple[SeatNumber, ...], Meta(max_length=TABLE_SEATS)]
    begin: ActionText
    actions: Annotated[
        tuple[tuple[Annotated[int, Meta(ge=-1, lt=TABLE_SEATS)], ActionText], ...],
        Meta(max_length=SERVER_ITEMS),
    ]
