"""Requests that a worker read a game's talk, and finds the games that have not been read.

The worker stores its result in a row of a model that extends `Reading`. The understanding takes
megabytes of memory and milliseconds a line, so a web process never loads it.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from game.models import Game
from webapp.play.models import Reading
from webapp.task_queue import send

REQUEST_TIMEOUT = timedelta(seconds=60)  # a request without a result by then is made anew


def games_to_read(model: type[Reading], games: Collection[Game]) -> list[Game]:
    """Return the games that no worker has read in their current version."""
    versions = {game.pk: game.version for game in games}
    rows = model._default_manager.filter(game__in=versions).values_list("game", "game_version")
    games_read = {game for game, version in rows if version == versions[game]}
    return [game for game in games if game.pk not in games_read]


def request_readings(model: type[Reading], games: Collection[Game], task: str) -> None:
    """Have a worker read the unread games by `task`, after the commit.

    It does not repeat requests of the last REQUEST_TIMEOUT.
    """
    for game in games_to_read(model, games):
        row, _created = model._default_manager.get_or_create(game=game)
        request_reading(model, row, task)


def request_reading(model: type[Reading], row: Reading, task: str) -> None:
    """Queue a reading of the row's game, unless a request is pending."""
    now = timezone.now()
    due = _request_expired() | Q(game_version__isnull=False)
    if model._default_manager.filter(due, pk=row.pk).update(asked_at=now, game_version=None):
        transaction.on_commit(lambda: _queue(model, row.game_id, task))


def overdue_rows(model: type[Reading]) -> QuerySet[Reading]:
    """Return outdated or unread rows without a request in the last REQUEST_TIMEOUT."""
    outdated = Q(game_version=None) | Q(game_version__lt=F("game__version"))
    return model._default_manager.filter(
        _request_expired(), outdated, game__started_at__isnull=False
    )


def _request_expired() -> Q:
    return Q(asked_at=None) | Q(asked_at__lt=timezone.now() - REQUEST_TIMEOUT)


def _queue(model: type[Reading], game_id: int, task: str) -> None:
    if not send(task, game_id):
        model._default_manager.filter(game=game_id).update(asked_at=None)
