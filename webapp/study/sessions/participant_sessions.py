"""Which participant a browser belongs to.

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

CAME = "participants"  # session key: a study's key -> key of the last participant in this browser
# The same for sessions in which rating began before raters were participants.
RATERS = "raters"


def participant_here(request: HttpRequest, study: Study) -> Participant | None:
    """Return the participant of the study whom this browser belongs to.

    Returns None if there is none or the participant has gone on in another browser.
    """
    visitor = visitors.visitor_of(request.session)
    rows = study.participants.select_related("study")
    participant = rows.filter(visitor=visitor).first() if visitor else None
    key = request.session.get(RATERS, {}).get(study.key, "")
    return participant or (rows.filter(key=key).first() if key else None)


def participant_before(request: HttpRequest, study: Study) -> Participant | None:
    """Return the last participant who came by this browser, None if there is none.

    The participant may be in another browser by now.
    """
    key = request.session.get(CAME, {}).get(study.key, "")
    return study.participants.filter(key=key).exclude(consented_at=None).first() if key else None


def is_here(session: Mapping[str, Any], participant: Participant) -> bool:
    """Return whether the browser with that session is the participant's."""
    visitor = visitors.visitor_of(session)
    if visitor is not None and participant.visitor == visitor:
        return True
    return participant.key in session.get(RATERS, {}).values()


def has_withdrawn(session: Mapping[str, Any]) -> bool:
    """Return whether a participant who came by the browser has had their data deleted."""
    keys = list(session.get(CAME, {}).values())
    return Participant.objects.filter(key__in=keys, withdrew=True).exists()


def visitor_for(request: HttpRequest, study: Study, key: str) -> uuid.UUID:
    """Return the visitor that represents the participant with that key in this browser.

    If another participant of the study used the browser before, the visitor is new. So no two
    participants share a seat.
    """
    visitor = visitors.request_visitor(request)
    other_participants = Participant.objects.filter(study=study, visitor=visitor).exclude(key=key)
    return uuid.uuid4() if other_participants.exists() else visitor


def remember(request: HttpRequest, participant: Participant) -> None:
    """Make this browser the participant's."""
    assert participant.visitor
    visitors.welcome(request, participant.visitor)
    came_keys = request.session.get(CAME, {})
    request.session[CAME] = {**came_keys, participant.study.key: participant.key}
    if participant.invited:
        request.session[visitors.LINK] = participant.key


def move_here(request: HttpRequest, participant: Participant) -> None:
    """Move the participant to this browser, with their seats.

    The browser that they used before loses its access.
    """
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        before, now = row.visitor, visitor_for(request, row.study, row.key)
        if before != now:
            row.visitor = now
            row.save(update_fields=["visitor"])
        if before and before != now:
            games = Seating.objects.filter(participant=row, player__isnull=False)
            sat = Membership.objects.filter(visitor=before, game__in=games.values("player__game"))
            sat.update(visitor=now)
    remember(request, row)
