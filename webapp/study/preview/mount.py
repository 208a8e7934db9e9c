"""The participant's pages below the address of a preview.

A request is passed to the view that participants get, for a made-up participant whose browser it
seems to come from. All the view writes is rolled back (`world.nothing_stored`). What leads to
another page is rewritten, so that it stays below the preview's address.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import Resolver404, resolve, reverse
from django.utils.translation import gettext as _

from webapp.headers import POLICY
from webapp.play import visitors
from webapp.play.error_pages import message
from webapp.study.design.conditions import condition_label
from webapp.study.design.stages import Design
from webapp.study.design.value_checks import Refused
from webapp.study.models import Study
from webapp.study.participant.exit_page import render_exit_page
from webapp.study.preview import made_up_ratings, positions
from webapp.study.preview.positions import GAME_END, KEY, OWN_PAGE, WITHOUT_PERSON, Position, Stop
from webapp.study.preview.world import World, build_world, nothing_stored
from webapp.study.sessions import quiz_tries
from webapp.study.sessions.participant_steps import route

VIEWS = {
    "take:as", "take:leave", "take:help", "take:data", "take:go", "take:go_leave",
    "rate:as", "rate:example", "rate:quiz", "rate:all", "rate:item", "rate:feedback",
    "rate:break", "rate:waited",
    "table", "answer", "guess", "earlier", "act",
}  # fmt: skip
_LINK = re.compile(rb'(="|=&quot;)/(take|rate|games)/')
_HOME = re.compile(rb'(href=")/(?=")')
FRAMED = POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")


@dataclass(frozen=True)
class Bar:
    """Bar above a page of the preview, for its template.

    here: the value of the position (`Stop.value`). selected: that of the nearest stop. previous,
    following: values of the positions beside it, "" for none. answers: right answers of the page's
    quiz, by the names of the fields.
    """

    study: Study
    position: Position
    token: str
    here: str
    selected: str
    stops: Sequence[Stop]
    exits: Sequence[Stop]
    conditions: Sequence[str]
    previous: str
    following: str
    answers: Mapping[str, str]


def address(study: Study, position: Position, path: str = "") -> str:
    """Return the address of a position in the preview.

    path: of another page than the position's own.
    """
    steps = route(Design.of(study.design))
    step = steps[min(position.step, len(steps) - 1)]
    path = path or (OWN_PAGE if position.exit else positions.path_of(step, position.moment))
    return f"{reverse('study:study_preview', args=[study.code])}/{position.token(study)}/{path}"


def go_to(study: Study, position: Position, value: str, condition: int) -> Position:
    """Return the position of a stop (`Stop.value`), the present one if the value is unknown."""
    steps, answers = route(Design.of(study.design)), position.answers
    position = replace(position, condition=condition, withdrew=False)
    if value in {stop.value for stop in positions.exit_stops(Design.of(study.design))}:
        last = len(steps) - 1
        number = last if value == "completed" else max(1, min(position.step, last))
        return replace(position, exit=value, step=number, moment=0)  # type: ignore[arg-type]
    step, _dot, moment = value.partition(".")
    if not (step.isdecimal() and moment.isdecimal()) or int(step) >= len(steps):
        return position
    target = steps[int(step)]
    quiz = [row for row in answers if row[0] == target.key and target.kind == "rules"]
    return replace(
        position,
        step=target.index,
        moment=min(int(moment), GAME_END),
        exit="",
        tries=0 if target.kind == "rules" else position.tries,
        trained=target.kind == "ratings" and int(moment) > 1,
        answers=[row for row in answers if row not in quiz],
    )


def respond(request: HttpRequest, study: Study, token: str, path: str) -> HttpResponse:
    """Answer a request for a page of the preview. Nothing that it does is stored."""
    position = Position.read(study, token)
    try:
        with nothing_stored():
            response = _respond(request, study, position, path)
    except Refused as refused:
        title = _("This can’t be previewed yet")
        link = (_("To the set-up"), reverse("study:study_setup", args=[study.code]))
        response = message(request, 422, title, " ".join(refused.sentences), link)
    response["Content-Security-Policy"] = FRAMED
    response["X-Frame-Options"] = "SAMEORIGIN"
    return response


def _respond(request: HttpRequest, study: Study, position: Position, path: str) -> HttpResponse:
    world = build_world(study, position)
    inner = _inner_request(request, world, path)
    try:
        match = resolve(inner.path)
    except Resolver404:
        match = None
    if match is None or match.view_name not in VIEWS:
        return _not_shown(inner)
    if position.exit in WITHOUT_PERSON:
        inner.method = "POST"  # who comes from the first page, and so gets the code
        response = render_exit_page(inner, world.participant.study, position.exit)  # type: ignore[arg-type]
        return _rewritten(response, study, position)
    if match.view_name == "rate:all" and world.rater:
        made_up_ratings.answer_all(world.rater)
    response = match.func(inner, **_arguments(match.view_name, match.kwargs, world))
    if isinstance(response, HttpResponseRedirect):
        answered = match.view_name == "answer"
        return redirect(_redirect_address(world, response.url, answered=answered))
    return _rewritten(response, study, position)


def _inner_request(request: HttpRequest, world: World, path: str) -> HttpRequest:
    """Return the request as it would come from the browser of the made-up participant."""
    _ = request.POST  # it is read once, for both
    inner = copy.copy(request)
    inner.path = inner.path_info = f"/{path}"
    inner.user, inner.session = AnonymousUser(), SessionStore()
    if visitor := world.participant.visitor:
        inner.session[visitors.KEY] = visitor.hex
    inner.preview = _bar(world)  # type: ignore[attr-defined]
    return inner


def _arguments(view_name: str, kwargs: Mapping[str, Any], world: World) -> dict[str, Any]:
    """Return the arguments of a view. Keys and codes of rows are made up anew at each request."""
    if "code" in kwargs:
        return {**kwargs, "code": world.game.code if world.game else ""}
    made_up_once = view_name in ("rate:item", "rate:feedback", "rate:break")
    of_study = view_name in ("take:go", "take:go_leave")
    return dict(kwargs) if made_up_once or of_study else {**kwargs, "key": KEY}


def _redirect_address(world: World, location: str, *, answered: bool) -> str:
    """Return where a redirect of a participant's page leads in the preview."""
    path = location.removeprefix("/")
    position = world.position_after(plays_on=answered)
    step = route(Design.of(world.participant.study.design))[position.step]
    if path.startswith("rate/"):
        position = replace(position, moment=positions.moment_of_rating(path))
    elif path.startswith("games/"):
        path = positions.TABLE
        position = replace(position, moment=max(position.moment, step.kind == "practice"))
    elif step != world.step or position.exit:
        path = ""
    return address(world.participant.study, position, path)


def _not_shown(request: HttpRequest) -> HttpResponse:
    text = _("In a study this leads on. The preview shows only the pages of participants.")
    return message(request, 404, _("This page is not part of the preview"), text)


def _rewritten(response: HttpResponse, study: Study, position: Position) -> HttpResponse:
    """Return the response with its links below the preview's address."""
    base = address(study, position, "/")[:-1].encode()
    content = _LINK.sub(rb"\1" + base + rb"\2/", response.content)
    response.content = _HOME.sub(rb"\1" + base + OWN_PAGE.encode(), content)
    return response


def _bar(world: World) -> Bar:
    study, position = world.participant.study, world.position
    design = Design.of(study.design)
    stops = positions.stops(design)
    here = position.exit or f"{world.step.index}.{position.moment}"
    before, after = _neighbours(world, stops)
    return Bar(
        study=study,
        position=position,
        token=position.token(study),
        here=here,
        selected=position.exit or _nearest(stops, world.step.index, position.moment),
        stops=stops,
        exits=positions.exit_stops(design),
        conditions=[condition_label(design, c.levels) or c.name for c in study.conditions.all()],
        previous=before,
        following=after,
        answers=_right_answers(world),
    )


def _numbers(stops: Sequence[Stop]) -> list[tuple[int, ...]]:
    """Return (step, moment) of each stop."""
    return [tuple(map(int, stop.value.split("."))) for stop in stops]


def _nearest(stops: Sequence[Stop], step: int, moment: int) -> str:
    """Return the value of the last stop of the step that does not come after the moment."""
    return "{}.{}".format(*max(n for n in _numbers(stops) if n <= (step, moment)))


def _neighbours(world: World, stops: Sequence[Stop]) -> tuple[str, str]:
    """Return the values of the positions before and after this one."""
    step, moment = world.step.index, world.position.moment
    if world.position.exit:
        return stops[-1].value, ""
    numbers, here = _numbers(stops), (step, moment)
    before = max((n for n in numbers if n < here), default=None)
    after = min((n for n in numbers if n > here), default=None)
    if world.step.kind == "game" and not world.goes_on:
        after = min((n for n in numbers if n[0] > step), default=None)
    if world.goes_on or moment < world.last_page:
        after = (step, moment + 1)
    if 0 < moment < GAME_END and (world.game or world.last_page):
        before = (step, moment - 1)
    following = "{}.{}".format(*after) if after else "completed"
    return "{}.{}".format(*before) if before else "", following


def _right_answers(world: World) -> dict[str, str]:
    """Return the right answers of the quiz that is due, by the names of its fields."""
    if world.step.kind == "rules" and not world.position.exit:
        questions = quiz_tries.next_questions(world.participant, world.step)
        return {q.key: "yes" if q.answer else "no" for q in questions}
    if world.rater:
        quiz = world.rater.campaign.quiz.get("questions", ())
        return {f"q{n}": str(question["right"]) for n, question in enumerate(quiz)}
    return {}
