"""What an installation brings: four packages of ours, one command, and nothing generic."""

import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"kings_engine", "kings_protocol", "kings_server", "kings_client"}


def built(what: str, folder: Path, project: Path = ROOT) -> Path:
    """Build a wheel or an sdist, with nothing but what is here, and return its file."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", what, "-d", str(folder)]
    subprocess.run(command, cwd=project, check=True, capture_output=True, timeout=120)
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return zipfile.ZipFile(built("wheel", tmp_path_factory.mktemp("wheel")))


def test_the_wheel_holds_our_four_packages_and_no_other_name(wheel: zipfile.ZipFile) -> None:
    names = {name.partition("/")[0] for name in wheel.namelist()}
    assert {name for name in names if not name.endswith((".dist-info", ".data"))} == PACKAGES


def test_the_wheel_brings_the_manual(wheel: zipfile.ZipFile) -> None:
    (page,) = (name for name in wheel.namelist() if name.endswith("share/man/man1/kings.1"))
    assert wheel.read(page) == (ROOT / "docs" / "kings.1").read_bytes()


def test_every_package_says_that_it_is_typed(wheel: zipfile.ZipFile) -> None:
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(wheel.namelist())


def test_the_wheel_has_one_command(wheel: zipfile.ZipFile) -> None:
    (entries,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    text = wheel.read(entries).decode()
    assert text.split() == ["[console_scripts]", "kings", "=", "kings_client.main:main"]


def test_every_file_of_the_packages_is_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    sources = {
        str(file.relative_to(ROOT / room))
        for room in ("engine", "protocol", "server", "client")
        for file in (ROOT / room).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert {Path(name).as_posix() for name in sources} <= set(wheel.namelist())


def test_the_source_archive_holds_the_repository_and_nothing_that_lies_about(
    tmp_path: Path,
) -> None:
    folders = {".ci", "bench", "client", "docs", "engine", "protocol", "server", "tests"}
    files = {"README.md", "pyproject.toml"}
    project = tmp_path / "project"
    for name in (*folders, "notes"):
        (project / name).mkdir(parents=True)
        (project / name / "file.txt").touch()
    for name in files:
        shutil.copy(ROOT / name, project)
    (project / "stray.txt").touch()
    with tarfile.open(built("sdist", tmp_path / "out", project)) as archive:
        names = {Path(name).parts[1] for name in archive.getnames()}
    assert names == folders | files | {"PKG-INFO"}


CHECK = str(ROOT / ".ci" / "archive_check.py")


def test_an_archive_made_for_another_python_says_so(tmp_path: Path) -> None:
    (tmp_path / "msgspec").mkdir()
    (tmp_path / "msgspec" / "_core.cpython-27-sparc.so").touch()
    with pytest.raises(SystemExit, match=r"made for another Python \(cpython-27-sparc\.so\)"):
        runpy.run_path(CHECK, {"site_packages": tmp_path})


def test_an_archive_made_for_this_python_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "msgspec").mkdir()
    (tmp_path / "msgspec" / f"_core{EXTENSION_SUFFIXES[0]}").touch()
    runpy.run_path(CHECK, {"site_packages": tmp_path})


def test_every_requirement_has_a_lowest_version_for_the_gate_to_try() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    ran = subprocess.run(
        (sys.executable, ".ci/lowest.py", "master"),
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    wanted = [*project["dependencies"], *project["optional-dependencies"]["master"]]
    assert ran.stdout.splitlines() == [one.replace(">=", "==") for one in wanted]
