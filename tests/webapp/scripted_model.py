"""A language model whose replies a test decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.decision import Request
from game.models import Game
from tests.game.table import new_game, play_until


class ScriptedModel:
    """A model whose replies the test decides."""

    name = "voice"

    def __init__(self, reply_function: Callable[[Request], dict[str, Any]]) -> None:
        self.reply_function, self.request_count = reply_function, 0

    def reply(self, step: str, request: Request, seconds: float | None = None) -> dict[str, Any]:
        self.request_count += 1
        return self.reply_function(request)


def game_at_first_statement() -> Game:
    game = new_game(2)
    play_until(game, "statement")
    return game
