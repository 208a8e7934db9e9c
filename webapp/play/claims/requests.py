"""When a worker is to read the claims of a table's talk (`webapp.play.readings`)."""

from __future__ import annotations

from game import selectors, sql_statements
from game.cached_games import CachedGame
from game.engine.events import PUBLIC
from game.models import Game
from webapp.play import readings
from webapp.play.models import ClaimsSheet, StatedClaim

TASK = "play.read_claims"


def request_claims(game_id: int) -> None:
    """Have a worker read the statements that are new, where the table has a sheet of claims."""
    for sheet in sql_statements.select(ClaimsSheet, game_id=game_id):
        game, position = selectors.current_game(game_id)
        if is_behind(sheet, game, position):
            readings.request_reading(ClaimsSheet, sheet, TASK)
        elif sheet.game_version is None or sheet.game_version < game.version:
            ClaimsSheet.objects.filter(pk=sheet.pk).update(game_version=game.version)


def request_overdue() -> None:
    """Request what was lost on its way to a worker."""
    for game_id in readings.overdue_rows(ClaimsSheet).values_list("game", flat=True)[:20]:
        request_claims(game_id)


def is_behind(sheet: ClaimsSheet, game: Game, position: CachedGame) -> bool:
    """Return whether something was said in public that nobody has read for the sheet."""
    new_events = position.log[sheet.events_read :]
    is_new = any(e.audience == PUBLIC and e.data.get("text") for e in new_events)
    return is_new or sheet.reworded != game.reworded


def forget(game: Game) -> None:
    """Delete all that was read, because words or names were taken out. In their transaction.

    The sheet is locked first, so that no worker adds what it read before.
    """
    sheets = ClaimsSheet.objects.filter(game=game)
    if sheets.update(events_read=0, reworded=game.reworded, game_version=None, asked_at=None):
        StatedClaim.objects.filter(game=game).delete()
