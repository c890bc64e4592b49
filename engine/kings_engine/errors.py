"""Refusals: what the engine answers to an action that the rules do not allow.

A refusal is a value. Its code says which rule stood in the way; its facts are the cards and places
from which a client makes a sentence. Facts are only ever what the asking seat can see.
"""

from enum import StrEnum

from attrs import frozen

from kings_engine.cards import Card
from kings_engine.places import Place


class Code(StrEnum):
    """Why an action is refused, in the order in which the reasons are tested."""

    MATCH_OVER = "match_over"  #: nothing can be done in a finished match
    NO_DEAL = "no_deal"  #: no deal is running
    DEAL_RUNNING = "deal_running"  #: the table's action has to wait for the deal's end
    TABLE_ONLY = "table_only"  #: this action is the table's alone
    SEAT_ONLY = "seat_only"  #: this action is a seat's alone
    NOT_YOUR_TURN = "not_your_turn"
    NOT_IN_MATCH = "not_in_match"  #: no such seat, or it is out of the match
    NOT_IN_HAND = "not_in_hand"  #: the card is not in the asking seat's hand
    STOCK_CLOSED = "stock_closed"  #: this table plays with a hidden stock
    STOCK_EMPTY = "stock_empty"  #: no card is left to play from the stock
    NO_SUCH_PLACE = "no_such_place"  #: the layout has no such place
    SOURCE_EMPTY = "source_empty"  #: no pile lies there to be moved
    SAME_PILE = "same_pile"  #: a pile does not go on itself
    PILE_TO_EMPTY_SIDE = "pile_to_empty_side"  #: an empty side is filled from the hand only
    CORNER_TO_CORNER = "corner_to_corner"  #: a king's pile in a corner stays there
    KING_PILE_STAYS = "king_pile_stays"  #: these rules never move a king's pile to a corner
    KING_PILE_LATE = "king_pile_late"  #: these rules allow it in the first turn of a deal only
    CORNER_NEEDS_KING = "corner_needs_king"  #: an empty corner takes only a king
    PLACE_NEEDS_KING = "place_needs_king"  #: an empty place not vacated this turn takes a king
    NO_KING_HERE = "no_king_here"  #: these rules keep kings off an empty side
    ON_ACE = "on_ace"  #: nothing goes on an ace
    WRONG_RANK = "wrong_rank"  #: not one rank lower than the top card
    WRONG_COLOUR = "wrong_colour"  #: the same colour as the top card
    WRONG_SUIT = "wrong_suit"  #: this corner is built in its king's suit
    PILE_NOT_OF_SUIT = "pile_not_of_suit"  #: a longer pile never has one suit
    KING_FIRST = "king_first"  #: a king must be played before the turn ends
    MUST_PLAY = "must_play"  #: something can still be played, so the turn cannot end
    BAD_SOURCE = "bad_source"  #: a deck or secret that is not well formed


@frozen
class Refusal:
    """An action was refused and nothing was changed.

    Attributes:
        code: which rule stood in the way.
        card: the card that was to be played, or the bottom card of the pile that was to be moved;
            with ``king_first`` and ``must_play``, a card that can be played.
        source: where a pile was to be taken from; with ``must_play``, a pile that can be moved.
        place: where it was to go.
        top: the card that lies on top there; with the reasons of suit, the corner's king.
    """

    code: Code
    card: Card | None = None
    source: Place | None = None
    place: Place | None = None
    top: Card | None = None
