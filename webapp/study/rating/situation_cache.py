"""Cache of the situations found in games.

Only workers find them, because the understanding takes megabytes of memory and milliseconds per
line. A web process never loads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from game.models import Game
from webapp.study.models import Situations
from webapp.study.sending import send

LOST = timedelta(seconds=60)  # a request without a result after this time is repeated


def situations_of(game: Game) -> Mapping[int, list[str]] | None:
    """Return position of a statement in the public transcript (1…) -> its situations.

    Returns None if no worker has read the game in its current state.
    """
    row = Situations.objects.filter(game=game, game_version=game.version).first()
    return {int(position): keys for position, keys in row.found.items()} if row else None


def unread(games: Iterable[Game]) -> list[Game]:
    """Return those of the games that no worker has read in their current state."""
    versions = {game.pk: game.version for game in games}
    cached_rows = Situations.objects.filter(game__in=versions).values_list("game", "game_version")
    read = {game for game, game_version in cached_rows if game_version == versions[game]}
    return [game for game in games if game.pk not in read]


def ask(games: Iterable[Game]) -> None:
    """Request that a worker reads the unread games, after the commit.

    A game that was requested lately is not requested again.
    """
    now = timezone.now()
    for game in unread(list(games)):
        row, _created = Situations.objects.get_or_create(game=game)
        due = Q(asked_at=None) | Q(asked_at__lt=now - LOST) | Q(game_version__isnull=False)
        if Situations.objects.filter(due, pk=row.pk).update(asked_at=now, game_version=None):
            transaction.on_commit(lambda pk=game.pk: _queue(pk))  # type: ignore[misc]


def _queue(game_id: int) -> None:
    if not send("study.situations", game_id):
        Situations.objects.filter(game=game_id).update(asked_at=None)


def keep(game: Game) -> None:
    """Read a game and store its situations. For workers, because it loads the understanding."""
    from webapp.study.games import situations

    # Taken before the game is read, so that a concurrent change makes the row outdated.
    game_version = game.version
    found_situations = situations.find_situations(game)
    Situations.objects.update_or_create(
        game=game, defaults={"game_version": game_version, "found": found_situations}
    )
