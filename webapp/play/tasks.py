"""The agents' work as the queue sees it. Tasks are just another interface to `filling`."""

from __future__ import annotations

from celery import shared_task

from webapp.play import filling


@shared_task(name="play.fill")
def fill(game_id: int, seat: int, key: str) -> None:
    """An agent answers a window. Safe to run twice, at once or later."""
    filling.fill(game_id, seat, key)
