"""What a client saw of each deal, to be compared with what the server publishes of it."""

from typing import Final, TypeAlias

from attrs import define, field

from kings_engine.events import CardsCut, DealBegan, DealEnded, DealerChosen, Event, MatchEnded
from kings_engine.phase import Phase
from kings_engine.verify import position_digest
from kings_engine.view import Public
from kings_protocol.messages import Update

CUT: Final = 0
"""The number under which the cut or the lot is proved."""

DEALS: Final = 400
"""Deals of a match that are kept: more than any match has, whatever a server says."""

RUNS: Final = 16
"""Runs of events that are kept of a deal. Of one that is told more often nothing counts as seen."""

OVERLAP: Final = 8
"""Events that two runs have to share so that the later one goes on with the earlier."""

EVENTS: Final = 4096
"""Events, and positions, that are kept of a deal. Of one that has more nothing counts as seen."""

Deal: TypeAlias = int


@define
class Sight:
    """What was seen of one deal.

    A run is kept as a string with a character for each event, and what is the same event is the
    same character, so that runs are compared as fast as text, whatever a server sends.

    Attributes:
        events: the events, each once; a character's number is its index here.
        runs: the runs of events without a gap, in the order in which they were told.
        shown: the digests of the positions that were shown while the deal ran.
        began: whether the deal's start, or the end of the cut, was seen.
        lost: whether it was more than can be kept, so that nothing counts as seen.
    """

    events: dict[Event, int] = field(factory=dict)
    runs: list[str] = field(factory=list)
    shown: dict[str, None] = field(factory=dict)
    began: bool = False
    lost: bool = False

    def note(self, event: Event, *, breaks: bool) -> None:
        """Take in the next event; one that ``breaks`` begins another run."""
        if breaks or not self.runs:
            self.runs = [*_settled(self.runs), ""]
        self.began = self.began or isinstance(event, DealBegan | DealerChosen)
        self.runs[-1] += chr(self.events.setdefault(event, len(self.events)))
        if max(len(self.events), len(self.runs[-1])) > EVENTS or len(self.runs) > RUNS:
            self._lose()

    def note_position(self, digest: str) -> None:
        """Take in a position that was shown."""
        self.shown[digest] = None
        if len(self.shown) > EVENTS:
            self._lose()

    def _lose(self) -> None:
        self.lost = True
        self.events, self.runs, self.shown = {}, [], {}

    @property
    def seen(self) -> tuple[tuple[Event, ...], ...]:
        """The runs of events."""
        events = tuple(self.events)
        return tuple(tuple(events[ord(one)] for one in run) for run in _settled(self.runs))


@define
class Witness:
    """What was seen of each deal of the current match, as runs of events without a gap.

    Nothing that was seen is forgotten because it is told again: a second telling has to agree with
    the first one. The positions on the screen are kept too, as digests.
    """

    _sights: dict[Deal, Sight] = field(factory=dict)
    _ended: set[Deal] = field(factory=set)
    _running: Deal | None = None
    _breaks: bool = False
    _changed: set[Deal] = field(factory=set)
    _position: tuple[Deal, str] = (CUT, "")

    def see(self, update: Update) -> tuple[Deal, ...]:
        """Take in an update and return the deals whose ends are among its events."""
        ended = []
        if update.gap:
            self.look_away()
        events, public = update.events.events, update.view.public
        for event, newest in zip(events, _deals_before(events, public), strict=True):
            deal = self._deal_of(event, newest)
            if deal is not None:
                self._note(deal, event)
            match event:
                case DealerChosen():
                    ended.append(CUT)
                case DealEnded(number=number):
                    ended.append(number)
                case MatchEnded() if self._running is not None:
                    ended.append(self._running)
                case _:
                    continue
            self._ended.update(filter(self.knows, ended))
            self._running = None
        running = self._running
        if running is None and public.phase == Phase.PLAY:
            running = public.deal
        if running is not None and (sight := self._sight(running)) is not None:
            digest = position_digest(update.view)
            sight.note_position(digest)
            self._position = max(self._position, (public.deal, digest))
        return tuple(ended)

    def _deal_of(self, event: Event, newest: Deal) -> Deal | None:
        """Return the deal that an event is of; ``newest`` is the deal that runs if none was seen.

        Where older events are left out, a deal's story begins in its middle. What follows a deal's
        end is of none.
        """
        match event:
            case DealBegan(number=number):
                self._running = number
                self._breaks = True
            case CardsCut() | DealerChosen():
                self._breaks = self._breaks or CUT in self._ended
                self._ended.discard(CUT)
                return CUT
            case _ if self._running is None and newest != CUT and newest not in self._ended:
                self._running = newest
            case _:
                pass
        return self._running

    def _note(self, deal: Deal, event: Event) -> None:
        sight = self._sight(deal)
        if sight is None:
            return
        sight.note(event, breaks=self._breaks)
        self._breaks = False
        later, digest = self._position
        if CUT < deal < later:
            # A deal was not over when a later one was on the screen: it was shown in its place.
            sight.note_position(digest)

    def _sight(self, deal: Deal) -> Sight | None:
        """Return what to note something new of ``deal`` in, unless too much was seen."""
        if deal not in self._sights and len(self._sights) >= DEALS:
            return None
        self._changed.add(deal)
        sight = self._sights.setdefault(deal, Sight())
        return None if sight.lost else sight

    def look_away(self) -> None:
        """The connection is gone, or events are left out: a deal's story may begin anew."""
        self._running = None
        self._breaks = True

    def changed(self) -> set[Deal]:
        """Return the deals of which something was seen since this was last asked."""
        changed, self._changed = self._changed, set()
        return changed

    def knows(self, deal: Deal) -> bool:
        """Say whether anything of ``deal`` was seen."""
        return deal in self._sights

    def began(self, deal: Deal) -> bool:
        """Say whether it was seen that ``deal`` was dealt, or that the dealer was chosen."""
        return deal in self._sights and self._sights[deal].began

    def seen(self, deal: Deal) -> tuple[tuple[Event, ...], ...]:
        """Return what was seen of ``deal``; nothing where it was too much to be kept."""
        return self._sights[deal].seen if deal in self._sights else ()

    def shown(self, deal: Deal) -> tuple[str, ...]:
        """Return the digests of the positions that were shown of ``deal``."""
        return tuple(self._sights[deal].shown) if deal in self._sights else ()

    def starts(self) -> tuple[Event, ...]:
        """Return every event that says who deals."""
        return tuple(
            event
            for sight in self._sights.values()
            for event in sight.events
            if isinstance(event, DealBegan | DealerChosen)
        )


def _deals_before(events: tuple[Event, ...], public: Public) -> tuple[Deal, ...]:
    """Return which deal runs before each of ``events``, after which stands ``public``."""
    running = public.deal if public.phase == Phase.PLAY else CUT
    found = []
    for event in reversed(events):
        match event:
            case DealBegan() | CardsCut() | DealerChosen():
                running = CUT
            case DealEnded(number=number):
                running = number
            case MatchEnded():
                running = public.deal
            case _:
                pass
        found.append(running)
    return tuple(reversed(found))


def _settled(runs: list[str]) -> list[str]:
    """Leave out the newest run if it is part of another one, or what it has anew or goes on with.

    The runs before the newest are settled already.
    """
    *before, last = runs or [""]
    if not last or any(last in run for run in before):
        return before
    before = [run for run in before if run not in last]
    shared = _shared(before[-1], last) if before else 0
    return [*before[:-1], before[-1] + last[shared:]] if shared else [*before, last]


def _shared(run: str, later: str) -> int:
    """Return how many events at the end of ``run`` are the first ones of ``later``, if enough."""
    most = min(len(run), len(later))
    return next((n for n in range(most, OVERLAP - 1, -1) if run.endswith(later[:n])), 0)
