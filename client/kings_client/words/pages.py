"""The rules of one table on one page, built from its knobs, with advice for players."""

from typing import Final

from attrs import frozen

from kings_engine.rules import (
    CornerBuild,
    DealtKings,
    Draw,
    EmptyPlace,
    FirstDealer,
    GoingOut,
    IdleCounts,
    IdleRound,
    KingPileToCorner,
    Layout,
    MatchForm,
    MustPlay,
    Opens,
    Rules,
    Scoring,
    StockEmpty,
    Tie,
)


@frozen
class Part:
    """A heading with the sentences below it."""

    heading: str
    sentences: tuple[str, ...]


_DRAWS: Final = {
    (Draw.START, 1): "Your turn begins with a card drawn from the stock; that is done for you.",
    (Draw.START, 2): "Your turn begins with two cards drawn from the stock; that is done for you.",
    (Draw.END, 1): "You end your turn by drawing a card from the stock.",
    (Draw.END, 2): "You end your turn by drawing two cards from the stock.",
    (Draw.AFTER_HAND_CARD, 1): (
        "If you played a card of your hand, ending your turn draws one from the stock; if you "
        "played none, you pass and draw nothing."
    ),
    (Draw.AFTER_HAND_CARD, 2): (
        "If you played a card of your hand, ending your turn draws two from the stock; if you "
        "played none, you pass and draw nothing."
    ),
    (Draw.IF_IDLE, 1): "If you played and moved nothing, ending your turn draws a card.",
    (Draw.IF_IDLE, 2): "If you played and moved nothing, ending your turn draws two cards.",
}
_EMPTY: Final = {
    EmptyPlace.ANY: "An empty side takes any card of a hand; piles do not move there.",
    EmptyPlace.NOT_KING: (
        "An empty side takes any card of a hand but a king; piles do not move there."
    ),
    EmptyPlace.VACATED: (
        "An empty place takes a king. One that was emptied takes any card while the turn in "
        "which it was emptied lasts."
    ),
}
_DEALT_KINGS: Final = {
    DealtKings.STAY: "",
    DealtKings.TO_CORNER_REFILLED: (
        "A king turned up in the deal goes to a corner, and another card takes its side."
    ),
    DealtKings.TO_CORNER_OPEN: (
        "A king turned up in the deal goes to a corner, and its side stays empty."
    ),
}
_KING_PILES: Final = {
    KingPileToCorner.NEVER: "A pile does not move to an empty corner.",
    KingPileToCorner.OPENING: (
        "A side pile with a king at its bottom may move to an empty corner in the first turn only."
    ),
    KingPileToCorner.ANYTIME: (
        "A side pile with a king at its bottom may move to an empty corner at any time."
    ),
}
_MUST: Final = {
    MustPlay.OFF: "You need not play, even if you can.",
    MustPlay.HAND: "You cannot end your turn while a card of your hand can be played.",
    MustPlay.ANY: "You cannot end your turn while anything at all can be played or moved.",
}
_COSTS: Final = {
    Scoring.KINGS_10: "Each king left in a hand costs 10 points, every other card 1.",
    Scoring.KINGS_10_FACES_2: (
        "Each king left in a hand costs 10 points, each queen and jack 2, every other card 1."
    ),
    Scoring.FACE_VALUE: (
        "Cards left in a hand cost their value: an ace 1, and so on up to a jack 11, a queen 12 "
        "and a king 13."
    ),
}
_OUT: Final = {
    GoingOut.ENDS_DEAL: "Whoever plays the last card of the hand is out; that ends the deal.",
    GoingOut.PLAYS_ON: (
        "Whoever plays the last card of the hand is out and rests; the others play on until one "
        "alone holds cards."
    ),
}
_IDLE: Final = {
    (IdleRound.WHEN_STOCK_EMPTY, IdleCounts.ANY): (
        "Once the stock is empty, a whole round in which nobody plays or moves ends the deal."
    ),
    (IdleRound.WHEN_STOCK_EMPTY, IdleCounts.HAND): (
        "Once the stock is empty, a whole round in which nobody plays from the hand ends the deal."
    ),
    (IdleRound.ALWAYS, IdleCounts.ANY): (
        "A whole round in which nobody plays or moves anything ends the deal."
    ),
    (IdleRound.ALWAYS, IdleCounts.HAND): (
        "A whole round in which nobody plays a card from the hand ends the deal."
    ),
}
_FIRST: Final = {
    FirstDealer.LAST: "The last seat deals first.",
    FirstDealer.SEAT_1: "Seat 1 deals first.",
    FirstDealer.SEAT_2: "Seat 2 deals first.",
    FirstDealer.SEAT_3: "Seat 3 deals first.",
    FirstDealer.SEAT_4: "Seat 4 deals first.",
    FirstDealer.LOT: "The first dealer is drawn by lot.",
    FirstDealer.CUT_HIGHER: "Everybody cuts a card; the highest deals first.",
    FirstDealer.CUT_LOWER: "Everybody cuts a card; the lowest deals first.",
}


def rules_page(rules: Rules) -> tuple[Part, ...]:
    """Return the page of a table's rules."""
    return (
        Part("The deal", _kept(_deal(rules))),
        Part("Your turn", _kept(_turn(rules))),
        Part("The end of a deal", _kept(_end(rules))),
        Part("The match", _kept(_match(rules))),
        Part("Advice", _kept(_advice(rules))),
    )


def page_lines(rules: Rules) -> list[str]:
    """Return the page as lines for paper: headings, and sentences with a dash before them."""
    lines: list[str] = []
    for part in rules_page(rules):
        lines += ["", part.heading, *(f"- {sentence}" for sentence in part.sentences)]
    return lines[1:]


def _kept(sentences: list[str]) -> tuple[str, ...]:
    return tuple(sentence for sentence in sentences if sentence)


def _deal(rules: Rules) -> list[str]:
    corners = rules.layout == Layout.CORNERS
    seats = f"{rules.players} players get {rules.hand_size} cards each."
    table = "Four cards are turned up north, east, south and west of the stock; corners are empty."
    if corners:
        table = "Four cards are turned up, one for each corner pile; there are no side piles."
    return [
        seats,
        table,
        _DEALT_KINGS[rules.dealt_kings],
        "The stock lies open: everybody sees its top card." if rules.open_stock else "",
        "All hands lie open." if rules.open_hands else "",
        _FIRST[rules.first_dealer],
        "The dealer begins, and the deal passes to the left."
        if rules.opens == Opens.DEALER
        else "The player to the dealer's left begins, and the deal passes to the left.",
    ]


def _turn(rules: Rules) -> list[str]:
    cross = rules.layout == Layout.CROSS
    draws_first = rules.draw == Draw.START
    draw = _DRAWS[rules.draw, rules.draw_count]
    suits = rules.corner_build == CornerBuild.SUIT
    return [
        draw if draws_first else "",
        "Play as many cards and move as many piles as you like, in any order.",
        "A card goes on one that is a rank higher and of the other colour. Nothing goes on an ace.",
        "In the corners, a card goes on the next higher one of its own suit." if suits else "",
        "An empty corner takes a king." if cross else "",
        "A king has to be played while a corner is empty." if rules.forced_kings else "",
        _EMPTY[rules.empty_place],
        "A whole pile moves onto another one if its bottom card would fit there.",
        _KING_PILES[rules.king_pile_to_corner] if cross else "",
        "The top card of the stock may be played like a card of the hand."
        if rules.open_stock
        else "",
        _MUST[rules.must_play],
        "" if draws_first else draw,
        f"A turn is ended for you after {rules.turn_seconds} seconds."
        if rules.turn_seconds is not None
        else "",
    ]


def _end(rules: Rules) -> list[str]:
    costs = "Cards left in a hand cost, from ace to king: {costs}."
    return [
        _OUT[rules.going_out],
        "The deal ends when the stock is gone."
        if rules.stock_empty == StockEmpty.ENDS_DEAL
        else "When the stock is gone, play goes on without drawing.",
        "" if _never_idle(rules) else _IDLE[rules.idle_round, rules.idle_counts],
        _COSTS[rules.scoring]
        if isinstance(rules.scoring, Scoring)
        else costs.format(costs=", ".join(map(str, rules.scoring))),
    ]


def _never_idle(rules: Rules) -> bool:
    """Say whether the deal is over before an idle round can end it."""
    gone = rules.stock_empty == StockEmpty.ENDS_DEAL
    return gone and rules.idle_round == IdleRound.WHEN_STOCK_EMPTY


def _match(rules: Rules) -> list[str]:
    forms = {
        MatchForm.ONE_DEAL: "The match is a single deal: the fewest points win.",
        MatchForm.POINTS: (
            f"Points add up from deal to deal. Once somebody has {rules.points}, the fewest win."
        ),
        MatchForm.DEALS: f"The match has {rules.deals} deals; the fewest points win.",
        MatchForm.POINTS_OR_DEALS: (
            f"The match ends once somebody has {rules.points} points, or after {rules.deals} "
            "deals; the fewest win."
        ),
        MatchForm.ELIMINATION: (
            f"Whoever reaches {rules.points} points is out of the match; the last one left wins."
        ),
    }
    ties = rules.match not in (MatchForm.ONE_DEAL, MatchForm.ELIMINATION)
    tie = (
        "If several have the fewest, further deals decide."
        if rules.tie == Tie.PLAY_ON
        else "If several have the fewest, they share the win."
    )
    return [
        forms[rules.match],
        tie if ties else "",
        "Whoever has the most is named as the loser." if rules.name_loser else "",
        "You may ask for hints." if rules.hints else "There are no hints at this table.",
    ]


def _advice(rules: Rules) -> list[str]:
    king, others = rules.penalties[12], max(rules.penalties[:12])
    return [
        f"Part with kings early: one left over costs you {king}." if king > others else "",
        "Look at the piles before your hand: a move may free a place or show the card you need.",
        "Before you end your turn, see what you leave open for the next player."
        if rules.empty_place == EmptyPlace.ANY
        else "",
        "A card that fitted all through another's turn is most likely not in that hand.",
        "An ace closes its pile; think whether it hurts you or them more.",
        "Play the high card of a run first, and the rest of the run can follow it.",
    ]
