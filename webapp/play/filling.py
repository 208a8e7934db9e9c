"""How an agent answers: lease, view, mind, think (outside any transaction), submit."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from contextlib import nullcontext

from django.db import DatabaseError, transaction

from agents import backends
from agents.mind import Mind, Note
from agents.recipe import Recipe
from agents.scene import BackendError, Reply, Request, Scene
from agents.think import Thought, think
from game import selectors, services
from game.engine import rulesets, views
from game.engine.draws import Draws
from game.engine.windows import Illegal
from game.models import Game, Player
from webapp.play.leases import lease
from webapp.play.models import Asked, MindNote

logger = logging.getLogger(__name__)


def fill(game_id: int, seat: int, key: str, *, leased: bool = True) -> None:
    """Answer window `key` for the agent in `seat`. Does nothing where that is done or under way.

    `leased=False` is for one process that knows it is alone with the game (simulations).
    """
    if (key, seat) not in selectors.agents_missing(game_id, [key]):
        return
    with lease(game_id, seat, key) if leased else nullcontext(True) as mine:
        if not mine:
            return
        game = Game.objects.get(pk=game_id)
        thought = _think(game, seat, key)
        try:
            with transaction.atomic():
                if services.answer(
                    game_id,
                    seat,
                    key,
                    thought.answer.action,
                    label=thought.answer.label,
                    agent=True,
                ):
                    _remember(game, seat, key, thought)
        except Illegal as illegal:  # closed or answered meanwhile: then it is done
            if illegal.code not in ("too_late", "game_over", "answered", "handed_over"):
                raise


def _think(game: Game, seat: int, key: str) -> Thought:
    view, window, closed = selectors.view_at(game, views.seat(seat), key)
    recipe = Recipe.of(Player.objects.get(game=game, seat=seat).recipe)
    scene = Scene(
        ruleset=rulesets.get(game.ruleset),
        view=view,
        window=window,
        mind=_mind(game, seat, closed),
        draws=Draws(f"{game.seed}/agent/{seat}/{key}"),
    )
    try:
        return think(recipe, scene, Asker(game, seat, key, recipe.backend))
    except DatabaseError:  # not the mind's doing: the task is run again
        raise
    except Exception:  # a fault in a mind must not hold the table up for good
        logger.exception("the mind of seat %s of %s failed at %s", seat, game, key)
        return Thought(window.default_for(seat, scene.draws, "fallback:crash"))


def _mind(game: Game, seat: int, closed: frozenset[str]) -> Mind:
    """The notes made in windows that were closed by then, in an order that no race can change."""
    rows = MindNote.objects.filter(game=game, seat=seat, window__in=closed)
    found = sorted(rows, key=lambda r: (r.round, r.window, r.pk))
    return Mind(tuple(Note(r.faculty, r.round, r.data) for r in found))


def _remember(game: Game, seat: int, key: str, thought: Thought) -> None:
    MindNote.objects.bulk_create(
        MindNote(game=game, seat=seat, window=key, round=n.round, faculty=n.faculty, data=n.data)
        for n in thought.notes
    )


class Asker:
    """The `ask` an agent is given: a recorded reply first, else the backend, and record that."""

    def __init__(self, game: Game, seat: int, key: str, backend: str) -> None:
        self.game, self.seat, self.key = game, seat, key
        self.backend = backends.get(backend)

    def __call__(self, step: str, request: Request) -> Reply:
        """Raises BackendError, again from the record if it was raised before."""
        what = {"game": self.game, "seat": self.seat, "window": self.key, "step": step}
        if recorded := Asked.objects.filter(**what).first():
            if recorded.failure:
                raise BackendError(recorded.failure)
            return _reply(recorded.reply)
        began = time.monotonic()
        reply: Reply | None = None
        failure: BackendError | None = None
        try:
            reply = self.backend.reply(step, request)
        except BackendError as error:
            failure = error
        Asked.objects.create(
            **what,
            backend=self.backend.name,
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
