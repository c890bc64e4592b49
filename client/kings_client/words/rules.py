"""What a table's rules mean, in a line each: only what players need to know at the table."""

from typing import Final

from kings_client.words import counts
from kings_client.words.tongue import later, tell
from kings_engine.rules import (
    CornerBuild,
    Draw,
    EmptyPlace,
    GoingOut,
    KingPileToCorner,
    Layout,
    MatchForm,
    MustPlay,
    Rules,
    Scoring,
    StockEmpty,
)

_DRAWS = {
    Draw.START: later("Your turn starts with a draw"),
    Draw.END: later("Your turn ends with a draw"),
    Draw.AFTER_HAND_CARD: later("You draw at the end if you played a card of your hand"),
    Draw.IF_IDLE: later("You draw at the end if you played nothing"),
}
_TWO_DRAWN = {
    Draw.START: later("Your turn starts with a draw of two cards"),
    Draw.END: later("Your turn ends with a draw of two cards"),
    Draw.AFTER_HAND_CARD: later("You draw two at the end if you played a card of your hand"),
    Draw.IF_IDLE: later("You draw two at the end if you played nothing"),
}
_SPACES = {
    EmptyPlace.ANY: later("An empty side takes any card"),
    EmptyPlace.NOT_KING: later("An empty side takes any card but a king"),
    EmptyPlace.VACATED: later("An empty place takes a king; any card right after you emptied it"),
}
_PENALTIES = {
    Scoring.KINGS_10: later("A king left over costs 10 points, any other card 1"),
    Scoring.KINGS_10_FACES_2: later("Left over, kings cost 10, queens and jacks 2, others 1"),
    Scoring.FACE_VALUE: later("Cards left over cost their value, ace 1 to king 13"),
}


def summary(rules: Rules) -> list[str]:
    """Return the table's rules in short lines, the common ones first."""
    draw = tell((_DRAWS if rules.draw_count == 1 else _TWO_DRAWN)[rules.draw])
    penalty = tell("Cards left over cost points of this table's own")
    if isinstance(rules.scoring, Scoring):
        penalty = tell(_PENALTIES[rules.scoring])
    spaces = tell(_SPACES[rules.empty_place])
    if rules.layout == Layout.CORNERS and rules.empty_place == EmptyPlace.ANY:
        spaces = tell("An empty place takes any card")
    return [_aim(rules), draw, spaces, penalty, *_oddities(rules)]


def _aim(rules: Rules) -> str:
    points, deals = counts.points(rules.points), counts.deals(rules.deals or 0)
    match rules.match:
        case MatchForm.ONE_DEAL:
            return tell("One deal: going out first wins")
        case MatchForm.POINTS:
            return tell("The match ends at {points}; fewest wins", points=points)
        case MatchForm.DEALS:
            return tell("The match has {deals}; fewest points wins", deals=deals)
        case MatchForm.POINTS_OR_DEALS:
            return tell("Ends at {points} or after {deals}", points=points, deals=deals)
        case MatchForm.ELIMINATION:
            return tell("Who has {points} is out; the last one left wins", points=points)


def _oddities(rules: Rules) -> list[str]:
    cross = rules.layout == Layout.CROSS
    said = {
        later("Four corner piles, no sides"): rules.layout == Layout.CORNERS,
        later("The stock lies open: its top card can be played"): rules.open_stock,
        later("All hands are open"): rules.open_hands,
        later("You must play while a card of your hand fits"): rules.must_play == MustPlay.HAND,
        later("You must play while anything can be played"): rules.must_play == MustPlay.ANY,
        later("A king must be played when a corner is free"): rules.forced_kings,
        later("Corners are built in one suit"): rules.corner_build == CornerBuild.SUIT,
        later("Kings' piles do not move to corners"): (
            cross and rules.king_pile_to_corner == KingPileToCorner.NEVER
        ),
        later("Kings' piles move to corners in the first turn only"): (
            cross and rules.king_pile_to_corner == KingPileToCorner.OPENING
        ),
        later("When one is out, the others play on"): rules.going_out == GoingOut.PLAYS_ON,
        later("The deal ends with the stock"): rules.stock_empty == StockEmpty.ENDS_DEAL,
    }
    told = [tell(text) for text, holds in said.items() if holds]
    if rules.turn_seconds is not None:
        time = counts.seconds(rules.turn_seconds)
        told.append(tell("A turn lasts {time} at most", time=time))
    return told


PRESETS: Final = {
    "pagat": later("draw ends the turn; a match to 25 points"),
    "classic": later("draw starts the turn; one deal"),
    "classic_match": later(
        "draw starts the turn; whoever reaches 25 points is out, the last one left wins"
    ),
    "one_page": later("draw starts the turn; a match to 25 points"),
    "strict": later("no kings on sides; the deal ends with the stock; the first dealer is cut for"),
    "royal_corners": later(
        "four corner piles and an open stock; who is out rests, the others play on; to 50"
    ),
}
"""Every set of rules in a line, as the engine has it."""


def about_preset(name: str) -> str:
    """Return a line on a set of rules; nothing for one that is not known here."""
    return tell(PRESETS.get(name, ""))
