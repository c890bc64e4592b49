"""One seat's life as a table of transitions.

Everything that can happen to a seat is an ``Input``, time-outs among them, and every way to lose
one goes through here. A pair that the table does not list cannot happen: asking for it raises
``LookupError``. This file knows no clock and no connection; ``until`` is a time its caller gave.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from attrs import evolve, field, frozen

from kings_protocol.messages import Absent, Level

HOLDER: Final[Level] = "medium"
"""The level of a bot that plays for somebody who is gone: plainly."""


class State(StrEnum):
    """Where a seat stands; the values are the protocol's."""

    OPEN = "open"
    SEATED = "seated"
    DROPPED = "dropped"
    HELD = "held"
    BOT = "bot"
    LEFT = "left"


class Input(StrEnum):
    """What can happen to a seat."""

    SIT = "sit"  #: a person sits down
    DROP = "drop"  #: the person is gone or does nothing, or is waited for anew
    RETURN = "return"  #: the person came back with the token, or a newer connection displaces it
    WAIT_ON = "wait_on"  #: the grace is over and the seat stays the person's
    HOLD = "hold"  #: the grace is over and a bot plays meanwhile
    VACATE = "vacate"  #: the person is gone for good, before a start
    GIVE_UP = "give_up"  #: the person is gone for good, and nobody plays on
    REPLACE = "replace"  #: the person is gone for good, and a bot plays on
    ADD_BOT = "add_bot"
    REMOVE_BOT = "remove_bot"


TRANSITIONS: Final[Mapping[State, Mapping[Input, State]]] = {
    State.OPEN: {Input.SIT: State.SEATED, Input.ADD_BOT: State.BOT},
    State.SEATED: {
        Input.DROP: State.DROPPED,
        Input.RETURN: State.SEATED,
        Input.VACATE: State.OPEN,
        Input.GIVE_UP: State.LEFT,
        Input.REPLACE: State.BOT,
    },
    State.DROPPED: {
        Input.RETURN: State.SEATED,
        Input.DROP: State.DROPPED,
        Input.WAIT_ON: State.DROPPED,
        Input.HOLD: State.HELD,
        Input.VACATE: State.OPEN,
        Input.GIVE_UP: State.LEFT,
        Input.REPLACE: State.BOT,
    },
    State.HELD: {
        Input.RETURN: State.SEATED,
        Input.GIVE_UP: State.LEFT,
        Input.REPLACE: State.BOT,
    },
    State.BOT: {Input.REMOVE_BOT: State.OPEN},
    State.LEFT: {Input.SIT: State.SEATED, Input.ADD_BOT: State.BOT},
}


PEOPLE: Final = (State.SEATED, State.DROPPED, State.HELD)
"""The states of a seat that belongs to a person."""


@frozen
class Seat:
    """One seat.

    Attributes:
        state: where it stands.
        name: who sits there, or sat there last if the seat is ``left``.
        level: how the bot plays, where one does.
        short: whether the bot had no time to think about its last move.
        key: the hash of the person's token; it is kept while the person may come back.
        ready: whether the person asked for the next start.
        until: when the table stops waiting for a dropped player.
        away: whether a dropped player was connected all the time and did nothing.
        pause: whether the person wants the match to stand still.
        unasked: whether the person was gone when a pause began, and had not wanted it.
        silent: whether the host lets the person say nothing.
        votes: the seats whose people want a bot here instead.
    """

    state: State = State.OPEN
    name: str = ""
    level: Level | None = None
    short: bool = False
    key: bytes | None = field(default=None, repr=False)
    ready: bool = False
    until: float | None = None
    away: bool = False
    pause: bool = False
    unasked: bool = False
    silent: bool = False
    votes: frozenset[int] = frozenset()

    @property
    def free(self) -> bool:
        """Whether somebody may sit down here once no match is running."""
        return self.state in (State.OPEN, State.LEFT)

    @property
    def has_person(self) -> bool:
        """Whether the seat belongs to a person, here or gone for now."""
        return self.state in PEOPLE

    @property
    def expected(self) -> bool:
        """Whether the person is here, or gone for so short that the table waits."""
        return self.state is State.SEATED or self.until is not None


def step(
    seat: Seat,
    what: Input,
    *,
    name: str = "",
    level: Level | None = None,
    key: bytes | None = None,
    until: float | None = None,
    away: bool = False,
) -> Seat:
    """Return the seat after ``what`` happened to it.

    Args:
        seat: the seat before.
        what: what happened.
        name: who sits down, or what the bot is called (``SIT``, ``ADD_BOT``, ``REPLACE``).
        level: how the bot plays (``ADD_BOT``).
        key: the hash of the new person's token (``SIT``).
        until: when the table stops waiting (``DROP``).
        away: whether the person is connected and does nothing (``DROP``).

    Raises:
        LookupError: that cannot happen to a seat in this state.
    """
    state = TRANSITIONS[seat.state][what]
    match what:
        case Input.SIT:
            return Seat(state, name, key=key)
        case Input.DROP:
            return evolve(seat, state=state, ready=False, until=until, away=away)
        case Input.RETURN:
            return evolve(
                seat,
                state=state,
                level=None,
                short=False,
                until=None,
                away=False,
                pause=False,
                unasked=False,
            )
        case Input.WAIT_ON:
            return evolve(seat, state=state, until=None)
        case Input.HOLD:
            return evolve(seat, state=state, level=HOLDER, until=None)
        case Input.GIVE_UP:
            return Seat(state, seat.name)
        case Input.ADD_BOT:
            return Seat(state, name, level)
        case Input.REPLACE:
            return Seat(state, name, HOLDER)
        case Input.VACATE | Input.REMOVE_BOT:
            return Seat(state)


def after_grace(absent: Absent, *, running: bool, over: bool) -> Input:
    """Return what happens to a dropped seat when the table stops waiting for it.

    Args:
        absent: the table's choice.
        running: whether a match is running.
        over: whether a match is over and its sheet still names those who played.
    """
    if over:
        return Input.GIVE_UP
    if not running:
        return Input.VACATE
    match absent:
        case "bot":
            return Input.HOLD
        case "forfeit":
            return Input.GIVE_UP
        case "skip" | "wait":
            return Input.WAIT_ON


def after_leaving(absent: Absent, *, running: bool, over: bool) -> Input:
    """Return what happens to a seat whose person leaves for good; arguments as ``after_grace``."""
    if over:
        return Input.GIVE_UP
    if not running:
        return Input.VACATE
    return Input.REPLACE if absent in ("bot", "wait") else Input.GIVE_UP
