"""The link between participants and browsers.

A participant uses one browser at a time, and a browser belongs to at most one participant of a
study. The browser's visitor represents the participant at tables (`Participant.visitor`).
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.http import HttpRequest

from webapp.play import visitors
from webapp.play.models import Membership
from webapp.study.models import Participant, Seating, Study
from webapp.study.sessions import participant_steps

# Keys of the browser's session. The value is {study's key: key of the last participant}.
PARTICIPANTS_KEY = "participants"
RATERS_KEY = "raters"  # in sessions that began before raters were participants


def find_current_participant(request: HttpRequest, study: Study) -> Participant | None:
    """Return the study's participant who uses this browser.

    Returns:
        None if there is none, or if the participant has moved to another browser.
    """
    visitor = visitors.visitor_of(request.session)
    rows = study.participants.select_related("study")
    participant = rows.filter(visitor=visitor).first() if visitor else None
    # A rater whose session began before raters were participants has no visitor.
    key = request.session.get(RATERS_KEY, {}).get(study.key, "")
    return participant or (rows.filter(key=key).first() if key else None)


def find_previous_participant(request: HttpRequest, study: Study) -> Participant | None:
    """Return the last participant who used this browser, None if there is none.

    The participant may have moved to another browser since.
    """
    key = request.session.get(PARTICIPANTS_KEY, {}).get(study.key, "")
    return study.participants.filter(key=key).exclude(consented_at=None).first() if key else None


def uses_browser(session: Mapping[str, Any], participant: Participant) -> bool:
    """Return whether the participant uses the browser with that session."""
    visitor = visitors.visitor_of(session)
    if visitor is not None and participant.visitor == visitor:
        return True
    return participant.key in session.get(RATERS_KEY, {}).values()


def has_withdrawn_participant(session: Mapping[str, Any]) -> bool:
    """Return whether a participant who used the browser has had their data deleted."""
    keys = list(session.get(PARTICIPANTS_KEY, {}).values())
    return Participant.objects.filter(key__in=keys, withdrew=True).exists()


def choose_visitor(request: HttpRequest, study: Study, key: str) -> uuid.UUID:
    """Return the visitor that represents the participant with that key in this browser.

    The visitor is new if another participant of the study has used the browser, so that no two
    participants share a seat.
    """
    visitor = visitors.request_visitor(request)
    other_participants = Participant.objects.filter(study=study, visitor=visitor).exclude(key=key)
    return uuid.uuid4() if other_participants.exists() else visitor


def remember_participant(request: HttpRequest, participant: Participant) -> None:
    """Store in the browser's session that the participant uses it."""
    assert participant.visitor
    visitors.welcome(request, participant.visitor)
    keys = request.session.get(PARTICIPANTS_KEY, {})
    request.session[PARTICIPANTS_KEY] = {**keys, participant.study.key: participant.key}
    if participant.invited:
        request.session[visitors.LINK] = participant.key


def move_to_browser(request: HttpRequest, participant: Participant) -> None:
    """Move the participant and their seats to this browser. The earlier one loses its access."""
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        old_visitor, new_visitor = row.visitor, choose_visitor(request, row.study, row.key)
        if old_visitor != new_visitor:
            row.visitor = new_visitor
            row.save(update_fields=["visitor"])
        if old_visitor and old_visitor != new_visitor:
            seatings = Seating.objects.filter(participant=row, player__isnull=False)
            games = seatings.values("player__game")
            seats = Membership.objects.filter(visitor=old_visitor, game__in=games)
            seats.update(visitor=new_visitor)
    remember_participant(request, row)
