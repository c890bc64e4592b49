"""The options of a table, and addresses: read as a person writes them, judged all at once."""

import argparse

import msgspec
import pytest

import kings_server.config
from kings_client.absence import AWAY, GRACE
from kings_client.choices import (
    LEVELS,
    BadChoices,
    Choices,
    add_table_options,
    describe_rules,
    option,
    read_choices,
    read_value,
    shown_value,
)
from kings_client.config import PORT, Address, parse_address
from kings_engine.presets import PRESETS, preset_rules
from kings_engine.rules import KNOBS, rules_as_plain
from kings_protocol.messages import MakeTable
from kings_server.bots.policy import LEVELS as SERVER_LEVELS


def read(*words: str, solo: bool = True, people: int = 1) -> Choices:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    add_table_options(parser)
    return read_choices(parser.parse_args(words), "Ann", solo=solo, people=people)


def faults(*words: str, solo: bool = True) -> tuple[str, ...]:
    with pytest.raises(BadChoices) as raised:
        read(*words, solo=solo)
    return raised.value.faults


def test_without_options_it_is_pagat_against_one_bot() -> None:
    choices = read()
    assert choices.rules == preset_rules("pagat")
    assert (choices.table.name, choices.table.bots) == ("Ann's table", ("medium",))
    assert (choices.table.knobs, choices.table.pace) == ({}, (600, 1500))


@pytest.mark.parametrize("preset", PRESETS)
def test_every_value_that_is_shown_can_be_written(preset: str) -> None:
    for name, value in rules_as_plain(preset_rules(preset)).items():
        assert read_value(KNOBS[name], shown_value(value)) == value


def test_every_knob_has_its_option() -> None:
    others = preset_rules("strict", {"players": 3, "turn_seconds": 20, "deals": 4})
    written = [
        word
        for name, value in rules_as_plain(others).items()
        for word in (option(name), shown_value(value))
    ]
    assert read(*written).rules == others
    assert all(option(name) in describe_rules(others) for name in KNOBS)


def test_what_becomes_of_somebody_gone_is_a_choice() -> None:
    usual = read().table
    assert (usual.absent, usual.grace_seconds, usual.away_seconds) == ("bot", 60, 180)
    table = read("--absent", "skip", "--grace-seconds", "5", "--away-seconds", "3600").table
    assert (table.absent, table.grace_seconds, table.away_seconds) == ("skip", 5, 3600)
    assert faults("--absent", "eat", "--grace-seconds", "4", "--away-seconds", "soon") == (
        "--absent: eat is not possible; allowed: wait, bot, skip, forfeit",
        "--grace-seconds: 4 is not possible; allowed: 5 to 3600",
        "--away-seconds: soon is not possible; allowed: 30 to 3600",
    )


@pytest.mark.parametrize(("allowed", "name"), [(GRACE, "grace_seconds"), (AWAY, "away_seconds")])
def test_the_seconds_allowed_are_those_of_the_protocol(allowed: range, name: str) -> None:
    def asked(seconds: int) -> MakeTable:
        fields = {"id": "0" * 32, "name": "T", "preset": "pagat"}
        return msgspec.convert({**fields, name: seconds}, MakeTable)

    for possible in (allowed[0], allowed[-1]):
        assert getattr(asked(possible), name) == possible
    for beyond in (allowed[0] - 1, allowed[-1] + 1):
        with pytest.raises(msgspec.ValidationError, match=name):
            asked(beyond)


def test_how_long_master_thinks_is_a_choice() -> None:
    assert read().table.thinking == 1000
    assert read("--thinking", "0.1").table.thinking == 100
    assert read("--thinking", "10").table.thinking == 10_000
    for wrong in ("0.09", "10.1", "nan", "long"):
        assert faults("--thinking", wrong) == (
            f"--thinking: {wrong} is not possible; allowed: 0.1 to 10",
        )


def test_thirteen_costs_of_ones_own() -> None:
    costs = ",".join(str(cost) for cost in range(13))
    assert read("--scoring", costs).rules.scoring == tuple(range(13))


def test_bots_fill_the_seats_beside_ones_own() -> None:
    assert read("--players", "4").table.bots == ("medium",) * 3
    assert read("--players", "3", "--bots", "easy").table.bots == ("easy", "easy")
    named = read("--bots", "easy,medium")
    assert (named.rules.players, named.table.bots) == (3, ("easy", "medium"))
    assert read("--players", "4", solo=False).table.bots == ()
    assert read("--players", "4", "--bots", "easy", solo=False).table.bots == ("easy",)


def test_a_hosted_table_has_a_seat_for_somebody_who_joins() -> None:
    assert read(solo=False).rules.players == 2
    assert read(solo=False, people=2).rules.players == 3
    assert read("--bots", "easy,medium", solo=False).rules.players == 4
    assert read("--bots", "easy", solo=False, people=3).rules.players == 4
    assert read("--players", "2", solo=False, people=2).rules.players == 2


def test_every_fault_is_named_at_once() -> None:
    found = faults(
        *("--points", "3"),
        *("--draw", "sometimes"),
        *("--forced-kings", "maybe"),
        *("--layout", "corners", "--corner-build", "suit"),
        *("--bots", "easy,clever"),
        *("--pace", "2-1"),
        *("--table", "\x1b"),
    )
    starts = sorted(fault.partition(":")[0] for fault in found)
    assert starts == [
        "--bots",
        "--corner-build",
        "--draw",
        "--forced-kings",
        "--pace",
        "--points",
        "--table",
    ]
    assert "--forced-kings: maybe is not possible; allowed: off, on" in found
    assert "--points: 3 is not possible; allowed: 5 to 500" in found


@pytest.mark.parametrize(
    ("words", "start"),
    [
        (("--rules", "nonsense"), "--rules: nonsense is not possible; allowed: pagat"),
        (("--players", "5"), "--players: 5"),
        (("--players", "--5"), "--players: --5"),
        (("--players", "2", "--bots", "easy,easy"), "--bots: 2 levels; exactly 1"),
        (("--pace", "x"), "--pace: x"),
        (("--pace", "nan"), "--pace: nan"),
        (("--pace", "11"), "--pace: 11"),
        (("--scoring", "1,2"), "--scoring: 1,2"),
        (("--deals", "0"), "--deals: 0"),
        (("--match", "deals"), "--deals: none is not possible: the match is counted in deals; "),
        (
            ("--first-dealer", "seat_3"),
            "--first-dealer: seat_3 is not possible: the table has",
        ),
        (
            ("--rules", "strict", "--layout", "corners"),
            "--empty-place: not_king is not possible: the layout is corners; allowed: any, vacated",
        ),
    ],
)
def test_a_bad_value_is_named_with_what_is_allowed(words: tuple[str, str], start: str) -> None:
    joined = [f"{name}={value}" for name, value in zip(words[::2], words[1::2], strict=True)]
    (fault,) = faults(*joined)
    assert fault.startswith(start)


def test_no_more_bots_than_seats_when_hosting() -> None:
    (fault,) = faults("--players", "2", "--bots", "easy,easy", solo=False)
    assert fault.startswith("--bots: 2 levels; at most 1")


def test_pace_is_from_and_to_or_one_number() -> None:
    assert read("--pace", "0").table.pace == (0, 0)
    assert read("--pace", "0.25-2").table.pace == (250, 2000)


def test_the_server_of_this_program_agrees() -> None:
    assert tuple(SERVER_LEVELS) == LEVELS
    assert kings_server.config.PORT == PORT


# ---- addresses


@pytest.mark.parametrize(
    ("text", "address", "shown"),
    [
        ("den", Address("den"), "den"),
        (" den.local:7 ", Address("den.local", 7), "den.local:7"),
        ("10.0.0.7", Address("10.0.0.7"), "10.0.0.7"),
        ("[fe80::1]:7", Address("fe80::1", 7), "[fe80::1]:7"),
        ("[fe80::1]", Address("fe80::1"), "fe80::1"),
        ("fe80::1%eth0", Address("fe80::1%eth0"), "fe80::1%eth0"),
    ],
)
def test_addresses_as_people_write_them(text: str, address: Address, shown: str) -> None:
    assert parse_address(text) == address
    assert str(address) == shown
    assert parse_address(shown) == address


@pytest.mark.parametrize(
    "text", ["", " ", "den:", "den:x", "den:0", "den:65536", "a:b:c", "[den", "a b", ":7", "den:-1"]
)
def test_what_is_no_address_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=r"no address|no port"):
        parse_address(text)
