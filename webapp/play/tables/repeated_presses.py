"""Recognises repeated presses of a button that opens a table, so that they open only one.

The session cannot identify a browser on its first visit: each press would count as another
visitor's. The CSRF token can: it is new for every page that is rendered.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from game.models import Game
from webapp.play import visitors
from webapp.play.models import Press
from webapp.rate_counters import keyed_digest

TOKEN = "csrfmiddlewaretoken"
REPEAT_WINDOW = timedelta(seconds=20)  # a later press opens another table
RETENTION = timedelta(hours=1)


def press_key(request: HttpRequest, *, use_visitor: bool) -> str:
    """Return a key that repeated presses of a button share, "" if they cannot be recognised.

    Args:
        use_visitor: Use the visitor if the page's token is missing.
    """
    page_id = request.POST.get(TOKEN, "")
    if not page_id and use_visitor and (visitor := visitors.visitor_of(request.session)):
        page_id = visitor.hex
    chosen = sorted((name, values) for name, values in request.POST.lists() if name != TOKEN)
    return keyed_digest(f"{page_id} {request.path} {chosen}") if page_id else ""


def find_press(key: str) -> Press | None:
    """Return the recent press with that key, None if none has opened a table."""
    since = timezone.now() - REPEAT_WINDOW
    rows = Press.objects.filter(key=key, at__gte=since, game__isnull=False)
    return rows.select_related("game").first() if key else None


def open_once(
    key: str, visitor: uuid.UUID, open_table: Callable[[uuid.UUID], Game]
) -> tuple[Game, uuid.UUID]:
    """Return the game that these presses opened and its host. The first press opens it.

    Args:
        key: As `press_key` returns it. Without one, each press opens a table.
    """
    if not key:
        return open_table(visitor), visitor
    now = timezone.now()
    with transaction.atomic():
        Press.objects.filter(at__lt=now - RETENTION).exclude(key=key).delete()
        Press.objects.get_or_create(key=key, defaults={"visitor": visitor, "at": now})
        press = Press.objects.select_for_update().get(key=key)
        if press.game is None or press.at < now - REPEAT_WINDOW:
            press.visitor, press.at = visitor, now
            press.game = open_table(visitor)
            press.save()
        return press.game, press.visitor
