"""What a journal of the first version needs: its passwords were readable, and become hashes.

They stood in a table's settings, and in the requests that are remembered with a table's seats.
"""

import json
import sqlite3
from contextlib import suppress
from typing import Any

from kings_server.hashes import hashed, ticket_of


def hash_passwords(connection: sqlite3.Connection) -> None:
    """Replace every password by its hash, and in requests by the ticket of that."""
    # What is replaced is overwritten in the file too, not only given up.
    connection.execute("PRAGMA secure_delete = ON")
    rows = connection.execute("SELECT table_id, settings, state FROM tables").fetchall()
    for table, settings_text, state_text in rows:
        # A table that cannot be read is left out of the lobby, too.
        with suppress(ValueError, KeyError, TypeError):
            _hash(connection, table, settings_text, state_text)


def _hash(connection: sqlite3.Connection, table: str, settings_text: str, state_text: str) -> None:
    settings, state = json.loads(settings_text), json.loads(state_text)
    kept = None if settings["password"] is None else hashed(settings["password"])
    settings["password"] = kept
    ticket = None if kept is None else ticket_of(kept)
    for seat in state["seats"]:
        if "request" in seat:
            seat["request"] = _changed(seat["request"], ticket)
    connection.execute(
        "UPDATE tables SET settings = ?, state = ? WHERE table_id = ?",
        (_text(settings), _text(state), table),
    )
    answers = connection.execute(
        "SELECT seat, slot, request FROM answers WHERE table_id = ?", (table,)
    ).fetchall()
    for seat, slot, request in answers:
        connection.execute(
            "UPDATE answers SET request = ? WHERE table_id = ? AND seat = ? AND slot = ?",
            (_changed(request, ticket), table, seat, slot),
        )


def _changed(text: str, ticket: str | None) -> str:
    request = json.loads(text)
    if request.get("password") is None:
        return text
    return _text({**request, "password": ticket})


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
