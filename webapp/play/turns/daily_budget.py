"""The daily budget (UTC) of tables for language models.

It limits requests and tokens, for each table and for the whole site. `settings.BUDGET` holds the
limits; None means no limit.

It counts the requests at tables that people open, and the requests that test whether a model can
play (`count_trial`, without their tokens). It does not count simulations and the comparison systems
of campaigns: they are the researcher's responsibility. Tokens are known only after a request, so
the last request of a day may exceed the limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from game.models import Game
from webapp.housekeeping import delete_batch
from webapp.play.models import Spent, Table

SITE = "site"
RETENTION = timedelta(days=366)


class Exhausted(Exception):
    """The budget has nothing left for this table today."""


def _limits(scope: str) -> Mapping[str, int]:
    """Return the limits of the site, or of any one table: "requests", "tokens" -> limit."""
    limits = settings.BUDGET["site" if scope == SITE else "table"]
    return {unit: limit for unit, limit in limits.items() if limit is not None}


def is_limited() -> bool:
    return bool(_limits(SITE) or _limits("table"))


def is_counted(game: Game) -> bool:
    """Return whether requests at the game are counted."""
    return is_limited() and Table.objects.filter(game=game).exists()


def is_spent() -> bool:
    """Return whether the site has nothing left today."""
    figures = _limits(SITE)
    if not figures:
        return False
    if not all(figures.values()):
        return True
    return Spent.objects.filter(_over_limit(figures), day=_today(), scope=SITE).exists()


def _today() -> Any:
    return timezone.now().date()


def _over_limit(figures: Mapping[str, int]) -> Q:
    over_limit = Q(pk__in=[])
    for unit, limit in figures.items():
        over_limit |= Q(**{f"{unit}__gte": limit})
    return over_limit


def count_request(game: Game) -> None:
    """Count a request at the game, for the table and for the site.

    Raises:
        Exhausted: The budget of one of them is spent.
    """
    with transaction.atomic():
        for scope in (SITE, game.code):
            row, _new = Spent.objects.get_or_create(day=_today(), scope=scope)
            left = Spent.objects.filter(pk=row.pk).exclude(_over_limit(_limits(scope)))
            if not left.update(requests=F("requests") + 1):
                raise Exhausted


def count_trial() -> None:
    """Count a request that tests whether a model can play, before there is a table."""
    if _limits(SITE):
        row, _new = Spent.objects.get_or_create(day=_today(), scope=SITE)
        Spent.objects.filter(pk=row.pk).update(requests=F("requests") + 1)


def charge_tokens(game: Game, tokens: int) -> None:
    """Count the tokens of a request that has been answered."""
    rows = Spent.objects.filter(day=_today(), scope__in=(SITE, game.code))
    if tokens > 0:
        rows.update(tokens=F("tokens") + tokens)


def used_today() -> dict[str, int]:
    """Return the site's use of today: "requests", "tokens" -> number."""
    row = Spent.objects.filter(day=_today(), scope=SITE).first() or Spent()
    return {"requests": row.requests, "tokens": row.tokens}


def delete_old_counts() -> int:
    """Delete counts older than RETENTION, as a daily job of `webapp.housekeeping`."""
    return delete_batch(Spent.objects.filter(day__lt=_today() - RETENTION))
