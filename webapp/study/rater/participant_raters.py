"""Participants as raters: their browser, and their return to the study's stages."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from webapp.study.models import Campaign, Participant, Rater
from webapp.study.rating import rater_exits
from webapp.study.sessions import (
    addresses,
    audit_events,
    lifecycle,
    participant_sessions,
    participant_steps,
    rated_games,
)


def person_of(rater: Rater) -> Participant:
    """Return the rater's participant. Judges have no pages."""
    assert rater.participant
    return rater.participant


def is_here(request: HttpRequest, rater: Rater) -> bool:
    """Return whether the browser is the rater's."""
    return participant_sessions.is_own_browser(request.session, person_of(rater))


def is_late(rater: Rater) -> bool:
    """Return whether the rater's time is over. Such a rater has left the stage."""
    person = person_of(rater)
    if not person.exit and person.due_at and person.due_at <= timezone.now():
        step = participant_steps.step_of(person)
        if rated_games.is_rater_of(rater, step) and not rater.finished_at:
            rater_exits.leave(rater, Rater.TIMED_OUT)
        lifecycle.advance(person, step.index, actor=audit_events.CLOCK, if_due=True)
        person.refresh_from_db()
    return rater.left_as == Rater.TIMED_OUT


def has_finished(rater: Rater) -> bool:
    """Return whether the rater has nothing left to do."""
    has_ended = rater.finished_at or rater.screened_out_at or rater.left_as
    return bool(has_ended or person_of(rater).exit or is_late(rater))


def return_to_study(rater: Rater) -> HttpResponse:
    """Move a participant whose ratings are complete to the next step."""
    person = person_of(rater)
    step = participant_steps.step_of(person)
    if rated_games.is_rater_of(rater, step):
        lifecycle.advance(person, step.index)
    return redirect(addresses.current_step_path(person.study))


def leave_without_units(rater: Rater) -> HttpResponse:
    """Record that nothing is left to rate, and move the participant to the next step.

    In a study that only rates they leave.
    """
    person = person_of(rater)
    audit_events.record_event(
        person.study_id,
        "ratings:nothing_left",
        actor=audit_events.CLOCK,
        participant=person,
        reason=f"campaign {rater.campaign.code}",
    )
    rater_exits.leave(rater, Rater.FULL)
    if person.study.rates_only:
        closed = rater.campaign.state != Campaign.OPEN
        lifecycle.leave_by(person, "timed_out" if closed else "full", actor=audit_events.CLOCK)
    return return_to_study(rater)
