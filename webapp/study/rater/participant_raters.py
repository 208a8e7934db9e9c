"""Participants as raters: their browser, their time limit, and the return to the study's stages."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from webapp.study.models import Campaign, Participant, Rater
from webapp.study.rating import rater_exits
from webapp.study.sessions import (
    audit_events,
    lifecycle,
    participant_sessions,
    participant_steps,
    rated_games,
)


def participant_of(rater: Rater) -> Participant:
    """Return the rater's participant. Judges have none, but they have no pages either."""
    assert rater.participant
    return rater.participant


def is_own_browser(request: HttpRequest, rater: Rater) -> bool:
    """Return whether the request comes from the rater's own browser."""
    return participant_sessions.is_own_browser(request.session, participant_of(rater))


def time_out_if_due(rater: Rater) -> bool:
    """Time out a rater whose time is over. The rater leaves, and the participant moves on.

    Returns:
        Whether the rater has timed out, now or earlier.
    """
    participant = participant_of(rater)
    if not participant.exit and participant.due_at and participant.due_at <= timezone.now():
        step = participant_steps.current_step(participant)
        if rated_games.is_rater_of(rater, step) and not rater.finished_at:
            rater_exits.record_exit(rater, Rater.TIMED_OUT)
        lifecycle.advance(participant, step.index, actor=audit_events.CLOCK, if_due=True)
        participant.refresh_from_db()
    return rater.left_as == Rater.TIMED_OUT


def has_finished(rater: Rater) -> bool:
    """Time out a rater whose time is over. Return whether the rater has finished or left."""
    has_ended = rater.finished_at or rater.screened_out_at or rater.left_as
    return bool(has_ended or participant_of(rater).exit or time_out_if_due(rater))


def return_to_study(rater: Rater) -> HttpResponse:
    """Move a participant whose ratings are complete to the next step."""
    participant = participant_of(rater)
    step = participant_steps.current_step(participant)
    if rated_games.is_rater_of(rater, step):
        lifecycle.advance(participant, step.index)
    return redirect(participant.study.current_step_path)


def leave_without_units(rater: Rater) -> HttpResponse:
    """Record that nothing is left to rate, and move the participant to the next step.

    In a study that only rates the participant leaves.
    """
    participant = participant_of(rater)
    audit_events.record_event(
        participant.study_id,
        "ratings:nothing_left",
        actor=audit_events.CLOCK,
        participant=participant,
        reason=f"campaign {rater.campaign.code}",
    )
    rater_exits.record_exit(rater, Rater.FULL)
    if participant.study.rates_only:
        # "full" means that all places were taken, "timed_out" that the time to rate is over. It is
        # over as well when a campaign is closed before its places are taken.
        is_closed = rater.campaign.state != Campaign.OPEN
        lifecycle.leave_by(
            participant, "timed_out" if is_closed else "full", actor=audit_events.CLOCK
        )
    return return_to_study(rater)
