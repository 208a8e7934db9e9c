"""The agents' work as the queue sees it. Tasks are just another interface to `turns.answering`."""

from __future__ import annotations

from celery import shared_task

from webapp.play.turns import answering, preparation


@shared_task(name="play.fill")
def fill(game_id: int, seat: int, key: str) -> None:
    """An agent answers a window. Safe to run twice, at once or later."""
    answering.answer_window(game_id, seat, key)


@shared_task(name="play.prepare")
def prepare(game_id: int, seat: int, window: str) -> None:
    """An agent prepares for a round. Whatever is lost here its first answer makes up for."""
    preparation.begin(game_id, seat, window)


@shared_task(name="play.read_claims")
def read_claims(game_id: int) -> None:
    """Read the claims of statements that are new. Safe to run twice, at once or later."""
    from webapp.play.claims import reading  # it loads the understanding, which no page needs

    reading.read_new_statements(game_id)
