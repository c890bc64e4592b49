"""What the options of ``kings join`` and ``kings bot`` say of the server."""

import argparse
from pathlib import Path

from kings_client.config import parse_address
from kings_client.intents import StartJoin
from kings_client.words.tongue import tell
from kings_protocol.identity_code import read_code


def join_from(options: argparse.Namespace, name: str, people: tuple[str, ...] = ()) -> StartJoin:
    """Return the way to the server that the options name.

    Raises:
        ValueError: the address or the code is none, or the file cannot be read; the message says
            which.
    """
    parse_address(options.address)
    code = ""
    if options.accept is not None:
        try:
            code = read_code(options.accept)
        except ValueError:
            raise ValueError(
                tell(
                    "--accept: {code!r} is no code; one looks like {example}",
                    code=options.accept[:40],
                    example="04HM-ASW9-NF6Y-Y093",
                )
            ) from None
    if options.plain_text and code:
        raise ValueError(tell("--accept: with --plain-text there is no certificate and no code"))
    return StartJoin(
        options.address,
        name,
        people,
        plain_text=options.plain_text,
        code=code,
        password=first_line(options.server_password_file, "--server-password-file"),
    )


def refuse_without_address(options: argparse.Namespace) -> None:
    """Refuse the options that are about one server, where no server is named.

    Raises:
        ValueError: there is such an option; the message says which.
    """
    given = {
        "--accept": options.accept,
        "--plain-text": options.plain_text,
        "--server-password-file": options.server_password_file,
    }
    for option, value in given.items():
        if value:
            raise ValueError(tell("{option} needs the address of the server", option=option))


def first_line(file: Path | None, option: str = "--password-file") -> str | None:
    """Return the first line of ``file``, that an option names.

    Raises:
        ValueError: it cannot be read.
    """
    if file is None:
        return None
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ValueError(
            tell("{option}: {path} cannot be read: {why}", option=option, path=file, why=why)
        ) from error
    return lines[0] if lines else ""
