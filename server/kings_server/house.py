"""A running server, as those see it who look after it: what ``kings admin`` and the metrics show.

All that is told is made from a list of allowed facts: names, places, numbers and times. Hands, the
stock, seeds, tokens and passwords are not among them.
"""

from collections.abc import Callable, Mapping
from math import inf

import trio
from attrs import frozen

from kings_server.committer import Committer
from kings_server.counts import Times
from kings_server.listener import Listener
from kings_server.lobby import Lobby
from kings_server.log import CLIENT_SHOWN
from kings_server.pool import Pool
from kings_server.session import Session
from kings_server.table import Table


@frozen(eq=False)
class House:
    """The parts of a running server.

    Attributes:
        lobby: its tables.
        listener: its connections.
        committer: its journal, if it has one.
        pool: where its bots think.
        drain: begins to stop; takes the seconds for which people may play on.
        began: when it was started, on the loop's clock.
    """

    lobby: Lobby
    listener: Listener
    committer: Committer | None
    pool: Pool
    drain: Callable[[float], None]
    began: float

    def tables(self) -> list[dict[str, object]]:
        """Describe each table."""
        return [_table(table) for table in self.lobby.tables.values()]

    def people(self) -> list[dict[str, object]]:
        """Describe each connection of somebody who has entered."""
        at = self._places()
        now = trio.current_time()
        return [
            {
                "connection": session.number,
                "name": session.name,
                "address": address,
                "client": session.client[:CLIENT_SHOWN],
                "table": at.get(session),
                "seconds": round(now - session.began),
            }
            for session, address in self.listener.sessions.items()
            if session.entered
        ]

    def stats(self) -> dict[str, object]:
        """Return the server's figures."""
        counts, sessions = self.lobby.counts, self.listener.sessions
        days, trouble = self.certificate()
        return {
            "seconds": round(trio.current_time() - self.began),
            "connections": len(sessions),
            "connections_allowed": self.lobby.config.bounds.connections,
            "connections_ever": counts.connections,
            "turned_away": counts.refused,
            "tables": len(self.lobby.tables),
            "tables_ever": counts.tables,
            "moves": counts.moves,
            "resumes": counts.resumes,
            "waiting_messages": sum(self.depths()),
            "certificate_days_left": None if days is None else round(days, 1),
            "certificate_trouble": trouble,
            "keeps": self.committer is not None,
            "saving": self.saving,
            "answers": _times(counts.answers),
            "commits": _times(self.commits),
            "thoughts": _times(self.pool.times),
            "thinking": self.pool.thinking,
        }

    def certificate(self) -> tuple[float | None, str]:
        """Return how many days a given certificate is good for, and why its files are not used."""
        renewal = self.listener.renewal
        return (
            (None, "")
            if renewal is None
            else (renewal.identity.days_left, renewal.identity.trouble)
        )

    def depths(self) -> list[int]:
        """Return how many messages wait for each connection."""
        return [session.outbox.depth for session in self.listener.sessions]

    @property
    def commits(self) -> Times:
        """How long the disk took for its transactions."""
        return Times() if self.committer is None else self.committer.times

    @property
    def saving(self) -> bool:
        """Whether the journal takes what happens; true where nothing is kept."""
        return self.committer is None or not self.committer.failing

    def _places(self) -> Mapping[object, str]:
        return {
            peer: table.settings.table
            for table in self.lobby.tables.values()
            for peer in table.roster.people()
        }

    def entered(self) -> list[Session]:
        """Return the connections of those who have entered."""
        return [session for session in self.listener.sessions if session.entered]


def _table(table: Table) -> dict[str, object]:
    line, match = table.line, table.shown
    return {
        "table": line.table,
        "name": line.name,
        "rules": line.preset,
        "phase": line.phase,
        "match": table.picture.match,
        "deal": 0 if match is None else match.number,
        "seats": [
            {"state": seat.state.value, "name": seat.name, "level": seat.level}
            for seat in table.picture.seats
        ],
        "watchers": line.watchers,
        "locked": line.locked,
        "saving": table.picture.saving,
    }


def _times(times: Times) -> dict[str, object]:
    """Describe times by how many there were, and below what half, 95 and 99 percent of them lie."""
    shares = {"half": 0.5, "95%": 0.95, "99%": 0.99}
    ends = {name: times.below(share) for name, share in shares.items()}
    return {"count": times.count, **{n: None if end == inf else end for n, end in ends.items()}}
