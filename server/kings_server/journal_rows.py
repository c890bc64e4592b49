"""What the journal is handed, and what it hands back: plain values, whose texts it never reads.

A write is one statement with its values. All of them may be carried out twice: after a failure
nobody knows whether they were.
"""

from typing import Final, TypeAlias

from attrs import field, frozen

from kings_protocol.limits import CHAT_TAIL, REMEMBERED_ANSWERS

Value: TypeAlias = str | int


@frozen
class Write:
    """One change of the journal; its values may hold hands, seeds and keys."""

    sql: str
    values: tuple[Value, ...] = field(repr=False)


@frozen
class SavedMatch:
    """The record of a table's match.

    Attributes:
        match: which of the table's matches it is, from 1.
        revision: the reading of the rules that it was played under.
        rules: the rules, as text.
        rotation: how many rematches went before.
        steps: actors and the texts of their actions, in order.
        hash: of the state after the last step; of nothing, an empty text.
    """

    match: int
    revision: int
    rules: str
    rotation: int
    steps: tuple[tuple[int, str], ...] = field(repr=False)
    hash: str = field(repr=False)


@frozen
class SavedAnswer:
    """A request that a seat was answered, and its number among the seat's answers."""

    seat: int
    number: int
    request: str = field(repr=False)
    reply: str = field(repr=False)


@frozen
class SavedTable:
    """A table as it was last committed: its settings, its state and its newest match.

    ``answers`` and ``lines`` (of chat, each with its number) have the oldest first.
    """

    table: str
    settings: str = field(repr=False)
    state: str = field(repr=False)
    match: SavedMatch | None
    answers: tuple[SavedAnswer, ...]
    lines: tuple[tuple[int, str], ...] = field(repr=False)


def keep_table(table: str, settings: str, state: str) -> Write:
    """Keep a new table."""
    return Write("REPLACE INTO tables VALUES (?, ?, ?)", (table, settings, state))


def keep_state(table: str, state: str) -> Write:
    """Keep a table's state in the place of its last one."""
    return Write("UPDATE tables SET state = ? WHERE table_id = ?", (state, table))


def keep_match(table: str, match: int, revision: int, rules: str, rotation: int) -> Write:
    """Keep the beginning of a match."""
    return Write(
        "REPLACE INTO matches VALUES (?, ?, ?, ?, ?)", (table, match, revision, rules, rotation)
    )


def keep_step(
    table: str, match: int, version: int, actor: int, action: str, state_hash: str
) -> Write:
    """Keep an action, and the hash of the state that it led to."""
    return Write(
        "REPLACE INTO steps VALUES (?, ?, ?, ?, ?, ?)",
        (table, match, version, actor, action, state_hash),
    )


def keep_answer(table: str, seat: int, number: int, request: str, reply: str) -> Write:
    """Keep a seat's answer in the place of the oldest one."""
    return Write(
        "REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)",
        (table, seat, number % REMEMBERED_ANSWERS, number, request, reply),
    )


def forget_answers(table: str, seat: int) -> Write:
    """Forget a seat's answers: somebody else sits there now."""
    return Write("DELETE FROM answers WHERE table_id = ? AND seat = ?", (table, seat))


def keep_line(table: str, number: int, line: str) -> Write:
    """Keep a line of chat in the place of the oldest one."""
    return Write(
        "REPLACE INTO lines VALUES (?, ?, ?, ?)", (table, number % CHAT_TAIL, number, line)
    )


_FORGET: Final = (
    "DELETE FROM lines WHERE table_id = ?",
    "DELETE FROM answers WHERE table_id = ?",
    "DELETE FROM steps WHERE table_id = ?",
    "DELETE FROM matches WHERE table_id = ?",
    "DELETE FROM tables WHERE table_id = ?",
)


def forget_table(table: str) -> tuple[Write, ...]:
    """Forget a table that has ended, and all its matches."""
    return tuple(Write(sql, (table,)) for sql in _FORGET)


def occupy_space() -> tuple[Write, ...]:
    """Take some space and give it back: fails while the disk is full."""
    return (
        Write("REPLACE INTO meta VALUES ('scratch', zeroblob(?))", (64 * 1024,)),
        Write("DELETE FROM meta WHERE key = 'scratch' AND ?", (1,)),
    )
