"""Serves participants' pages below the address of a preview.

A request below it is passed to the view of the same page for participants, as if it came from the
browser of a made-up participant. Everything that the view writes is rolled back
(`world.roll_back_everything`). Links and redirects are rewritten to stay below the address.
"""

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _

from webapp.middleware import CONTENT_POLICY
from webapp.play import visitors
from webapp.play.error_pages import Link, render_error_page
from webapp.study.design.conditions import condition_label
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.models import Study
from webapp.study.participant.exit_page import render_exit_page
from webapp.study.preview import made_up_data, positions
from webapp.study.preview.positions import (
    EXAMPLE,
    EXITS_WITHOUT_PARTICIPANT,
    GAME_END,
    OWN_PATH,
    PRACTICE_TABLE,
    PREVIEW_KEY,
    RATINGS,
    RULES,
    Position,
)
from webapp.study.preview.world import World, build_world, roll_back_everything
from webapp.study.sessions import quiz_tries
from webapp.study.sessions.participant_state import GAME, route
from webapp.study.sessions.practice import PRACTICE

MOUNTED_VIEWS = {
    "take:step", "take:leave", "take:help", "take:own_data", "take:from_table",
    "take:leave_from_table", "rate:next_page", "rate:example", "rate:quiz", "rate:overview",
    "rate:item", "rate:feedback", "rate:break", "rate:stop_waiting",
    "table", "answer", "guess", "earlier", "act",
}  # fmt: skip
_LINK = re.compile(rb'(="|=&quot;)/(take|rate|games)/')
_HOME = re.compile(rb'(href=")/(?=")')
_MOMENT = re.compile(r"[0-9]{1,3}")
FRAMABLE_POLICY = CONTENT_POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
# Views whose address has another key than the made-up participant's: that of a page to rate, which
# never changes in a preview, or of the study.
VIEWS_WITH_OTHER_KEY = {
    "rate:item", "rate:feedback", "rate:break", "take:from_table", "take:leave_from_table",
}  # fmt: skip


def build_address(study: Study, position: Position, path: str = "") -> str:
    """Return the address of a page in the preview, by default that of the position's own page."""
    steps = route(Design.from_json(study.design))
    step = steps[min(position.step, len(steps) - 1)]
    path = path or (OWN_PATH if position.exit else positions.path_of(step, position.moment))
    preview_address = reverse("study:study_preview", args=[study.code])
    return f"{preview_address}/{position.to_token(study)}/{path}"


def position_at_stop(study: Study, position: Position, value: str, condition: int) -> Position:
    """Return the position of a stop (`Stop.value`), the present one if the value is unknown.

    The new position has the same answers, except that a quiz begins again.
    """
    design = Design.from_json(study.design)
    steps = route(design)
    position = replace(position, condition=condition, has_withdrawn=False)
    if value in {stop.value for stop in positions.list_exit_stops(design)}:
        last = len(steps) - 1
        number = last if value == "completed" else max(1, min(position.step, last))
        return replace(position, exit=value, step=number, moment=0)  # type: ignore[arg-type]
    step_text, _dot, moment_text = value.partition(".")
    target = {str(step.index): step for step in steps}.get(step_text)
    if target is None or not _MOMENT.fullmatch(moment_text):
        return position
    moment, is_quiz = int(moment_text), target.kind == RULES
    return replace(
        position,
        step=target.index,
        moment=min(moment, GAME_END),
        exit="",
        tries=0 if is_quiz else position.tries,
        is_trained=target.kind == RATINGS and moment > EXAMPLE,
        answers=[row for row in position.answers if not (is_quiz and row[0] == target.key)],
    )


def respond(request: HttpRequest, study: Study, token: str, path: str) -> HttpResponse:
    """Respond to a request for a page of the preview. Nothing is stored."""
    position = Position.from_token(study, token)
    try:
        with roll_back_everything():
            response = _render_response(request, study, position, path)
    except Refused as refused:
        title = _("This cannot be previewed yet")
        link = Link(_("Go to the setup"), reverse("study:study_setup", args=[study.code]))
        response = render_error_page(request, 422, title, " ".join(refused.sentences), link)
    response["Content-Security-Policy"] = FRAMABLE_POLICY
    response["X-Frame-Options"] = "SAMEORIGIN"
    return response


def _render_response(
    request: HttpRequest, study: Study, position: Position, path: str
) -> HttpResponse:
    world = build_world(study, position)
    inner_request = _inner_request(request, world, path)
    try:
        view_match = resolve(inner_request.path)
    except Resolver404:
        view_match = None
    if view_match is None or view_match.view_name not in MOUNTED_VIEWS:
        text = _("In a study this link leads on. The preview shows only participants’ pages.")
        title = _("This page is not part of the preview")
        return render_error_page(inner_request, 404, title, text)
    if position.exit in EXITS_WITHOUT_PARTICIPANT:
        inner_request.method = "POST"  # as from the first page, because only a POST shows the code
        response = render_exit_page(inner_request, world.participant.study, position.exit)  # type: ignore[arg-type]
        return _rewrite_links(response, study, position)
    if view_match.view_name == "rate:overview" and world.rater:
        made_up_data.mark_all_answered(world.rater)
    response = view_match.func(
        inner_request, **_view_arguments(view_match.view_name, view_match.kwargs, world)
    )
    if isinstance(response, HttpResponseRedirect):
        has_answered = view_match.view_name == "answer"
        return redirect(_redirect_address(world, response.url, has_answered=has_answered))
    return _rewrite_links(response, study, position)


def _inner_request(request: HttpRequest, world: World, path: str) -> HttpRequest:
    """Return the request as it would come from the browser of the made-up participant."""
    _posted = request.POST  # reads the body before the copy, because it can be read only once
    inner_request = copy.copy(request)
    inner_request.path = inner_request.path_info = f"/{path}"
    inner_request.user = AnonymousUser()
    inner_request.session = SessionStore()
    if visitor := world.participant.visitor:
        inner_request.session[visitors.VISITOR_KEY] = visitor.hex
    inner_request.preview = _build_bar(world)  # type: ignore[attr-defined]
    return inner_request


def _view_arguments(view_name: str, kwargs: Mapping[str, Any], world: World) -> dict[str, Any]:
    """Return the arguments of a view, with the made-up participant's key or game's code."""
    if "code" in kwargs:
        return {**kwargs, "code": world.game.code if world.game else ""}
    return dict(kwargs) if view_name in VIEWS_WITH_OTHER_KEY else {**kwargs, "key": PREVIEW_KEY}


def _redirect_address(world: World, location: str, *, has_answered: bool) -> str:
    """Return the address in the preview to which a page's redirect leads."""
    path = location.removeprefix("/")
    position = world.position_after(has_answered=has_answered)
    step = route(Design.from_json(world.participant.study.design))[position.step]
    if path.startswith("rate/"):
        position = replace(position, moment=positions.moment_of_rating(path))
    elif path.startswith("games/"):
        path = positions.TABLE_PATH
        if step.kind == PRACTICE:
            position = replace(position, moment=max(position.moment, PRACTICE_TABLE))
    elif step != world.step or position.exit:
        path = ""
    return build_address(world.participant.study, position, path)


def _rewrite_links(response: HttpResponse, study: Study, position: Position) -> HttpResponse:
    """Rewrite the links in the response to stay below the preview's address."""
    base = build_address(study, position, "/")[:-1].encode()
    content = _LINK.sub(rb"\1" + base + rb"\2/", response.content)
    response.content = _HOME.sub(rb"\1" + base + OWN_PATH.encode(), content)
    return response


def _build_bar(world: World) -> dict[str, Any]:
    """Return the content of the bar above the page (`study/preview/bar.html`)."""
    study, position = world.participant.study, world.position
    design = Design.from_json(study.design)
    stops = positions.list_route_stops(design)
    moments = [tuple(map(int, stop.value.split("."))) for stop in stops]  # (step, moment) of each
    current = (world.step.index, position.moment)
    if position.exit:
        here = selected = str(position.exit)
        previous, following = stops[-1].value, ""
    else:
        here = _format_stop(current)
        selected = _format_stop(max(m for m in moments if m <= current))
        previous = _format_stop(_find_previous(world, moments))
        following = _format_stop(_find_following(world, moments)) or "completed"
    return {
        "study": study,
        "position": position,
        "token": position.to_token(study),
        "here": here,
        "selected": selected,  # the nearest stop of the list
        "stops": stops,
        "exits": positions.list_exit_stops(design),
        "conditions": [condition_label(design, c.levels) or c.name for c in study.conditions.all()],
        "previous": previous,
        "following": following,
        "answers": _find_right_answers(world),
    }


def _format_stop(moment: tuple[int, ...] | None) -> str:
    """Return the `Stop.value` of (step, moment), "" for None."""
    return "{}.{}".format(*moment) if moment else ""


def _find_previous(world: World, moments: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
    step, moment = world.step.index, world.position.moment
    if 0 < moment < GAME_END and (world.game or world.last_page):
        return step, moment - 1
    return max((m for m in moments if m < (step, moment)), default=None)


def _find_following(world: World, moments: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
    step, moment = world.step.index, world.position.moment
    if world.has_later_moments or moment < world.last_page:
        return step, moment + 1
    if world.step.kind == GAME:
        return min((m for m in moments if m[0] > step), default=None)
    return min((m for m in moments if m > (step, moment)), default=None)


def _find_right_answers(world: World) -> dict[str, str]:
    """Return name of a field -> right answer, of the current quiz."""
    if world.step.kind == RULES and not world.position.exit:
        questions = quiz_tries.next_questions(world.participant, world.step)
        return {q.key: "yes" if q.is_true else "no" for q in questions}
    if world.rater:
        quiz = world.rater.campaign.quiz.get("questions", ())
        return {f"q{n}": str(question["right"]) for n, question in enumerate(quiz)}
    return {}
