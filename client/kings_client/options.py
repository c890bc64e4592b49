"""The command line: which commands and options there are, and what ``--help`` says of them."""

import argparse
from pathlib import Path
from typing import Final

_DESCRIPTION: Final = """\
Kings in the Corner, a card game for two to four, in the terminal.

Without a command a welcome screen asks what to do, and lists the servers on the network.
"""

_EPILOG: Final = """\
Each command is described by 'kings COMMAND --help'. Settings, seats to come back to and proofs of
finished matches are kept in the platform's folder for such things, or in the one that the
environment variable KINGS_STATE_DIR names.
"""

SHELLS: Final = ("bash", "zsh", "tcsh")
"""The shells that commands can be completed in."""


def make_parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Return the parser of the whole command line, and those of its commands by name.

    The commands of the server's package have empty ones: they are handed on.
    """
    from kings_client.choices import add_knob_options, add_table_options
    from kings_client.config import PORT
    from kings_engine.presets import PRESETS
    from kings_protocol.version import PROGRAM

    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="kings",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=plain,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"kings {PROGRAM}")
    _add_no_discovery(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    play = commands.add_parser(
        "play",
        help="play against bots, at once",
        description="Play against bots. A server of your own runs while you play, and nobody else "
        "can reach it.",
        allow_abbrev=False,
    )
    _add_no_discovery(play)
    _add_name(play)
    play.add_argument(
        "--keep-nothing",
        action="store_true",
        help="keep no name, no unfinished match and no proofs: for an account without a home, or "
        "one that cannot be written to",
    )
    _add_people(play)
    add_table_options(play)

    host = commands.add_parser(
        "host",
        help="open a table that others on the network can join",
        description="Start a server that others on the network can join, and sit down at its "
        "table; or come back to the one left running. The screen shows the address to join. When "
        "you quit, the server can go on for the others; it ends when it has been empty for ten "
        "minutes.",
        allow_abbrev=False,
    )
    _add_no_discovery(host)
    _add_name(host)
    _add_people(host)
    host.add_argument("--port", metavar="PORT", help=f"TCP port; 0: any free one (default: {PORT})")
    add_table_options(host)

    join = commands.add_parser(
        "join",
        help="go to a server",
        description="Go to a server, look at its tables, and sit down. A seat that you had there "
        "when the connection or the program ended is offered to you again.",
        allow_abbrev=False,
    )
    join.add_argument(
        "address",
        metavar="HOST[:PORT]",
        nargs="?",
        help=f"the server (port: {PORT}); without one, those on the network are listed",
    )
    _add_no_discovery(join)
    _add_name(join)
    _add_people(join)
    _add_trust(join)

    _add_bot(
        commands.add_parser(
            "bot",
            help="let a program of your own play",
            description="Sit down at a table of a server and let a Python module play: its "
            "function choose(view, history, rng) returns one of the seat's legal actions. What "
            "it prints stays here. A program that is started again goes on in its seat.",
            allow_abbrev=False,
        )
    )

    commands.add_parser("serve", help="run a server without a screen", add_help=False)
    commands.add_parser("admin", help="look after a server that runs here", add_help=False)
    commands.add_parser(
        "doctor", help="look whether all is well here, and say what to do", add_help=False
    )
    commands.add_parser("restore", help="make a server of a backup", add_help=False)
    commands.add_parser("arena", help="play bots against bots", add_help=False)

    verify = commands.add_parser(
        "verify",
        help="check a finished match: were its decks fair?",
        description="Deal and play every deal of a finished match again, compare it with what was "
        "promised before the deal and seen during it, and say of each deck what that proves. The "
        "exit status is 0 if every deck is fair with your share in it, 1 if something does not "
        "match, 3 if nothing could be checked, 4 if the file cannot be read, and 5 if nothing is "
        "wrong but a deck was without your share, offered anew or not checked. Whoever runs the "
        "server could look at the cards of any deck.",
        allow_abbrev=False,
    )
    verify.add_argument("file", metavar="FILE", type=Path, help="the file shown after the match")

    history = commands.add_parser(
        "history",
        help="list the matches you have seen to their end",
        description="List the matches that you have seen to their end, newest first: when, by "
        "which rules, against whom, how they ended, and whether their deals were found fair. The "
        "welcome screen shows them too, and plays each one again.",
        allow_abbrev=False,
    )
    history.add_argument(
        "--results", action="store_true", help="your results against each person and level"
    )

    rules = commands.add_parser(
        "rules",
        help="list the sets of rules, or describe one",
        description="List the sets of rules, or show every rule of one with what is allowed. With "
        "options, show the rules as a table that is made with them has them.",
        allow_abbrev=False,
    )
    rules.add_argument(
        "preset",
        metavar="PRESET",
        nargs="?",
        help=f"the set to describe: {', '.join(PRESETS)} (default, with other options: pagat)",
    )
    add_knob_options(rules)

    completion = commands.add_parser(
        "completion",
        help="let your shell complete commands and options",
        description="Print a script that lets a shell complete the commands and options of kings.",
        epilog='For bash: eval "$(kings completion bash)" in ~/.bashrc.',
        allow_abbrev=False,
    )
    completion.add_argument("shell", choices=SHELLS, help="the shell")
    return parser, commands.choices


def _add_bot(bot: argparse.ArgumentParser) -> None:
    bot.add_argument(
        "address",
        metavar="HOST[:PORT]",
        nargs="?",
        default="localhost",
        help="the server (default: this machine)",
    )
    bot.add_argument(
        "--module",
        required=True,
        metavar="FILE|NAME",
        help="the module: a file that ends in .py, or a name to import",
    )
    bot.add_argument("--table", metavar="NAME", help="which table (default: the one with room)")
    bot.add_argument(
        "--password-file", metavar="FILE", type=Path, help="the locked table's password"
    )
    _add_trust(bot)
    bot.add_argument("--name", help="its name at the table (default: the module's)")
    bot.add_argument("--once", action="store_true", help="leave after one match")
    bot.add_argument(
        "--seed", metavar="TEXT", help="make rng repeatable (default: new chance each time)"
    )


def _add_no_discovery(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-discovery",
        action="store_true",
        # A default of a command's own would undo the option given before the command.
        default=argparse.SUPPRESS if parser.prog.count(" ") else False,
        help="do not look for servers on the network, nor tell it of yours; the settings can say "
        "for good that none is looked for",
    )


def _add_trust(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--accept",
        metavar="CODE",
        help="go to the server whose certificate has this code, as its host reads it out, and to "
        "no other, whatever was known at this address before",
    )
    parser.add_argument(
        "--plain-text",
        action="store_true",
        help="go to a server that does not encrypt, for tests and on this machine: whoever is on "
        "the network can read cards, chat and the tokens of seats, and no password is sent",
    )
    parser.add_argument(
        "--server-password-file",
        metavar="FILE",
        type=Path,
        help="file whose first line is the server's password, if it has one",
    )


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", help="your name at the table (default: the one you used last)")
    parser.add_argument(
        "--plain",
        action="store_true",
        help="no full screen, but printed lines and typed commands: for screen readers, dumb "
        "terminals and scripts (the default where there is no terminal to draw on)",
    )


def _add_people(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--people",
        metavar="NUMBER|NAME,NAME",
        help="several people at this keyboard, 2 to 4: how many, or all their names, yours first; "
        "the screen is covered while the keyboard is passed on",
    )
