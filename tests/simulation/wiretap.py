"""Listens to one connection at the server's end, and holds every byte to what it has to be.

Each update has to be the one frame that the engine and the codec make for its viewer from the
record, with exactly the events since the last one; each reply has to answer a request; what was
acknowledged has to be in the record. Nothing may be sent that is none of the receiver's business.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import msgpack  # type: ignore[import-untyped]
import trio

from kings_engine.actions import EndTurn, Move, Play, PlayStock, SeatAction
from kings_engine.match import Match
from kings_engine.phase import Phase as MatchPhase
from kings_engine.verify import proof_of
from kings_engine.view import Standing, deal_history, history, legal_actions, observe
from kings_protocol import messages as m
from kings_protocol.codec import encode
from kings_protocol.errors import RemoteError
from kings_protocol.frames import FrameDecoder
from kings_protocol.limits import CLIENT_FRAME_BYTES, SERVER_FRAME_BYTES, UPDATE_EVENTS
from simulation.exchanges import Exchanges
from simulation.record import MatchId, Record

REPLIES: Final = frozenset({"entered", "seated", "watching", "proof", "hint", "done", "refused"})
ACTS: Final = frozenset({"play", "move", "play_top", "end_turn"})
RUNNING: Final = frozenset({"offering", "playing", "between"})
LOST: Final = frozenset({"no_such_table", "seat_given_up"})
PAUSE: Final = 600.0
"""Seconds for which a match stands still whose people are all gone: here, not two weeks."""

AT_TABLE: Final = frozenset({"table", "update", "said"})

Plain = dict[str, Any]


class Ledger:
    """What all connections of a server have in common.

    Attributes:
        record: what really happened.
        look: takes in what happened since.
        faults: what must not be, in words.
        tokens: whose token each one is: a table and a seat.
        acknowledged: the match and version that each action made, by table and request.
        parted: the tokens whose people left, or were told or voted that their seat is lost.
        here: when each token's person was last there, and the match that was running then.
        exchanges: what was shown of the making of each deck.
        sent: how many of each message the server sent, and of each kind of notice.
    """

    def __init__(self, look: Callable[[], None]) -> None:
        """Have ``look`` called before what is sent is judged."""
        self.record = Record(self.fault)
        self.look = look
        self.faults: list[str] = []
        self.tokens: dict[str, tuple[str, int]] = {}
        self.acknowledged: dict[tuple[str, str], tuple[int, int]] = {}
        self.parted: set[str] = set()
        self.here: dict[str, tuple[float, MatchId | None]] = {}
        self.exchanges = Exchanges(self.record, self.fault)
        self.sent: Counter[str] = Counter()

    def fault(self, words: str) -> None:
        """Note what must not be."""
        self.faults.append(f"{trio.current_time():.3f} {words}")


class Wiretap:
    """One connection, as the server reads and writes it."""

    def __init__(self, ledger: Ledger, number: int) -> None:
        self.ledger = ledger
        self.number = number
        self.over = False
        self.table: str | None = None
        self.viewer: int | None = None
        self.token: str | None = None
        self.waiting: list[tuple[float, Plain]] = []
        self.shown: tuple[MatchId, Match] | None = None
        self.match = 0
        self._deck = (0, 0, 0, False)
        self._said_bye = False
        self._up = FrameDecoder(CLIENT_FRAME_BYTES)
        self._down = FrameDecoder(SERVER_FRAME_BYTES)
        self._garbled = False

    def heard(self, data: bytes) -> None:
        """Note what the client asked; what is no message ends the connection and asks nothing."""
        self.ledger.look()
        if self._garbled:
            return
        try:
            self._up.feed(data)
            while (body := self._up.next()) is not None:
                plain = msgpack.unpackb(body)
                if isinstance(plain, dict) and isinstance(plain.get("id"), str):
                    self.waiting.append((trio.current_time(), plain))
                    self._note_parting(plain)
        except (RemoteError, ValueError, msgpack.UnpackException):
            self._garbled = True

    def said(self, data: bytes) -> None:
        """Check what the server is about to write."""
        self.ledger.look()
        self._down.feed(data)
        while (body := self._down.next()) is not None:
            plain = msgpack.unpackb(body, strict_map_key=False)
            self._check(plain, body)
            if plain["t"] != "proof" and self.ledger.exchanges.tells(body):
                self._fault(f"{plain['t']} tells a secret of a deck")

    def overdue(self, seconds: float) -> Plain | None:
        """Return a request that has been without its reply for longer, if there is one."""
        if self.over or self._garbled or self._said_bye or not self.waiting:
            return None
        since, plain = self.waiting[0]
        return plain if trio.current_time() - since > seconds else None

    def _fault(self, words: str) -> None:
        self.ledger.fault(f"connection {self.number}, {self.table}: {words}")

    def _check(self, plain: Plain, body: bytes) -> None:
        tag = plain["t"]
        self.ledger.sent[tag] += 1
        if self._said_bye:
            self._fault(f"{tag} after a bye")
        if self.token is not None:
            _, running = self.ledger.here.get(self.token, (0.0, None))
            self.ledger.here[self.token] = trio.current_time(), running
        if tag in AT_TABLE and self.table is None:
            self._fault(f"{tag} to somebody who is at no table")
        if tag in REPLIES:
            self._check_reply(tag, plain)
        elif tag == "update":
            self._check_update(plain["view"]["public"]["version"], plain["gap"], body)
        elif tag == "table":
            self._check_table(plain)
        else:
            self._note(tag, plain)

    def _note(self, tag: str, plain: Plain) -> None:
        if tag == "notice":
            self.ledger.sent[plain["code"]] += 1
        elif tag == "welcome":
            self.ledger.exchanges.server = bytes.fromhex(plain["server"])
        elif tag == "unseated":
            self._part()
            self.table = self.shown = None
        elif tag == "bye":
            self._said_bye = True

    # ---- replies

    def _check_reply(self, tag: str, reply: Plain) -> None:
        request = self._settle(reply["re"])
        if request is None:
            self._fault(f"{tag} answers nothing that was asked")
            return
        kind = request["t"]
        if tag in ("seated", "watching"):
            self._arrive(reply["table"], reply.get("seat"))
        if tag == "seated":
            owner = self.ledger.tokens.setdefault(reply["token"], (reply["table"], reply["seat"]))
            if owner != (reply["table"], reply["seat"]):
                self._fault("one token opens two seats")
            self.token = reply["token"]
        elif tag == "refused" and kind == "resume":
            self._check_lost(request["token"], reply["code"])
        elif tag == "done":
            self._check_done(request, reply)
        elif tag == "proof":
            self._check_proof(reply)
        elif tag == "hint":
            self._check_hint(reply["version"], reply["action"])

    def _check_done(self, request: Plain, reply: Plain) -> None:
        kind = request["t"]
        if kind == "leave":
            self.table = self.shown = None
        elif kind in ACTS:
            self._check_acknowledged(request, reply["version"])
        elif kind == "reveal" and self.table and self.viewer is not None:
            self.ledger.exchanges.take(self.table, self.match, self.viewer, request)

    def _part(self) -> None:
        if self.token is not None:
            self.ledger.parted.add(self.token)
        self.token = None

    def _note_parting(self, request: Plain) -> None:
        """Note why somebody may lose a seat: it is left, or another is to have it."""
        if request["t"] == "leave":
            self._part()
        elif request["t"] == "vote":
            seat = self.table, request.get("seat")
            tokens = self.ledger.tokens.items()
            self.ledger.parted |= {token for token, owner in tokens if owner == seat}

    def _check_lost(self, token: str, code: str) -> None:
        """Check that nobody loses a seat in a match by anything that others do."""
        since, running = self.ledger.here.get(token, (0.0, None))
        if code not in LOST or running is None or token in self.ledger.parted:
            return
        match = self.ledger.record.states[running][-1]
        _, seat = self.ledger.tokens[token]
        forfeited = observe(match, None).public.seats[seat].standing is Standing.FORFEITED
        over = match.phase is MatchPhase.MATCH_OVER
        if not over and not forfeited and trio.current_time() - since < PAUSE:
            self._fault(f"a token opens nothing ({code}), and its person never left {running}")

    def _settle(self, request_id: str) -> Plain | None:
        for at, (_, request) in enumerate(self.waiting):
            if request["id"] == request_id:
                del self.waiting[at]
                return request
        return None

    def _arrive(self, table: str, viewer: int | None) -> None:
        self.table, self.viewer, self.shown, self.match = table, viewer, None, 0
        self._deck = (0, 0, 0, False)

    def _check_acknowledged(self, request: Plain, version: int) -> None:
        assert self.table is not None
        key = self.table, request["id"]
        before = self.ledger.acknowledged.get(key)
        if before is not None:
            if before[1] != version:
                self._fault(f"one action was acknowledged as {before[1]} and as {version}")
            return
        number = self._number(version)
        if number is None:
            self._fault(f"an action was acknowledged that no record has as version {version}")
            return
        self.ledger.acknowledged[key] = number, version
        step = self.ledger.record.states[self.table, number][version].steps[-1]
        if (step.actor, step.action) != (self.viewer, _action(request)):
            self._fault(f"version {version} is not what was acknowledged")
        if request["version"] != version - 1:
            self._fault("an action was carried out on a position it was not decided on")

    def _number(self, version: int) -> int | None:
        """Return which of the table's matches is meant: the newest that has the version."""
        numbers = [
            number
            for (table, number), states in self.ledger.record.states.items()
            if table == self.table and len(states) > version
        ]
        return max(numbers, default=None)

    def _check_hint(self, version: int, action: str) -> None:
        number = self._number(version)
        assert self.table is not None
        assert self.viewer is not None
        state = None if number is None else self.ledger.record.states[self.table, number][version]
        own = None if state is None else observe(state, self.viewer).own
        if own is None or action not in map(str, legal_actions(own)):
            self._fault(f"a hint that is not to be followed: {action}")

    def _check_proof(self, reply: Plain) -> None:
        for (table, _), states in self.ledger.record.states.items():
            if table != self.table:
                continue
            proof = proof_of(states[-1], reply["deal"])
            if proof is not None and proof.begin == reply["begin"]:
                expected = m.Proof(
                    re=reply["re"],
                    deal=proof.number,
                    dealer=proof.dealer,
                    seats=proof.seats,
                    begin=proof.begin,
                    actions=proof.actions,
                )
                if msgpack.unpackb(encode(expected)) != reply:
                    self._fault("a proof is not the one of its deal")
                return
        self._fault("a proof of no finished deal")

    # ---- pushes

    def _check_table(self, table: Plain) -> None:
        if table["table"] != self.table:
            self._fault("the state of another table")
        offer = table["offer"]
        self.match = table["match"]
        if self.token is not None:
            running = (str(table["table"]), self.match) if table["phase"] in RUNNING else None
            self.ledger.here[self.token] = trio.current_time(), running
        words = self.ledger.exchanges.see(table)
        if words:
            self._fault(words)
        if offer is None:
            return
        deck = table["match"], offer["deal"], offer["attempt"], bool(offer["members"])
        if deck < self._deck:
            self._fault(f"after {self._deck} came {deck}")
        self._deck = deck

    def _check_update(self, version: int, gap: bool, body: bytes) -> None:
        if self.table is None:
            return
        explained = False
        for number in self._candidates(version):
            state = self.ledger.record.states[self.table, number][version]
            same = self.shown is not None and self.shown[0] == (self.table, number)
            if same and self.shown is not None:
                since = self.shown[1].version
                events = history(state, self.viewer, since)
                if version < since:
                    continue
            else:
                events = deal_history(state, self.viewer)
            if gap and same and len(events) <= UPDATE_EVENTS:
                continue
            expected = m.Update(
                view=observe(state, self.viewer),
                events=m.Happened(events[-UPDATE_EVENTS:]),
                gap=gap,
            )
            if encode(expected) == body:
                explained = gap or len(events) <= UPDATE_EVENTS
                self.shown = (self.table, number), state
                break
        if not explained:
            self._fault(f"an update to {self.viewer} that version {version} does not explain")

    def _candidates(self, version: int) -> list[int]:
        """Return the numbers of the matches that an update may be of, the likeliest first."""
        known = self.shown[0][1] if self.shown is not None else 1
        newest = max((n for t, n in self.ledger.record.states if t == self.table), default=0)
        return [
            number
            for number in range(newest, known - 1, -1)
            if len(self.ledger.record.states[str(self.table), number]) > version
        ]


def _action(request: Plain) -> SeatAction:
    match request["t"]:
        case "play":
            return Play(request["card"], request["place"])
        case "move":
            return Move(request["source"], request["place"])
        case "play_top":
            return PlayStock(request["place"])
    return EndTurn()
