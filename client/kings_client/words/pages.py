"""The rules of one table on one page, built from its knobs, with advice for players."""

from typing import Final

from attrs import frozen

from kings_client.words import counts
from kings_client.words.tongue import later, tell
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
    (Draw.START, 1): later(
        "Your turn begins with a card drawn from the stock; that is done for you."
    ),
    (Draw.START, 2): later(
        "Your turn begins with two cards drawn from the stock; that is done for you."
    ),
    (Draw.END, 1): later("You end your turn by drawing a card from the stock."),
    (Draw.END, 2): later("You end your turn by drawing two cards from the stock."),
    (Draw.AFTER_HAND_CARD, 1): (
        later(
            "If you played a card of your hand, ending your turn draws one from the stock; if you "
            "played none, you pass and draw nothing."
        )
    ),
    (Draw.AFTER_HAND_CARD, 2): (
        later(
            "If you played a card of your hand, ending your turn draws two from the stock; if you "
            "played none, you pass and draw nothing."
        )
    ),
    (Draw.IF_IDLE, 1): later("If you played and moved nothing, ending your turn draws a card."),
    (Draw.IF_IDLE, 2): later("If you played and moved nothing, ending your turn draws two cards."),
}
_EMPTY: Final = {
    EmptyPlace.ANY: later("An empty side takes any card of a hand; piles do not move there."),
    EmptyPlace.NOT_KING: (
        later("An empty side takes any card of a hand but a king; piles do not move there.")
    ),
    EmptyPlace.VACATED: (
        later(
            "An empty place takes a king. One that was emptied takes any card while the turn in "
            "which it was emptied lasts."
        )
    ),
}
_DEALT_KINGS: Final = {
    DealtKings.STAY: "",
    DealtKings.TO_CORNER_REFILLED: (
        later("A king turned up in the deal goes to a corner, and another card takes its side.")
    ),
    DealtKings.TO_CORNER_OPEN: (
        later("A king turned up in the deal goes to a corner, and its side stays empty.")
    ),
}
_KING_PILES: Final = {
    KingPileToCorner.NEVER: later("A pile does not move to an empty corner."),
    KingPileToCorner.OPENING: (
        later(
            "A side pile with a king at its bottom may move to an empty corner in the first turn "
            "only."
        )
    ),
    KingPileToCorner.ANYTIME: (
        later("A side pile with a king at its bottom may move to an empty corner at any time.")
    ),
}
_MUST: Final = {
    MustPlay.OFF: later("You need not play, even if you can."),
    MustPlay.HAND: later("You cannot end your turn while a card of your hand can be played."),
    MustPlay.ANY: later("You cannot end your turn while anything at all can be played or moved."),
}
_COSTS: Final = {
    Scoring.KINGS_10: later("Each king left in a hand costs 10 points, every other card 1."),
    Scoring.KINGS_10_FACES_2: (
        later(
            "Each king left in a hand costs 10 points, each queen and jack 2, every other card 1."
        )
    ),
    Scoring.FACE_VALUE: (
        later(
            "Cards left in a hand cost their value: an ace 1, and so on up to a jack 11, a queen "
            "12 "
            "and a king 13."
        )
    ),
}
_OUT: Final = {
    GoingOut.ENDS_DEAL: later(
        "Whoever plays the last card of the hand is out; that ends the deal."
    ),
    GoingOut.PLAYS_ON: (
        later(
            "Whoever plays the last card of the hand is out and rests; the others play on until "
            "one "
            "alone holds cards."
        )
    ),
}
_IDLE: Final = {
    (IdleRound.WHEN_STOCK_EMPTY, IdleCounts.ANY): (
        later(
            "Once the stock is empty, a whole round in which nobody plays or moves ends the deal."
        )
    ),
    (IdleRound.WHEN_STOCK_EMPTY, IdleCounts.HAND): (
        later(
            "Once the stock is empty, a whole round in which nobody plays from the hand ends the "
            "deal."
        )
    ),
    (IdleRound.ALWAYS, IdleCounts.ANY): (
        later("A whole round in which nobody plays or moves anything ends the deal.")
    ),
    (IdleRound.ALWAYS, IdleCounts.HAND): (
        later("A whole round in which nobody plays a card from the hand ends the deal.")
    ),
}
_FIRST: Final = {
    FirstDealer.LAST: later("The last seat deals first."),
    FirstDealer.SEAT_1: later("Seat 1 deals first."),
    FirstDealer.SEAT_2: later("Seat 2 deals first."),
    FirstDealer.SEAT_3: later("Seat 3 deals first."),
    FirstDealer.SEAT_4: later("Seat 4 deals first."),
    FirstDealer.LOT: later("The first dealer is drawn by lot."),
    FirstDealer.CUT_HIGHER: later("Everybody cuts a card; the highest deals first."),
    FirstDealer.CUT_LOWER: later("Everybody cuts a card; the lowest deals first."),
}


def rules_page(rules: Rules) -> tuple[Part, ...]:
    """Return the page of a table's rules."""
    return (
        Part(tell("The deal"), _kept(_deal(rules))),
        Part(tell("Your turn"), _kept(_turn(rules))),
        Part(tell("The end of a deal"), _kept(_end(rules))),
        Part(tell("The match"), _kept(_match(rules))),
        Part(tell("Advice"), _kept(_advice(rules))),
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
    seats = tell(
        "{players} get {cards} each.",
        players=counts.players(rules.players),
        cards=counts.cards(rules.hand_size),
    )
    table = tell(
        "Four cards are turned up north, east, south and west of the stock; corners are empty."
    )
    if corners:
        table = tell("Four cards are turned up, one for each corner pile; there are no side piles.")
    return [
        seats,
        table,
        tell(_DEALT_KINGS[rules.dealt_kings]),
        tell("The stock lies open: everybody sees its top card.") if rules.open_stock else "",
        tell("All hands lie open.") if rules.open_hands else "",
        tell(_FIRST[rules.first_dealer]),
        tell("The dealer begins, and the deal passes to the left.")
        if rules.opens == Opens.DEALER
        else tell("The player to the dealer's left begins, and the deal passes to the left."),
    ]


def _turn(rules: Rules) -> list[str]:
    cross = rules.layout == Layout.CROSS
    draws_first = rules.draw == Draw.START
    draw = tell(_DRAWS[rules.draw, rules.draw_count])
    suits = rules.corner_build == CornerBuild.SUIT
    return [
        draw if draws_first else "",
        tell("Play as many cards and move as many piles as you like, in any order."),
        tell(
            "A card goes on one that is a rank higher and of the other colour. Nothing goes on "
            "an ace."
        ),
        tell("In the corners, a card goes on the next higher one of its own suit.")
        if suits
        else "",
        tell("An empty corner takes a king.") if cross else "",
        tell("A king has to be played while a corner is empty.") if rules.forced_kings else "",
        tell(_EMPTY[rules.empty_place])
        if cross or rules.empty_place != EmptyPlace.ANY
        else tell("An empty place takes any card of a hand; piles do not move there."),
        tell("A whole pile moves onto another one if its bottom card would fit there."),
        tell(_KING_PILES[rules.king_pile_to_corner]) if cross else "",
        tell("The top card of the stock may be played like a card of the hand.")
        if rules.open_stock
        else "",
        tell(_MUST[rules.must_play]),
        "" if draws_first else draw,
        tell("A turn is ended for you after {time}.", time=counts.seconds(rules.turn_seconds))
        if rules.turn_seconds is not None
        else "",
    ]


def _end(rules: Rules) -> list[str]:
    return [
        tell(_OUT[rules.going_out]),
        tell("The deal ends with the turn in which the stock runs out.")
        if rules.stock_empty == StockEmpty.ENDS_DEAL
        else tell("When the stock is gone, play goes on without drawing."),
        tell("The player who draws the last card still plays that turn.")
        if rules.stock_empty == StockEmpty.ENDS_DEAL and rules.draw == Draw.START
        else "",
        "" if _never_idle(rules) else tell(_IDLE[rules.idle_round, rules.idle_counts]),
        tell(_COSTS[rules.scoring])
        if isinstance(rules.scoring, Scoring)
        else tell(
            "Cards left in a hand cost, from ace to king: {costs}.",
            costs=", ".join(map(str, rules.scoring)),
        ),
    ]


def _never_idle(rules: Rules) -> bool:
    """Say whether the deal is over before an idle round can end it."""
    gone = rules.stock_empty == StockEmpty.ENDS_DEAL
    return gone and rules.idle_round == IdleRound.WHEN_STOCK_EMPTY


def _match(rules: Rules) -> list[str]:
    points, deals = counts.points(rules.points), counts.deals(rules.deals or 0)
    forms = {
        MatchForm.ONE_DEAL: tell(
            "The match is a single deal. The first player to run out of cards wins; if nobody "
            "does, the fewest points win."
        ),
        MatchForm.POINTS: (
            tell(
                "Points add up from deal to deal. Once a player has {points}, the fewest points "
                "win.",
                points=points,
            )
        ),
        MatchForm.DEALS: tell("The match has {deals}; the fewest points win.", deals=deals),
        MatchForm.POINTS_OR_DEALS: (
            tell(
                "The match ends once a player has {points}, or after {deals}; the fewest points "
                "win.",
                points=points,
                deals=deals,
            )
        ),
        MatchForm.ELIMINATION: (
            tell(
                "A player who reaches {points} is out of the match; the last one left wins. If all "
                "who are left reach them in the same deal, the fewest points win.",
                points=points,
            )
        ),
    }
    tie = tell("If several have the fewest, they share the win.")
    if rules.tie == Tie.PLAY_ON and rules.match == MatchForm.ELIMINATION:
        tie = tell("If several have the fewest, they alone play on.")
    elif rules.tie == Tie.PLAY_ON and rules.match != MatchForm.ONE_DEAL:
        tie = tell("If several have the fewest, further deals decide.")
    return [
        forms[rules.match],
        tie,
        tell("The player with the most points at the end is named as the loser.")
        if rules.name_loser
        else "",
        tell("You may ask for hints.")
        if rules.hints
        else tell("There are no hints at this table."),
    ]


def _advice(rules: Rules) -> list[str]:
    king, others = rules.penalties[12], max(rules.penalties[:12])
    return [
        tell("Part with kings early: one left over costs you {king}.", king=king)
        if king > others
        else "",
        tell(
            "Look at the piles before your hand: a move may free a place or show the card you need."
        ),
        tell("Before you end your turn, see what you leave open for the next player.")
        if rules.empty_place == EmptyPlace.ANY
        else "",
        tell("A card that fitted all through another's turn is most likely not in that hand."),
        tell("An ace closes its pile; think whether it hurts you or them more."),
        tell("Play the high card of a run first, and the rest of the run can follow it."),
    ]
