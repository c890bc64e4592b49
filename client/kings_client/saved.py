"""A match's proofs in a file, and the check of such a file: ``kings verify``."""

from pathlib import Path
from typing import Any, Final

import msgspec
from attrs import frozen
from msgspec import Struct

from kings_client.marks import Mark
from kings_client.words.tongue import tell
from kings_engine.events import Event
from kings_engine.rules import REVISION, BadRules, Rules, make_rules
from kings_engine.verify import DealProof, Problem, check_deal
from kings_protocol.codec import EVENT_BY_TAG
from kings_protocol.limits import NAME_LENGTH
from kings_protocol.messages import Hex32, Knobs, Level
from kings_protocol.text import clean

FORMAT: Final = 2
"""The version of the file's form: the second one tells who played and what came of it."""

READ: Final = frozenset({1, FORMAT})
"""The forms that are read."""

FILE_BYTES: Final = 16 * 1024 * 1024
"""The largest file that is read: fifty deals take under one megabyte."""


class BadFile(ValueError):  # noqa: N818  the file is bad, not the program
    """A file holds no match's proofs; the text is for the person."""


class SavedDeal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A finished deal: what was promised, what was published, and what was seen of it.

    ``mark`` is what the client found out when the proof came; ``kings verify`` does not trust it.
    """

    commitment: Hex32 | None
    nonce: Hex32 | None
    proof: DealProof
    seen: tuple[dict[str, Any], ...]
    mark: Mark | None = None


class Result(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a match ended: the winners (several share it), the losers named, each seat's points."""

    winners: tuple[int, ...]
    losers: tuple[int, ...]
    points: tuple[int, ...]
    abandoned: bool = False


class SavedMatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The finished deals of a match, as one viewer saw them; ``seat`` is nothing for a spectator.

    ``revision`` is the reading of the rules under which they were played, ``played`` when: local
    time, as in ``2026-11-30T20:15``. ``levels`` are the bots', nothing for a person. There is no
    ``result`` while the match goes on; files of the first form have none of these.
    """

    format: int
    revision: int
    table: str
    names: tuple[str, ...]
    seat: int | None
    rules: Knobs
    deals: tuple[SavedDeal, ...]
    preset: str = ""
    levels: tuple[Level | None, ...] = ()
    played: str = ""
    result: Result | None = None


@frozen
class Verdict:
    """What the check of one deal found.

    Attributes:
        deal: its number, or 0 for the cut or lot.
        problems: slugs of what does not agree.
        promised: whether a commitment was seen before the deal.
        seen: whether anything of the deal was seen that could be compared.
    """

    deal: int
    problems: tuple[str, ...]
    promised: bool
    seen: bool

    @property
    def unproved(self) -> bool:
        """Whether something is missing without which a deal is not verified."""
        return not (self.promised and self.seen)


def plain_event(event: Event) -> dict[str, Any]:
    """Return an event as plain data with its tag."""
    return {"t": event.tag, **msgspec.to_builtins(event)}


def write_match(match: SavedMatch) -> bytes:
    """Return the file's content."""
    return msgspec.json.format(msgspec.json.encode(match), indent=1)


def read_match(path: Path) -> SavedMatch:
    """Return what the file holds.

    Raises:
        BadFile: it cannot be read, is no such file, or is of another program's version.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(FILE_BYTES + 1)
    except OSError as error:
        raise BadFile(tell("cannot read {path}: {why}", path=path, why=error.strerror)) from error
    if len(content) > FILE_BYTES:
        raise BadFile(tell("{path} is too large to be a match's proofs", path=path))
    try:
        match = msgspec.json.decode(content, type=SavedMatch)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadFile(
            tell("{path} holds no match's proofs: {why}", path=path, why=error)
        ) from error
    if match.format not in READ or match.revision != REVISION:
        raise BadFile(
            tell(
                "{path} is of form {form} and rules revision {revision}; "
                "this program reads forms up to {newest} and plays revision {ours}",
                path=path,
                form=match.format,
                revision=match.revision,
                newest=FORMAT,
                ours=REVISION,
            )
        )
    return match


def verify_match(match: SavedMatch) -> tuple[Verdict, ...]:
    """Check every deal of the match again.

    Raises:
        BadFile: the rules cannot be played, or an event cannot be read.
    """
    rules = saved_rules(match)
    return tuple(_verdict(rules, match.seat, deal) for deal in match.deals)


def saved_rules(match: SavedMatch) -> Rules:
    """Return the rules that the match was played by.

    Raises:
        BadFile: they cannot be played.
    """
    try:
        return make_rules(match.rules)
    except BadRules as error:
        raise BadFile(tell("its rules cannot be played: {why}", why=error)) from error


def _verdict(rules: Rules, seat: int | None, deal: SavedDeal) -> Verdict:
    seen = tuple(map(_event, deal.seen))
    nonce = None if deal.nonce is None else bytes.fromhex(deal.nonce)
    committed = b"" if deal.commitment is None else bytes.fromhex(deal.commitment)
    found = check_deal(rules, deal.proof, committed, seat, nonce, seen)
    promised, compared = deal.commitment is not None, Problem.NOTHING_SEEN not in found
    missing = {Problem.NOTHING_SEEN, *(() if promised else (Problem.SEED_NOT_COMMITTED,))}
    problems = tuple(str(problem) for problem in found if problem not in missing)
    return Verdict(deal.proof.number, problems, promised, compared)


def _event(plain: dict[str, Any]) -> Event:
    kind = EVENT_BY_TAG.get(str(plain.get("t")))
    if kind is None:
        raise BadFile(
            tell(
                "it holds an event of no known kind: {event}", event=clean(str(plain), NAME_LENGTH)
            )
        )
    try:
        event: Event = msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        raise BadFile(tell("it holds an event that is not whole: {why}", why=error)) from error
    return event
