"""Requests that a worker read the claims of a table's talk (`webapp.play.readings`)."""

from __future__ import annotations

from game import selectors, sql_statements
from game.cached_games import CachedGame
from game.engine.events import PUBLIC
from game.models import Game
from webapp.play import readings
from webapp.play.models import ClaimsSheet, StatedClaim

TASK = "play.read_claims"
MAX_REPEATED_REQUESTS = 20  # at once, so that a sweep stays short


def request_claims(game_id: int) -> None:
    """Have a worker read new statements, if the table has a sheet of claims."""
    for sheet in sql_statements.select(ClaimsSheet, game_id=game_id):
        game, position = selectors.current_game(game_id)
        if is_behind(sheet, game, position):
            readings.request_reading(ClaimsSheet, sheet, TASK)
        elif sheet.game_version is None or sheet.game_version < game.version:
            ClaimsSheet.objects.filter(pk=sheet.pk).update(game_version=game.version)


def request_overdue_claims() -> None:
    """Repeat some requests that did not reach a worker."""
    overdue = readings.overdue_rows(ClaimsSheet).values_list("game", flat=True)
    for game_id in overdue[:MAX_REPEATED_REQUESTS]:
        request_claims(game_id)


def is_behind(sheet: ClaimsSheet, game: Game, position: CachedGame) -> bool:
    """Return whether the sheet lacks public statements, or text was removed since it was read."""
    new_events = position.log[sheet.events_read :]
    is_new = any(e.audience == PUBLIC and e.data.get("text") for e in new_events)
    return is_new or sheet.reworded != game.reworded


def delete_claims(game: Game) -> None:
    """Delete all claims, because text or names were removed.

    Call it in the transaction of the removal. It locks the sheet first, so that no worker adds what
    it read before.
    """
    sheets = ClaimsSheet.objects.filter(game=game)
    if sheets.update(events_read=0, reworded=game.reworded, game_version=None, asked_at=None):
        StatedClaim.objects.filter(game=game).delete()
