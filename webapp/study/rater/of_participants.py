"""Participants of a study as raters in its campaign: they come from their way and go back to it."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from webapp.study import campaigns, exclusion, exits, rater_exits
from webapp.study.models import Campaign, Participant, Rater
from webapp.study.sessions import addresses, happenings, lifecycle, places, rated_games


def rater_of(participant: Participant, campaign: Campaign) -> Rater:
    """The participant as a rater of the campaign. They have agreed to the study, and are not asked
    again."""
    with transaction.atomic():
        row = places.locked(participant)  # nobody leaves them out meanwhile
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        known = Rater.objects.filter(campaign=campaign, participant=row).first()
        if known:
            return known
        made = Rater.objects.create(
            campaign=campaign,
            participant=row,
            pseudonym=campaigns.next_pseudonym(campaign),
            visitor=row.visitor,
            consented_at=row.consented_at or timezone.now(),
            seen_at=timezone.now(),
        )
        if row.excluded:
            exclusion.exclude(made, row.exclusion_reason)
    return made


def is_through(rater: Rater) -> bool:
    """Whether nothing more is asked of the rater."""
    return bool(
        rater.finished_at or rater.screened_out_at or rater.left_as or rater_exits.is_late(rater)
    )


def back(rater: Rater) -> HttpResponse:
    """The ratings are over for this participant: on to the next step of their way."""
    participant = rater.participant
    assert participant
    step = places.step_of(participant)
    if rated_games.is_rater_of(rater, step):
        lifecycle.advance(participant, step.index)
    return redirect(addresses.onward(participant.study))


def nothing_left(rater: Rater) -> HttpResponse:
    """There is nothing to be rated: on record, and on to the next step."""
    participant = rater.participant
    assert participant
    happenings.note(
        participant.study_id,
        "ratings:nothing_left",
        actor=happenings.CLOCK,
        participant=participant,
        reason=f"campaign {rater.campaign.code}",
    )
    rater_exits.leave(rater, exits.FULL)
    return back(rater)
