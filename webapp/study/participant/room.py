"""The link of a room: asks for a label, lets visitors wait, and leads to the room's study."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from game.models import new_key
from webapp.study.models import Room, Study
from webapp.study.participant import entrance, shared_links
from webapp.study.rater.notices import unknown_link_notice
from webapp.study.sessions import rooms


@never_cache
@require_safe
def enter_room(request: HttpRequest, name: str) -> HttpResponse:
    """Show the first page of the room's study, or the page on which visitors wait for it."""
    room = Room.objects.filter(name=name).select_related("study").first()
    if room is None:
        return unknown_link_notice(request)
    response = _render_room(request, room)
    response["Referrer-Policy"] = "strict-origin"  # the address may contain an outside name
    return response


def _render_room(request: HttpRequest, room: Room) -> HttpResponse:
    names = shared_links.parse_names(request.GET)
    label, study = rooms.find_label(room, names["label"]), rooms.find_study(room)
    if "visit" in request.GET:
        return _answer_poll(request, room, label, study)
    if label is None:
        context = {"room": room, "typed": names["label"]}
        status = 403 if names["label"] else 200
        return render(request, "study/take/room_label.html", context, status=status)

    def wait() -> HttpResponse:
        query = request.GET.copy()
        query["visit"] = new_key()
        context = {"label": label, "query": query.urlencode()}
        return render(request, "study/take/room.html", context)

    if study is None:
        return wait()
    if label:
        names |= {"label": label, "session": names["session"] or rooms.room_session(room)}
    if room.labels:
        names["room"] = room.name
    return entrance.handle_arrival(request, study, names, wait if rooms.is_waiting(study) else None)


def _answer_poll(
    request: HttpRequest, room: Room, label: str | None, study: Study | None
) -> HttpResponse:
    """Record the visit of a waiting page, or have the page reload if the wait is over."""
    response = HttpResponse(status=204)
    if label is None or not rooms.is_waiting(study):
        response["HX-Refresh"] = "true"
    else:
        rooms.record_visit(room, label, request.GET["visit"])
    return response
