"""The knobs of a table in words: what each is called in a form, and a line on what it does."""

from typing import Final

LABELS: Final = {
    "players": "players",
    "layout": "layout",
    "hand_size": "cards dealt",
    "draw": "drawing",
    "draw_count": "cards drawn",
    "empty_place": "empty places",
    "dealt_kings": "kings turned up",
    "king_pile_to_corner": "kings' piles",
    "must_play": "must play",
    "forced_kings": "kings first",
    "corner_build": "corners built",
    "open_stock": "open stock",
    "going_out": "going out",
    "stock_empty": "empty stock",
    "idle_counts": "what is idle",
    "idle_round": "idle rounds",
    "scoring": "scoring",
    "match": "match",
    "points": "points",
    "deals": "deals",
    "tie": "a tie",
    "name_loser": "name a loser",
    "first_dealer": "first dealer",
    "opens": "who begins",
    "open_hands": "open hands",
    "turn_seconds": "turn clock",
    "hints": "hints",
}

ABOUT: Final = {
    "players": "How many play; bots may take seats.",
    "layout": "A cross of sides and corners round the stock, or four corner piles alone.",
    "hand_size": "Cards that each player is dealt.",
    "draw": "When a turn draws: at its start, its end, after a card of the hand, or if idle.",
    "draw_count": "How many cards are drawn at a time.",
    "empty_place": "What an empty side takes: any card, all but kings, or any once emptied.",
    "dealt_kings": "A king turned up in the deal stays, or goes to a corner.",
    "king_pile_to_corner": "When a side pile on a king may move to an empty corner.",
    "must_play": "Whether a turn can end while a card of the hand, or anything, can be played.",
    "forced_kings": "Whether a king has to be played while a corner is empty.",
    "corner_build": "Corners go down in alternating colours, or each in one suit.",
    "open_stock": "Whether the stock lies face up and its top card may be played.",
    "going_out": "Whether the first to play the last card ends the deal, or the others play on.",
    "stock_empty": "Whether the deal ends with the stock, or play goes on without drawing.",
    "idle_counts": "Whether moving a pile counts as playing, or only a card of the hand does.",
    "idle_round": "When a round in which nobody plays ends the deal.",
    "scoring": "What cards left in hand cost, from ace to king.",
    "match": "What ends a match: one deal, points, deals, either, or the last one left in it.",
    "points": "The points that end a match, or put a player out of it.",
    "deals": "The deals that a match has, where it is counted in deals.",
    "tie": "Whether further deals decide a tie for the fewest points, or the win is shared.",
    "name_loser": "Whether whoever has the most points is named as the loser.",
    "first_dealer": "Who deals first: a seat, a lot, or whoever cuts the higher or lower card.",
    "opens": "Whether the dealer begins, or the player to the left.",
    "open_hands": "Whether all hands lie open on the table.",
    "turn_seconds": "Seconds after which a turn is ended; none for no clock.",
    "hints": "Whether players may ask what a good player would do.",
}


def possible(about: str, allowed: str, usual: str) -> str:
    """Say what a knob is for, what may be written, and what the chosen set of rules has."""
    return f"{about} Possible: {allowed}. Left empty, it is {usual}."


def changed(value: str) -> str:
    """Say that a knob is not as the chosen set of rules has it."""
    return f"{value}, changed"


def not_possible(label: str, given: str, allowed: str) -> str:
    """Say why a knob cannot be as it was filled in."""
    return f"{label}: {given} is not possible; possible: {allowed}"
