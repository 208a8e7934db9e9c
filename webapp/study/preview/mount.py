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
from webapp.study.design.stages import Design
from webapp.study.design.value_checks import Refused
from webapp.study.models import Study
from webapp.study.participant.exit_page import render_exit_page
from webapp.study.preview import made_up_ratings, places
from webapp.study.preview.places import GAME_END, KEY, OWN_PAGE, WITHOUT_PERSON, Place, Stop
from webapp.study.preview.world import World, build_world, nothing_stored
from webapp.study.sessions import quiz_tries
from webapp.study.sessions.participant_steps import Step, route

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
    """What the bar above a page of the preview shows, for its template.

    here: the value of the place (`Stop.value`). shown: that of the stop nearest to it. previous,
    following: values of stops, "" for none. answers: right answers of the page's quiz, by the
    names of the fields.
    """

    study: Study
    place: Place
    token: str
    here: str
    shown: str
    stops: Sequence[Stop]
    exits: Sequence[Stop]
    conditions: Sequence[str]
    previous: str
    following: str
    answers: Mapping[str, str]


def address(study: Study, place: Place, path: str = "") -> str:
    """Return the address of a page of the preview. path: of another page than the place's own."""
    steps = route(Design.of(study.design))
    step = steps[min(place.step, len(steps) - 1)]
    path = path or (OWN_PAGE if place.exit else places.path_of(step, place.moment))
    return f"{reverse('study:study_preview', args=[study.code])}/{place.token(study)}/{path}"


def go_to(study: Study, place: Place, value: str, condition: int) -> Place:
    """Return the place of a stop (`places.Stop`); an unknown one is the present place."""
    steps, answers = route(Design.of(study.design)), place.answers
    place = replace(place, condition=condition, withdrew=False)
    if value in {stop.value for stop in places.exit_stops(Design.of(study.design))}:
        last = len(steps) - 1 if value == "completed" else max(1, min(place.step, len(steps) - 1))
        return replace(place, exit=value, step=last, moment=0)  # type: ignore[arg-type]
    step, _dot, moment = value.partition(".")
    if not (step.isdecimal() and moment.isdecimal()) or int(step) >= len(steps):
        return place
    target = steps[int(step)]
    quiz = [row for row in answers if row[0] == target.key and target.kind == "rules"]
    return replace(
        place,
        step=target.index,
        moment=min(int(moment), GAME_END),
        exit="",
        tries=0 if target.kind == "rules" else place.tries,
        trained=target.kind == "ratings" and int(moment) > 1,
        answers=[row for row in answers if row not in quiz],
    )


def respond(request: HttpRequest, study: Study, token: str, path: str) -> HttpResponse:
    """Answer a request for a page of the preview. Nothing that it does is stored."""
    place = Place.read(study, token)
    try:
        with nothing_stored():
            response = _respond(request, study, place, path)
    except Refused as refused:
        title = _("This can’t be previewed yet")
        link = (_("To the set-up"), reverse("study:study_setup", args=[study.code]))
        response = message(request, 422, title, " ".join(refused.sentences), link)
    response["Content-Security-Policy"] = FRAMED
    response["X-Frame-Options"] = "SAMEORIGIN"
    return response


def _respond(request: HttpRequest, study: Study, place: Place, path: str) -> HttpResponse:
    world = build_world(study, place)
    inner = _inner_request(request, world, path)
    try:
        match = resolve(inner.path)
    except Resolver404:
        match = None
    if match is None or match.view_name not in VIEWS:
        return _not_shown(inner)
    if place.exit in WITHOUT_PERSON:
        inner.method = "POST"  # who comes from the first page, and so gets the code
        response = render_exit_page(inner, world.participant.study, place.exit)  # type: ignore[arg-type]
        return _rewritten(response, study, place)
    if match.view_name == "rate:all" and world.rater:
        made_up_ratings.answer_all(world.rater)
    response = match.func(inner, **_arguments(match.view_name, match.kwargs, world))
    if isinstance(response, HttpResponseRedirect):
        answered = match.view_name == "answer"
        return redirect(_onward(world, response.url, answered=answered))
    return _rewritten(response, study, place)


def _inner_request(request: HttpRequest, world: World, path: str) -> HttpRequest:
    """Return the request as it would come from the browser of the made-up participant."""
    _ = request.POST  # it is read once, for both
    inner = copy.copy(request)
    inner.path = inner.path_info = f"/{path}"
    inner.user, inner.session = AnonymousUser(), SessionStore()
    if visitor := world.participant.visitor:
        inner.session[visitors.KEY] = visitor.hex
    inner.preview = _bar(world, inner)  # type: ignore[attr-defined]
    return inner


def _arguments(view_name: str, kwargs: Mapping[str, Any], world: World) -> dict[str, Any]:
    """Return the arguments of a view. Keys and codes of rows are made up anew at each request."""
    if "code" in kwargs:
        return {**kwargs, "code": world.game.code if world.game else ""}
    made_up_once = view_name in ("rate:item", "rate:feedback", "rate:break")
    of_study = view_name in ("take:go", "take:go_leave")
    return dict(kwargs) if made_up_once or of_study else {**kwargs, "key": KEY}


def _onward(world: World, location: str, *, answered: bool) -> str:
    """Return where a redirect of a participant's page leads in the preview."""
    path = location.removeprefix("/")
    place = world.place_after(plays_on=answered)
    step = route(Design.of(world.participant.study.design))[place.step]
    if path.startswith("rate/"):
        place = replace(place, moment=places.moment_of_rating(path))
    elif path.startswith("games/"):
        path = places.TABLE
        place = replace(place, moment=max(place.moment, step.kind == "practice"))
    elif step != world.step or place.exit:
        path = ""
    return address(world.participant.study, place, path)


def _not_shown(request: HttpRequest) -> HttpResponse:
    text = _("In a study this leads on. The preview shows only the pages of participants.")
    return message(request, 404, _("This page is not part of the preview"), text)


def _rewritten(response: HttpResponse, study: Study, place: Place) -> HttpResponse:
    """Return the response with its links below the preview's address."""
    base = address(study, place, "/")[:-1].encode()
    content = _LINK.sub(rb"\1" + base + rb"\2/", response.content)
    response.content = _HOME.sub(rb"\1" + base + OWN_PAGE.encode(), content)
    return response


def _bar(world: World, request: HttpRequest) -> Bar:
    study, place = world.participant.study, world.place
    design = Design.of(study.design)
    stops = places.stops(design)
    here = place.exit or f"{world.step.index}.{place.moment}"
    before, after = _neighbours(world, stops)
    return Bar(
        study=study,
        place=place,
        token=place.token(study),
        here=here,
        shown=place.exit or _nearest(stops, world.step.index, place.moment),
        stops=stops,
        exits=places.exit_stops(design),
        conditions=[c.name for c in study.conditions.all()],
        previous=before,
        following=after,
        answers=_right_answers(world),
    )


def _neighbours(world: World, stops: Sequence[Stop]) -> tuple[str, str]:
    """Return the values of the places before and after this one."""
    place, step = world.place, world.step
    positions = [tuple(map(int, stop.value.split("."))) for stop in stops]
    here = (step.index, place.moment)
    if place.exit:
        return stops[-1].value, ""
    before = max((p for p in positions if p < here), default=None)
    after = min((p for p in positions if p > here), default=None)
    if step.kind == "game" and place.moment:
        played = (step.index, place.moment - 1) if place.moment < GAME_END else before
        before = played
    if step.kind == "game" and place.moment < GAME_END:
        after = (step.index, place.moment + 1) if world.goes_on else _after_step(positions, step)
    if place.moment < world.last_page:
        after = (step.index, place.moment + 1)
    if place.moment and world.last_page:
        before = (step.index, place.moment - 1)
    following = "{}.{}".format(*after) if after else "completed"
    return "{}.{}".format(*before) if before else "", following


def _nearest(stops: Sequence[Stop], step: int, moment: int) -> str:
    """Return the value of the last stop of the step that does not come after the moment."""
    positions = [tuple(map(int, stop.value.split("."))) for stop in stops]
    return "{}.{}".format(*max(p for p in positions if p <= (step, moment)))


def _after_step(positions: Sequence[tuple[int, ...]], step: Step) -> tuple[int, ...] | None:
    return min((p for p in positions if p[0] > step.index), default=None)


def _right_answers(world: World) -> dict[str, str]:
    """Return the right answers of the quiz that is due, by the names of its fields."""
    if world.step.kind == "rules" and not world.place.exit:
        questions = quiz_tries.next_questions(world.participant, world.step)
        return {q.key: "yes" if q.answer else "no" for q in questions}
    if world.rater:
        quiz = world.rater.campaign.quiz.get("questions", ())
        return {f"q{n}": str(question["right"]) for n, question in enumerate(quiz)}
    return {}
