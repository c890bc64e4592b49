"""The options of ``kings serve``: where they may be given, which goes first, what is refused."""

from pathlib import Path

import pytest

from kings_server import certificate
from kings_server.certificate import own_identity
from kings_server.config import Config
from kings_server.options import BY_NAME, OPTIONS, documented
from serving import command

DOCUMENT = Path(__file__).parents[2] / "docs" / "hosting.md"
EVERYWHERE = [option for option in OPTIONS if option.everywhere]
OTHERS = {
    "any": "127.0.0.1",
    "26480": "7",
    "kings": "Attic",
    "info": "debug",
    "human": "json",
    "plain": "hashed",
    "127.0.0.1": "::1",
    "the data directory of this user": "kept",
    "never": "60",
    "off": "9100",
    "cores": "3",
    "own": "kept.pem",
    "none": "secret.txt",
    "false": "true",
    "true": "false",
}
"""For a default, another value."""


def other(name: str) -> str:
    """Return a value of an option that is not its default."""
    option = BY_NAME[name]
    return OTHERS.get(option.usual) or str(int(float(option.usual)) + 30)


def checked(*options: str, **environment: str) -> tuple[dict[str, list[str]], list[str], int]:
    """Return what ``--check`` shows by the options' names, its faults, and its exit code."""
    ended = command("serve", "--check", *options, environment=environment)
    lines = [line.split(maxsplit=2) for line in ended.stdout.splitlines()]
    return {name: rest for name, *rest in lines}, ended.stderr.splitlines(), ended.returncode


def written(folder: Path, names: dict[str, str]) -> Path:
    """Write a file that gives options."""

    def line(name: str, text: str) -> str:
        return f"{name} = {text}" if text.isdecimal() else f'{name} = "{text}"'

    top = [line(name, text) for name, text in names.items() if "." not in name]
    limits = [line(name[7:], text) for name, text in names.items() if "." in name]
    file = folder / "kings.toml"
    file.write_text("\n".join([*top, "[limits]", *limits]))
    return file


def as_asked(name: str) -> tuple[str, ...]:
    """Return the words that give an option another value on the command line."""
    option, text = BY_NAME[name], other(name)
    if option.limits:
        return ("--limit", f"{name[7:]}={text}")
    if option.kind.flag:
        return (option.flag if text == "true" else option.flag.replace("--", "--no-", 1),)
    return (option.flag, text)


def test_every_field_of_the_configuration_is_an_option() -> None:
    fields = {name for name in dir(Config()) if not name.startswith("_")}
    assert {option.name for option in OPTIONS if not option.limits} == fields - {"bounds", "secret"}


def test_every_default_is_allowed() -> None:
    for option in OPTIONS:
        if not option.unset:
            assert option.kind.value(option.kind.shown(option.default)) == option.default


def test_every_option_may_be_given_in_the_file_the_environment_and_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own_identity(tmp_path)
    (tmp_path / certificate.NAME).rename("kept.pem")
    Path("secret.txt").write_text("sesame\n")
    names = {option.name: other(option.name) for option in EVERYWHERE}
    file = written(tmp_path, names)
    found, faults, code = checked("--config", str(file))
    assert (faults, code) == ([], 0)
    for name, text in names.items():
        assert found[name] == [text, f"file ({file})"]
    variables = {BY_NAME[name].variable: text for name, text in names.items()}
    found, faults, code = checked(**variables)
    assert (faults, code) == ([], 0)
    for name, text in names.items():
        assert found[name] == [text, f"environment ({BY_NAME[name].variable})"]
    words = [word for name in names for word in as_asked(name)]
    found, faults, code = checked(*words)
    assert (faults, code) == ([], 0)
    assert all(found[name] == [text, "command line"] for name, text in names.items())


def test_the_command_line_goes_first_then_the_environment_then_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, {"port": "1", "name": "file", "linger": "1"})
    found, _, _ = checked(
        *("--port", "3"), KINGS_SERVE_CONFIG=str(file), KINGS_SERVE_PORT="2", KINGS_SERVE_NAME="e"
    )
    assert found["port"] == ["3", "command line"]
    assert found["name"] == ["e", "environment (KINGS_SERVE_NAME)"]
    assert found["linger"] == ["1", f"file ({file})"]
    assert found["drain"] == ["10", "default"]


def test_all_faults_of_all_sources_are_told_at_once_each_with_what_is_allowed(
    tmp_path: Path,
) -> None:
    file = tmp_path / "kings.toml"
    file.write_text('nmae = "Attic"\nhost = true\nlimits.tabels = 3\nlimits.tables = "many"\n')
    found, faults, code = checked(
        *("--config", str(file), "--prot", "9", "--limit", "conections=3", "--port", "99999"),
        KINGS_SERVE_DARIN="3",
        KINGS_SERVE_LOG_LEVEL="loud",
    )
    assert (found, code) == ({}, 2)
    told = {fault.removeprefix("kings serve: ") for fault in faults}
    assert told == {
        "--prot: there is no such option; the nearest is --port",
        "--limit conections: there is no such limit; the nearest is connections",
        "--port: not '99999'; allowed: a whole number from 0 to 65535",
        "KINGS_SERVE_DARIN: there is no such variable; the nearest is KINGS_SERVE_DRAIN",
        "KINGS_SERVE_LOG_LEVEL: not 'loud'; allowed: debug, info, warning, error",
        f"nmae in {file}: there is no such option; the nearest is name",
        f"limits.tabels in {file}: there is no such option; the nearest is limits.tables",
        f"host in {file}: not true; allowed: a name or an address of this machine, or any",
        f"limits.tables in {file}: not 'many'; allowed: a whole number from 1 to 999999999",
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("port = ", "is no TOML"),
        ("port = " + 5000 * "9", "is no TOML"),
        ("port = " + 5000 * "[", "is no TOML"),
        ("port = 0x" + 5000 * "f", "not so long a number"),
        ("limits = 3", "no such option"),
        ("[more]\nx = 1", "no such"),
        ('data = "~nobody-of-this-name/kings"', "allowed: a path"),
    ],
    ids=lambda text: text[:12],
)
def test_a_file_that_cannot_be_used_is_one_line(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "kings.toml"
    file.write_text(text)
    _, (fault,), code = checked("--config", str(file))
    assert code == 2
    assert str(file) in fault
    assert why in fault
    _, (fault,), code = checked("--config", str(tmp_path))
    assert "cannot be read" in fault


def test_files_that_the_options_name_are_looked_at(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    _, faults, code = checked("--password-file", gone, "--certificate", gone, "--key", gone)
    assert code == 2
    assert [gone in fault for fault in faults] == [True, True]


def test_what_does_not_go_together_is_refused() -> None:
    _, (fault,), code = checked("--limit", "dead_seconds=5")
    assert code == 2
    assert "ping_seconds" in fault


def test_a_private_server_listens_to_nobody_but_who_starts_it() -> None:
    found, faults, code = checked("--private", KINGS_SERVE_PORT="x", KINGS_SERVE_NAME="Attic")
    assert (faults, code) == ([], 0)
    assert found["name"] == ["kings", "default"]
    assert found["data"] == ["none", "default"]


def test_the_document_has_every_option() -> None:
    assert documented() in DOCUMENT.read_text(encoding="utf-8")
