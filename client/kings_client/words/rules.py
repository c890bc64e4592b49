"""What a table's rules mean, in a line each: only what players need to know at the table."""

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
    Draw.START: "Your turn starts with a draw",
    Draw.END: "Your turn ends with a draw",
    Draw.AFTER_HAND_CARD: "You draw at the end if you played a card of your hand",
    Draw.IF_IDLE: "You draw at the end if you played nothing",
}
_SPACES = {
    EmptyPlace.ANY: "An empty side takes any card",
    EmptyPlace.NOT_KING: "An empty side takes any card but a king",
    EmptyPlace.VACATED: "An empty place takes a king; any card right after you emptied it",
}
_PENALTIES = {
    Scoring.KINGS_10: "A king left over costs 10 points, any other card 1",
    Scoring.KINGS_10_FACES_2: "Left over, kings cost 10, queens and jacks 2, others 1",
    Scoring.FACE_VALUE: "Cards left over cost their value, ace 1 to king 13",
}


def summary(rules: Rules) -> list[str]:
    """Return the table's rules in short lines, the common ones first."""
    draw = _DRAWS[rules.draw] + (" of two cards" if rules.draw_count > 1 else "")
    penalty = "Cards left over cost points of this table's own"
    if isinstance(rules.scoring, Scoring):
        penalty = _PENALTIES[rules.scoring]
    return [_aim(rules), draw, _SPACES[rules.empty_place], penalty, *_oddities(rules)]


def _aim(rules: Rules) -> str:
    match rules.match:
        case MatchForm.ONE_DEAL:
            return "One deal: going out first wins"
        case MatchForm.POINTS:
            return f"The match ends at {rules.points} points; fewest wins"
        case MatchForm.DEALS:
            return f"The match has {rules.deals} deals; fewest points wins"
        case MatchForm.POINTS_OR_DEALS:
            return f"Ends at {rules.points} points or after {rules.deals} deals"
        case MatchForm.ELIMINATION:
            return f"Who has {rules.points} points is out; the last one left wins"


def _oddities(rules: Rules) -> list[str]:
    said = {
        "Four corner piles, no sides": rules.layout == Layout.CORNERS,
        "The stock lies open: its top card can be played": rules.open_stock,
        "All hands are open": rules.open_hands,
        "You must play while a card of your hand fits": rules.must_play == MustPlay.HAND,
        "You must play while anything can be played": rules.must_play == MustPlay.ANY,
        "A king must be played when a corner is free": rules.forced_kings,
        "Corners are built in one suit": rules.corner_build == CornerBuild.SUIT,
        "Kings' piles do not move to corners": (
            rules.king_pile_to_corner == KingPileToCorner.NEVER
        ),
        "Kings' piles move to corners in the first turn only": (
            rules.king_pile_to_corner == KingPileToCorner.OPENING
        ),
        "When one is out, the others play on": rules.going_out == GoingOut.PLAYS_ON,
        "The deal ends with the stock": rules.stock_empty == StockEmpty.ENDS_DEAL,
        f"A turn lasts {rules.turn_seconds} seconds at most": rules.turn_seconds is not None,
    }
    return [text for text, holds in said.items() if holds]
