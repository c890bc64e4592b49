"""The files of matches: which were seen to their end, and copies of them for others."""

from pathlib import Path
from typing import Final

from kings_client.finished import Archive, Finished, Player
from kings_client.marks import Mark
from kings_client.replay import moments
from kings_client.saved import BadFile, Result, SavedMatch, read_match, verify_match, worst
from kings_client.store import StoreError, matches_folder, private_copy
from kings_client.times import minute
from kings_client.words.tongue import tell
from kings_protocol.limits import NAME_LENGTH
from kings_protocol.text import clean

NEWEST: Final = 500
"""Matches that are listed at most: the newest files."""


def read_archive(folder: Path) -> Archive:
    """Return the finished matches kept under the client's ``folder``.

    Matches that were left before their end are not listed.
    """
    files = sorted(matches_folder(folder).glob("*.json"), key=_changed, reverse=True)
    found, unread = [], 0
    for file in files[:NEWEST]:
        try:
            finished = finished_in(file)
        except BadFile:
            unread += 1
        else:
            found += [] if finished is None else [finished]
    return Archive(tuple(sorted(found, key=lambda one: one.played[:10], reverse=True)), unread)


def finished_in(file: Path) -> Finished | None:
    """Return the match that a file holds, or nothing if it was not seen to its end.

    Raises:
        BadFile: it cannot be read.
    """
    match = read_match(file)
    result = match.result or _result_of(match)
    if result is None:
        return None
    names = [clean(name, NAME_LENGTH) for name in match.names]
    levels = match.levels or (None,) * len(names)
    return Finished(
        file=file,
        played=match.played or _time_of(file),
        table=clean(match.table, NAME_LENGTH),
        preset=match.preset,
        players=tuple(Player(*one) for one in zip(names, levels, strict=False)),
        seat=match.seat,
        result=result,
        mark=_mark_of(match),
        deals=sum(deal.number > 0 for deal in match.deals),
        withheld=tuple(
            one.seat for deal in match.deals for one in deal.anew if one.seat is not None
        ),
    )


def export(file: Path, folder: Path) -> Path:
    """Copy a match's file to ``folder``, for ``kings verify`` or for others; return the copy.

    Raises:
        StoreError: it cannot be written, or the name is taken by something else.
    """
    copy = folder / f"kings-{file.name}"
    try:
        content = file.read_bytes()
        taken = copy.exists() and copy.read_bytes() != content
    except OSError as error:
        raise StoreError(
            tell("cannot read {path}: {why}", path=file, why=error.strerror)
        ) from error
    if taken:
        raise StoreError(tell("{path} is there already and is something else", path=copy))
    private_copy(copy, content)
    return copy


def _result_of(match: SavedMatch) -> Result | None:
    """Find out how a match ended whose file is of the first form and does not say."""
    last = moments(match)[-1:]
    if not last or not last[0].over:
        return None
    public = last[0].view.public
    points = tuple(seat.points for seat in public.seats)
    return Result(winners=public.winners, losers=public.losers, points=points)


def _mark_of(match: SavedMatch) -> Mark:
    """Return what the client found out, or find it out where an old file does not say."""
    if any(deal.loose is not None for deal in match.deals):
        return worst(check.mark for _, check in verify_match(match))
    return worst(deal.mark for deal in match.deals)


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _time_of(file: Path) -> str:
    return minute(_changed(file))
