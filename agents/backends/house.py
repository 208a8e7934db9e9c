"""The house player as a backend: rule-based, offline, it never fails (SPEC 2.10)."""

from __future__ import annotations

import logging

from agents.faculties.judgement import exact
from agents.house import choices, liking
from agents.house.mindset import Mindset
from agents.house.plan import plan
from agents.house.speech import statement
from agents.house.stance import Stance
from agents.scene import BackendError, Reply, Request
from game.engine.forms import Ratings, Speech

_log = logging.getLogger(__name__)


class HouseBackend:
    """Answers every kind of request there is; windows it has no plan for, legally."""

    name = "house"

    def reply(self, step: str, request: Request, seconds: float | None = None) -> Reply:
        try:
            return self._reply(request)
        except Exception as error:  # a game must go on; the log's label and this line tell of it
            _log.exception("the house player stumbled at %s", request.scene.window.key)
            raise BackendError("broken", repr(error)) from error

    def _reply(self, request: Request) -> Reply:
        scene = request.scene
        if request.kind == "favor":
            return liking.scores(scene)
        if request.kind == "judgement":
            return {"roles": {s: r for s, r in exact(scene).items() if s != str(scene.seat)}}
        mind = Mindset(scene, request.brief)
        if request.kind == "strategy":
            return {"plan": plan(mind), "notes": [_stance(mind)]}
        legal = scene.window.legal
        if isinstance(legal, Speech):
            text, stance = statement(mind)
            return {"text": text, "notes": [_stance(mind, stance)]}
        options = scene.window.options_for(scene.seat)
        if isinstance(legal, Ratings):
            return {"ratings": {}}
        count = scene.window.pick.count
        if count == 1 and request.kind in ("vote", "poll"):
            if request.kind == "vote":
                wanted, weighed = choices.vote(mind)
                found: dict[str, object] = {"targets": [wanted], "weighed": weighed}
            else:
                wanted = choices.poll(mind)
                found = {"targets": [wanted]}
            if wanted in options:
                return found
        return {"targets": scene.draws.sample("any", options, count)}


def _stance(mind: Mindset, stance: Stance | None = None) -> dict[str, object]:
    """The stance as a note that the mind is to keep."""
    return {"faculty": "stance", "data": (stance or mind.stance).data()}
