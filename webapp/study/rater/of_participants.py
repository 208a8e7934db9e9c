"""Participants of a study as raters in its campaign: they come from their way and go back to it."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from webapp.study import campaigns, exclusion, exits
from webapp.study.models import Campaign, Participant, Rater
from webapp.study.rater import leaving
from webapp.study.sessions import addresses, happenings, places, rated_games
from webapp.study.sessions.design import Ratings
from webapp.study.sessions.route import Step


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
        rater.finished_at or rater.screened_out_at or rater.left_as or leaving.is_late(rater)
    )


def back(rater: Rater) -> HttpResponse:
    """The ratings are over for this participant: on to the next step of their way."""
    participant = rater.participant
    assert participant
    step = places.step_of(participant)
    if _is_of(rater, step):
        places.advance(participant, step.index)
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
    leaving.leave(rater, exits.FULL)
    return back(rater)


def on_moved(participant: Participant, before: Step | None) -> None:
    """Whoever goes on from the ratings, or out, holds no places in them any more."""
    if before is not None and before.kind != "ratings":
        return
    kind = exits.TIMED_OUT if before else exits.WITHDRAWN
    for rater in Rater.objects.filter(participant=participant, left_as="", finished_at=None):
        if before is None or _is_of(rater, before):
            leaving.leave(rater, kind)


def _is_of(rater: Rater, step: Step) -> bool:
    """Whether the step is the one whose campaign the rater belongs to."""
    assert rater.participant
    if not isinstance(step.stage, Ratings):
        return False
    own = rated_games.known(rater.participant.study, step.stage)
    return own is not None and own.pk == rater.campaign_id
