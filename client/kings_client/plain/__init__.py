"""The line mode: the game in printed sentences and typed commands, without a full screen."""

from kings_client.plain.running import run

__all__ = ["run"]
