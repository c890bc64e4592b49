"""Does what ``kings admin`` asks for. Nothing here awaits, or waits for the disk."""

import trio
from msgspec.structs import asdict

from kings_protocol.codes import CloseCode, UnseatedCode
from kings_protocol.limits import TEXT_LENGTH
from kings_protocol.text import clean
from kings_server import admin_wishes as w
from kings_server.bans import Ban
from kings_server.house import House
from kings_server.log import CLIENT_SHOWN, Log
from kings_server.session import Session


class _CannotDo(Exception):  # noqa: N818  said to the admin
    """It cannot be done; the message says why."""


def do(house: House, wish: w.Wish, log: Log) -> w.Answer:
    """Do what is asked for, and return the answer."""
    facts = {"command": type(wish).__struct_config__.tag, **asdict(wish)}
    try:
        answer = _do(house, wish)
    except _CannotDo as error:
        log.info("admin command refused", **facts)
        return {"error": str(error)}
    # Programs that watch the server ask again and again, and change nothing.
    asks = isinstance(wish, w.ListAll | w.Stats | w.Bans)
    (log.debug if asks else log.info)("admin command", **facts)
    return answer


def _do(house: House, wish: w.Wish) -> w.Answer:
    match wish:
        case w.ListAll():
            return {"tables": house.tables(), "people": house.people()}
        case w.Stats():
            return house.stats()
        case w.Say(text=text):
            return _say(house, text)
        case w.Kick(who=who):
            session = _found(house, who)
            session.close(CloseCode.KICKED)
            return {"kicked": session.name, "connection": session.number}
        case w.End(table=name):
            return _end(house, name)
        case w.Drain(seconds=seconds):
            left = house.lobby.config.drain if seconds is None else seconds
            house.drain(left)
            return {"stops_in": min(left, house.lobby.stops_at - trio.current_time())}
        case w.Bans() | w.Ban() | w.BanNetwork() | w.Unban():
            return _about_bans(house, wish)


def _about_bans(house: House, wish: w.Bans | w.Ban | w.BanNetwork | w.Unban) -> w.Answer:
    match wish:
        case w.Bans():
            return {"bans": [_plain(ban) for ban in house.lobby.bans.all()]}
        case w.Ban():
            return _ban(house, wish)
        case w.BanNetwork(network=network, seconds=seconds):
            return _banned(house, "", network, "", seconds)
        case w.Unban(number=number):
            lifted = house.lobby.bans.lift(number)
            if lifted is None:
                raise _CannotDo(f"there is no ban {number}; kings admin bans lists them")
            return {"lifted": _plain(lifted)}


def _end(house: House, name: str) -> w.Answer:
    table = house.lobby.tables.get(name)
    if table is None:
        raise _CannotDo(f"there is no table {name!r}; kings admin list names them")
    house.lobby.end_soon(table, UnseatedCode.TABLE_ENDED)
    return {"ended": table.settings.name, "table": name}


def _say(house: House, text: str) -> w.Answer:
    said = clean(text, TEXT_LENGTH + 1)
    if not 0 < len(said) <= TEXT_LENGTH:
        raise _CannotDo(f"say one line of up to {TEXT_LENGTH} characters")
    heard = house.entered()
    for session in heard:
        session.announce(said)
    return {"said": said, "people": len(heard)}


def _found(house: House, who: int | str) -> Session:
    people = house.entered()
    if isinstance(who, int):
        found = [session for session in people if session.number == who]
    else:
        found = [session for session in people if session.name.casefold() == who.casefold()]
    if len(found) == 1:
        return found[0]
    if found:
        numbers = ", ".join(str(session.number) for session in found)
        raise _CannotDo(f"{len(found)} people are called {who!r}: say which connection: {numbers}")
    what = f"no connection {who}" if isinstance(who, int) else f"nobody called {who!r}"
    raise _CannotDo(f"there is {what} here; kings admin list shows names and connections")


def _ban(house: House, wish: w.Ban) -> w.Answer:
    session = _found(house, wish.who)
    address = house.listener.sessions[session]
    if not wish.household:
        return _banned(house, session.client, "", session.name, wish.seconds)
    if not address:
        raise _CannotDo("this connection has no address")
    return _banned(house, "", address, session.name, wish.seconds)


def _banned(house: House, client: str, network: str, name: str, seconds: float | None) -> w.Answer:
    """Ban a client or a network, and end the connections of all whom that bars."""
    try:
        ban = house.lobby.bans.add(client, network, name, seconds)
    except ValueError:
        raise _CannotDo(
            f"{network!r} is no address and no network; such are 192.0.2.7 and 192.0.2.0/24"
        ) from None
    gone = [
        session
        for session in house.entered()
        if house.lobby.bans.bars(session.client, house.listener.sessions[session])
    ]
    for session in gone:
        session.close(CloseCode.BANNED)
    return {"banned": _plain(ban), "people": len(gone)}


def _plain(ban: Ban) -> w.Answer:
    return {
        "number": ban.number,
        "client": ban.client[:CLIENT_SHOWN],
        "network": ban.network,
        "name": ban.name,
        "until": ban.until,
    }
