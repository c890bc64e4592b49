"""The knobs of a table in words: what each is called in a form, and a line on what it does."""

from typing import Final

from kings_client.words.tongue import later, later_as, tell, tell_as
from kings_engine.rules import Why

LABELS: Final = {
    "players": later("players"),
    "layout": later("layout"),
    "hand_size": later("cards dealt"),
    "draw": later("drawing"),
    "draw_count": later("cards drawn"),
    "empty_place": later("empty places"),
    "dealt_kings": later("kings turned up"),
    "king_pile_to_corner": later("kings' piles"),
    "must_play": later("must play"),
    "forced_kings": later("kings first"),
    "corner_build": later("corners built"),
    "open_stock": later("open stock"),
    "going_out": later("going out"),
    "stock_empty": later("empty stock"),
    "idle_counts": later("counts as playing"),
    "idle_round": later("idle rounds"),
    "scoring": later("scoring"),
    "match": later("match"),
    "points": later("points"),
    "deals": later("deals"),
    "tie": later("a tie"),
    "name_loser": later("name a loser"),
    "first_dealer": later("first dealer"),
    "opens": later("who begins"),
    "open_hands": later("open hands"),
    "turn_seconds": later("turn clock"),
    "hints": later("hints"),
}

ABOUT: Final = {
    "players": later("How many play; bots may take seats."),
    "layout": later("A cross of sides and corners round the stock, or four corner piles alone."),
    "hand_size": later("Cards that each player is dealt."),
    "draw": later(
        "When a turn draws: at its start, its end, after a card of the hand, or if idle."
    ),
    "draw_count": later("How many cards are drawn at a time."),
    "empty_place": later(
        "What an empty place takes: any card, all but kings, or any once emptied."
    ),
    "dealt_kings": later("A king turned up in the deal stays, or goes to a corner."),
    "king_pile_to_corner": later("When a side pile on a king may move to an empty corner."),
    "must_play": later(
        "Whether a turn can end while a card of the hand, or anything, can be played."
    ),
    "forced_kings": later("Whether a king has to be played while a corner is empty."),
    "corner_build": later("Corners go down in alternating colours, or each in one suit."),
    "open_stock": later("Whether the stock lies face up and its top card may be played."),
    "going_out": later(
        "Whether the first to play the last card ends the deal, or the others play on."
    ),
    "stock_empty": later("Whether the deal ends with the stock, or play goes on without drawing."),
    "idle_counts": later(
        "Whether moving a pile counts as playing, or only a card of the hand does."
    ),
    "idle_round": later("When a round in which nobody plays ends the deal."),
    "scoring": later("What cards left in hand cost, from ace to king."),
    "match": later(
        "What ends a match: one deal, points, deals, either, or the last one left in it."
    ),
    "points": later("The points that end a match, or put a player out of it."),
    "deals": later("The deals that a match has, where it is counted in deals."),
    "tie": later("Whether further deals decide a tie for the fewest points, or the win is shared."),
    "name_loser": later("Whether the player with the most points is named as the loser."),
    "first_dealer": later(
        "Who deals first: a seat, a lot, or whoever cuts the higher or lower card."
    ),
    "opens": later("Whether the dealer begins, or the player to the left."),
    "open_hands": later("Whether all hands lie open on the table."),
    "turn_seconds": later("Seconds after which a turn is ended; none for no clock."),
    "hints": later("Whether players may ask what a good player would do."),
}


VALUES: Final = (
    later_as("value of a rule", "cross"),
    later_as("value of a rule", "corners"),
    later_as("value of a rule", "start"),
    later_as("value of a rule", "end"),
    later_as("value of a rule", "after_hand_card"),
    later_as("value of a rule", "if_idle"),
    later_as("value of a rule", "any"),
    later_as("value of a rule", "not_king"),
    later_as("value of a rule", "vacated"),
    later_as("value of a rule", "stay"),
    later_as("value of a rule", "to_corner_refilled"),
    later_as("value of a rule", "to_corner_open"),
    later_as("value of a rule", "never"),
    later_as("value of a rule", "opening"),
    later_as("value of a rule", "anytime"),
    later_as("value of a rule", "off"),
    later_as("value of a rule", "hand"),
    later_as("value of a rule", "on"),
    later_as("value of a rule", "alternate"),
    later_as("value of a rule", "suit"),
    later_as("value of a rule", "ends_deal"),
    later_as("value of a rule", "plays_on"),
    later_as("value of a rule", "play_on"),
    later_as("value of a rule", "when_stock_empty"),
    later_as("value of a rule", "always"),
    later_as("value of a rule", "kings_10"),
    later_as("value of a rule", "kings_10_faces_2"),
    later_as("value of a rule", "face_value"),
    later_as("value of a rule", "one_deal"),
    later_as("value of a rule", "points"),
    later_as("value of a rule", "deals"),
    later_as("value of a rule", "points_or_deals"),
    later_as("value of a rule", "elimination"),
    later_as("value of a rule", "shared"),
    later_as("value of a rule", "last"),
    later_as("value of a rule", "seat_1"),
    later_as("value of a rule", "seat_2"),
    later_as("value of a rule", "seat_3"),
    later_as("value of a rule", "seat_4"),
    later_as("value of a rule", "lot"),
    later_as("value of a rule", "cut_higher"),
    later_as("value of a rule", "cut_lower"),
    later_as("value of a rule", "left_of_dealer"),
    later_as("value of a rule", "dealer"),
    later_as("value of a rule", "none"),
    later_as("value of a rule", "easy"),
    later_as("value of a rule", "medium"),
    later_as("value of a rule", "hard"),
    later_as("value of a rule", "expert"),
    later_as("value of a rule", "master"),
    later_as("value of a rule", "wait"),
    later_as("value of a rule", "bot"),
    later_as("value of a rule", "skip"),
    later_as("value of a rule", "forfeit"),
    later_as("value of a rule", "yes"),
    later_as("value of a rule", "no"),
)
"""Everything that a field with choices can hold, as it is typed."""


WHY: Final = {
    Why.NO_SUCH_RULE: later("there is no such rule"),
    Why.UNDRAWN_STOCK: later("with after_hand_card the stock may never run out"),
    Why.CORNERS_ONLY: later("the layout is corners"),
    Why.COUNTED_DEALS: later("the match is counted in deals"),
    Why.NO_SUCH_SEAT: later("the table has fewer seats"),
    Why.SHORT_STOCK: later("the deal ends with the stock, and each player needs two turns"),
    Why.FAR_POINTS: later("cards left in hands cost too little for that many points"),
}
"""Why a value that its rule knows cannot be at this table."""


def value(text: str) -> str:
    """Return what a choice is called where it is only shown; what is typed stays as it is."""
    return tell_as(VALUES[0][0], text)


def label(name: str) -> str:
    """Return what a knob is called; its own name for one that is not known here."""
    return tell(LABELS.get(name, name))


def possible(about: str, allowed: str, usual: str) -> str:
    """Say what a knob is for, what may be written, and what the chosen set of rules has."""
    return tell(
        "{about} Possible: {allowed}. Left empty, it is {usual}.",
        about=tell(about),
        allowed=allowed,
        usual=usual,
    )


def changed(value: str) -> str:
    """Say that a knob is not as the chosen set of rules has it."""
    return tell("{value}, changed", value=value)


def not_possible(called: str, given: str, allowed: str, why: Why | None = None) -> str:
    """Say that a value cannot be, why if another rule stands in the way, and what can be."""
    if why is None:
        return tell(
            "{option}: {given} is not possible; allowed: {allowed}",
            option=called,
            given=given,
            allowed=allowed,
        )
    return tell(
        "{option}: {given} is not possible: {why}; allowed: {allowed}",
        option=called,
        given=given,
        why=tell(WHY[why]),
        allowed=allowed,
    )
