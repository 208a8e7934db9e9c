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
    preparation.begin(game_id, seat, window)
