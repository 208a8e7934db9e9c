"""How an agent answers a window: lease, view, mind, think (no transaction is open), submit."""

from __future__ import annotations

import logging
from contextlib import nullcontext
from dataclasses import replace

from django.db import DatabaseError, transaction

from agents.recipe import Recipe
from agents.scene import Scene
from agents.think import Thought, think
from game import selectors, services
from game.engine import labels
from game.engine.forms import Illegal
from game.models import Game
from webapp.play import budget, notes, preparing
from webapp.play.forgetting import fit_to_keep
from webapp.play.leases import lease
from webapp.play.thinking import Asker, scene_of

logger = logging.getLogger(__name__)


def fill(game_id: int, seat: int, key: str, *, leased: bool = True) -> None:
    """Answer window `key` for the agent in `seat`. Does nothing where that is done or under way.

    `leased=False` is for one process that knows it is alone with the game (simulations).
    """
    game, position = selectors.at_hand(game_id)
    row, player = position.awaited(key, seat), position.player(seat)
    if row is None or player is None:
        return
    with lease(game_id, seat, key) if leased else nullcontext(True) as mine:
        if not mine:
            return
        recipe = Recipe.of(player.recipe)
        noted = preparing.ensure(game, position, row, seat, recipe)
        scene = scene_of(game, seat, row, position, noted)
        ask = Asker(game, seat, key, recipe, scene.moment, closes_at=row.expires_at)
        thought = _think(recipe, scene, ask, preparing.by_built_in(position, row, noted))
        _submit(game, scene, ask, thought)


def _think(recipe: Recipe, scene: Scene, ask: Asker, by_built_in: bool) -> Thought:
    """by_built_in: the round was prepared by the built-in player in a model's stead."""
    try:
        return _labelled(think(recipe, scene, ask), by_built_in)
    except DatabaseError:  # not the mind's doing: the task is run again
        raise
    except budget.Exhausted:
        built_in = recipe.built_in()
        return _labelled(think(built_in, scene, ask.instead(built_in, preparing.INSTEAD)), True)
    except Exception:  # a fault in a mind must not hold the table up for good
        seat, key = scene.seat, scene.window.key
        logger.exception("the mind of seat %s of %s failed at %s", seat, ask.game, key)
        return Thought(scene.window.fallback_for(seat, scene.draws, "fallback:crash"))


def _submit(game: Game, scene: Scene, ask: Asker, thought: Thought) -> None:
    """Keep the answer, with what was asked for it and what is to be remembered of it."""
    seat, key, answer = scene.seat, scene.window.key, thought.answer
    try:
        with transaction.atomic():
            now = services.answer(
                game.pk, seat, key, answer.action, labels=answer.labels, agent=True
            )
            if now:
                ask.keep(now)
                notes.keep(game, seat, key, fit_to_keep(scene.view, now, thought.notes))
    except Illegal as illegal:  # closed or answered meanwhile: then it is done
        if illegal.code not in ("too_late", "game_over", "answered", "handed_over"):
            raise
        with selectors.held(game.pk) as now:
            ask.keep(now)


def _labelled(thought: Thought, instead: bool) -> Thought:
    """The thought; labelled where the built-in player thought instead of a model."""
    if not instead:
        return thought
    answer = replace(thought.answer, labels=(*thought.answer.labels, labels.BUDGET))
    return replace(thought, answer=answer)
