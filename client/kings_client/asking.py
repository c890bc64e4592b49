"""Asks who listens at an address, by the protocol's hello and nothing else.

Nothing is believed, remembered or given away: neither a name nor a token nor a password is sent.
"""

import trio

from kings_client.config import PATIENCE, Address, Patience
from kings_client.connecting import connect
from kings_client.conversation import Conversation, Ending
from kings_client.model import Reason
from kings_client.nearby import ANSWER_SECONDS, Answer, Stranger
from kings_client.securing import Failed, Line, look
from kings_protocol.codes import CloseCode
from kings_protocol.messages import Message, Unwelcome, Welcome
from kings_protocol.version import make_hello


async def ask(address: Address, patience: Patience = PATIENCE) -> Answer | Stranger | None:
    """Return the answer of the server at ``address``, or what else there is."""
    line = await look(address, connect, ANSWER_SECONDS)
    if isinstance(line, Failed) and line.reason == Reason.NOT_ENCRYPTED:
        bare = await connect(address, ANSWER_SECONDS)
        line = Failed(bare) if isinstance(bare, Reason) else Line(bare, "plain")
    if isinstance(line, Failed):
        return None
    answers: list[Answer] = []
    began = trio.current_time()

    def hear(message: Message) -> None:
        seconds = trio.current_time() - began
        match message:
            case Welcome(server=server):
                answers.append(Answer(server, seconds, line.fingerprint))
            case Unwelcome():
                answers.append(Answer("", seconds, line.fingerprint))
            case _:
                pass
        conversation.end(Ending(CloseCode.GOING))

    conversation = Conversation(line.stream, hear, patience)
    conversation.send(make_hello())
    ending = await conversation.run()
    if answers:
        return answers[0]
    # A server that has no room says so.
    return None if ending.reason == CloseCode.TOO_MANY_CONNECTIONS else Stranger()
