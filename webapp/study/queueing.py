"""What pages leave to workers: a campaign's statistics, and the other system's answers."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from webapp.study import analysis, comparison_system, situation_cache, units
from webapp.study.models import Analysis, Campaign, Stimulus
from webapp.study.sending import sent

AT_MOST = timedelta(seconds=10)  # so often a new one is asked for
LOST = timedelta(seconds=120)  # one that was asked for and has not come by then never will


def fresh(campaign: Campaign) -> Analysis | None:
    """The newest analysis, None before the first; asks for a new one where ratings have changed
    since. Never waits and never fails: a page that shows it asks again soon."""
    row, _made = Analysis.objects.get_or_create(campaign=campaign)
    if row.rests_on != analysis.state_of(campaign) and _claim(row):
        transaction.on_commit(lambda: _queue_analysis(campaign.pk))
    return row if row.done_at else None


def _claim(row: Analysis) -> bool:
    """Whether it is this page's turn to ask."""
    now = timezone.now()
    free = Q(asked_at=None) | Q(asked_at__lt=now - LOST)
    done = Q(asked_at__lt=now - AT_MOST, done_at__gte=F("asked_at"))
    return bool(Analysis.objects.filter(free | done, pk=row.pk).update(asked_at=now))


def _queue_analysis(campaign_id: int) -> None:
    if not sent("study.analyse", campaign_id):
        Analysis.objects.filter(campaign=campaign_id).update(asked_at=None)


def ask(campaign: Campaign) -> int:
    """Draw the units where that is to be done, and queue every answer that is still to be made,
    those that failed once more; gives how many. Raises Refused."""
    situation_cache.ask(units.unread(campaign))
    with transaction.atomic():
        row = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if not row.locked:
            units.draw(row)
        failed = Stimulus.objects.filter(
            unit__campaign=row, place=2, state=comparison_system.FAILED
        )
        for stimulus in failed.select_related("unit__game", "unit__campaign"):
            comparison_system.forget(stimulus)
        failed.update(state=comparison_system.WAITING, failure="")
        wanted = Stimulus.objects.filter(
            unit__campaign=row, unit__withdrawn=False, place=2, state=comparison_system.WAITING
        )
        keys = list(wanted.values_list("pk", flat=True))
        transaction.on_commit(lambda: _queue_rivals(keys))
    return len(keys)


def _queue_rivals(keys: list[int]) -> None:
    """Into the queue, up to the first that does not get there."""
    all(sent("study.rival", key) for key in keys)
