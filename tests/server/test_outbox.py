"""The outbox keeps order where it matters, the newest where only that does, and its bound."""

from functools import partial

from kings_protocol.limits import OUTBOX_REPLIES
from kings_protocol.messages import Bye, Done, Message, Notice
from kings_server.outbox import Encode, Outbox, Slot


def encode(message: Message) -> bytes:
    match message:
        case Notice(number=number):
            return f"notice {number};".encode()
        case Bye(code=code):
            return f"bye {code};".encode()
        case _:
            return b"other;"


def notice(number: int) -> Notice:
    return Notice(code="joined", number=number)


def test_messages_keep_their_order_and_leave_as_one_write() -> None:
    outbox = Outbox()
    for number in range(3):
        outbox.put(notice(number))
    assert outbox.take(encode) == b"notice 0;notice 1;notice 2;"
    assert outbox.take(encode) == b""


def test_only_the_newest_of_a_slot_is_ever_made() -> None:
    outbox = Outbox()
    made: list[int] = []

    def source(number: int, _encode: Encode) -> bytes:
        made.append(number)
        return b"slot %d;" % number

    for number in range(1000):
        outbox.renew(Slot.GAME, partial(source, number))
    outbox.put(notice(0))
    assert outbox.take(encode) == b"notice 0;slot 999;"
    assert made == [999]


def test_slots_are_written_after_replies_and_in_their_own_order() -> None:
    outbox = Outbox()
    outbox.renew(Slot.LOBBY, lambda _encode: b"lobby;")
    outbox.renew(Slot.GAME, lambda _encode: b"game;")
    outbox.renew(Slot.TABLE, lambda _encode: b"table;")
    outbox.put(Done(re="0" * 32))
    assert outbox.take(encode) == b"other;table;game;lobby;"


def test_a_slot_that_was_cleared_is_not_written() -> None:
    outbox = Outbox()
    outbox.renew(Slot.GAME, lambda _encode: b"game;")
    outbox.renew(Slot.TABLE, lambda _encode: b"table;")
    outbox.clear(Slot.GAME)
    assert outbox.take(encode) == b"table;"


def test_one_message_over_the_bound_ends_the_connection_and_frees_the_memory() -> None:
    outbox = Outbox()
    for number in range(OUTBOX_REPLIES):
        outbox.put(notice(number))
    assert not outbox.closed
    outbox.put(notice(OUTBOX_REPLIES))
    assert outbox.closed
    assert outbox.take(encode) == b"bye too_slow;"
    assert outbox.finished


def test_closing_flushes_what_was_promised_then_says_bye_and_takes_no_more() -> None:
    outbox = Outbox()
    outbox.put(notice(1))
    outbox.renew(Slot.GAME, lambda _encode: b"game;")
    outbox.close(Bye(code="stopped"))
    outbox.put(notice(2))
    outbox.renew(Slot.GAME, lambda _encode: b"game;")
    outbox.close(Bye(code="internal"))
    assert not outbox.finished
    assert outbox.take(encode) == b"notice 1;bye stopped;"
    assert outbox.finished


def test_closing_without_a_flush_drops_what_waits() -> None:
    outbox = Outbox()
    outbox.put(notice(1))
    outbox.close(Bye(code="unreadable"), flush=False)
    assert outbox.take(encode) == b"bye unreadable;"


def test_who_takes_is_told_once_of_all_that_is_placed_until_then() -> None:
    told: list[str] = []
    outbox = Outbox(lambda: told.append("due"))
    for number in range(5):
        outbox.put(notice(number))
    outbox.renew(Slot.TABLE, lambda _encode: b"table;")
    assert told == ["due"]
    outbox.take(encode)
    outbox.close(None)
    assert told == ["due", "due"]


def test_a_source_is_given_the_connections_encoder() -> None:
    outbox = Outbox()

    def source(encoder: Encode) -> bytes:
        return encoder(notice(7))

    outbox.renew(Slot.TABLE, source)
    assert outbox.take(encode) == b"notice 7;"
