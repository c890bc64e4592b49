"""The command ``kings doctor``: looks at what a server and its people need, and says what to do."""

import argparse
import json
from collections.abc import Iterator, Sequence

from kings_server.admin_wishes import Stats
from kings_server.chosen import chosen_for
from kings_server.command_admin import NoAnswer, ask
from kings_server.config import Config
from kings_server.doctor_data import data, given_certificate
from kings_server.doctor_machine import clock, program, terminal
from kings_server.doctor_network import discovery, interfaces, port
from kings_server.doctor_way import way
from kings_server.exits import FAILED
from kings_server.findings import Finding, State, listed, note, plain, well, wrong


def main(arguments: Sequence[str]) -> int:
    """Run ``kings doctor`` with its ``arguments``, and return the exit code."""
    options = make_parser().parse_args(arguments)
    found = []
    for finding in _findings(options):
        found.append(finding)
        if not options.json:
            print("\n".join(listed([finding])), flush=True)
    if options.json:
        print(json.dumps(plain(found), ensure_ascii=False))
    ill = sum(finding.state is State.WRONG for finding in found)
    if not options.json:
        print("all is well" if not ill else f"to be mended: {ill}")
    return FAILED if ill else 0


def _findings(options: argparse.Namespace) -> Iterator[Finding]:
    yield from program()
    if options.address is not None:
        yield from clock()
        yield from terminal()
        yield from interfaces(Config())
        yield from way(options.address)
        return
    config, faults = chosen_for(options.data, options.config)
    for fault in faults:
        yield wrong("options", fault, "kings serve --check shows what is in force")
    yield from clock()
    yield from terminal()
    yield from data(config.data)
    yield from given_certificate(config)
    yield from _running(config)
    yield from interfaces(config)
    yield from port(config)
    if options.no_discovery:
        return
    yield from discovery(config)


def _running(config: Config) -> Iterator[Finding]:
    """Ask the server that uses the data directory how it is."""
    if config.data is None:
        yield note("server", "without a data directory it cannot be asked", "look at its log")
        return
    try:
        stats = ask(config.data, Stats())
    except NoAnswer as error:
        yield note("server", str(error), "that is right if none is to run here")
        return
    if stats["saving"]:
        people, tables = stats["connections"], stats["tables"]
        yield well("server", f"it runs; connections: {people}, tables: {tables}")
    else:
        yield wrong("server", "it cannot save", "look at its log, and make room on its disk")
    # An older server says nothing of what follows.
    allowed = int(str(stats.get("connections_allowed", config.bounds.connections)))
    if allowed < config.bounds.connections:
        words = f"the system gives the server open files for {allowed} connections"
        yield note("files", words, "give it more: LimitNOFILE= in its unit, or ulimit -n")
    trouble = stats.get("certificate_trouble")
    if trouble:
        words = f"the server that runs does not take up the renewed one: {trouble}"
        yield wrong("certificate", words, "let the server's user read both files")


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of ``kings doctor``."""
    parser = argparse.ArgumentParser(
        prog="kings doctor",
        description="Look whether all is well for playing and hosting on this machine, whether a "
        "server runs or not, or with an address, what is wrong on the way to that server; and say "
        "what to do. Nothing is changed.",
        epilog="Exit codes: 0 all is well, 1 something is to be mended, 2 wrong options.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "address",
        metavar="HOST[:PORT]",
        nargs="?",
        help="look at the way to this server instead, for a guest whom it does not let in",
    )
    parser.add_argument("--data", metavar="PATH", help="the data directory of the server")
    parser.add_argument("--config", metavar="FILE", help="the file of the server's options")
    parser.add_argument(
        "--no-discovery", action="store_true", help="say nothing to the network: no echo"
    )
    parser.add_argument("--json", action="store_true", help="answer as one line of JSON")
    return parser
