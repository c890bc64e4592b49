"""What one event does to a table, until the journal has it: what to keep, and what to show then.

Nothing that a table does reaches anybody but through here, so nobody is ever shown what might not
be kept.
"""

from collections.abc import Callable
from functools import partial
from typing import ParamSpec

from kings_server.journal_rows import Write

P = ParamSpec("P")


class Ledger:
    """The writes and the effects of the event that is being dealt with."""

    __slots__ = ("_effects", "writes")

    def __init__(self) -> None:
        self.writes: list[Write] = []
        self._effects: list[Callable[[], object]] = []

    def keep(self, *writes: Write) -> None:
        """Have ``writes`` kept."""
        self.writes.extend(writes)

    def then(self, effect: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Carry out ``effect`` once all is kept; it must neither await nor fail."""
        self._effects.append(partial(effect, *args, **kwargs))

    def carry_out(self) -> None:
        """Carry out the effects, in their order: what was to be kept is kept."""
        effects, self._effects = self._effects, []
        self.writes = []
        for effect in effects:
            effect()

    def drop(self) -> None:
        """Forget all of it: it was not kept, so it has not happened."""
        self.writes = []
        self._effects = []
