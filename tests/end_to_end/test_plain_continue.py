"""A match against bots outlives the program: the next run offers to go on with it."""

from pathlib import Path

import pytest

from plain_lines import Script, play_out, script

PLAY = ("play", "--plain", "--bots", "medium", "--pace", "0", "--name", "Ann", "--points", "5")


async def heard(player: Script, words: str) -> None:
    """Read on until a line says ``words``."""
    while words not in await player.line():
        pass


async def begin(player: Script) -> str:
    """Wait for the first turn, play one action, and return the hand after it."""
    assert "your turn" in await player.ask("wait")
    possible = (await player.ask("can")).removeprefix("OK: ").split("; ")
    assert (await player.ask(possible[0])).startswith("OK: ")
    return await player.ask("hand")


@pytest.mark.parametrize("killed", [False, True])
async def test_the_match_of_an_earlier_run_goes_on_where_it_was(
    tmp_path: Path, killed: bool
) -> None:
    async with script(*PLAY, state=tmp_path) as player:
        hand = await begin(player)
        if not killed:
            assert await player.ask("quit") == "OK: goodbye; your seat is kept for a while."
            assert await player.rest() == 0
    async with script(*PLAY, state=tmp_path) as player:
        await heard(player, "A match waits for you")
        assert (await player.ask("back")).startswith("OK: you are back")
        await player.ask("wait")
        assert await player.ask("hand") == hand
        await play_out(player)
        await player.ask("quit")


async def test_a_match_that_waits_can_be_given_up_for_another(tmp_path: Path) -> None:
    async with script(*PLAY, state=tmp_path) as player:
        await begin(player)
        await player.ask("quit")
        await player.rest()
    for _ in range(2):
        async with script(*PLAY, state=tmp_path) as player:
            await heard(player, "A match waits for you")
            assert await player.ask("anew") == "OK: the old match is given up."
            await begin(player)
            await player.ask("quit")
            await player.rest()


async def test_a_finished_match_is_not_offered_again(tmp_path: Path) -> None:
    async with script(*PLAY, state=tmp_path) as player:
        await play_out(player)
        await player.ask("quit")
        await player.rest()
    async with script(*PLAY, state=tmp_path) as player:
        await begin(player)
        assert not any("waits" in line for line in player.lines)
