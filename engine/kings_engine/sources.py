"""What a deal starts from: a secret, or, for tests and the arena, a deck or a position."""

from typing import TypeAlias

from attrs import field, frozen

from kings_engine.cards import Card, card_str, parse_card


@frozen
class Secret:
    """What a deck is made of: the server's seed and the shares of the players' clients.

    ``seed`` is 32 bytes. ``shares`` has one entry a seat, 32 bytes, or nothing for a seat that has
    none. The ``repr`` shows neither.
    """

    seed: bytes = field(repr=False)
    shares: tuple[bytes | None, ...] = field(repr=False)

    def __str__(self) -> str:
        return " ".join(
            (self.seed.hex(), *("-" if share is None else share.hex() for share in self.shares))
        )


@frozen
class Deck:
    """An explicit deck, first card dealt first. The server refuses it."""

    cards: tuple[Card, ...] = field(repr=False)

    def __str__(self) -> str:
        return "deck " + _cards_str(self.cards)


@frozen
class Position:
    """The middle of a deal, set up by hand. The server refuses it.

    Attributes:
        hands: the cards of each seat.
        piles: the eight places' piles, bottom card first.
        stock: the stock, next card first.
        turn: the seat on turn.
        turn_number: how many turns of the deal went before this one.
        drawn: whether this turn's draw at the start has been made.
        idle: the seats whose last turns were idle, in a row.
    """

    hands: tuple[tuple[Card, ...], ...] = field(repr=False)
    piles: tuple[tuple[Card, ...], ...] = field(repr=False)
    stock: tuple[Card, ...] = field(repr=False)
    turn: int
    turn_number: int = 0
    drawn: bool = True
    idle: tuple[int, ...] = ()

    def __str__(self) -> str:
        return " ".join(
            (
                "position",
                "/".join(map(_cards_str, self.hands)),
                "/".join(map(_cards_str, self.piles)),
                _cards_str(self.stock) or "-",
                str(self.turn),
                str(self.turn_number),
                "drawn" if self.drawn else "undrawn",
                "".join(map(str, self.idle)) or "-",
            )
        )


Source: TypeAlias = Secret | Deck | Position


def parse_secret(words: list[str]) -> Secret:
    """Return the secret written as hexadecimal words, seed first, ``-`` for an absent share.

    Raises:
        ValueError: a word is not hexadecimal, or there is none.
    """
    if not words:
        raise ValueError("a secret starts with its seed")
    seed, *shares = words
    return Secret(
        bytes.fromhex(seed),
        tuple(None if share == "-" else bytes.fromhex(share) for share in shares),
    )


def parse_source(words: list[str]) -> Source:
    """Return what ``words`` describe; the inverse of ``str``.

    Raises:
        ValueError: they describe no source of a deal.
    """
    match words:
        case ["deck", cards]:
            return Deck(_parse_cards(cards))
        case ["position", hands, piles, stock, turn, turn_number, drawn, idle]:
            return Position(
                tuple(map(_parse_cards, hands.split("/"))),
                tuple(map(_parse_cards, piles.split("/"))),
                _parse_cards(stock),
                int(turn),
                int(turn_number),
                drawn == "drawn",
                tuple(map(int, idle.replace("-", ""))),
            )
    return parse_secret(words)


def _cards_str(cards: tuple[Card, ...]) -> str:
    return "".join(map(card_str, cards))


def _parse_cards(text: str) -> tuple[Card, ...]:
    text = text.replace("-", "")
    return tuple(parse_card(text[at : at + 2]) for at in range(0, len(text), 2))
