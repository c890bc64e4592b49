"""What people may ask of a table, and what they are answered.

Each request is judged by the table, one at a time. Nothing in a request is believed: who
asks is known from the connection, and everything else is looked up.
"""

from functools import partial
from typing import TYPE_CHECKING, assert_never

import trio

from kings_engine.actions import EndTurn, Move, Play, PlayStock, SeatAction
from kings_engine.errors import Refusal
from kings_engine.phase import Phase as MatchPhase
from kings_engine.verify import proof_of
from kings_protocol import messages as m
from kings_protocol.codes import NoticeCode, RefusalCode
from kings_protocol.limits import TEXT_LENGTH
from kings_protocol.names import clean_name
from kings_protocol.text import clean
from kings_server import wishes
from kings_server.course import arm, lose, pressed, returned
from kings_server.hashes import ticket_of
from kings_server.identity import same
from kings_server.offered import refusal_of
from kings_server.picture import Phase
from kings_server.roster import Came, Peer
from kings_server.seats import State, after_leaving

if TYPE_CHECKING:
    from kings_server.table import Table


def judge(table: "Table", peer: Peer, request: m.Request) -> m.Reply | None:
    """Carry out or refuse ``request``, and return the reply; a hint is replied with later."""
    number = table.roster.seat_of(peer)
    answers = peer.memory if number is None else table.roster.answers[number]
    known = answers.find(request)
    if known is not None and known.request != request:
        return _no(request, RefusalCode.ID_REUSED)
    if known is not None and isinstance(known.reply, m.Seated):
        # The connection that was seated is lost with its answer: this one takes its place.
        return _sit_again(table, peer, request, known.reply)
    if known is not None:
        return known.reply
    if not table.saving and not _needs_no_journal(request, seated=number is not None):
        return _no(request, RefusalCode.JOURNAL_UNAVAILABLE)
    reply: m.Reply | None
    if number is None:
        reply = _of_visitor(table, peer, request)
        if not isinstance(reply, m.Refused):
            table.ledger.then(answers.keep, request, reply)
    else:
        if not isinstance(request, m.Commit | m.Reveal | m.GetProof):
            pressed(table, number)
        if isinstance(request, m.GetHint):
            return _hint(table, peer, number, request)
        reply = _of_seat(table, peer, number, request)
        if not isinstance(reply, m.Refused | m.Proof) and not isinstance(request, m.Here):
            table.remember(number, request, reply)
    return reply


def _needs_no_journal(request: m.Request, *, seated: bool) -> bool:
    """Say whether nothing is lost with what ``request`` does: it moves connections only."""
    coming_and_going = isinstance(request, m.Resume | m.Watch | m.GetProof | m.GetHint)
    return coming_and_going or (isinstance(request, m.Leave) and not seated)


def _of_visitor(table: "Table", peer: Peer, request: m.Request) -> m.Reply:
    """Judge what somebody asks who has no seat: who arrives, or looks on."""
    arrives = isinstance(request, m.MakeTable | m.Join | m.Resume | m.Watch)
    if not arrives and peer not in table.roster.feeds:
        return _no(request, RefusalCode.NOT_AT_TABLE)
    match request:
        case m.MakeTable() | m.Join():
            return _sit(table, peer, request)
        case m.Resume():
            return _resume(table, peer, request, request.token)
        case m.Watch():
            return _watch(table, peer, request)
        case m.GetProof():
            return _proof(table, request)
        case m.Say():
            return _say(table, None, table.roster.name_of_watcher(peer), request)
        case m.Leave():
            table.ledger.then(table.roster.unwatch, peer)
            table.ledger.then(peer.go_back)
            table.touch()
            return m.Done(re=request.id)
    return _no(request, RefusalCode.WATCHERS_MAY_NOT)


def _of_seat(table: "Table", peer: Peer, number: int, request: m.Request) -> m.Reply:
    """Judge what a seat asks; the commonest first."""
    match request:
        case m.Act():
            return _act(table, number, request)
        case m.Commit() | m.Reveal():
            return _share(table, number, request)
        case m.Ready():
            return _ready(table, number, request)
        case m.GetProof():
            return _proof(table, request)
        case m.Say():
            return _say(table, number, table.roster.seats[number].name, request)
        case m.AddBot() | m.RemoveBot():
            return _bots(table, number, request)
        case m.Kick() | m.Silence() | m.Vote() | m.Pause() | m.Here():
            return wishes.judge(table, number, request)
        case m.Leave():
            return _leave(table, peer, number, request)
    return _no(request, RefusalCode.ALREADY_AT_TABLE)


def _no(request: m.Request, code: RefusalCode, **facts: int) -> m.Refused:
    return m.Refused(re=request.id, code=code, **facts)  # type: ignore[arg-type]  # facts are counts


# ---- coming and going


def _sit(table: "Table", peer: Peer, request: m.MakeTable | m.Join) -> m.Reply:
    roster = table.roster
    wanted = None
    if isinstance(request, m.Join):
        if not _password_fits(table, request.password):
            return _no(request, RefusalCode.WRONG_PASSWORD)
        wanted = request.seat
    if wanted is not None and wanted >= len(roster.seats):
        return _no(request, RefusalCode.NO_SUCH_SEAT)
    any_free = roster.free_seat(None) if table.phase.idle else None
    if any_free is None or peer.gone:
        return _no(request, RefusalCode.TABLE_FULL)
    number = roster.free_seat(wanted)
    if number is None:
        return _no(request, RefusalCode.SEAT_TAKEN)
    token = roster.sit(number, peer, request)
    table.notice(NoticeCode.JOINED, number, but=peer)
    table.forget_answers(number)
    if isinstance(request, m.MakeTable):
        for at, level in enumerate(request.bots, start=1):
            roster.add_bot(len(roster.seats) - at, level)
    arm(table)
    return _seated(table, peer, request, number, token)


def _sit_again(table: "Table", peer: Peer, request: m.Request, seated: m.Seated) -> m.Reply:
    """Answer again who asked for a seat and lost its connection with the answer."""
    roster, number, token = table.roster, seated.seat, seated.token
    if not token and roster.came[number] == Came(peer.client, request):
        # The token was lost with the server, which kept only its hash.
        if not table.saving:
            return _no(request, RefusalCode.JOURNAL_UNAVAILABLE)
        token = roster.new_key(number)
    return _resume(table, peer, request, token)


def _resume(table: "Table", peer: Peer, request: m.Request, token: str) -> m.Reply:
    roster = table.roster
    number = roster.seat_by_token(token)
    if number is None:
        lost = roster.was_given_up(token)
        return _no(request, RefusalCode.SEAT_GIVEN_UP if lost else RefusalCode.BAD_TOKEN)
    if peer.gone:
        return _no(request, RefusalCode.BAD_TOKEN)
    returned(table, number)
    table.ledger.then(table.counts.resume)
    return _seated(table, peer, request, number, token)


def _seated(table: "Table", peer: Peer, request: m.Request, number: int, token: str) -> m.Reply:
    table.ledger.then(table.seat, number, peer)
    table.touch()
    return m.Seated(
        re=request.id,
        table=table.settings.table,
        seat=number,
        token=token,
        chat=tuple(table.chat),
    )


def _watch(table: "Table", peer: Peer, request: m.Watch) -> m.Reply:
    if table.roster.bars(peer):
        return _no(request, RefusalCode.NOT_WATCHABLE)
    former = table.roster.former.get(peer.client)
    if not table.settings.watchable and former is None:
        return _no(request, RefusalCode.NOT_WATCHABLE)
    if not _password_fits(table, request.password):
        return _no(request, RefusalCode.WRONG_PASSWORD)
    if table.settings.rules.open_hands and former and former == _running_deal(table):
        return _no(request, RefusalCode.SEAT_WAS_YOURS)
    limit = table.bounds.watchers
    if table.roster.watchers >= limit or peer.gone:
        return _no(request, RefusalCode.TABLE_FULL, limit=limit)
    table.ledger.then(table.let_watch, peer)
    table.touch()
    return m.Watching(re=request.id, table=table.settings.table, chat=tuple(table.chat))


def _running_deal(table: "Table") -> tuple[int, int] | None:
    """Return the numbers of the match and of the deal that is being played, if one is."""
    match = table.match
    running = match is not None and match.phase is MatchPhase.PLAY
    return (table.matches, match.number) if match is not None and running else None


def _leave(table: "Table", peer: Peer, number: int, request: m.Leave) -> m.Reply:
    running, over = not table.phase.idle, table.phase is Phase.OVER
    what = after_leaving(table.settings.absent, running=running, over=over)
    table.notice(NoticeCode.LEFT, number, but=peer)
    lose(table, number, what)
    return m.Done(re=request.id)


def _password_fits(table: "Table", given: str | None) -> bool:
    """Say whether the session that brings the request has found its password to fit."""
    kept = table.settings.password
    return kept is None or (given is not None and same(ticket_of(kept), given))


# ---- before and between deals


def _ready(table: "Table", number: int, request: m.Ready) -> m.Reply:
    if table.phase in (Phase.OFFERING, Phase.PLAYING):
        return _no(request, RefusalCode.NOT_NOW)
    if table.roster.paused:
        return _no(request, RefusalCode.PAUSED)
    table.roster.set_ready(number, on=request.on)
    arm(table)
    table.touch()
    return m.Done(re=request.id)


def _share(table: "Table", number: int, request: m.Commit | m.Reveal) -> m.Reply:
    dealing = table.dealing
    wanted = request.match, request.deal, request.attempt
    if dealing is None or wanted != dealing.context.numbers:
        return _no(request, RefusalCode.NO_OFFER)
    if isinstance(request, m.Commit):
        changed = dealing.commit(number, bytes.fromhex(request.commitment))
    else:
        members, share = bytes.fromhex(request.members), bytes.fromhex(request.share)
        changed = dealing.reveal(number, members, share)
    if isinstance(changed, RefusalCode):
        return _no(request, changed)
    table.dealing = changed
    return m.Done(re=request.id)


def _bots(table: "Table", number: int, request: m.AddBot | m.RemoveBot) -> m.Reply:
    roster, at = table.roster, request.seat
    if number != roster.host:
        return _no(request, RefusalCode.HOST_ONLY)
    if not table.phase.idle:
        return _no(request, RefusalCode.NOT_NOW)
    if at is not None and at >= len(roster.seats):
        return _no(request, RefusalCode.NO_SUCH_SEAT)
    match request:
        case m.RemoveBot():
            if roster.seats[request.seat].state is not State.BOT:
                return _no(request, RefusalCode.NOT_A_BOT)
            roster.remove_bot(request.seat)
        case m.AddBot():
            if code := refusal_of(request.level):
                return _no(request, code)
            free = roster.free_seat(at)
            if free is None:
                taken = at is not None and roster.free_seat(None) is not None
                return _no(request, RefusalCode.SEAT_TAKEN if taken else RefusalCode.TABLE_FULL)
            roster.add_bot(free, request.level)
        case _:
            assert_never(request)
    table.touch()
    return m.Done(re=request.id)


# ---- play


def _act(table: "Table", number: int, request: m.Act) -> m.Reply:
    match = table.match
    if match is None:
        return _no(request, RefusalCode.NOT_NOW)
    if table.roster.paused:
        return _no(request, RefusalCode.PAUSED)
    if match.turn == number and match.version != request.version:
        return _no(request, RefusalCode.STALE_VERSION, version=match.version)
    refusal = table.apply(number, _action(request))
    if refusal is not None:
        return _refused(request, refusal, match.version)
    return m.Done(re=request.id, version=match.version + 1)


def _action(request: m.Act) -> SeatAction:
    match request:
        case m.PlayCard(card=card, place=place):
            return Play(card, place)
        case m.MovePile(source=source, place=place):
            return Move(source, place)
        case m.PlayTop(place=place):
            return PlayStock(place)
        case _:
            return EndTurn()


def _refused(request: m.Request, refusal: Refusal, version: int) -> m.Refused:
    return m.Refused(
        re=request.id,
        code=refusal.code.value,
        version=version,
        card=refusal.card,
        source=refusal.source,
        place=refusal.place,
        top=refusal.top,
    )


def _hint(table: "Table", peer: Peer, number: int, request: m.GetHint) -> m.Refused | None:
    """Refuse a hint, or begin to think about it: it is given when it is found."""
    match = table.match
    if match is None or match.turn != number:
        return _no(request, RefusalCode.NOT_NOW)
    if not match.rules.hints:
        return _no(request, RefusalCode.HINTS_OFF)
    if match.version != request.version:
        return _no(request, RefusalCode.STALE_VERSION, version=match.version)
    if not table.thinkers.hint(match, number, partial(_give_hint, table, peer, number, request)):
        return _no(request, RefusalCode.TOO_MANY_REQUESTS, seconds=1)
    return None


def _give_hint(
    table: "Table", peer: Peer, number: int, request: m.GetHint, action: SeatAction | None
) -> None:
    """Give a hint that was thought about; not for a position that is not there any more."""
    match = table.shown
    if table.ended:
        reply: m.Reply = _no(request, RefusalCode.NO_SUCH_TABLE)
    elif table.roster.seat_of(peer) != number:
        reply = _no(request, RefusalCode.NOT_AT_TABLE)
    elif match is None or match.turn != number or action is None:
        reply = _no(request, RefusalCode.NOT_NOW)
    elif match.version != request.version:
        reply = _no(request, RefusalCode.STALE_VERSION, version=match.version)
    else:
        reply = m.Hint(re=request.id, version=match.version, action=str(action))
    peer.answer(reply)


def _proof(table: "Table", request: m.GetProof) -> m.Reply:
    match, deal = table.match, request.deal
    if match is None or deal > match.number:
        return _no(request, RefusalCode.NO_SUCH_DEAL)
    proof = proof_of(match, deal)
    if proof is None:
        return _no(request, RefusalCode.DEAL_UNFINISHED if deal else RefusalCode.NO_SUCH_DEAL)
    return m.Proof(
        re=request.id,
        deal=proof.number,
        dealer=proof.dealer,
        seats=proof.seats,
        begin=proof.begin,
        actions=proof.actions,
    )


# ---- talk


def _say(table: "Table", number: int | None, name: str, request: m.Say) -> m.Reply:
    roster = table.roster
    if roster.silent if number is None else roster.seats[number].silent:
        return _no(request, RefusalCode.SILENCED)
    if not table.talk.take(trio.current_time(), seated=number is not None):
        return _no(request, RefusalCode.TOO_MUCH_CHAT, seconds=1)
    text = clean(request.text, TEXT_LENGTH)
    if clean_name(text, TEXT_LENGTH):
        said = m.Said(seat=number, name=name, text=text)
        # Somebody who looks on at open hands must not tell a player what is in another's.
        if number is None and table.phase is Phase.PLAYING:
            table.ledger.then(_whisper, table, said)
        else:
            table.say(m.ChatLine(seat=number, name=name, text=text))
            table.ledger.then(roster.tell, said)
    return m.Done(re=request.id)


def _whisper(table: "Table", said: m.Said) -> None:
    for other in table.roster.people():
        if table.roster.seat_of(other) is None:
            other.outbox.put(said)
