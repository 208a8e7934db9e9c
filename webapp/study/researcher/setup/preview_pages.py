"""Pages that lead to the preview of a study, and pass requests on to it (`preview.mount`)."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from webapp.storable_text import read_number
from webapp.study.models import Study
from webapp.study.preview import mount
from webapp.study.preview.positions import Position
from webapp.study.researcher.access import own_study_of_people


@own_study_of_people("GET")
def start_preview(request: HttpRequest, study: Study) -> HttpResponse:
    """Redirect to the page of the preview that the query asks for, by default the first one."""
    return redirect(mount.build_address(study, _requested_position(request, study)))


@own_study_of_people("GET", "POST")
def preview_page(request: HttpRequest, study: Study, token: str, path: str) -> HttpResponse:
    """Show a page of the preview, or respond to a post on it. Nothing is stored."""
    return mount.respond(request, study, token, path)


@own_study_of_people("GET")
def show_preview_on_phone(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the preview in a frame as wide as a phone."""
    address = mount.build_address(study, _requested_position(request, study))
    context = {"study": study, "address": address}
    return render(request, "study/researcher/preview_phone.html", context)


def _requested_position(request: HttpRequest, study: Study) -> Position:
    """Return the position that `from`, `to` and `condition` of the query name."""
    position = Position.from_token(study, request.GET.get("from", ""))
    condition = read_number(request.GET.get("condition", ""), position.condition)
    return mount.position_at_stop(study, position, request.GET.get("to", ""), condition)
