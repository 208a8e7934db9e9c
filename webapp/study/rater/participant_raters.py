"""Participants as raters: their browser, their time limit, and their return to the study."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from webapp.study.design.exits import ExitKind
from webapp.study.models import Campaign, Participant, Rater
from webapp.study.rating import rater_exits
from webapp.study.sessions import lifecycle, participant_state, study_campaigns, study_events


def participant_of(rater: Rater) -> Participant:
    """Return the rater's participant. Only judges have none, and they see no pages."""
    assert rater.participant
    return rater.participant


def uses_browser(request: HttpRequest, rater: Rater) -> bool:
    return participant_state.uses_browser(request.session, participant_of(rater))


def time_out_if_due(rater: Rater) -> bool:
    """Time out a rater whose time is over, and move the participant to the next step.

    Return whether the rater has timed out, now or earlier.
    """
    participant = participant_of(rater)
    if not participant.exit and participant.due_at and participant.due_at <= timezone.now():
        step = participant_state.current_step(participant)
        if study_campaigns.is_rater_of(rater, step) and not rater.finished_at:
            rater_exits.record_exit(rater, Rater.TIMED_OUT)
        lifecycle.advance(participant, step.index, actor=study_events.CLOCK, if_due=True)
        participant.refresh_from_db()
    return rater.left_as == Rater.TIMED_OUT


def has_finished(rater: Rater) -> bool:
    """Return whether the rater has finished or left. A rater whose time is over is timed out."""
    has_ended = rater.finished_at or rater.screened_out_at or rater.left_as
    return bool(has_ended or participant_of(rater).exit or time_out_if_due(rater))


def return_to_study(rater: Rater) -> HttpResponse:
    """Move the participant to the step after the ratings, and redirect there."""
    participant = participant_of(rater)
    step = participant_state.current_step(participant)
    if study_campaigns.is_rater_of(rater, step):
        lifecycle.advance(participant, step.index)
    return redirect(participant.study.current_step_path)


def leave_without_units(rater: Rater) -> HttpResponse:
    """Record that nothing is left to rate, and move the participant to the next step.

    In a study that only rates, the participant leaves.
    """
    participant = participant_of(rater)
    event_kind, reason = "ratings:nothing_left", f"campaign {rater.campaign.code}"
    study_events.record_event(participant, event_kind, actor=study_events.CLOCK, reason=reason)
    rater_exits.record_exit(rater, Rater.FULL)
    if participant.study.rates_only:
        # "full" means that others took all places. A campaign that is closed before that ends the
        # time to rate.
        kind: ExitKind = "full" if rater.campaign.state == Campaign.OPEN else "timed_out"
        lifecycle.leave_by(participant, kind, actor=study_events.CLOCK)
    return return_to_study(rater)
