"""Requests readings of games' talk from workers, and finds the games that lack one.

The worker stores its result in a row of a model that extends `Reading`. The language understanding
takes megabytes of memory and milliseconds a line, so a web process never loads it.
"""

from collections.abc import Collection
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from game import cached_games, sql_statements
from game.cached_games import CachedGame
from game.engine.events import PUBLIC
from game.models import Game
from webapp.celery import send
from webapp.play.models import ClaimsSheet, Reading, StatedClaim

REQUEST_TIMEOUT = timedelta(seconds=60)  # a request without a result by then is made anew
CLAIMS_TASK = "play.read_claims"
MAX_REPEATED_REQUESTS = 20  # a sweep repeats at most this many requests, so that it stays short


def games_to_read(model: type[Reading], games: Collection[Game]) -> list[Game]:
    """Return the games that no worker has read in their current version."""
    versions = {game.pk: game.version for game in games}
    rows = model._default_manager.filter(game__in=versions).values_list("game", "game_version")
    games_read = {game for game, version in rows if version == versions[game]}
    return [game for game in games if game.pk not in games_read]


def request_readings(model: type[Reading], games: Collection[Game], task: str) -> None:
    """Have a worker read the unread games after the commit. Skip games with a pending request.

    The Celery task called `task` gets a game's id.
    """
    for game in games_to_read(model, games):
        row, _created = model._default_manager.get_or_create(game=game)
        request_reading(model, row, task)


def request_reading(model: type[Reading], row: Reading, task: str) -> None:
    """Queue a reading of the row's game, unless a request is pending."""
    now = timezone.now()
    due = _request_expired() | Q(game_version__isnull=False)
    rows = model._default_manager.filter(pk=row.pk)

    def send_task() -> None:
        if not send(task, row.game_id):
            rows.update(asked_at=None)

    if rows.filter(due).update(asked_at=now, game_version=None):
        transaction.on_commit(send_task)


def _request_expired() -> Q:
    return Q(asked_at=None) | Q(asked_at__lt=timezone.now() - REQUEST_TIMEOUT)


def request_claims(game_id: int) -> None:
    """Have a worker read new statements, if the table has a sheet of claims."""
    for sheet in sql_statements.select(ClaimsSheet, game_id=game_id):
        game, position = cached_games.current_game(game_id)
        if is_behind(sheet, game, position):
            request_reading(ClaimsSheet, sheet, CLAIMS_TASK)
        elif sheet.game_version is None or sheet.game_version < game.version:
            ClaimsSheet.objects.filter(pk=sheet.pk).update(game_version=game.version)


def request_overdue_claims() -> None:
    """Repeat requests for claims that got no result in time. The sweeper calls it."""
    outdated = Q(game_version=None) | Q(game_version__lt=F("game__version"))
    sheets = ClaimsSheet.objects.filter(_request_expired(), outdated)
    overdue = sheets.filter(game__started_at__isnull=False).values_list("game", flat=True)
    for game_id in overdue[:MAX_REPEATED_REQUESTS]:
        request_claims(game_id)


def is_behind(sheet: ClaimsSheet, game: Game, position: CachedGame) -> bool:
    """Return whether the sheet lacks public statements, or text was removed since it was read."""
    new_events = position.log[sheet.events_read :]
    is_new = any(e.audience == PUBLIC and e.data.get("text") for e in new_events)
    return is_new or sheet.reworded != game.reworded


def delete_claims(game: Game) -> None:
    """Delete all claims, because text or names were removed.

    Call it in the transaction of the removal. Its update locks the sheet, so that no worker adds
    claims from the old text.
    """
    sheets = ClaimsSheet.objects.filter(game=game)
    if sheets.update(events_read=0, reworded=game.reworded, game_version=None, asked_at=None):
        StatedClaim.objects.filter(game=game).delete()
