"""The closed sets of codes: why a request is refused, what is noticed, why a connection ends.

A code is a stable slug; the words are made by the client. The rules' own refusals are
``kings_engine.errors.Code``; none of the slugs here means anything else there.
"""

from enum import StrEnum


class RefusalCode(StrEnum):
    """Why a request is refused, where it is not the rules that refuse it."""

    # entering
    BAD_SECRET = "bad_secret"  # noqa: S105  #: this server was started for one person alone
    NOT_ENCRYPTED = "not_encrypted"  #: no password is taken where others on the network read it
    BAD_NAME = "bad_name"  #: it shows nothing, or is a word that programs use for somebody

    # where the asker is
    ALREADY_AT_TABLE = "already_at_table"  #: leave the table first
    NOT_AT_TABLE = "not_at_table"  #: the asker neither sits nor watches
    WATCHERS_MAY_NOT = "watchers_may_not"  #: only who sits may do this

    # tables
    NO_SUCH_TABLE = "no_such_table"  #: it never was, or is gone
    TABLE_FULL = "table_full"  #: no seat is open; ``limit`` is how many watch when watching is full
    NO_SUCH_SEAT = "no_such_seat"  #: the table has no seat of this number
    SEAT_TAKEN = "seat_taken"  #: somebody has this seat
    WRONG_PASSWORD = "wrong_password"  # noqa: S105  #: or none; the table's, or the server's
    NOT_WATCHABLE = "not_watchable"  #: the table was made without spectators
    SEAT_WAS_YOURS = "seat_was_yours"  #: the deal in which it was given up shows all hands
    NO_SUCH_PRESET = "no_such_preset"  #: this server knows no rules of this name
    BAD_RULES = "bad_rules"  #: the rules cannot be played; ``faults`` names every reason
    BAD_PACE = "bad_pace"  #: the shortest pace is longer than the longest
    TOO_MANY_BOTS = "too_many_bots"  #: more bots than seats beside the maker's
    LEVEL_NEEDS_COMPILER = "level_needs_compiler"  #: what would compile its play is not installed
    LEVEL_NOT_READY = "level_not_ready"  #: its play is being compiled; that takes half a minute
    LEVEL_BROKEN = "level_broken"  #: its play could not be compiled, or not be loaded
    TOO_MANY_TABLES = "too_many_tables"  #: no more tables, of all or of one; ``limit``

    # coming back
    BAD_TOKEN = "bad_token"  # noqa: S105  #: the token opens no seat of this table
    SEAT_GIVEN_UP = "seat_given_up"  #: the seat was left, or waited for in vain

    # at a table
    HOST_ONLY = "host_only"  #: only the table's host may do this
    NOT_NOW = "not_now"  #: not in this phase of the table
    PAUSED = "paused"  #: the match stands still until all people want it to go on
    NOT_A_BOT = "not_a_bot"  #: no bot sits there
    NOT_A_PERSON = "not_a_person"  #: no other person has this seat
    SILENCED = "silenced"  #: the table's host lets the asker say nothing
    HINTS_OFF = "hints_off"  #: the table's rules allow no hints
    STALE_VERSION = "stale_version"  #: the position has changed since; ``version`` is the new one
    NO_OFFER = "no_offer"  #: no such offer waits for this, or not any more
    SHARE_GIVEN = "share_given"  #: this seat's commitment, or share, is already in
    BAD_SHARE = "bad_share"  #: the share is not what the seat committed to, or the set is another
    NO_SUCH_DEAL = "no_such_deal"  #: the current match has had no deal of this number
    DEAL_UNFINISHED = "deal_unfinished"  #: its secret is published when it is over

    # the server
    ID_REUSED = "id_reused"  #: an answered request had this id and another body
    TOO_MANY_REQUESTS = "too_many_requests"  #: ``limit`` says how many; ``seconds``, when again
    TOO_MUCH_CHAT = "too_much_chat"  #: as above, for lines of chat
    JOURNAL_UNAVAILABLE = "journal_unavailable"  #: the server cannot save; nothing was changed
    SHUTTING_DOWN = "shutting_down"  #: the server is about to stop


class NoticeCode(StrEnum):
    """What happened at a table, or on the server, that is no move."""

    JOINED = "joined"  #: a person sat down at ``seat``
    LEFT = "left"  #: the person at ``seat`` left for good
    DROPPED = "dropped"  #: ``seat`` lost its connection; ``number`` ms until a bot or forfeit
    QUIT = "quit"  #: the person at ``seat`` ended the program; ``number`` as in ``dropped``
    AWAY_SOON = "away_soon"  #: ``seat`` counts as gone after ``number`` more ms without a key
    AWAY = "away"  #: ``seat`` pressed no key and counts as gone; ``number`` as in ``dropped``
    BACK = "back"  #: the person at ``seat`` is back
    BOT_PLAYS = "bot_plays"  #: a bot plays for the person at ``seat``
    SEAT_LOST = "seat_lost"  #: ``seat`` was waited for in vain and is given up
    REMOVED = "removed"  #: the host took the person at ``seat`` from the table
    BOT_WANTED = "bot_wanted"  #: somebody wants a bot to take over ``seat``
    VOTED_OUT = "voted_out"  #: most of the others gave ``seat`` to a bot
    HOST_IS = "host_is"  #: the host is now ``seat``
    PAUSE_WANTED = "pause_wanted"  #: ``seat`` wants the match to stand still
    PAUSED = "paused"  #: the match stands still
    GOES_ON = "goes_on"  #: the match goes on: everybody is back
    TURN_ENDS = "turn_ends"  #: the clock ends the receiver's turn in ``number`` ms
    TURN_TIMED_OUT = "turn_timed_out"  #: the clock ended the turn of ``seat``
    BOT_FAILED = "bot_failed"  #: the bot at ``seat`` failed; the table made a plain move for it
    SHARE_WITHHELD = "share_withheld"  #: ``seat`` revealed no share; the deal is offered anew
    CANNOT_SAVE = "cannot_save"  #: the server cannot save; the table waits
    MATCH_CLOSED = "match_closed"  #: the server's rules changed; a match under way ended
    SAVED_AGAIN = "saved_again"  #: the server can save again; the table goes on
    STOPPING = "stopping"  #: the server stops in ``number`` milliseconds


class UnseatedCode(StrEnum):
    """Why the server sent somebody back from a table to the lobby."""

    TABLE_CLOSED = "table_closed"  #: the table is no more
    SEAT_LOST = "seat_lost"  #: the seat was given up: forfeited, or out of its grace
    REMOVED = "removed"  #: somebody who may do so took the person from the table
    TABLE_FAILED = "table_failed"  #: the table met an error of the server's and was ended
    TABLE_ENDED = "table_ended"  #: whoever runs the server ended the table


class CloseCode(StrEnum):
    """Why a connection ends: the code of a ``bye``, and of a ``RemoteError``."""

    # the peer broke the protocol
    FRAME_EMPTY = "frame_empty"  #: a frame of length zero
    FRAME_TOO_LONG = "frame_too_long"  #: a length above the sender's limit
    FRAME_CUT_SHORT = "frame_cut_short"  #: the stream ended inside a frame
    UNREADABLE = "unreadable"  #: not one msgpack map of the allowed types, lengths and depth
    UNKNOWN_MESSAGE = "unknown_message"  #: no tag, or the tag of no message
    OUT_OF_PLACE = "out_of_place"  #: a message that its sender may not send in this state
    BAD_MESSAGE = "bad_message"  #: a field is missing, unknown, of the wrong type or out of range
    NOT_ASKED = "not_asked"  #: a reply to no request of ours, or not of a kind that answers it
    TOO_MANY_IN_FLIGHT = "too_many_in_flight"  #: more unanswered requests than a connection holds

    # in order
    GOING = "going"  #: the person ends the program; a seat is kept as after a lost connection
    DISPLACED = "displaced"  #: a newer connection has taken over this one's seat
    STOPPED = "stopped"  #: the server stops
    KICKED = "kicked"  #: whoever runs the server ended the connection
    BANNED = "banned"  #: whoever runs the server lets nobody in from there, or not this client

    # the server's bounds
    TOO_MANY_CONNECTIONS = "too_many_connections"  #: from this address, or altogether
    TOO_LATE = "too_late"  #: no hello or no enter within the time for it
    SILENT = "silent"  #: nothing was heard, not even a pong
    TOO_SLOW = "too_slow"  #: the peer does not read what it is sent
    FLOOD = "flood"  #: went on sending after requests were refused as too many
    INTERNAL = "internal"  #: an error of the sender's own ended the connection
