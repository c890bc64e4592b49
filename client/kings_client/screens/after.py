"""What the screen remembers while one looks at finished matches."""

from attrs import frozen


@frozen
class AfterUi:
    """The place in the archive and in a replay.

    Attributes:
        results: whether the results are shown instead of the list.
        at: the moment of the replay that is shown, from 0.
        all_hands: whether every hand is shown, or what one's own seat knew.
    """

    results: bool = False
    at: int = 0
    all_hands: bool = False
