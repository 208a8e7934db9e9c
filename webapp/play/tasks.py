"""The agents' work as tasks of the queue: thin wrappers of `turns.answering`."""

from __future__ import annotations

from celery import shared_task

from webapp.play.turns import answering, preparation


@shared_task(name="play.fill")
def fill(game_id: int, seat: int, key: str) -> None:
    """Answer a window for an agent. Safe to run twice, at once or later."""
    answering.answer_window(game_id, seat, key)


@shared_task(name="play.prepare")
def prepare(game_id: int, seat: int, window: str) -> None:
    """Prepare an agent for a round. If this is lost, the agent's first answer prepares it."""
    preparation.prepare_round(game_id, seat, window)


@shared_task(name="play.read_claims")
def read_claims(game_id: int) -> None:
    """Read the claims of statements that are new. Safe to run twice, at once or later."""
    from webapp.play.claims import reading  # it loads the understanding, which no page needs

    reading.read_new_statements(game_id)


@shared_task(name="play.find_decisive_lines")
def find_decisive_lines(game_id: int) -> None:
    """Find the lines that decided a finished game. Safe to run twice, at once or later."""
    from webapp.play.replay import hindsight_reading  # it loads the deduction, as above

    hindsight_reading.find_decisive_lines(game_id)
