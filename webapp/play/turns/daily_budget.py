"""The daily budget (UTC) for requests to language models, of each table and of the whole site.

`settings.BUDGET` has the limits of requests and tokens; None means no limit. Tokens are known only
after a request, so the last one of a day may exceed the limit.

The budget counts requests at tables that people open, and requests that test whether a model can
play (`count_trial`, without their tokens). It does not count simulations and the comparison systems
of campaigns, for which the researcher is responsible.
"""

from collections.abc import Mapping
from datetime import date, timedelta

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
    """No budget is left today for this table, or for the site."""


def _limits(scope: str) -> Mapping[str, int]:
    """Return the limits of the site, or of a table: "requests", "tokens" -> limit."""
    limits = settings.BUDGET["site" if scope == SITE else "table"]
    return {unit: limit for unit, limit in limits.items() if limit is not None}


def is_limited() -> bool:
    return bool(_limits(SITE) or _limits("table"))


def is_counted(game: Game) -> bool:
    return is_limited() and Table.objects.filter(game=game).exists()


def is_spent() -> bool:
    """Return whether the budget of the site is spent today."""
    limits = _limits(SITE)
    if 0 in limits.values():  # spent without a request, so there may be no row
        return True
    return Spent.objects.filter(_is_over(limits), day=_today(), scope=SITE).exists()


def _today() -> date:
    return timezone.now().date()


def _is_over(limits: Mapping[str, int]) -> Q:
    """Return the condition that a row has reached one of the limits."""
    condition = Q(pk__in=[])  # false
    for unit, limit in limits.items():
        condition |= Q(**{f"{unit}__gte": limit})
    return condition


def count_request(game: Game) -> None:
    """Count a request at the game, for table and site, or raise Exhausted if one is spent."""
    with transaction.atomic():
        for scope in (SITE, game.code):
            row, _new = Spent.objects.get_or_create(day=_today(), scope=scope)
            within_limit = Spent.objects.filter(pk=row.pk).exclude(_is_over(_limits(scope)))
            if not within_limit.update(requests=F("requests") + 1):
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
