"""Views and histories: what each viewer is shown, fact by fact."""

from itertools import pairwise
from typing import Any

from hypothesis import given

from casebook import Case, cards, run
from kings_engine.actions import EndTurn, Move, Play, PlayStock
from kings_engine.cards import cards_in, parse_card
from kings_engine.events import (
    CardsCut,
    DealBegan,
    DealEnded,
    DealEnding,
    DealerChosen,
    Drew,
    Event,
    Played,
    TurnBegan,
    TurnEnded,
)
from kings_engine.match import Match
from kings_engine.phase import Phase
from kings_engine.view import (
    Own,
    Public,
    PublicSeat,
    Standing,
    View,
    deal_history,
    deal_start,
    history,
    legal_actions,
    observe,
    observe_own,
    observe_public,
)
from strategies import journeys

N, E, S, W, NE, SE, SW, NW = range(8)


def play(rules: str, *do: Any, **body: Any) -> Match:
    """Return the match after the steps of a case that is written here."""
    return run(Case("here", {"rules": rules, "do": list(do), **body}))


def card(name: str) -> int:
    return parse_card(name)


MIDDLE = {
    "hands": ["9H KC 2C", "8D 3H"],
    "piles": {"N": "TS", "E": "JD", "S": "4D 3S", "NE": "KH"},
    "stock": "6S 5S",
    "turn": 0,
    "turn_number": 4,
}


def test_the_whole_view_of_the_seat_on_turn() -> None:
    match = play("pagat", at=MIDDLE)
    assert observe(match, 0) == View(
        Public(
            version=1,
            phase=Phase.PLAY,
            deal=1,
            dealer=1,
            turn=0,
            turn_number=4,
            piles=(cards("TS"), cards("JD"), cards("4D 3S"), (), cards("KH"), (), (), ()),
            stock=2,
            stock_top=None,
            vacated=(),
            idle=0,
            seats=(PublicSeat(Standing.IN, 3, 0, ()), PublicSeat(Standing.IN, 2, 0, ())),
            sheet=(),
            winners=(),
            losers=(),
        ),
        Own(
            seat=0,
            hand=cards("2C 9H KC"),
            plays=(
                (card("2C"), (W,)),
                (card("9H"), (N, W)),
                (card("KC"), (W, SE, SW, NW)),
            ),
            moves=((N, E),),
            stock_plays=(),
            may_end=True,
        ),
    )


def test_a_seat_that_waits_sees_its_hand_and_can_do_nothing() -> None:
    match = play("pagat", at=MIDDLE)
    assert observe_own(match, 1) == Own(1, cards("3H 8D"), (), (), (), False)
    assert legal_actions(observe_own(match, 1)) == ()


def test_a_spectator_has_the_public_part_alone() -> None:
    match = play("pagat", at=MIDDLE)
    assert observe(match, None) == View(observe_public(match), None)


def test_before_the_first_deal_there_is_an_empty_table() -> None:
    match = play("strict", knobs={"players": 3})
    public = observe_public(match)
    assert public == Public(
        version=0,
        phase=Phase.CUT,
        deal=0,
        dealer=None,
        turn=None,
        turn_number=0,
        piles=((),) * 8,
        stock=0,
        stock_top=None,
        vacated=(),
        idle=0,
        seats=(PublicSeat(Standing.IN, 0, 0, ()),) * 3,
        sheet=(),
        winners=(),
        losers=(),
    )
    assert observe_own(match, 2) == Own(2, (), (), (), (), False)


def test_the_legal_actions_in_order() -> None:
    own = Own(
        seat=0,
        hand=(1, 2),
        plays=((1, (N, W)), (2, (SE,))),
        moves=((N, E),),
        stock_plays=(S,),
        may_end=True,
    )
    expected = (Play(1, N), Play(1, W), Play(2, SE), Move(N, E), PlayStock(S), EndTurn())
    assert legal_actions(own) == expected


def test_what_must_be_played_keeps_the_turn_from_ending() -> None:
    match = play("pagat", at=MIDDLE, knobs={"must_play": "hand"})
    assert not observe_own(match, 0).may_end
    assert EndTurn() not in legal_actions(observe_own(match, 0))


def test_the_open_stock_shows_its_top_and_where_it_goes() -> None:
    match = play("pagat", at={**MIDDLE, "stock": "9D 5S"}, knobs={"open_stock": True})
    assert observe_public(match).stock_top == card("9D")
    assert observe_own(match, 0).stock_plays == (N, W)
    assert observe_own(match, 1).stock_plays == ()
    assert observe_public(play("pagat", at=MIDDLE)).stock_top is None
    empty = play("pagat", at={**MIDDLE, "stock": ""}, knobs={"open_stock": True})
    assert observe_public(empty).stock_top is None
    assert observe_own(empty, 0).stock_plays == ()


def test_cards_drawn_from_an_open_stock_are_known_until_they_are_played() -> None:
    knobs = {"open_stock": True}
    drawn = play("pagat", "end", at={**MIDDLE, "stock": "9D 5S"}, knobs=knobs)
    assert [seat.known for seat in observe_public(drawn).seats] == [cards("9D"), ()]
    later = play("pagat", "end", "end", "play 9D N", at={**MIDDLE, "stock": "9D 5S"}, knobs=knobs)
    assert [seat.known for seat in observe_public(later).seats] == [(), cards("5S")]


def test_open_hands_are_known_to_all() -> None:
    match = play("pagat", at=MIDDLE, knobs={"open_hands": True})
    known = [seat.known for seat in observe_public(match).seats]
    assert known == [cards("2C 9H KC"), cards("3H 8D")]


def test_vacated_places_and_idle_turns_are_shown() -> None:
    match = play("pagat", "move N E", at=MIDDLE, knobs={"empty_place": "vacated"})
    assert observe_public(match).vacated == (N,)
    idle = play("pagat", "end", at={**MIDDLE, "hands": ["9H", "8D", "7D"], "stock": ""})
    assert observe_public(idle).idle == 1
    assert observe_public(idle).turn_number == 5


def test_when_a_deal_is_over_every_hand_is_known() -> None:
    match = play("pagat", "play 9H N", at={**MIDDLE, "hands": ["9H", "8D 3H"]})
    public = observe_public(match)
    assert public.phase == Phase.DEAL_DUE
    assert public.turn is None
    assert public.sheet == ((0, 2),)
    assert public.seats == (
        PublicSeat(Standing.IN, 0, 0, ()),
        PublicSeat(Standing.IN, 2, 2, cards("3H 8D")),
    )
    assert (public.turn_number, public.idle, public.vacated) == (0, 0, ())
    assert public.piles[N] == cards("TS 9H")
    assert public.stock == 2


def test_when_a_match_is_abandoned_every_hand_is_known_but_not_the_stock() -> None:
    public = observe_public(play("pagat", "abandon", at=MIDDLE))
    assert public.phase == Phase.MATCH_OVER
    assert [seat.known for seat in public.seats] == [cards("2C 9H KC"), cards("3H 8D")]
    assert (public.stock, public.stock_top) == (2, None)


def test_every_standing() -> None:
    at = {"hands": ["6S", "8D 3H", "JD 4H", "QD"], "piles": {"NE": "7H"}, "stock": "9C"}
    out = play("royal_corners", "play 6S NE", "forfeit 2", at={**at, "turn": 0})
    standings = [seat.standing for seat in observe_public(out).seats]
    assert standings == [Standing.OUT, Standing.IN, Standing.FORFEITED, Standing.IN]
    bare = {**at, "stock": "", "turn": 0}
    ended = play("royal_corners", "play 6S NE", "end", "end", "end", at=bare)
    assert [seat.standing for seat in observe_public(ended).seats] == [Standing.IN] * 4
    gone = play("classic_match", "score 26 0 3", "forfeit 1", knobs={"players": 3})
    standings = [seat.standing for seat in observe_public(gone).seats]
    assert standings == [Standing.ELIMINATED, Standing.FORFEITED, Standing.IN]
    assert observe_public(gone).winners == (2,)


def test_the_loser_is_shown_when_the_match_is_over() -> None:
    knobs = {"players": 3, "name_loser": True}
    tied, ended = "score 26 8 8", "score 0 3 4"
    assert observe_public(play("pagat", tied, knobs=knobs)).losers == ()
    assert observe_public(play("pagat", tied, ended, knobs=knobs)).losers == (0,)


def redacted(match: Match, viewer: int | None) -> list[tuple[Event, ...]]:
    return [history(match, viewer, after) for after in range(match.version + 1)]


def test_a_deal_s_beginning_shows_each_seat_its_own_hand() -> None:
    match = play("pagat", at=MIDDLE)
    first, second = cards("2C 9H KC"), cards("3H 8D")
    shown = {0: (first, None), 1: (None, second), None: (None, None)}
    for viewer, hands in shown.items():
        (began, turn) = history(match, viewer, 0)
        assert isinstance(began, DealBegan)
        assert began.hands == hands
        assert (began.number, began.dealer, began.seats, began.stock) == (1, 1, (0, 1), 2)
        assert began.turned[:2] == ((card("TS"), N), (card("JD"), E))
        assert turn == TurnBegan(0, 4)
    opened = play("pagat", at=MIDDLE, knobs={"open_hands": True})
    (began, _) = history(opened, None, 0)
    assert isinstance(began, DealBegan)
    assert began.hands == (first, second)


def test_a_drawn_card_is_shown_to_who_drew_it() -> None:
    match = play("pagat", "end", at=MIDDLE)
    passed = (TurnEnded(0, False), TurnBegan(1, 5))
    assert history(match, 0, 1) == (Drew(0, 1, cards("6S")), *passed)
    assert history(match, 1, 1) == (Drew(0, 1, None), *passed)
    assert history(match, None, 1) == (Drew(0, 1, None), *passed)
    for knob in ("open_stock", "open_hands"):
        opened = play("pagat", "end", at=MIDDLE, knobs={knob: True})
        assert history(opened, None, 1) == (Drew(0, 1, cards("6S")), *passed)


def test_what_is_played_and_how_a_deal_ends_is_shown_to_all() -> None:
    match = play("pagat", "play 9H N", at={**MIDDLE, "hands": ["9H", "8D 3H"]})
    events = history(match, None, 1)
    assert events[0] == Played(0, card("9H"), N, from_stock=False)
    assert events[-1] == DealEnded(1, DealEnding.WENT_OUT, ((), cards("3H 8D")), (0, 2))
    assert history(match, 1, 1) == events


def test_a_history_after_a_version_is_the_rest() -> None:
    match = play("pagat", "end", "end", at=MIDDLE)
    whole = redacted(match, 1)
    assert whole[-1] == ()
    for longer, shorter in pairwise(whole):
        assert longer[len(longer) - len(shorter) :] == shorter


def test_the_history_of_a_deal_begins_with_it_but_the_first_with_the_cut() -> None:
    match = play("strict", "cut 1", knobs={"players": 2})
    assert [type(event) for event in deal_history(match, None)] == [CardsCut, DealerChosen]
    assert deal_start(match) == 0
    first = play("strict", "cut 1", "shuffle 1", "end", knobs={"players": 2})
    assert deal_history(first, 0) == history(first, 0, 0)
    begun = play("pagat", "score 3 0", "shuffle 1")
    assert deal_start(begun) == begun.version - 1
    second = play("pagat", "score 3 0", "shuffle 1", "end")
    events = deal_history(second, 0)
    assert isinstance(events[0], DealBegan)
    assert events[0].number == 2
    assert len([event for event in events if isinstance(event, DealBegan)]) == 1
    over = play("pagat", "score 3 0", "score 2 0", "forfeit 0")
    assert [e.number for e in deal_history(over, 1) if isinstance(e, DealBegan)] == [2]


@given(journeys())
def test_views_agree_with_the_state(states: tuple[Match, ...]) -> None:
    for match in states[::7]:
        public = observe_public(match)
        assert public.version == match.version
        assert public.sheet == match.sheet
        assert tuple(seat.points for seat in public.seats) == match.totals
        deal = match.deal
        if deal is None:
            continue
        on_table = sum(seat.cards for seat in public.seats) + public.stock
        assert on_table + sum(map(len, public.piles)) == 52
        for seat in range(match.rules.players):
            own = observe_own(match, seat)
            assert own.hand == cards_in(deal.hands[seat])
            assert {card for card, _ in own.plays} <= set(own.hand)
            assert set(public.seats[seat].known) <= set(own.hand)
            assert (legal_actions(own) != ()) is (match.turn == seat)


@given(journeys())
def test_a_history_holds_no_card_that_the_viewer_may_not_know(states: tuple[Match, ...]) -> None:
    match = states[-1]
    rules = match.rules
    for viewer in (None, *range(rules.players)):
        for event in history(match, viewer, 0):
            if isinstance(event, DealBegan):
                for seat, hand in enumerate(event.hands):
                    assert (hand is not None) is (rules.open_hands or seat == viewer)
            if isinstance(event, Drew):
                open_to_all = rules.open_hands or rules.open_stock
                assert (event.cards is not None) is (open_to_all or event.seat == viewer)
                assert event.cards is None or len(event.cards) == event.count
