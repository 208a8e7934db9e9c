"""How an agent answers: lease, view, mind, think (outside any transaction), submit."""

from __future__ import annotations

import logging
from contextlib import nullcontext
from dataclasses import replace

from django.db import DatabaseError, transaction

from agents.recipe import Recipe
from agents.think import Thought, think
from game import selectors, services
from game.engine import labels
from game.engine.forms import Illegal
from game.models import Player, Window
from webapp.play import budget, notes, preparing
from webapp.play.leases import lease
from webapp.play.thinking import Asker, scene_of

logger = logging.getLogger(__name__)


def fill(game_id: int, seat: int, key: str, *, leased: bool = True) -> None:
    """Answer window `key` for the agent in `seat`. Does nothing where that is done or under way.

    `leased=False` is for one process that knows it is alone with the game (simulations).
    """
    player = Player.objects.select_related("game").get(game_id=game_id, seat=seat)
    row = selectors.awaited(player, key)
    if row is None:
        return
    with lease(game_id, seat, key) if leased else nullcontext(True) as mine:
        if not mine:
            return
        thought = _think(player, row)
        try:
            with transaction.atomic():
                if services.answer(
                    game_id,
                    seat,
                    key,
                    thought.answer.action,
                    labels=thought.answer.labels,
                    agent=True,
                ):
                    notes.keep(player.game, seat, key, thought.notes)
        except Illegal as illegal:  # closed or answered meanwhile: then it is done
            if illegal.code not in ("too_late", "game_over", "answered", "handed_over"):
                raise


def _think(player: Player, window: Window) -> Thought:
    game, seat, key = player.game, player.seat, window.key
    recipe = Recipe.of(player.recipe)
    preparing.ensure(window, seat, recipe)
    scene = scene_of(game, seat, window)
    ask = Asker(game, seat, key, recipe, scene.moment, closes_at=window.expires_at)
    try:
        return _labelled(think(recipe, scene, ask), preparing.by_built_in(window, seat))
    except DatabaseError:  # not the mind's doing: the task is run again
        raise
    except budget.Exhausted:
        built_in = recipe.built_in()
        ask = Asker(game, seat, key, built_in, scene.moment, prefix=preparing.INSTEAD)
        return _labelled(think(built_in, scene, ask), True)
    except Exception:  # a fault in a mind must not hold the table up for good
        logger.exception("the mind of seat %s of %s failed at %s", seat, game, key)
        return Thought(scene.window.fallback_for(seat, scene.draws, "fallback:crash"))


def _labelled(thought: Thought, instead: bool) -> Thought:
    """The thought; labelled where the built-in player thought instead of a model."""
    if not instead:
        return thought
    answer = replace(thought.answer, labels=(*thought.answer.labels, labels.BUDGET))
    return replace(thought, answer=answer)
