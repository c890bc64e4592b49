"""A table from its making to a rematch: who may do what, and when things begin by themselves."""

from collections.abc import Sequence
from typing import Any

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock

from hall import cut, hall
from journals import Slow
from kings_engine.events import DealBegan
from kings_engine.verify import DealProof, check_deal
from kings_protocol import messages as m
from kings_protocol.codes import RefusalCode, UnseatedCode
from kings_server import offered
from kings_server.bots.kernel_ready import Why
from kings_server.journal import Done, Forgetful
from kings_server.journal_rows import Write
from people import Person, new_id

WORD = "hush"
UNSEATED = m.Unseated(code=UnseatedCode.TABLE_FAILED)


async def refusal(person: Person, request: m.Request) -> str:
    return (await person.ask_for(m.Refused, request)).code


async def test_a_table_begins_when_all_are_ready(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben", "Cleo")]
        await h.table_of(*people)
        await people[0].ready()
        await people[1].ready()
        await trio.sleep(600)
        assert people[0].phase("waiting")
        await people[2].ready()
        for person in people:
            await person.until_deal(1)
            assert person.table is not None
            assert person.table.match == 1


async def test_somebody_with_bots_alone_begins_at_once(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await ann.make_table(3, bots=("easy", "medium"))
        await ann.until_deal(1)
        assert ann.table is not None
        assert [seat.level for seat in ann.table.seats] == [None, "medium", "easy"]
        await ben.make_table(3)
        for _ in range(2):
            await ben.ask_for(m.Done, m.AddBot(id=new_id(), level="easy"))
        await ben.until_deal(1)
        assert ben.table is not None
        assert [seat.name for seat in ben.table.seats] == ["Ben", "easy", "easy 2"]


async def test_a_rematch_keeps_seats_and_tokens_and_moves_the_first_dealer_on(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben, preset="classic")
        first = ann.view
        async with trio.open_nursery() as players:
            players.start_soon(ann.play_match)
            players.start_soon(ben.play_match)
        await ann.ready()
        await trio.sleep(600)
        assert ann.phase("over")
        await ben.ready()
        for person in (ann, ben):
            await person.until_phase("playing", match=2)
        again = await h.back(ann)
        await again.until(lambda: again.view is not None)
        assert first is not None
        assert again.view is not None
        assert (first.public.dealer, again.view.public.dealer) == (1, 0)


async def test_only_the_host_seats_bots_and_only_before_the_start(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        seat = await ann.make_table(3)
        await ben.join(seat.table)
        add, remove = m.AddBot, m.RemoveBot
        assert await refusal(ben, add(id=new_id(), level="easy")) == RefusalCode.HOST_ONLY
        assert await refusal(ann, add(id=new_id(), level="easy", seat=1)) == RefusalCode.SEAT_TAKEN
        assert await refusal(ann, add(id=new_id(), level="easy", seat=3)) == (
            RefusalCode.NO_SUCH_SEAT
        )
        with monkeypatch.context() as patch:
            patch.setattr(offered, "why_not", {"master": Why.NO_NUMBA}.get)
            code = await refusal(ann, add(id=new_id(), level="master"))
            assert code == RefusalCode.LEVEL_NEEDS_COMPILER
        assert await refusal(ann, remove(id=new_id(), seat=1)) == RefusalCode.NOT_A_BOT
        await ann.ask_for(m.Done, add(id=new_id(), level="easy"))
        assert await refusal(ann, add(id=new_id(), level="easy")) == RefusalCode.TABLE_FULL
        await ann.ask_for(m.Done, remove(id=new_id(), seat=2))
        await ann.ask_for(m.Done, add(id=new_id(), level="medium", seat=2))
        await ann.ready()
        await ben.ready()
        await ann.until_deal(1)
        assert await refusal(ann, add(id=new_id(), level="easy")) == RefusalCode.NOT_NOW
        assert await refusal(ann, remove(id=new_id(), seat=2)) == RefusalCode.NOT_NOW


async def test_hand_made_commands_out_of_phase_are_refused(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, eve = [await h.guest(name) for name in ("Ann", "Ben", "Eve")]
        seat = await ann.make_table(2)
        end = m.EndTurn(id=new_id(), version=0)
        zeros = "00" * 32
        commit = m.Commit(id=new_id(), match=1, deal=1, attempt=0, commitment=zeros)
        reveal = m.Reveal(id=new_id(), match=1, deal=1, attempt=0, members=zeros, share=zeros)
        assert await refusal(ann, end) == RefusalCode.NOT_NOW
        for share in (commit, reveal):
            assert await refusal(ann, share) == RefusalCode.NO_OFFER
        assert await refusal(ann, m.GetProof(id=new_id(), deal=0)) == RefusalCode.NO_SUCH_DEAL
        await ben.join(seat.table)
        await eve.ask_for(m.Watching, m.Watch(id=new_id(), table=seat.table))
        for request in (end, commit, reveal, m.Ready(id=new_id(), on=True)):
            reply = await eve.ask_anyway(request)
            assert isinstance(reply, m.Refused)
            assert reply.code == RefusalCode.WATCHERS_MAY_NOT
        await ann.ready()
        await ben.ready()
        await ann.until_deal(1)
        assert await refusal(ann, m.Ready(id=new_id(), on=True)) == RefusalCode.NOT_NOW
        for share in (commit, reveal):
            assert await refusal(ann, share) == RefusalCode.NO_OFFER
        assert await refusal(ann, m.GetProof(id=new_id(), deal=1)) == RefusalCode.DEAL_UNFINISHED
        assert await refusal(ann, m.GetProof(id=new_id(), deal=2)) == RefusalCode.NO_SUCH_DEAL
        late = await h.guest("Late")
        join = m.Join(id=new_id(), table=seat.table)
        assert await refusal(late, join) == RefusalCode.TABLE_FULL


async def test_the_host_role_is_handed_on(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        seat = await ann.make_table(3)
        await ben.join(seat.table)
        await ann.ask_for(m.Done, m.Leave(id=new_id()))
        await ben.until(lambda: ben.table is not None and ben.table.host == 1)
        await ben.ask_for(m.Done, m.AddBot(id=new_id(), level="easy"))
        assert ben.state_of(0) in ("open", "bot")


async def test_a_password_guards_seats_and_sight(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        seat = await ann.make_table(2, password=WORD)
        for kind in (m.Join, m.Watch):
            for word in (None, "", "Hush"):
                request = kind(id=new_id(), table=seat.table, password=word)
                assert await refusal(ben, request) == RefusalCode.WRONG_PASSWORD
        assert ben.table is None
        watch = m.Watch(id=new_id(), table=seat.table, password=WORD)
        await ben.ask_for(m.Watching, watch)
        await ben.ask_for(m.Done, m.Leave(id=new_id()))
        await ben.join(seat.table, password=WORD)


async def test_a_table_may_be_closed_to_watchers(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        seat = await ann.make_table(2, watchable=False)
        watch = m.Watch(id=new_id(), table=seat.table)
        assert await refusal(ben, watch) == RefusalCode.NOT_WATCHABLE


async def test_watchers_see_public_facts_and_talk_among_themselves_while_a_deal_runs(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock) as h:
        ann, ben, eve, fay = [await h.guest(name) for name in ("Ann", "Ben", "Eve", "Fay")]
        seat = await ann.make_table(2)
        await ben.join(seat.table)
        for person in (eve, fay):
            await person.ask_for(m.Watching, m.Watch(id=new_id(), table=seat.table))
        await eve.ask_for(m.Done, m.Say(id=new_id(), text="good luck"))
        await ann.ready()
        await ben.ready()
        await eve.until_deal(1)
        assert eve.view is not None
        assert eve.view.own is None
        began = next(event for event in eve.events if isinstance(event, DealBegan))
        assert not any(began.hands)
        await eve.ask_for(m.Done, m.Say(id=new_id(), text="she has the king"))
        hi = "hi there" + "\u0336" * 4
        await ann.ask_for(
            m.Done, m.Say(id=new_id(), text="\x1b[31mhi\u202e there" + "\u0336" * 270)
        )
        await ben.until(lambda: len(lines(ben)) == 2)
        assert lines(ann) == lines(ben) == ["good luck", hi]
        assert lines(fay) == ["good luck", "she has the king", hi]


async def test_a_seat_may_be_chosen(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        seat = await ann.make_table(4)
        join = m.Join(id=new_id(), table=seat.table, seat=0)
        assert await refusal(ben, join) == RefusalCode.SEAT_TAKEN
        join = m.Join(id=new_id(), table=seat.table, seat=4)
        assert await refusal(ben, join) == RefusalCode.NO_SUCH_SEAT
        assert (await ben.join(seat.table, seat=2)).seat == 2


async def test_who_enters_is_told_which_bots_are_not_here(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = {"master": Why.NO_NUMBA}
    monkeypatch.setattr(offered, "why_not", why.get)
    async with hall(autojump_clock) as h:
        assert (await h.guest("Ann")).missing == {"master": RefusalCode.LEVEL_NEEDS_COMPILER}
        why.clear()
        await trio.sleep(offered.MISSING_SECONDS)
        assert (await h.guest("Ben")).missing == {}


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"preset": "whist"}, RefusalCode.NO_SUCH_PRESET),
        ({"knobs": {"players": 9, "hand_size": 0}}, RefusalCode.BAD_RULES),
        ({"bots": ("easy", "easy")}, RefusalCode.TOO_MANY_BOTS),
        ({"bots": ("easy", "master"), "knobs": {"players": 3}}, RefusalCode.LEVEL_NOT_READY),
        ({"pace": (2, 1)}, RefusalCode.BAD_PACE),
        ({"name": "\u202e"}, RefusalCode.BAD_NAME),
    ],
)
async def test_what_cannot_be_played_is_not_made(
    fields: dict[str, Any], code: str, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offered, "why_not", {"master": Why.NOT_COMPILED}.get)
    async with hall(autojump_clock) as h:
        ann = await h.guest()
        made: dict[str, Any] = {"name": "Kitchen", "preset": "pagat", **fields}
        refused = await ann.ask_for(m.Refused, m.MakeTable(id=new_id(), **made))
        assert refused.code == code
        if code == RefusalCode.BAD_RULES:
            assert {fault.knob for fault in refused.faults} == {"players", "hand_size"}
        assert not h.lobby.tables


async def test_a_deal_is_committed_to_before_and_proved_after(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        table = await h.table_of(ann, ben, preset="strict", knobs={"match": "one_deal"})
        rules = table.settings.rules
        await ann.ready()
        await ben.ready()
        async with trio.open_nursery() as players:
            players.start_soon(ann.play_match)
            players.start_soon(ben.play_match)
        assert sorted(ann.offers) == [(1, 0, 0), (1, 1, 0)]
        for deal in (0, 1):
            reply = await ann.ask_for(m.Proof, m.GetProof(id=new_id(), deal=deal))
            proof = DealProof(reply.deal, reply.dealer, reply.seats, reply.begin, reply.actions)
            promise = ann.offers[1, deal, 0]
            seen = (tuple(ann.events),)
            assert all(promise.shares)
            assert check_deal(rules, proof, promise, 0, seen) == ()
            assert check_deal(rules, proof, evolve(promise, seed=bytes(32)), 0, seen)
            another = evolve(promise, shares=(promise.shares[0], bytes(32)))
            assert check_deal(rules, proof, another, 0, seen)


@pytest.mark.parametrize("preset", ["pagat", "strict"])
async def test_an_offer_stands_whoever_leaves_meanwhile(
    preset: str, autojump_clock: MockClock
) -> None:
    async with hall(autojump_clock) as h:
        people = [await h.guest(name) for name in ("Ann", "Ben", "Cleo")]
        for person in people:
            person.answers_offers = False
        await h.table_of(*people, preset=preset, absent="forfeit")
        for person in people:
            await person.ready()
        ann, _, cleo = people
        await ann.until_phase("offering")
        assert ann.table is not None
        assert ann.table.offer is not None
        committed = ann.table.offer.commitment
        await cleo.ask_for(m.Done, m.Leave(id=new_id()))
        await ann.until_state(2, "left")
        assert ann.table.offer is not None
        assert ann.table.offer.commitment == committed
        await ann.until_deal(1)


class Torn(Forgetful):
    """A journal with an error of its own, from the second action of a match on."""

    keeps = True

    def hand_in(self, writes: Sequence[Write], done: Done) -> None:
        if any("INTO steps" in write.sql and write.values[2] == 2 for write in writes):
            raise OSError("torn")
        done(None)


async def test_an_error_of_one_table_ends_that_table_alone(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock, journal=Torn()) as h:
        ann, ben, cleo = [await h.guest(name) for name in ("Ann", "Ben", "Cleo")]
        await cleo.make_table(2)
        await h.match_of(ann, ben)
        version = ann.version
        end = m.EndTurn(id=new_id(), version=version)
        assert await refusal(ann, end) == RefusalCode.NO_SUCH_TABLE
        for person in (ann, ben):
            await person.until_told(UNSEATED)
            assert person.version == version
            await person.ask_for(m.Done, m.Browse(id=new_id(), page=0))
        await cleo.ready()
        assert cleo.seat is not None
        assert list(h.lobby.tables) == [cleo.seat.table]


async def test_an_action_is_kept_before_anybody_is_shown_it(autojump_clock: MockClock) -> None:
    async with hall(autojump_clock, journal=Slow()) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.match_of(ann, ben)
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.play_once)
            await trio.sleep(4.9)
            assert ann.version == ben.version == 1
            await ben.until(lambda: ben.version == 2)
            assert trio.current_time() - began == pytest.approx(5)


async def test_somebody_cut_while_an_action_is_being_kept_finds_it_done(
    autojump_clock: MockClock,
) -> None:
    async with hall(autojump_clock, journal=Slow()) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.match_of(ann, ben)
        end = m.EndTurn(id=new_id(), version=ann.version)
        await ann.send(end)
        await trio.sleep(1)
        await cut(ann)
        await ben.until(lambda: ben.my_turn)
        again = await h.back(ann)
        assert (await again.ask_for(m.Done, end)).version == 2


def lines(person: Person) -> list[str]:
    return [said.text for said in person.others if isinstance(said, m.Said)]
