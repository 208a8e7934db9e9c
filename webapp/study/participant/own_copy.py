"""The page where participants see and download their stored data, at any time."""

from __future__ import annotations

import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from webapp.study.ethics import own_data, participant_erasure
from webapp.study.models import ConsentText, Participant
from webapp.study.participant.pages import participant_required, request_limit
from webapp.study.sessions import participant_steps


@never_cache
@require_safe
@participant_required
def own_data_page(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Show a summary of the stored data and a link to the file."""
    consent_texts = ConsentText.objects.filter(
        study=participant.study_id, version=participant.consent_version
    )
    context = {
        "participant": participant,
        "counts": own_data.count_data(participant),
        "agreed": consent_texts.first(),
        "may_erase": participant_erasure.can_erase(participant),
        "until": participant_erasure.erasure_deadline(participant),
        "ethics": participant_steps.design_of(participant.study).ethics,
    }
    return render(request, "study/take/own_data.html", context)


@never_cache
@require_safe
@participant_required
def download_own_data(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Return all stored data of the participant as a JSON file."""
    if not request_limit.allows(participant.key):
        return HttpResponse(status=429)
    text = json.dumps(own_data.export_data(participant), ensure_ascii=False, indent=2) + "\n"
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    name = f"fabula-{participant.pseudonym}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
