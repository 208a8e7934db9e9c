"""A button pressed three times opens one table: presses of one page within seconds are one.

A browser that comes for the first time has no session that would tell so, and each of its presses
would be another visitor's: the page's own token says that they belong together.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from game.models import Game
from webapp.play import visitors
from webapp.play.models import Press
from webapp.rates import digest

NOT_CHOSEN = ("csrfmiddlewaretoken", "press")
TOKEN = re.compile(r"[0-9a-f]{32}")
SAME_PAGE = timedelta(seconds=20)  # whoever presses later wants another table
FORGOTTEN = timedelta(hours=1)


def new_token() -> str:
    """What a page with a button carries, as `press`."""
    return uuid.uuid4().hex


def key_of(request: HttpRequest, *, or_visitor: bool) -> str:
    """What is the same for all presses of one button with one choice; "" where nothing tells.

    or_visitor: where the page's token is missing, the visitor stands for it.
    """
    token = request.POST.get("press", "")
    if not TOKEN.fullmatch(token):
        visitor = visitors.visitor_of(request.session) if or_visitor else None
        token = visitor.hex if visitor else ""
    chosen = sorted((k, v) for k, v in request.POST.lists() if k not in NOT_CHOSEN)
    return digest(f"{token} {request.path} {chosen}") if token else ""


def earlier(key: str) -> Press | None:
    """The press of that key a moment ago, with its table."""
    since = timezone.now() - SAME_PAGE
    rows = Press.objects.filter(key=key, at__gte=since, game__isnull=False)
    return rows.select_related("game").first() if key else None


def once(key: str, visitor: uuid.UUID, make: Callable[[uuid.UUID], Game]) -> tuple[Game, uuid.UUID]:
    """The table of these presses, and the visitor who is its host: made by the first of them."""
    if not key:
        return make(visitor), visitor
    now = timezone.now()
    with transaction.atomic():
        Press.objects.filter(at__lt=now - FORGOTTEN).exclude(key=key).delete()
        Press.objects.get_or_create(key=key, defaults={"visitor": visitor, "at": now})
        press = Press.objects.select_for_update().get(key=key)
        if press.game is None or press.at < now - SAME_PAGE:
            press.visitor, press.at = visitor, now
            press.game = make(visitor)
            press.save()
        return press.game, press.visitor
