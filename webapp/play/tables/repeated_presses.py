"""Makes opening a table idempotent: repeated presses of one page's button open one table.

A first-time browser has no session that would identify it, and each of its presses would count as
another visitor's. The CSRF token is new for every page, so equal tokens identify presses of the
same page.
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
REPEAT_WINDOW = timedelta(seconds=20)  # a press after it opens another table
RETENTION = timedelta(hours=1)


def press_key(request: HttpRequest, *, use_visitor: bool) -> str:
    """Return the key shared by all presses of one button with one choice, "" if unknown.

    Args:
        use_visitor: Use the visitor if the page's token is missing.
    """
    page = request.POST.get(TOKEN, "")
    if not page and use_visitor and (visitor := visitors.visitor_of(request.session)):
        page = visitor.hex
    chosen = sorted((name, values) for name, values in request.POST.lists() if name != TOKEN)
    return keyed_digest(f"{page} {request.path} {chosen}") if page else ""


def find_press(key: str) -> Press | None:
    """Return the recent press with that key, and its table."""
    since = timezone.now() - REPEAT_WINDOW
    rows = Press.objects.filter(key=key, at__gte=since, game__isnull=False)
    return rows.select_related("game").first() if key else None


def open_once(
    key: str, visitor: uuid.UUID, open_table: Callable[[uuid.UUID], Game]
) -> tuple[Game, uuid.UUID]:
    """Return the table of these presses and its host's visitor. The first press opens it.

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
