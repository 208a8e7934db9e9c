"""The Celery tasks of play: agents' turns, and what workers read in games."""

from dataclasses import asdict

from celery import shared_task

from game import cached_games
from game.engine import rulesets
from game.models import Game
from webapp.play.models import Hindsight
from webapp.play.turns import answering


@shared_task(name="play.fill")
def fill(game_id: int, seat: int, window: str) -> None:
    """Answer a window for an agent. Idempotent, also for simultaneous runs."""
    answering.answer_window(game_id, seat, window)


@shared_task(name="play.prepare")
def prepare(game_id: int, seat: int, window: str) -> None:
    """Prepare an agent for the round that `window` opened.

    If the task is lost, the agent's first answer in the round prepares it.
    """
    answering.prepare_round(game_id, seat, window)


@shared_task(name="play.read_claims")
def read_claims(game_id: int) -> None:
    """Read the claims of new statements. Idempotent, also for simultaneous runs."""
    from webapp.play import claim_reading  # it loads the understanding, which no page needs

    claim_reading.read_new_statements(game_id)


@shared_task(name="play.find_decisive_lines")
def find_decisive_lines(game_id: int) -> None:
    """Find and store the lines that decided a finished game. Idempotent.

    A removal of text deletes the row. If that happens meanwhile, nothing is stored.
    """
    from agents.deduction.likelihoods import DeckTooLarge  # it loads the understanding, as above
    from agents.hindsight import decisive_lines

    game, position = cached_games.current_game(game_id)
    if game.status != Game.OVER:
        return
    try:
        lines = [asdict(line) for line in decisive_lines(position.log, rulesets.get(game.ruleset))]
    except DeckTooLarge:
        lines = None
    Hindsight.objects.filter(game=game_id).update(
        lines=lines, reworded=game.reworded, game_version=game.version
    )
