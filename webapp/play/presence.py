"""Records who has a page open, and pauses games of computer players that no one watches.

It never pauses a game with people, or one that another app keeps running
(`table_owners.TableOwner.kept_games`).
"""

import contextlib
import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from game import game_actions
from game.engine.forms import Illegal
from game.models import Game, Player
from webapp import storage_errors
from webapp.connections import asynchronous_commits
from webapp.play import table_owners
from webapp.play.models import Desk, Table
from webapp.play.visitors import Guest

logger = logging.getLogger(__name__)

UNWATCHED_AFTER = timedelta(minutes=10)
# While a page is open, `looked_at` is written this often.
VIEW_WRITE_INTERVAL = timedelta(minutes=1)


def credit_downtime(lost: timedelta) -> None:
    """Add the downtime `lost` to the hosts' last presence, because no page could be open then."""
    if lost > timedelta():
        seen_before = Table.objects.filter(host_seen_at__lte=timezone.now() - lost)
        seen_before.update(host_seen_at=F("host_seen_at") + lost)


def record_presence(game_id: int, guests: Iterable[Guest]) -> None:
    """Record that these guests have a page of the game open."""
    guests, now = list(guests), timezone.now()
    if not guests:
        return
    with storage_errors.suppress("presence"):
        with asynchronous_commits():
            if players := {g.player.pk for g in guests if g.player}:
                Desk.objects.filter(player__in=players).update(seen_at=now)
            if any(g.is_host for g in guests):
                Table.objects.filter(game=game_id).update(host_seen_at=now)
        mark_watched(game_id)


def mark_watched(game_id: int) -> bool:
    """Record that a page is open. Return whether that resumed a game that paused unwatched."""
    now = timezone.now()
    needs_update = Q(unwatched=True) | Q(looked_at__lt=now - VIEW_WRITE_INTERVAL)
    table = Table.objects.filter(needs_update, game=game_id).first()
    if table is None:
        return False
    if not table.unwatched:
        Table.objects.filter(pk=table.pk).update(looked_at=now)
        return False
    with transaction.atomic():
        unwatched = Table.objects.filter(pk=table.pk, unwatched=True)
        # Several pages may open at once: only the process that changes the row resumes the game.
        if not unwatched.update(unwatched=False, looked_at=now):
            return False
        with contextlib.suppress(Illegal):  # the host has resumed it already
            game_actions.resume(game_id)
    return True


def unwatched_games(now: datetime) -> QuerySet[Game]:
    """Return the running games without people that no one has watched for UNWATCHED_AFTER."""
    person = Player.objects.filter(game=OuterRef("pk"), kind=Player.PERSON, left_at=None)
    games = Game.objects.filter(
        started_at__isnull=False,
        ended_at=None,
        paused_at=None,
        table__looked_at__lt=now - UNWATCHED_AFTER,
    ).exclude(Exists(person))
    for kept_query in (query for owner in table_owners.owners for query in owner.kept_games):
        games = games.exclude(kept_query)
    return games


def pause_unwatched() -> int:
    """Pause the games that no one watches. Return how many."""
    now, count = timezone.now(), 0
    for game_id in unwatched_games(now).values_list("pk", flat=True):
        with transaction.atomic():
            table = Table.objects.select_for_update().get(game=game_id)
            if table.looked_at >= now - UNWATCHED_AFTER:  # a page was opened meanwhile
                continue
            try:
                game_actions.pause(game_id)
            except Illegal:
                continue
            table.unwatched = True
            table.save(update_fields=["unwatched"])
            count += 1
    if count:
        logger.info("%s tables are paused, because no one watches them", count)
    return count
