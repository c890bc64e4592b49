"""A match's proofs in a file, and the check of such a file: ``kings verify``."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from kings_client.fairness import verdict
from kings_client.marks import Check, Exchange, Mark, Why, Withheld
from kings_client.words.tongue import tell
from kings_engine.commitments import LoosePromise
from kings_engine.events import Event
from kings_engine.rules import REVISION, BadRules, Rules, make_rules
from kings_engine.verify import MOST_DEALS, DealProof, Problem, wrong_dealers
from kings_protocol.codec import EVENT_BY_TAG
from kings_protocol.limits import NAME_LENGTH
from kings_protocol.messages import Hex32, Knobs, Level
from kings_protocol.text import clean

FORMAT: Final = 3
"""The version of the file's form: the third one has the offers of each deck."""

LOOSE: Final = frozenset({1, 2})
"""Older forms that are read too; in their time nobody committed to a share."""

REVISIONS: Final = frozenset({1, REVISION})
"""Readings of the rules whose deals are played alike; the second one names losers otherwise."""

FILE_BYTES: Final = 16 * 1024 * 1024
"""The largest file that is read: fifty deals take under one megabyte."""


class BadFile(ValueError):  # noqa: N818  the file is bad, not the program
    """A file holds no match's proofs; the text is for the person."""


class Loose(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an old file has in the place of an offer: a commitment, and what one gave."""

    commitment: Hex32 | None
    share: Hex32 | None


class SavedDeal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A deal: what was promised, what was published, and what was seen of it.

    Attributes:
        number: the deal's number; 0 is the cut or the lot.
        exchange: the newest offer of its deck that was seen, and one's part in it.
        anew: whose shares were withheld, so that it was offered anew.
        doubts: slugs of what the client saw that no honest server does.
        proof: what the server published; nothing if it gave none.
        seen: what was seen, as runs of events without a gap.
        shown: digests of the positions that were shown while it ran.
        mark: what the client found out; ``kings verify`` does not trust it.
        why: why a share, or the check, was missing then.
        loose: what an old file has in the place of an offer.
    """

    number: Annotated[int, Meta(ge=0, le=MOST_DEALS)]
    exchange: Exchange | None
    anew: tuple[Withheld, ...]
    doubts: tuple[str, ...]
    proof: DealProof | None
    seen: tuple[tuple[dict[str, Any], ...], ...]
    mark: Mark
    why: Why | None
    shown: tuple[Hex32, ...] = ()
    loose: Loose | None = None


class OldDeal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A deal as the forms 1 and 2 have it; the marks of their time claimed too much."""

    commitment: Hex32 | None
    nonce: Hex32 | None
    proof: DealProof
    seen: tuple[dict[str, Any], ...]
    mark: Any = None


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


class OldMatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A match as the forms 1 and 2 have it."""

    format: int
    revision: int
    table: str
    names: tuple[str, ...]
    seat: int | None
    rules: Knobs
    deals: tuple[OldDeal, ...]
    preset: str = ""
    levels: tuple[Level | None, ...] = ()
    played: str = ""
    result: Result | None = None


class _Form(Struct):
    """The two numbers by which every form is known."""

    format: int
    revision: int


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
        form = msgspec.json.decode(content, type=_Form)
        if form.format not in {*LOOSE, FORMAT} or form.revision not in REVISIONS:
            raise BadFile(
                tell(
                    "{path} is of form {form} and rules revision {revision}; "
                    "this program reads forms up to {newest} and plays revision {ours}",
                    path=path,
                    form=form.format,
                    revision=form.revision,
                    newest=FORMAT,
                    ours=REVISION,
                )
            )
        if form.format == FORMAT:
            return msgspec.json.decode(content, type=SavedMatch)
        return _renewed(msgspec.json.decode(content, type=OldMatch))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadFile(
            tell("{path} holds no match's proofs: {why}", path=path, why=error)
        ) from error


def _renewed(old: OldMatch) -> SavedMatch:
    """Return an old match in today's form."""
    deals = tuple(
        SavedDeal(
            number=deal.proof.number,
            exchange=None,
            anew=(),
            doubts=(),
            proof=deal.proof,
            seen=(deal.seen,),
            mark=Mark.PENDING,
            why=None,
            loose=Loose(commitment=deal.commitment, share=deal.nonce),
        )
        for deal in old.deals
    )
    kept = {name: getattr(old, name) for name in OldMatch.__struct_fields__ if name != "deals"}
    return SavedMatch(**kept, deals=deals)


def verify_match(match: SavedMatch) -> tuple[tuple[int, Check], ...]:
    """Check every deal of the match again, and return each deal's number and what came out.

    Raises:
        BadFile: the rules cannot be played, or an event cannot be read.
    """
    rules = saved_rules(match)
    seen = {
        deal.number: tuple(tuple(map(_event, run)) for run in deal.seen) for deal in match.deals
    }
    number = max((deal.exchange.match for deal in match.deals if deal.exchange), default=0)
    events = (event for runs in seen.values() for run in runs for event in run)
    wrong = wrong_dealers(rules, number, events)
    checked = []
    for deal in match.deals:
        doubts = (Problem.DEALER_OUT_OF_TURN.value,) if deal.number in wrong else ()
        found = _checked(rules, match.seat, deal, seen[deal.number], doubts)
        checked.append((deal.number, found))
    return tuple(checked)


def worst(marks: Iterable[Mark]) -> Mark:
    """Return the one mark that stands for several deals: the one that claims least."""
    found = set(marks)
    order = (Mark.BROKEN, Mark.UNCHECKED, Mark.PENDING, Mark.ANEW, Mark.FAIR_WITHOUT, Mark.FAIR)
    return next((mark for mark in order if mark in found), Mark.UNCHECKED)


def saved_rules(match: SavedMatch) -> Rules:
    """Return the rules that the match was played by.

    Raises:
        BadFile: they cannot be played.
    """
    try:
        return make_rules(match.rules)
    except BadRules as error:
        raise BadFile(tell("its rules cannot be played: {why}", why=error)) from error


def _checked(
    rules: Rules,
    seat: int | None,
    deal: SavedDeal,
    seen: tuple[tuple[Event, ...], ...],
    found: tuple[str, ...],
) -> Check:
    """Check a deal again; ``found`` are doubts that come of the other deals."""
    exchange, doubts = deal.exchange, (*deal.doubts, *found)
    if exchange is not None and (exchange.seat, exchange.deal) != (seat, deal.number):
        doubts = (*doubts, Problem.ANOTHER_DEAL.value)
    if deal.proof is not None and deal.proof.number != deal.number:
        doubts = (*doubts, Problem.ANOTHER_DEAL.value)
    check = Check(exchange=exchange, anew=deal.anew, doubts=doubts)
    loose = None
    if deal.loose is not None and deal.loose.commitment is not None:
        share = None if deal.loose.share is None else bytes.fromhex(deal.loose.share)
        loose = LoosePromise(bytes.fromhex(deal.loose.commitment), seat, share)
    return verdict(check, rules, deal.proof, seat, seen, loose, deal.shown)


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
