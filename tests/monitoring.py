"""Asking a server for its figures and its health, as a monitoring program does."""

import http.client
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client.parser import text_string_to_metric_families

from kings_server.config import LOOPBACK

LIMIT = 60


def fetched(port: int, path: str, host: str = LOOPBACK) -> tuple[int, str]:
    """Return what the server of figures answers."""
    connection = http.client.HTTPConnection(host, port, timeout=LIMIT)
    connection.request("GET", path)
    answer = connection.getresponse()
    try:
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def figures(text: str) -> dict[str, float]:
    """Return the figures by their names and labels, as the library reads them."""
    return {
        " ".join((sample.name, *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@contextmanager
def free_port() -> Iterator[int]:
    with socket.socket() as one:
        one.bind((LOOPBACK, 0))
        yield one.getsockname()[1]
