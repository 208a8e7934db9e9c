"""Finished contest games of agents with scripted talk."""

from __future__ import annotations

from collections.abc import Callable

from game import lobby, locked_game, selectors
from game.engine import rulesets
from game.engine.events import Action, pick
from game.engine.forms import Pick
from game.engine.windows import Window
from game.models import Game, Player
from tests.game import kept_games
from webapp.play.models import Table

OVER = Action("over")
Talk = Callable[[Window, int], Action]


def finished_contest_game(ruleset: str, talk: Talk, key: str) -> Game:
    """Return a finished game of agents whose talk comes from `talk` and picks are the first."""

    def play() -> Game:
        agent = lobby.SeatPlan(Player.AGENT, {"backend": "house", "method": "baseline"})
        seats = [agent] * len(rulesets.get(ruleset).seat_names)
        game = lobby.create_game(ruleset, seats, seed="1", pace="none")
        while windows := selectors.open_windows(game):
            for open_window in windows:
                window = open_window.window
                for seat in open_window.missing:
                    options = window.options_for(seat)
                    first = pick(options[0]) if isinstance(window.legal, Pick) else None
                    locked_game.record_answer(
                        game.pk, seat, window.key, first or talk(window, seat)
                    )
        game.refresh_from_db()
        return game

    game = kept_games.once((key, ruleset), play)
    Table.objects.create(game=game, research=True)
    return game
