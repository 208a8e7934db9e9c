"""Judges as raters of a campaign. They have a `Rater` as people do, but take no places."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from webapp.study.models import Campaign, Judge, Rater
from webapp.study.rater import quiz_answers


def rater_of(judge: Judge) -> Rater:
    """Return the judge's rater in its campaign. Create it at the first call."""
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update().get(pk=judge.campaign_id)
        row = Judge.objects.select_for_update(of=("self",)).get(pk=judge.pk)
        if row.rater is None:
            now = timezone.now()
            row.rater = Rater.everyone.create(
                campaign=campaign,
                kind=Rater.JUDGE,
                pseudonym=row.pseudonym,
                consented_at=now,
                seen_at=now,
            )
            row.save(update_fields=["rater"])
            quiz_answers.mark_trained(row.rater)  # the prompts contain the worked example
    judge.rater = row.rater
    return row.rater


def rates_every_unit(rater: Rater) -> bool:
    """Return whether the rater is a judge that rates every unit, also of different tracks.

    It reads each unit in a separate request, so that no unit reveals anything about another.
    """
    return rater.kind == Rater.JUDGE and rater.judge.reach == Judge.ALL
