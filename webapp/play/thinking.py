"""An agent's thought of a window: the scene it is in, and whom it may ask."""

from __future__ import annotations

import time
from collections.abc import Mapping

from agents import backends
from agents.mind import Mind, Note
from agents.recipe import Recipe
from agents.scene import BackendError, Reply, Request, Scene
from game import selectors
from game.engine import rulesets, views
from game.engine.draws import Draws
from game.models import Game
from webapp.play.models import Asked, MindNote


def scene_of(game: Game, seat: int, key: str, *, purpose: str = "") -> Scene:
    """The seat before window `key`, as it was when that opened."""
    view, window, closed = selectors.view_at(game, views.seat(seat), key)
    return Scene(
        ruleset=rulesets.get(game.ruleset),
        view=view,
        window=window,
        mind=_mind(game, seat, closed, view.state.round),
        draws=Draws(f"{game.seed}/agent/{seat}/{purpose or key}"),
    )


def _mind(game: Game, seat: int, closed: frozenset[str], round_: int) -> Mind:
    """The notes made in windows that were closed by then and while preparing for this round or an
    earlier one, in an order that no race can change."""
    rows = MindNote.objects.filter(game=game, seat=seat)
    kept = [
        r
        for r in rows
        if r.window in closed or (r.window.startswith("prepare.") and r.round <= round_)
    ]
    kept.sort(key=lambda r: (r.round, not r.window.startswith("prepare."), r.window, r.pk))
    return Mind(tuple(Note(r.faculty, r.round, r.data) for r in kept))


class Asker:
    """The `ask` an agent is given: a recorded reply first, else the backend, and record that."""

    def __init__(self, game: Game, seat: int, key: str, recipe: Recipe) -> None:
        self.game, self.seat, self.key, self.recipe = game, seat, key, recipe

    def __call__(self, step: str, request: Request) -> Reply:
        """Raises BackendError, again from the record if it was raised before."""
        what = {"game": self.game, "seat": self.seat, "window": self.key, "step": step}
        if recorded := Asked.objects.filter(**what).first():
            if recorded.failure:
                raise BackendError(recorded.failure)
            return _reply(recorded.reply)
        backend = backends.get(self.recipe.backend)
        began = time.monotonic()
        reply: Reply | None = None
        failure: BackendError | None = None
        try:
            reply = backend.reply(step, request)
        except BackendError as error:
            failure = error
        Asked.objects.create(
            **what,
            backend=backend.name,
            kind=request.kind,
            brief=dict(request.brief),
            reply=dict(reply) if reply is not None else None,
            failure=failure.cause if failure else "",
            seconds=time.monotonic() - began,
        )
        if failure:
            raise failure
        return _reply(reply)


def _reply(reply: Mapping[str, object] | None) -> Reply:
    assert reply is not None
    return reply
