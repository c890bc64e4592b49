"""Loads a program that plays: a Python module with a function ``choose``.

It is its author's own code, run with the author's own rights, so that nothing here guards against
it; but what it answers is judged before it is asked for, and a mistake in it costs one move.
"""

import importlib
import random
import sys
import traceback
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Final, TypeAlias

from attrs import frozen

from kings_client.words.tongue import tell
from kings_engine.actions import EndTurn, SeatAction
from kings_engine.events import Event
from kings_engine.rules import Rules
from kings_engine.view import Own, View, legal_actions

Choose: TypeAlias = Callable[[View, tuple[Event, ...], random.Random], object]
"""Returns one of the seat's legal actions."""

Begin: TypeAlias = Callable[[Rules, int], object]
"""Is told the rules and the seat's number when a match begins; what it returns is not looked at."""

REMEMBERED_AS: Final = "kings_bot_module"


class BadModule(Exception):  # noqa: N818  a module is bad, the program is fine
    """The module cannot be used; the text is for its author."""


@frozen
class Policy:
    """A program that plays.

    Attributes:
        choose: ``choose(view, history, rng)``.
        begin: ``begin(rules, seat)``, if the module has one.
        say: where the author is told of a mistake.
    """

    choose: Choose
    begin: Begin | None
    say: Callable[[str], None]

    def hear_rules(self, rules: Rules, seat: int) -> None:
        """Tell the program that a match begins."""
        if self.begin is None:
            return
        try:
            self.begin(rules, seat)
        except Exception:  # noqa: BLE001  the author's mistake, and a fence round it
            self.say(tell("begin failed:") + "\n" + traceback.format_exc())

    def action(
        self, view: View, own: Own, history: tuple[Event, ...], rng: random.Random
    ) -> SeatAction:
        """Return the program's choice, or where it has none, what ends the turn soonest.

        Args:
            view: the position, as the seat on turn sees it.
            own: the part of it that is the seat's alone.
            history: the deal's events, as the seat saw them.
            rng: the program's source of chance.
        """
        legal = legal_actions(own)
        try:
            chosen = self.choose(view, history, rng)
        except Exception:  # noqa: BLE001  the author's mistake, and a fence round it
            self.say(tell("choose failed:") + "\n" + traceback.format_exc())
        else:
            if chosen in legal:
                return legal[legal.index(chosen)]
            allowed = ", ".join(map(str, legal))
            self.say(
                tell(
                    "choose answered {answer}; it may answer one of: {allowed}",
                    answer=repr(chosen)[:200],
                    allowed=allowed,
                )
            )
        instead = EndTurn() if EndTurn() in legal else legal[0]
        self.say(tell("played in its stead: {action}", action=instead))
        return instead


def load_policy(text: str, say: Callable[[str], None]) -> Policy:
    """Return the policy of a module, named by its file or as it would be imported.

    Args:
        text: a path that ends in ``.py``, or a module's dotted name.
        say: where the author is told of mistakes.

    Raises:
        BadModule: there is no such module, it fails, or it has no ``choose``.
    """
    module = _module(text)
    choose, begin = getattr(module, "choose", None), getattr(module, "begin", None)
    if not callable(choose):
        raise BadModule(tell("{module} has no function choose(view, history, rng)", module=text))
    return Policy(choose, begin if callable(begin) else None, say)


def _module(text: str) -> ModuleType:
    """Import a module, from its file or by its name.

    Raises:
        BadModule: there is none, or it fails.
    """
    path = Path(text)
    if path.suffix == ".py" and not path.is_file():
        raise BadModule(tell("there is no file {path}", path=text))
    try:
        return _from_file(path) if path.suffix == ".py" else importlib.import_module(text)
    except Exception as error:
        why = "".join(traceback.format_exception(error))
        raise BadModule(tell("{module} cannot be imported:", module=text) + f"\n{why}") from error


def _from_file(path: Path) -> ModuleType:
    module = ModuleType(REMEMBERED_AS)
    module.__file__ = str(path)
    # Dataclasses and pickle look a class's module up by its name.
    sys.modules[REMEMBERED_AS] = module
    # What lies beside the file can be imported by it, as if it were run by itself.
    sys.path.insert(0, str(path.resolve().parent))
    SourceFileLoader(REMEMBERED_AS, str(path)).exec_module(module)
    return module
