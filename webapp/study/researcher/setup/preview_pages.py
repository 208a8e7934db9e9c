"""Pages of a study's preview: the participant's pages under a bar, also as wide as a phone."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from webapp.study.models import Study
from webapp.study.preview import mount
from webapp.study.preview.positions import Position
from webapp.study.researcher.access import own_study_of_people

MAX_CONDITION_NUMBER_DIGITS = 3


@own_study_of_people("GET")
def start(request: HttpRequest, study: Study) -> HttpResponse:
    """Redirect to the page of the preview that the query asks for, by default the first one."""
    return redirect(mount.build_address(study, _requested_position(request, study)))


@own_study_of_people("GET", "POST")
def page(request: HttpRequest, study: Study, token: str, path: str) -> HttpResponse:
    """Show a page of the preview, or respond to a post on it. Nothing is stored."""
    return mount.respond(request, study, token, path)


@own_study_of_people("GET")
def phone(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the preview in a frame as wide as a phone."""
    context = {
        "study": study,
        "address": mount.build_address(study, _requested_position(request, study)),
    }
    return render(request, "study/researcher/preview_phone.html", context)


def _requested_position(request: HttpRequest, study: Study) -> Position:
    """Return the position that `from`, `to` and `condition` of the query name."""
    position = Position.from_token(study, request.GET.get("from", ""))
    condition = request.GET.get("condition", "")
    is_number = condition.isdecimal() and len(condition) <= MAX_CONDITION_NUMBER_DIGITS
    number = int(condition) if is_number else position.condition
    return mount.go_to(study, position, request.GET.get("to", ""), number)
