"""A journal of older rules, or of damaged rows: who is concerned is told, and nobody else is."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from kings_engine.presets import preset_rules
from kings_engine.rules import rules_as_plain
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode
from people import Person, new_id
from restarting import back, edit, server, table_of


async def played_deal(*people: Person) -> None:
    async with trio.open_nursery() as players:
        for person in people:
            players.start_soon(play_deal, person)


async def play_deal(person: Person) -> None:
    while not person.phase("between", "over"):
        if person.my_turn:
            assert isinstance(await person.play_once(), m.Done)
        await person.until(lambda: person.my_turn or not person.phase("playing"))


def make_rules_strange(directory: Path, path: str, value: str) -> None:
    """Let all that is kept be of rules in which ``path`` is ``value``, as JSON."""
    for table, column, at in (("tables", "settings", "$.rules"), ("matches", "rules", "$")):
        edit(
            directory,
            f"UPDATE {table} SET {column} = json_set({column}, ?, json(?))",  # noqa: S608
            f"{at}.{path}",
            value,
        )


OLDER = {
    "hash": ("UPDATE steps SET hash = 'other'",),
    "step": ("UPDATE steps SET action = 'play KH N' WHERE version = 4",),
    "knob": ("old_knob", "true"),
    "value": ("draw", '"begin"'),
    "kind": ("draw", "[[1], {}]"),
    "text": ("UPDATE matches SET rules = 'pagat'",),
}
"""What a journal of older rules may hold."""


@pytest.mark.parametrize("how", OLDER)
async def test_a_match_that_no_longer_replays_is_closed_with_its_score(
    autojump_clock: MockClock, tmp_path: Path, how: str
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben, knobs={"points": 500})
        await played_deal(ann, ben)
        await ann.ready()
        await ben.ready()
        await ann.until_deal(2)
        await ann.ask_for(m.Done, m.Say(id=new_id(), text="well played"))
        assert ann.view is not None
        sheet = ann.view.public.sheet
        assert len(sheet) == 1
    edit(tmp_path, "UPDATE matches SET revision = 0")
    if len(OLDER[how]) == 1:
        edit(tmp_path, *OLDER[how])
    else:
        make_rules_strange(tmp_path, *OLDER[how])
    for _ in range(2):
        async with server(autojump_clock, tmp_path) as h:
            ann, ben = await back(h, ann), await back(h, ben)
            assert m.Notice(code=NoticeCode.MATCH_CLOSED) in ann.others
            assert ann.phase("over")
            assert ann.view is not None
            assert ann.view.public.sheet == sheet
            assert ann.view.public.winners == ()
            assert ann.seat is not None
            assert [line.text for line in ann.seat.chat] == ["well played"]
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await back(h, ann), await back(h, ben)
        await ann.ready()
        await ben.ready()
        await ann.until(lambda: ann.deal == 1 and ann.phase("playing"))
        assert table_of(ann).match == 2
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await back(h, ann), await back(h, ben)
        assert m.Notice(code=NoticeCode.MATCH_CLOSED) not in ann.others
        assert ann.phase("playing")
        assert table_of(ann).match == 2


async def test_who_waits_at_a_table_of_older_rules_is_told_and_asked_again(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        await h.table_of(ann, ben, preset="strict", knobs={"points": 40})
        await ann.ready()
        await ann.until(lambda: table_of(ann).seats[0].ready)
    make_rules_strange(tmp_path, "old_knob", "true")
    for _ in range(2):
        async with server(autojump_clock, tmp_path) as h:
            ann, ben = await back(h, ann), await back(h, ben)
            assert m.Notice(code=NoticeCode.MATCH_CLOSED) in ann.others
            assert ann.phase("waiting")
            assert not table_of(ann).seats[0].ready
            assert table_of(ann).preset == "strict"
            assert table_of(ann).rules == rules_as_plain(preset_rules("strict"))
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await back(h, ann), await back(h, ben)
        await ann.ready()
        await ben.ready()
        await ann.until(lambda: ann.phase("playing"))


async def test_a_table_of_a_preset_that_is_no_more_goes_on(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann", 1), await h.guest("Ben", 2)
        await h.match_of(ann, ben, preset="strict")
        version, knobs = ann.version, table_of(ann).rules
    edit(tmp_path, "UPDATE tables SET settings = json_set(settings, '$.preset', 'bygone')")
    async with server(autojump_clock, tmp_path) as h:
        ann = await back(h, ann)
        assert (ann.version, table_of(ann).rules) == (version, knobs)
        await ann.ask_for(m.Done, m.Leave(id=new_id()))
        await ann.ask_for(m.Done, m.Browse(id=new_id(), page=0))
        await ann.until(lambda: ann.pages)
        assert [line.preset for line in ann.pages[0].tables] == ["pagat"]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE tables SET state = '[]'",
        """UPDATE tables SET state = replace(state, '"host":0', '"host":9')""",
        "UPDATE tables SET table_id = '<<>>'",
        "UPDATE answers SET seat = 'x'",
        "UPDATE answers SET seat = 7",
    ],
)
async def test_a_table_that_cannot_be_read_takes_no_other_with_it(
    autojump_clock: MockClock, tmp_path: Path, damage: str
) -> None:
    async with server(autojump_clock, tmp_path) as h:
        ann, ben = await h.guest("Ann"), await h.guest("Ben")
        good, bad = await ann.make_table(2), await ben.make_table(2)
        await ben.ready()
    edit(tmp_path, f"{damage} WHERE table_id = ?", bad.table)
    async with server(autojump_clock, tmp_path) as h:
        assert list(h.lobby.tables) == [good.table]
        await back(h, ann)
