"""Answers a window for an agent: lease, view, mind, think, submit.

No transaction is open while the agent thinks.
"""

from __future__ import annotations

import logging
from contextlib import nullcontext
from dataclasses import replace

from django.db import DatabaseError

from agents.decision import Decision
from agents.recipe import Recipe
from agents.think import Thought, think
from game import selectors, services
from game.cached_games import CachedGame
from game.engine import labels
from game.engine.forms import Illegal
from game.models import Game, Window
from webapp.play.models import Lease
from webapp.play.turns import daily_budget, mind_notes, preparation
from webapp.play.turns.leases import hold_lease, is_set_aside, release
from webapp.play.turns.llm_calls import RecordedAsk, decision_for
from webapp.play.turns.record_redaction import fit_to_keep

logger = logging.getLogger(__name__)

CRASH = "fallback:crash"  # the label of an answer whose computation failed


def answer_window(game_id: int, seat: int, key: str, *, leased: bool = True) -> None:
    """Answer window `key` for the agent in `seat`, unless that is done or in progress.

    `leased=False` is for a process that is alone with the game (simulations).
    """
    game, position = selectors.current_game(game_id, alone=not leased)
    row, player = position.awaited_window(key, seat), position.player(seat)
    if row is None or player is None:
        return
    with hold_lease(game_id, seat, key) if leased else nullcontext() as lease:
        if leased and lease is None:
            return
        recipe = Recipe.of(player.recipe)
        if lease and is_set_aside(lease):
            _submit_default(game, position, row, seat, recipe, lease)
            return
        notes_held = preparation.ensure(game, position, row, seat, recipe)
        decision = decision_for(game, seat, row, position, notes_held)
        ask = RecordedAsk(game, seat, key, recipe, decision.moment, closes_at=row.expires_at)
        thought = _think(recipe, decision, ask, preparation.by_built_in(position, row, notes_held))
        _submit(game, decision, ask, thought, lease)


def _submit_default(
    game: Game, position: CachedGame, row: Window, seat: int, recipe: Recipe, lease: Lease
) -> None:
    """Submit the rules' default answer in place of one whose computation killed its workers."""
    decision = decision_for(game, seat, row, position)
    ask = RecordedAsk(game, seat, row.key, recipe, decision.moment)
    answer = decision.window.fallback_for(seat, decision.rng, CRASH)
    _submit(game, decision, ask, Thought(answer), lease)


def _think(recipe: Recipe, decision: Decision, ask: RecordedAsk, by_built_in: bool) -> Thought:
    """Compute the answer.

    After a crash this is the window's fallback, without budget the built-in player's answer.

    by_built_in: the built-in player prepared the round in place of a model.
    """
    try:
        return _labelled(think(recipe, decision, ask), by_built_in)
    except DatabaseError:  # not the mind's fault: the task is run again
        raise
    except daily_budget.Exhausted:
        built_in = recipe.built_in()
        return _labelled(
            think(built_in, decision, ask.instead(built_in, preparation.INSTEAD)), True
        )
    except Exception:  # a bug in a mind must not block the table for good
        seat, key = decision.seat, decision.window.key
        logger.exception("the mind of seat %s of %s failed at %s", seat, ask.game, key)
        return Thought(decision.window.fallback_for(seat, decision.rng, CRASH))


def _submit(
    game: Game, decision: Decision, ask: RecordedAsk, thought: Thought, lease: Lease | None
) -> None:
    """Store the answer, its recorded requests, and the notes of the mind, in one transaction.

    The same transaction releases the lease.
    """
    seat, key, answer = decision.seat, decision.window.key, thought.answer

    def store(now: CachedGame) -> None:
        ask.store_calls(now)
        mind_notes.store_notes(game, seat, key, fit_to_keep(decision.view, now, thought.notes))
        if lease:
            release(lease)

    try:
        after = services.answer(
            game.pk, seat, key, answer.action, labels=answer.labels, agent=True, on_answered=store
        )
    # the window was closed or answered meanwhile, so nothing is left to do
    except Illegal as illegal:
        if illegal.code not in ("too_late", "game_over", "answered", "handed_over"):
            raise
        with selectors.locked_position(game.pk) as now:
            ask.store_calls(now)
    else:
        if after and after.status == Game.OVER:
            from webapp.play.claims import finished  # it loads the understanding: not for pages

            finished.read_claims(after)


def _labelled(thought: Thought, instead: bool) -> Thought:
    """Label the answer if the built-in player thought in place of a model."""
    if not instead:
        return thought
    answer = replace(thought.answer, labels=(*thought.answer.labels, labels.BUDGET))
    return replace(thought, answer=answer)
