"""Answers that are remembered, so that a request sent again is not carried out again."""

from collections import OrderedDict

import trio
from attrs import frozen

from kings_protocol.limits import CLIENT_MEMORY_SECONDS, REMEMBERED_ANSWERS
from kings_protocol.messages import Join, MakeTable, Reply, Request, Say, Seated
from kings_server.limits import CLIENT_ANSWERS, REMEMBERED_CLIENTS


@frozen
class Answer:
    """A request that was carried out, and what was answered."""

    request: Request
    reply: Reply


class Answers:
    """The newest answers of one seat, or of one client that has none."""

    __slots__ = ("_answers", "_most", "number")

    def __init__(self, most: int = REMEMBERED_ANSWERS) -> None:
        """Begin with none, and keep ``most``; ``number`` is the number that the next one has."""
        self.number = 0
        self._most = most
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def keep(self, request: Request, reply: Reply) -> None:
        """Remember what ``request`` was answered; the oldest answer may be forgotten for it."""
        self._answers[request.id] = Answer(request, reply)
        self.number += 1
        if len(self._answers) > self._most:
            self._answers.popitem(last=False)

    def find(self, request: Request) -> Answer | None:
        """Return the answer to the request of the same id; its body may have been another."""
        return self._answers.get(request.id)


class ClientMemory:
    """The answers of clients that have no seat, each client's kept for a while after its last use.

    Clients make up their ids, so there are so many at most; the one unheard of for longest goes.
    """

    def __init__(self) -> None:
        self._clients: OrderedDict[str, tuple[float, Answers]] = OrderedDict()

    def __len__(self) -> int:
        """Return of how many clients something is remembered."""
        self._forget()
        return len(self._clients)

    def find(self, client: str, request: Request) -> Answer | None:
        """Return what ``client`` was answered to the request of the same id."""
        self._forget()
        if client not in self._clients:
            return None
        return self._of(client).find(request)

    def keep(self, client: str, request: Request, reply: Reply) -> None:
        """Remember what ``client`` was answered, if it would count twice when it is asked twice."""
        if not isinstance(request, MakeTable | Join | Say):
            return
        self._forget()
        if isinstance(reply, Seated):
            reply = Seated(re=reply.re, table=reply.table, seat=reply.seat, token=reply.token)
        self._of(client).keep(request, reply)
        if len(self._clients) > REMEMBERED_CLIENTS:
            self._clients.popitem(last=False)

    def _of(self, client: str) -> Answers:
        now = trio.current_time()
        _, answers = self._clients.pop(client, (now, Answers(CLIENT_ANSWERS)))
        self._clients[client] = (now, answers)
        return answers

    def _forget(self) -> None:
        """Forget the clients that are unheard of for long."""
        before = trio.current_time() - CLIENT_MEMORY_SECONDS
        while self._clients:
            used, _ = next(iter(self._clients.values()))
            if used > before:
                break
            self._clients.popitem(last=False)


@frozen
class Recollection:
    """The memory as one client has it."""

    client: str
    _memory: ClientMemory

    def find(self, request: Request) -> Answer | None:
        """Return what the client was answered to the request of the same id."""
        return self._memory.find(self.client, request)

    def keep(self, request: Request, reply: Reply) -> None:
        """Remember what the client was answered, where that is needed."""
        self._memory.keep(self.client, request, reply)
