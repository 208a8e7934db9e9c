"""Finds the lines that decided a finished game. For workers: it loads the understanding."""

from __future__ import annotations

from dataclasses import asdict

from agents.deduction.likelihoods import DeckTooLarge
from agents.hindsight import decisive_lines
from game import selectors
from game.engine import rulesets
from game.models import Game
from webapp.play.models import Hindsight


def find_decisive_lines(game_id: int) -> None:
    """Find and store the decisive lines of a game that is over.

    Text that is removed meanwhile deletes the row, so that nothing is stored then.
    """
    game, position = selectors.current_game(game_id)
    if game.status != Game.OVER:
        return
    try:
        lines = [asdict(line) for line in decisive_lines(position.log, rulesets.get(game.ruleset))]
    except DeckTooLarge:
        lines = None
    Hindsight.objects.filter(game=game_id).update(
        lines=lines, reworded=game.reworded, game_version=game.version
    )
