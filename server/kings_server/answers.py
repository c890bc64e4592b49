"""Answers that are remembered, so that a request sent again is not carried out again."""

from collections import OrderedDict

from attrs import frozen

from kings_protocol.messages import Reply, Request
from kings_server.limits import ANSWERS


@frozen
class Answer:
    """A request that was carried out, and what was answered."""

    request: Request
    reply: Reply


class Answers:
    """The newest answers of one seat, or of one client that has none."""

    __slots__ = ("_answers",)

    def __init__(self) -> None:
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def keep(self, request: Request, reply: Reply) -> None:
        """Remember what ``request`` was answered; the oldest answer may be forgotten for it."""
        self._answers[request.id] = Answer(request, reply)
        if len(self._answers) > ANSWERS:
            self._answers.popitem(last=False)

    def find(self, request: Request) -> Answer | None:
        """Return the answer to the request of the same id; its body may have been another."""
        return self._answers.get(request.id)
