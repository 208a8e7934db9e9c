"""Rooms: the study that a room's link leads to, the labels it admits, and its waiting visitors."""

from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from webapp import storage_errors
from webapp.connections import asynchronous_commits
from webapp.housekeeping import delete_batch
from webapp.study.models import Room, RoomVisit, Study, normalize_name
from webapp.study.permissions import Permission, find_access

# A visitor who is not seen for this time is gone. A waiting page polls every 5 s.
PRESENCE_TIMEOUT = timedelta(seconds=20)
MAX_PAGE_ID_CHARS = 32
MAX_WAITING = 1000  # further visitors are admitted but not listed
# Visitors of a study in these states wait in the room.
WAITING_STATES = (Study.DRAFT, Study.PAUSED)


def find_study(room: Room) -> Study | None:
    """Return the study that the room leads to, if the room's owner may use the study's links."""
    study = room.study
    access = find_access(study, room.owner_id) if study else None
    return study if access and access.has_permission(Permission.RUN) else None


def is_waiting(study: Study | None) -> bool:
    """Return whether visitors of a room wait for this study."""
    return study is None or study.state in WAITING_STATES


def find_label(room: Room, label: str) -> str | None:
    """Return the label as the room lists it, None if it does not. Without a list it takes all."""
    if not room.labels:
        return label
    normal_label = normalize_name(label)
    return next((listed for listed in room.labels if normalize_name(listed) == normal_label), None)


def room_session(room: Room) -> str:
    """Return the `Identity.session` of a room's visitors. With the label it identifies them."""
    return f"room:{room.name}"


def record_visit(room: Room, label: str, page: str) -> None:
    """Record that a waiting page (a random id) is open, and delete the visits of closed pages."""
    now = timezone.now()
    with storage_errors.suppress("a visit to a room"), asynchronous_commits():
        room.visits.filter(seen_at__lt=now - PRESENCE_TIMEOUT).delete()
        key = normalize_name(label) or f"page {page[:MAX_PAGE_ID_CHARS]}"
        updated = room.visits.filter(key=key).update(seen_at=now)
        if not updated and room.visits.count() < MAX_WAITING:
            values = {"label": label, "seen_at": now}
            room.visits.update_or_create(key=key, defaults=values)


def open_visits(room: Room) -> QuerySet[RoomVisit]:
    """Return the visits whose waiting page is open."""
    return room.visits.filter(seen_at__gte=timezone.now() - PRESENCE_TIMEOUT)


def delete_old_visits() -> int:
    """Delete the visits of closed pages, and return their number. Housekeeping calls it daily."""
    return delete_batch(RoomVisit.objects.filter(seen_at__lt=timezone.now() - PRESENCE_TIMEOUT))
