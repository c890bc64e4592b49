"""Figures for a monitoring program, in the format of Prometheus, and whether the server is well.

They are served by threads of the library's own, which may not look at what the event loop is
changing. So the loop leaves a frozen ``Moment`` behind every second, and the threads read the
newest one, beside plain numbers that only grow. No names, no ids, no cards.
"""

import socket
import time
from collections.abc import Iterable, Sequence
from socketserver import TCPServer
from threading import BoundedSemaphore, Thread
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import trio
from attrs import field, frozen
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import ThreadingWSGIServer, make_wsgi_app
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from kings_protocol.version import PROGRAM
from kings_server.accepting import AGAIN_SECONDS
from kings_server.config import LOOPBACK
from kings_server.counts import LATENCIES, Times
from kings_server.house import House
from kings_server.journal_file import CannotOpen
from kings_server.log import Log

LOOK_SECONDS: Final = 1.0
"""Seconds between two moments."""

ILL_SECONDS: Final = 10.0
"""An event loop that left no moment for so long does nothing for people either."""

ASKING: Final = 16
"""Programs that are answered at once; one more is cut off, so that files are left for people."""


@frozen
class Moment:
    """What holds at one moment.

    Attributes:
        at: when, on the monotonic clock.
        connections: how many there are.
        people: how many of them have entered.
        tables: how many there are, by what they do.
        depths: how many messages wait for each connection.
        thinking: how many bots think in processes of their own.
        saving: whether the journal takes what happens.
        days: how many days a given certificate is good for; nothing for the server's own.
        trouble: why what is in the certificate's files is not used.
    """

    at: float
    connections: int = 0
    people: int = 0
    tables: dict[str, int] = field(factory=dict)
    depths: Sequence[int] = ()
    thinking: int = 0
    saving: bool = True
    days: float | None = None
    trouble: str = ""


class Watcher(Collector):
    """Looks at a house, and tells what it saw."""

    def __init__(self, house: House) -> None:
        """Look at ``house``; ``run`` does so every second."""
        self._house = house
        self._began = time.time()
        self.moment = self._look()

    async def run(self) -> None:
        """Look again and again."""
        while True:
            await trio.sleep(LOOK_SECONDS)
            self.moment = self._look()

    def _look(self) -> Moment:
        house = self._house
        days, trouble = house.certificate()
        tables: dict[str, int] = {}
        for table in house.lobby.tables.values():
            phase = table.line.phase
            tables[phase] = tables.get(phase, 0) + 1
        return Moment(
            at=time.monotonic(),
            connections=len(house.listener.sessions),
            people=len(house.entered()),
            tables=tables,
            depths=house.depths(),
            thinking=house.pool.thinking,
            saving=house.saving,
            days=days,
            trouble=trouble,
        )

    def trouble(self) -> str:
        """Say what is wrong with the server; nothing if all is well. Any thread may ask."""
        if time.monotonic() - self.moment.at > ILL_SECONDS:
            return "the event loop does not answer"
        if self.moment.days is not None and self.moment.days < 0:
            return "the certificate has run out: programs refuse this server"
        return "" if self.moment.saving else "the journal cannot be written"

    def note(self) -> str:
        """Say what will be wrong if nobody looks after it; nothing if all is well."""
        moment = self.moment
        if not moment.trouble:
            return ""
        left = "" if moment.days is None else f", with {moment.days:.0f} days left"
        return f"the certificate is not renewed{left}: {moment.trouble}"

    def collect(self) -> Iterable[Metric]:
        """Return all figures. Any thread may ask."""
        yield from self._gauges(self.moment)
        yield from self._counters()
        house = self._house
        counts = house.lobby.counts
        yield _histogram("kings_answer", "from a request to its answer, saved", counts.answers)
        yield _histogram("kings_commit", "of the journal's transactions", house.commits)
        yield _histogram("kings_thought", "that bots thought about a turn", house.pool.times)

    def _gauges(self, moment: Moment) -> Iterable[Metric]:
        version = GaugeMetricFamily("kings_version", "the program's version", labels=["version"])
        version.add_metric([PROGRAM], 1)
        yield version
        tables = GaugeMetricFamily("kings_tables", "tables, by what they do", labels=["phase"])
        for phase, number in moment.tables.items():
            tables.add_metric([phase], number)
        yield tables
        for name, words, value in (
            ("kings_started_seconds", "when it was started, since 1970", self._began),
            ("kings_connections", "connections", moment.connections),
            ("kings_people", "connections of people who have entered", moment.people),
            ("kings_outbox_messages", "messages that wait to be written", sum(moment.depths)),
            ("kings_outbox_deepest", "the most that wait for one", max(moment.depths, default=0)),
            ("kings_thinking", "bots that think in processes of their own", moment.thinking),
            ("kings_saving", "1 while the journal can be written", int(moment.saving)),
        ):
            yield GaugeMetricFamily(name, words, value)
        if moment.days is not None:
            words = "days until the certificate runs out"
            yield GaugeMetricFamily("kings_certificate_days_left", words, moment.days)
            words = "1 while what is in the certificate's files cannot be used"
            name = "kings_certificate_not_renewed"
            yield GaugeMetricFamily(name, words, int(bool(moment.trouble)))

    def _counters(self) -> Iterable[Metric]:
        counts = self._house.lobby.counts
        for name, words, value in (
            ("kings_connections_made", "connections that came", counts.connections),
            (
                "kings_connections_refused",
                "those turned away at once, without room or banned",
                counts.refused,
            ),
            ("kings_tables_made", "tables that were made", counts.tables),
            ("kings_moves", "moves of people and bots", counts.moves),
            ("kings_resumes", "seats that were come back to", counts.resumes),
        ):
            yield CounterMetricFamily(name, words, value)


def _histogram(name: str, words: str, times: Times) -> HistogramMetricFamily:
    total, buckets = 0, []
    for end, step in zip((*map(str, LATENCIES), "+Inf"), tuple(times.steps), strict=True):
        total += step
        buckets.append((end, float(total)))
    family = HistogramMetricFamily(f"{name}_seconds", f"seconds {words}")
    family.add_metric([], buckets, times.seconds)
    return family


def _application(watcher: Watcher) -> WSGIApplication:
    registry = CollectorRegistry()
    registry.register(watcher)
    metrics = make_wsgi_app(registry)

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path, trouble = environ.get("PATH_INFO"), watcher.trouble()
        if path == "/metrics":
            page: Iterable[bytes] = metrics(environ, start_response)
            return page
        status, text = "404 Not Found", "there are /metrics and /health"
        if path == "/health":
            status = "503 Service Unavailable" if trouble else "200 OK"
            text = trouble or "\n".join(filter(None, ("well", watcher.note())))
        start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
        return [f"{text}\n".encode()]

    return application


class _Silent(WSGIRequestHandler):
    """Logs no requests, and waits for none for ever."""

    timeout = ILL_SECONDS

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class _Server(ThreadingWSGIServer):
    """Takes few at once, and says nothing of those who leave before they are answered."""

    def __init__(self, host: str, port: int) -> None:
        self._room = BoundedSemaphore(ASKING)
        (self.address_family, *_), *_ = socket.getaddrinfo(host, port)
        super().__init__((host, port), _Silent)

    def server_bind(self) -> None:
        """Bind to the address. The library would ask for its name, and wait for who knows none."""
        TCPServer.server_bind(self)
        host, self.server_port = self.server_address[:2]
        self.server_name = str(host)
        self.setup_environ()

    def get_request(self) -> tuple[Any, Any]:
        """Take a connection. Where there is no file for it, the library would ask on and on."""
        try:
            return super().get_request()
        except OSError:
            time.sleep(AGAIN_SECONDS)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, if there is room for one more."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and make room."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, *_: object) -> None:
        """Log nothing."""


def bound(port: int, host: str = LOOPBACK) -> WSGIServer:
    """Return a server at a port, 0 for any free one, which answers once ``show`` runs.

    Raises:
        CannotOpen: the port is taken, or the host is no address of this machine.
    """
    try:
        server = _Server(host, port)
    except OSError as error:
        why = (error.strerror or "").lower()
        raise CannotOpen(
            f"cannot show figures on port {port} of {host}: {why}; choose another with "
            "--metrics-port or --metrics-host"
        ) from None
    return server


async def show(server: WSGIServer, house: House, log: Log) -> None:
    """Serve ``/metrics`` and ``/health`` until cancelled."""
    watcher = Watcher(house)
    server.set_app(_application(watcher))
    Thread(target=server.serve_forever, daemon=True).start()
    host = server.server_name
    shown = f"[{host}]" if ":" in host else host
    log.info("figures", url=f"http://{shown}:{server.server_port}/metrics")
    try:
        await watcher.run()
    finally:
        server.shutdown()
        server.server_close()
