"""What a client can find out about whether a deal was fair."""

from enum import StrEnum


class Mark(StrEnum):
    """What the client found out about a deal."""

    PENDING = "pending"  #: it is running, or the proof is on its way
    VERIFIED = "verified"
    BROKEN = "broken"  #: the proof does not agree with what was promised or shown
    UNPROVED = "unproved"  #: not seen from its start, so nothing can be said
