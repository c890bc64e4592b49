"""Answers that are remembered, so that a request sent again is not carried out again."""

from collections import OrderedDict

from attrs import frozen

from kings_protocol.limits import CLIENT_MEMORY_SECONDS, REMEMBERED_ANSWERS
from kings_protocol.messages import Reply, Request


@frozen
class Answer:
    """A request that was carried out, and what was answered."""

    request: Request
    reply: Reply


class Answers:
    """The newest answers of one seat, or of one client that has none."""

    __slots__ = ("_answers", "number")

    def __init__(self, number: int = 0) -> None:
        """Begin with none; ``number`` is the number that the first one has."""
        self.number = number
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def keep(self, request: Request, reply: Reply) -> None:
        """Remember what ``request`` was answered; the oldest answer may be forgotten for it."""
        self._answers[request.id] = Answer(request, reply)
        self.number += 1
        if len(self._answers) > REMEMBERED_ANSWERS:
            self._answers.popitem(last=False)

    def find(self, request: Request) -> Answer | None:
        """Return the answer to the request of the same id; its body may have been another."""
        return self._answers.get(request.id)


class ClientMemory:
    """The answers of clients that have no seat, each kept for a while after its last use."""

    def __init__(self) -> None:
        self._clients: OrderedDict[str, tuple[float, Answers]] = OrderedDict()

    def of(self, client: str, now: float) -> Answers:
        """Return the answers of ``client``, and forget those of clients long unheard of."""
        while self._clients:
            used, _ = next(iter(self._clients.values()))
            if now - used < CLIENT_MEMORY_SECONDS:
                break
            self._clients.popitem(last=False)
        _, answers = self._clients.pop(client, (now, Answers()))
        self._clients[client] = (now, answers)
        return answers
