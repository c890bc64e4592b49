"""What a server answers to ``kings admin``, for people."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from wcwidth import wcswidth


def shown(command: str, answer: Mapping[str, Any]) -> str:
    """Return the lines that show the answer to a command."""
    return _SHOWN[command](answer)


def _list(answer: Mapping[str, Any]) -> str:
    tables = [
        (
            one["table"],
            one["name"],
            one["rules"],
            f"{one['phase']}, match {one['match']}, deal {one['deal']}",
            ", ".join(_seat(seat) for seat in one["seats"]),
            f"{one['watchers']} watch" + ("" if one["saving"] else "; cannot save"),
        )
        for one in answer["tables"]
    ]
    people = [
        (
            str(one["connection"]),
            one["name"],
            one["address"] or "-",
            f"client {one['client']}",
            f"at {one['table']}" if one["table"] else "in the lobby",
            _span(one["seconds"]),
        )
        for one in answer["people"]
    ]
    return "\n".join(
        [f"tables: {len(tables)}", *_columns(tables), f"people: {len(people)}", *_columns(people)]
    )


def _seat(seat: Mapping[str, Any]) -> str:
    name = seat["name"] or "nobody"
    return name if seat["state"] == "seated" else f"{name} ({seat['state']})"


def _stats(answer: Mapping[str, Any]) -> str:
    rows = [(name.replace("_", " "), _figure(name, value)) for name, value in answer.items()]
    return "\n".join(line.strip() for line in _columns(rows))


def _figure(name: str, value: object) -> str:
    if isinstance(value, dict):
        steps = [
            f"{share} below {'5 s or more' if end is None else f'{end * 1000:g} ms'}"
            for share, end in value.items()
            if share != "count"
        ]
        return "; ".join([str(value["count"]), *(steps if value["count"] else [])])
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value in (None, ""):
        return "-"
    return _span(float(str(value))) if name == "seconds" else str(value)


def _bans(answer: Mapping[str, Any]) -> str:
    return "\n".join(
        [f"bans: {len(answer['bans'])}", *_columns([_ban(one) for one in answer["bans"]])]
    )


def _ban(ban: Mapping[str, Any]) -> tuple[str, ...]:
    whom = f"client {ban['client']}" if ban["client"] else ban["network"]
    until = "for good"
    if ban["until"] is not None:
        until = f"until {datetime.fromtimestamp(ban['until']).astimezone():%Y-%m-%d %H:%M}"
    return (str(ban["number"]), whom, ban["name"] or "-", until)


def _backup(answer: Mapping[str, Any]) -> str:
    return (
        f"kept in {answer['file']} ({answer['bytes']} bytes, tables: {answer['tables']}). It holds "
        "hands, seeds and the server's key:\nwhoever reads it sees all cards and can pass for this "
        "server. Only its owner may read it; keep it so."
    )


_SHOWN: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "list": _list,
    "stats": _stats,
    "bans": _bans,
    "backup": _backup,
    "say": lambda answer: f"said to {answer['people']}: {answer['said']}",
    "kick": lambda answer: f"ended the connection {answer['connection']} of {answer['kicked']}",
    "ban": lambda answer: "banned: " + ", ".join(_ban(answer["banned"])),
    "unban": lambda answer: "lifted: " + ", ".join(_ban(answer["lifted"])),
    "end": lambda answer: f"ended the table {answer['table']} ({answer['ended']})",
    "drain": lambda answer: f"no new tables; it stops in {_span(answer['stops_in'])}",
}


def _columns(rows: Sequence[Sequence[str]]) -> Sequence[str]:
    widths = [max(map(wcswidth, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(map(_padded, row, widths)).rstrip() for row in rows]


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - wcswidth(cell))


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s"))
    said = [f"{number} {unit}" for number, unit in parts if number]
    return " ".join(said[:2]) or "0 s"
