"""What is kept between runs: for its owner alone, whole or not at all, and one place a client."""

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from attrs import evolve

from kings_client.marks import Exchange
from kings_client.model import Kept, Recent
from kings_client.store import (
    ENVIRONMENT,
    PLACES,
    RECENT,
    SEAT_SECONDS,
    Seat,
    Store,
    StoreError,
    remembered_name,
    state_folder,
)

SERVER = "ab" * 16
OFFER = Exchange(
    server=SERVER,
    table="t1",
    match=2,
    deal=1,
    attempt=0,
    rules="00" * 32,
    commitment="01" * 32,
    seat=1,
    share="02" * 32,
)
SEAT = Seat(SERVER, "t1", "Kitchen", 1, "70" * 32, (OFFER,))


@pytest.mark.skipif(os.name != "posix", reason="permissions are Unix's")
def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "kings")
    store.client()
    store.keep_seat(SEAT)
    store.save_match("m", b"{}")
    for path in (tmp_path / "kings").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert stat.S_IMODE((tmp_path / "kings").stat().st_mode) == 0o700
    store.close()


def test_the_environment_names_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "elsewhere"))
    assert state_folder() == tmp_path / "elsewhere"
    assert state_folder().is_dir()


def test_two_clients_at_once_are_two_players_and_a_place_is_freed(tmp_path: Path) -> None:
    first, second = Store.open(tmp_path), Store.open(tmp_path)
    one, two = first.client(), second.client()
    assert one != two
    first.keep_seat(SEAT)
    assert second.seats(SERVER) == ()
    first.close()
    third = Store.open(tmp_path)
    assert (third.client(), third.seats(SERVER)) == (one, (SEAT,))
    second.close()
    third.close()


def test_a_killed_clients_place_is_free(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from kings_client.store import Store; "
        "s = Store.open(pathlib.Path(sys.argv[1])); print(s.client(), flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        client = child.stdout.readline().decode().strip()
        other = Store.open(tmp_path)
        assert other.client() != client
        child.kill()
        child.wait(10)
        store = Store.open(tmp_path)
        assert store.client() == client
        store.close()
        other.close()


def test_places_have_an_end(tmp_path: Path) -> None:
    stores = [Store.open(tmp_path) for _ in range(PLACES)]
    with pytest.raises(StoreError, match="close one"):
        Store.open(tmp_path)
    for store in stores:
        store.close()


def test_seats_are_filed_by_server_and_table(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    other = evolve(SEAT, server="cd" * 16)
    store.keep_seat(SEAT)
    store.keep_seat(other)
    assert store.seat(SERVER, "t1") == SEAT
    assert store.seats("cd" * 16) == (other,)
    assert store.kept(SERVER) == (Kept("t1", "Kitchen"),)
    store.keep_seat(evolve(SEAT, token="71" * 32))
    assert [seat.token for seat in store.seats(SERVER)] == ["71" * 32]
    store.forget_seat(SERVER, "t1")
    store.forget_seat(SERVER, "t1")
    assert (store.seats(SERVER), store.seats("cd" * 16)) == ((), (other,))
    store.close()


def test_seats_of_servers_long_gone_are_forgotten(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    store.keep_seat(SEAT)
    store.keep_seat(evolve(SEAT, table="t2"))
    old = time.time() - SEAT_SECONDS - 60
    os.utime(store.place / f"seat-{SERVER}-t1.json", (old, old))
    store.close()
    again = Store.open(tmp_path)
    assert [seat.table for seat in again.seats(SERVER)] == ["t2"]
    again.close()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"server": "x"}', b"null"])
def test_damaged_files_are_as_if_missing(tmp_path: Path, content: bytes) -> None:
    store = Store.open(tmp_path)
    for name in ("player-1/client.json", f"player-1/seat-{SERVER}-t1.json", "recent.json"):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "name.json").write_bytes(content)
    (tmp_path / "hosted.json").write_bytes(content)
    assert len(store.client()) == 32
    assert (store.seats(SERVER), store.recent(), store.hosted()) == ((), (), None)
    assert remembered_name(tmp_path) is None
    store.close()


def test_the_newest_servers_are_remembered_once_each(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    for number in range(RECENT + 3):
        store.visited(f"den{number}", "old")
    store.visited("den9", "new")
    assert store.recent()[0] == Recent("den9", "new")
    assert len({recent.address for recent in store.recent()}) == len(store.recent()) == RECENT
    store.close()


def test_the_name_and_the_hosted_server_are_remembered(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    store.keep_name("Ann")
    store.keep_hosted(1, 2, SERVER, "code")
    assert remembered_name(tmp_path) == "Ann"
    assert store.hosted() == (1, 2, SERVER, "code")
    store.forget_hosted()
    store.forget_hosted()
    assert store.hosted() is None
    store.close()


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    path = store.save_match("m", b'{"first": 1}')
    path = store.save_match("m", b'{"second": 2}')
    assert json.loads(path.read_bytes()) == {"second": 2}
    assert [one.name for one in path.parent.iterdir()] == ["m.json"]
    store.close()


def test_a_folder_that_cannot_be_made_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot use the folder") as raised:
        Store.open(tmp_path / "file" / "kings")
    assert "\n" not in str(raised.value)


def test_a_token_is_in_no_repr() -> None:
    assert SEAT.token not in repr(SEAT)
