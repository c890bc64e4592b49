"""Where a match stands."""

from enum import StrEnum


class Phase(StrEnum):
    """Where a match stands."""

    CUT = "cut"  #: the first dealer is still to be cut for, or drawn by lot
    DEAL_DUE = "deal_due"  #: the next deal can begin
    PLAY = "play"  #: a deal is running
    MATCH_OVER = "match_over"
