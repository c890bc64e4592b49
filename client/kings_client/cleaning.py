"""Cleans every string of a server's that a screen may show.

The server has cleaned them too, but a client is as careful as if it had not: a name with an escape
sequence in it would otherwise move the cursor of the person who reads it.
"""

from msgspec.structs import replace

from kings_protocol import messages
from kings_protocol.limits import NAME_LENGTH, TEXT_LENGTH
from kings_protocol.messages import Knobs, Message
from kings_protocol.names import clean_name
from kings_protocol.text import clean


def cleaned(message: Message) -> Message:
    """Return the message with its free text made harmless; slugs and ids cannot hold any."""
    match message:
        case messages.Welcome():
            return replace(message, name=_name(message.name), program=_name(message.program))
        case messages.Unwelcome():
            return replace(
                message,
                program=_name(message.program),
                words=clean(message.words, TEXT_LENGTH),
            )
        case messages.Entered():
            return replace(message, name=_name(message.name))
        case messages.LobbyPage():
            return replace(message, tables=tuple(map(_line, message.tables)))
        case messages.TableState():
            return replace(
                message,
                name=_name(message.name),
                rules=_knobs(message.rules),
                seats=tuple(replace(seat, name=_name(seat.name)) for seat in message.seats),
            )
        case messages.Seated() | messages.Watching():
            return replace(message, chat=tuple(map(_said, message.chat)))
        case messages.Said() | messages.Announcement() | messages.Notice():
            return _told(message)
        case messages.Refused():
            return replace(message, faults=tuple(map(_fault, message.faults)))
    return message


def _told(
    line: messages.Said | messages.Announcement | messages.Notice,
) -> messages.Said | messages.Announcement | messages.Notice:
    match line:
        case messages.Said():
            return replace(line, name=_name(line.name), text=clean(line.text, TEXT_LENGTH))
        case messages.Announcement():
            return replace(line, text=clean(line.text, TEXT_LENGTH))
        case messages.Notice(name=str(name)):
            return replace(line, name=_name(name) or None)
    return line


def _said(line: messages.ChatLine) -> messages.ChatLine:
    return replace(line, name=_name(line.name), text=clean(line.text, TEXT_LENGTH))


def _line(line: messages.TableLine) -> messages.TableLine:
    return replace(line, name=_name(line.name), host=_name(line.host), changed=_knobs(line.changed))


def _fault(fault: messages.FaultLine) -> messages.FaultLine:
    return messages.FaultLine(
        knob=_name(fault.knob),
        given=clean(fault.given, TEXT_LENGTH),
        allowed=clean(fault.allowed, TEXT_LENGTH),
    )


def _knobs(knobs: Knobs) -> Knobs:
    return {
        name: clean(value, NAME_LENGTH) if isinstance(value, str) else value
        for name, value in knobs.items()
    }


def _name(text: str) -> str:
    return clean_name(text, NAME_LENGTH)
