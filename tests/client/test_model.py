"""What the model is after each thing that can come: a pure function, so no clock and no wire."""

from typing import Any

import pytest

from kings_client.contradiction import contradicts
from kings_client.intents import EndTurn, Ignore, Join, MakeTable, Say, Watch
from kings_client.model import Linked, Model, Recent, Stop
from kings_client.updating import (
    EVENTS,
    LINES,
    Began,
    Closed,
    Happening,
    Lost,
    Sent,
    Told,
    Trying,
    WentHome,
    update,
)
from kings_engine.actions import TABLE as TABLE_ACTOR
from kings_engine.actions import BeginDeal, Cut
from kings_engine.actions import EndTurn as EndsTurn
from kings_engine.apply import apply
from kings_engine.errors import Refusal
from kings_engine.events import CardsCut, DealBegan, TurnBegan
from kings_engine.match import Match, new_match
from kings_engine.rules import Rules, make_rules
from kings_engine.sources import Secret
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode, RefusalCode
from kings_protocol.messages import Happened
from scripted import SERVER, TABLE, TOKEN, offer, table_state, update_of
from wire import request_id


def after(model: Model, *news: m.Message | Happening, now: float = 5.0) -> Model:
    for one in news:
        model = update(model, one, now)
    return model


def asked(request: m.Request, ask: Any, reply: m.Reply) -> tuple[m.Message | Happening, ...]:
    return Sent(request, ask), reply


def entered(straight: bool = False) -> Model:
    enter = m.Enter(id=request_id(1), client="c" * 32, name="Ann")
    greeted = m.Welcome(magic="kings", version=1, program="1", server=SERVER, name="den")
    reply = m.Entered(re=enter.id, name="Ann")
    return after(Model(), Began("den", straight), greeted, Sent(enter), reply)


def seated() -> Model:
    join = m.Join(id=request_id(2), table=TABLE)
    reply = m.Seated(re=join.id, table=TABLE, seat=0, token=TOKEN)
    return after(entered(), *asked(join, Join(TABLE), reply), table_state(), now=7.0)


def dealt(rules: Rules | None = None) -> Match:
    match = new_match(Rules() if rules is None else rules)
    secret = Secret(bytes(32), (None,) * match.rules.players)
    if match.rules.first_dealer.startswith(("cut", "lot")):
        match = done(match, TABLE_ACTOR, Cut(secret))
    return done(match, TABLE_ACTOR, BeginDeal(secret))


def done(match: Match, actor: int, action: Any) -> Match:
    applied = apply(match, actor, action)
    assert not isinstance(applied, Refusal)
    return applied[0]


# ---- the connection


def test_a_visit_begins_with_nothing_known_but_the_person() -> None:
    before = after(seated(), Told(recent=(Recent("den", "the den"),)))
    model = after(before, Began("other"))
    assert model == Model(
        "entering",
        model.link,
        "Ann",
        recent=(Recent("den", "the den"),),
    )
    assert (model.link.state, model.link.address) == (Linked.CONNECTING, "other")


def test_entering_leads_to_the_lobby_or_straight_on() -> None:
    assert (entered().where, entered().link.state) == ("lobby", Linked.ONLINE)
    assert entered(straight=True).where == "entering"


def test_a_lost_connection_counts_its_attempts_until_it_is_back() -> None:
    model = after(seated(), Lost("cut", 9.0), Trying(), Lost("unreachable", 12.0))
    link = model.link
    assert (link.state, link.attempt, link.retry_at) == (Linked.WAITING, 2, 12.0)
    assert link.reason == "unreachable"
    trying = after(model, Trying()).link
    assert (trying.state, trying.retry_at) == (Linked.CONNECTING, None)
    enter = m.Enter(id=request_id(3), client="c" * 32, name="Ann")
    back = after(model, Trying(), Sent(enter), m.Entered(re=enter.id, name="Ann"))
    assert (back.link.attempt, back.link.reason, back.where) == (0, None, "table")


def test_a_lost_connection_keeps_what_will_be_sent_again_and_nothing_else() -> None:
    act = m.EndTurn(id=request_id(4), version=1)
    proof = m.GetProof(id=request_id(5), deal=1)
    model = after(seated(), Sent(act, EndTurn(1)), Sent(proof), Lost("cut", 9.0))
    assert [one.request for one in model.pending] == [act]
    assert model.acting
    assert after(model, Closed("displaced")).pending == ()


def test_what_was_said_to_a_table_that_is_gone_waits_for_no_reply() -> None:
    watch, again = (m.Watch(id=request_id(number), table=TABLE) for number in (2, 4))
    say = m.Say(id=request_id(3), text="hello?")
    here = after(entered(), *asked(watch, Watch(TABLE), m.Watching(re=watch.id, table=TABLE)))
    back = after(here, table_state(), Sent(say, Say("hello?")), Lost("cut", 9.0), Trying())
    assert [one.request for one in back.pending] == [say]
    gone = m.Refused(re=again.id, code=RefusalCode.NO_SUCH_TABLE)
    left = after(back, *asked(again, None, gone))
    assert (left.where, left.pending) == ("lobby", ())


def test_a_server_about_to_stop_is_told_wherever_one_is_until_another_connection() -> None:
    stopping = m.Notice(code=NoticeCode.STOPPING, number=9000)
    lobby = after(entered(), stopping, now=5.0)
    table = after(seated(), stopping, now=5.0)
    assert lobby.link.stop == table.link.stop == Stop(9.0, 14.0)
    assert (lobby.lines, table.lines) == ((), (stopping,))
    join = m.Join(id=request_id(8), table=TABLE)
    reply = m.Seated(re=join.id, table=TABLE, seat=0, token=TOKEN)
    assert after(lobby, *asked(join, Join(TABLE), reply)).link.stop is not None
    assert after(lobby, Lost("cut", 9.0)).link.stop is None


def test_going_home_keeps_the_name_only() -> None:
    assert after(seated(), WentHome()) == Model(name="Ann")


# ---- requests and replies


def test_a_refusal_stays_until_the_next_wish() -> None:
    act = m.EndTurn(id=request_id(4), version=1)
    refused = m.Refused(re=act.id, code=RefusalCode.STALE_VERSION)
    model = after(seated(), *asked(act, EndTurn(1), refused))
    assert (model.refusal, model.refused, model.asked) == (refused, EndTurn(1), None)
    say = m.Say(id=request_id(5), text="oh")
    model = after(model, Sent(say, Say("oh")))
    assert (model.refusal, model.refused, model.asked) == (None, None, Say("oh"))


def test_what_the_link_asks_by_itself_disturbs_no_refusal() -> None:
    act = m.EndTurn(id=request_id(4), version=1)
    refused = m.Refused(re=act.id, code=RefusalCode.STALE_VERSION)
    proof = m.GetProof(id=request_id(5), deal=1)
    unfinished = m.Refused(re=proof.id, code=RefusalCode.DEAL_UNFINISHED)
    model = after(seated(), *asked(act, EndTurn(1), refused), *asked(proof, None, unfinished))
    assert model.refusal == refused
    assert model.asked is None


def test_a_reply_to_nothing_changes_nothing() -> None:
    model = seated()
    assert after(model, m.Done(re=request_id(99))) == model


def test_a_table_that_cannot_be_made_at_once_leads_to_the_lobby_with_the_reason() -> None:
    make = m.MakeTable(id=request_id(2), name="T", preset="pagat")
    fault = m.FaultLine(knob="points", given="\x1b[2J3", allowed="5 to 500")
    refused = m.Refused(re=make.id, code=RefusalCode.BAD_RULES, faults=(fault,))
    model = after(entered(straight=True), *asked(make, MakeTable("T", "pagat"), refused))
    assert model.where == "lobby"
    assert model.refusal is not None
    assert model.refusal.faults[0].given == "3"


# ---- the lobby


def line(table: str, **fields: Any) -> m.TableLine:
    standard: dict[str, Any] = {
        "name": table,
        "preset": "pagat",
        "changed": {},
        "host": "Ann",
        "seats": 2,
        "people": 1,
        "bots": 0,
        "watchers": 0,
        "locked": False,
        "watchable": True,
        "phase": "waiting",
    }
    return m.TableLine(table=table, **{**standard, **fields})


def page(order: str, *tables: m.TableLine, whole: bool = False) -> m.LobbyPage:
    return m.LobbyPage(
        page=0, pages=1, total=len(order), whole=whole, order=tuple(order), tables=tables
    )


def test_changes_of_the_lobby_are_merged_in_the_servers_order() -> None:
    model = after(entered(), page("ab", line("a"), line("b"), whole=True))
    model = after(model, page("cb", line("c"), line("b", people=2)))
    assert model.lobby is not None
    assert [(one.table, one.people) for one in model.lobby.tables] == [("c", 1), ("b", 2)]
    model = after(model, page("d", line("d"), whole=True))
    assert model.lobby is not None
    assert [one.table for one in model.lobby.tables] == ["d"]


def test_every_string_of_a_server_is_cleaned() -> None:
    dirty = "\x1b[31mA\u202enn\x07" + "\u0336" * 20
    ann = "Ann" + "\u0336" * 4
    seats = (m.SeatState(state="seated", name=dirty), m.SeatState(state="bot", name=dirty))
    model = after(
        seated(),
        table_state(name=dirty, seats=seats),
        m.Said(seat=0, name=dirty, text=dirty),
        page("a", line("a", name=dirty, host=dirty, changed={"draw": dirty}), whole=True),
        m.Welcome(magic="kings", version=1, program=dirty, server=SERVER, name=dirty),
    )
    assert model.table is not None
    assert model.lobby is not None
    assert (model.table.name, model.table.seats[1].name) == (ann, ann)
    assert model.lines[-1] == m.Said(seat=0, name=ann, text=ann)
    assert (model.lobby.tables[0].host, model.lobby.tables[0].changed) == (ann, {"draw": ann})
    assert model.server_name == ann


# ---- the table


def test_sitting_down_shows_the_table_with_the_time_it_came() -> None:
    model = seated()
    assert (model.where, model.seat, model.table_at, model.lobby) == ("table", 0, 7.0, None)
    assert model.others == 0


def test_others_are_people_with_a_seat_here_or_away() -> None:
    seats = (
        m.SeatState(state="seated", name="Ann"),
        m.SeatState(state="seated", name="Ben"),
        m.SeatState(state="dropped", name="Cleo"),
        m.SeatState(state="held", name="Dan"),
    )
    assert after(seated(), table_state(Rules(players=4), seats=seats)).others == 3


def test_the_deal_so_far_is_kept_and_the_next_deal_begins_afresh() -> None:
    match = dealt()
    model = after(seated(), update_of(match, 0))
    assert isinstance(model.events[0], DealBegan)
    assert model.fresh == len(model.events)
    known = len(model.events)
    ended = done(match, match.turn or 0, EndsTurn())
    model = after(model, update_of(ended, 0, match.version), now=8.0)
    assert model.fresh == len(model.events) - known > 0
    assert (model.events_at, model.view) == (8.0, update_of(ended, 0).view)
    again = after(model, update_of(ended, 0))
    assert again.events == model.events


def test_the_cut_is_kept_with_the_first_deal() -> None:
    match = dealt(make_rules({"first_dealer": "cut_higher"}))
    model = after(seated(), update_of(match, 0))
    assert isinstance(model.events[0], CardsCut)
    assert any(isinstance(event, DealBegan) for event in model.events)


def test_events_and_lines_are_bounded_and_a_gap_is_remembered() -> None:
    match = dealt()
    turns = Happened(tuple(TurnBegan(0, number) for number in range(EVENTS)))
    view = update_of(match, 0).view
    model = after(seated(), update_of(match, 0), m.Update(view=view, events=turns))
    assert (len(model.events), model.gap) == (EVENTS, True)
    said = [m.Said(seat=0, name="Ann", text=str(number)) for number in range(LINES + 1)]
    model = after(model, *said)
    assert model.lines == tuple(said[1:])


def test_coming_back_replaces_the_events_and_keeps_what_was_said() -> None:
    model = after(seated(), update_of(dealt(), 0), m.Said(seat=0, name="Ann", text="hi"))
    resume = m.Resume(id=request_id(9), table=TABLE, token=TOKEN)
    reply = m.Seated(re=resume.id, table=TABLE, seat=0, token=TOKEN)
    back = after(model, Lost("cut", 9.0), Sent(resume), reply, update_of(dealt(), 0))
    assert back.events == model.events
    assert back.lines == model.lines


def test_what_the_server_says_to_everybody_is_a_line_once() -> None:
    said = m.Announcement(text="Chess is\x1b[2J on Thursdays.")
    model = after(seated(), said, said)
    assert model.announced == "Chess is on Thursdays."
    assert model.lines == (m.Announcement(text="Chess is on Thursdays."),)
    assert after(model, m.Announcement(text="No chess.")).announced == "No chess."


def test_what_somebody_says_who_is_ignored_is_not_shown() -> None:
    ben, eve = m.Said(seat=1, name="Ben", text="hm"), m.Said(seat=None, name="Ben", text="hey")
    assert after(seated(), Ignore("Ben", True), ben, eve).lines == (eve,)
    assert after(seated(), Ignore(None, True), ben, eve).lines == (ben,)
    assert after(seated(), Ignore(None, True), Ignore(None, False), eve).lines == (eve,)


def test_an_action_is_under_way_until_the_position_that_it_led_to_is_there() -> None:
    match = dealt()
    model = after(seated(), table_state(), update_of(match, 0))
    end = m.EndTurn(id=request_id(9), version=match.version)
    model = after(model, Sent(end), m.Done(re=end.id, version=match.version + 1))
    assert model.acting
    assert after(model, table_state(match=2)).acting is False
    after_it = done(match, match.turn or 0, EndsTurn())
    assert after(model, update_of(after_it, 0, match.version)).acting is False


def test_a_rematch_forgets_the_last_match() -> None:
    model = after(seated(), table_state(offer=offer(1, bytes(32))), update_of(dealt(), 0))
    model = after(model, table_state(match=2))
    assert (model.view, model.events, model.checks) == (None, (), {})


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        (table_state(), False),
        (table_state(table="t2", rules=Rules(players=3)), False),
        (table_state(rules=Rules(players=3)), True),
        (table_state(match=2), False),
        (table_state(match=0), True),
        (table_state(name="Den"), True),
        (update_of(dealt(), 0), False),
        (update_of(dealt(), 1), True),
        (update_of(dealt(), None), True),
        (update_of(dealt(Rules(players=3)), 0), True),
    ],
)
def test_a_message_that_cannot_be_of_this_table_is_told(message: m.Message, wrong: bool) -> None:
    assert contradicts(seated(), message) is wrong
