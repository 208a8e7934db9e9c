"""Records who has a page open, by socket or by polling."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from webapp import storage_faults
from webapp.connections import unsynced
from webapp.play import unwatched
from webapp.play.guest import Guest
from webapp.play.models import Desk, Table


def give_back(lost: timedelta) -> None:
    """Add the downtime `lost` to the hosts' last presence, because no page could be open then."""
    if lost > timedelta():
        seen_before = Table.objects.filter(host_seen_at__lte=timezone.now() - lost)
        seen_before.update(host_seen_at=F("host_seen_at") + lost)


def record_presence(game_id: int, guests: Iterable[Guest]) -> None:
    """Record that these guests have a page of the game open."""
    guests, now = list(guests), timezone.now()
    if not guests:
        return
    with storage_faults.suppress_faults("who is here"):
        with unsynced():
            if here := {g.player.pk for g in guests if g.player}:
                Desk.objects.filter(player__in=here).update(seen_at=now)
            if any(g.is_host for g in guests):
                Table.objects.filter(game=game_id).update(host_seen_at=now)
        unwatched.resume_if_unwatched(game_id)
