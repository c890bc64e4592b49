"""People at one table, each in the line mode: meeting, playing, talking, watching, coming back."""

from pathlib import Path

import trio

from plain_lines import Script, play_out, script
from serving import Server, serving


def address(server: Server) -> str:
    return f"127.0.0.1:{server.port}"


async def test_two_play_each_other_while_a_third_watches(tmp_path: Path) -> None:
    with serving(encrypted=True) as server:
        await three_play(address(server), tmp_path)


async def listed(player: Script) -> None:
    """List the tables until the new one is among them: the lobby's changes come a little later."""
    while await player.ask("list") != "OK: 1 table.":
        pass


async def three_play(at: str, folder: Path) -> None:
    async with (
        script("join", at, "--plain", "--name", "Ann", state=folder / "a") as ann,
        script("join", at, "--plain", "--name", "Ben", state=folder / "b") as ben,
        script("join", at, "--plain", "--name", "Cleo", state=folder / "c") as cleo,
    ):
        assert await ann.ask("make classic name=Kitchen") == "OK: the table is made."
        await listed(ben)
        assert ben.lines[-2] == "  1: Kitchen, classic, 1 of 2 seats taken, waits for players."
        assert await ben.ask("join 1") == "OK: you sit down."
        await listed(cleo)
        assert await cleo.ask("watch 1") == "OK: you watch."
        assert await ben.ask("say good luck") == "OK: said."
        assert await cleo.ask("end") == "No: you are watching; only players can do that."
        for player in (ann, ben):
            assert await player.ask("ready") == "OK: you are ready."
        async with trio.open_nursery() as nursery:
            for player in (ann, ben):
                nursery.start_soon(play_out, player)
        assert "rematch" in await cleo.ask("wait")
        assert "Ben sat down." in ann.lines
        assert "Ben says: good luck" in ann.lines
        assert "Ben says: good luck" not in ben.lines
        results = {
            player: next(line for line in player.lines if line.startswith("The match is over: "))
            for player in (ann, ben, cleo)
        }
        assert "draw" in results[cleo] or len({results[ann], results[ben]}) == 2
        assert not [line for line in cleo.lines if line.startswith("Your hand")]
        for player in (ann, ben, cleo):
            assert await player.ask("quit") == "OK: goodbye."
            assert await player.rest() == 0


async def test_a_seat_that_was_left_by_quitting_is_taken_back(tmp_path: Path) -> None:
    join = ("--plain", "--name", "Ann")
    with serving(encrypted=True) as server:
        async with script("join", address(server), *join, state=tmp_path) as ann:
            made = await ann.ask("make pagat bots=easy name=Kitchen")
            assert made == "OK: the table is made."
            if "ready" in await ann.ask("wait"):
                await ann.ask("ready")
                await ann.ask("wait")
            hand = await ann.ask("hand")
            assert await ann.ask("quit") == "OK: goodbye; your seat is kept for a while."
            assert await ann.rest() == 0
        async with script("join", address(server), *join, state=tmp_path) as ann:
            assert await ann.ask("back") == "OK: you are back at Kitchen."
            assert await ann.ask("hand") == hand
            assert await ann.ask("wait") == "OK: it is your turn."


async def test_a_server_that_ends_leaves_what_is_known_and_an_orderly_end(tmp_path: Path) -> None:
    with serving(encrypted=True) as server:
        async with script("join", address(server), "--plain", state=tmp_path) as ann:
            await ann.ask("make pagat bots=easy")
            await ann.ask("wait")
            hand = await ann.ask("hand")
            server.process.kill()
            while "Trying to connect again" not in await ann.line():
                pass
            assert await ann.ask("say hello?") == (
                "No: there is no connection now; retry tries again at once."
            )
            assert await ann.ask("hand") == hand
            assert await ann.ask("retry") == "OK: trying again."
            assert (await ann.ask("quit")).startswith("OK: goodbye")
            assert await ann.rest() == 0


async def test_a_match_is_paused_while_all_want_it(tmp_path: Path) -> None:
    with serving(encrypted=True) as server:
        join = ("join", address(server), "--plain")
        async with (
            script(*join, "--name", "Ann", state=tmp_path / "a") as ann,
            script(*join, "--name", "Ben", state=tmp_path / "b") as ben,
        ):
            await ann.ask("make pagat name=Kitchen")
            await listed(ben)
            await ben.ask("join 1")
            for player in (ann, ben):
                await player.ask("ready")
            assert await ann.ask("wait") == "OK: it is your turn."
            for player in (ann, ben):
                assert await player.ask("pause") == "OK: you want a pause."
            while "The match is paused." not in ann.lines:
                await ann.line()
            assert await ann.ask("end") == (
                "No: the match is paused until everybody wants to go on; nothing can be played now."
            )
            for player in (ann, ben):
                assert await player.ask("pause off") == "OK: you want to go on."
            while "Everybody is back; the match goes on." not in ann.lines:
                await ann.line()
            assert await ann.ask("end") == "OK: your turn has ended."
