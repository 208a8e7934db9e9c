"""Answers a window for an agent: take the lease, prepare, think, submit.

No transaction is open while the agent thinks, because a model may take a minute.
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
from webapp.play.turns.leases import hold_lease, is_set_aside, release_lease
from webapp.play.turns.llm_calls import RecordedAsk, build_decision
from webapp.play.turns.record_redaction import redact_outdated_notes

logger = logging.getLogger(__name__)

CRASH_LABEL = "fallback:crash"  # the label of an answer whose computation failed


def answer_window(game_id: int, seat: int, key: str, *, use_lease: bool = True) -> None:
    """Answer window `key` for the agent in `seat`, unless it is answered or in progress.

    use_lease: False for a process that is alone with the game (simulations): it takes no lease.
    """
    game, position = selectors.current_game(game_id, is_only_writer=not use_lease)
    row, player = position.awaited_window(key, seat), position.player(seat)
    if row is None or player is None:
        return
    with hold_lease(game_id, seat, key) if use_lease else nullcontext() as lease:
        if use_lease and lease is None:
            return
        recipe = Recipe.of(player.recipe)
        if lease and is_set_aside(lease):
            _submit_default(game, position, row, seat, recipe, lease)
            return
        notes_held = preparation.ensure_prepared(game, position, row, seat, recipe)
        decision = build_decision(game, seat, row, position, notes_held)
        ask = RecordedAsk(game, seat, key, recipe, decision.moment, closes_at=row.expires_at)
        thought = _think(
            recipe, decision, ask, preparation.is_by_built_in(position, row, notes_held)
        )
        _submit(game, decision, ask, thought, lease)


def _submit_default(
    game: Game, position: CachedGame, row: Window, seat: int, recipe: Recipe, lease: Lease
) -> None:
    """Submit the rules' default answer, because computing the agent's own ended its workers."""
    decision = build_decision(game, seat, row, position)
    ask = RecordedAsk(game, seat, row.key, recipe, decision.moment)
    answer = decision.window.fallback_for(seat, decision.rng, CRASH_LABEL)
    _submit(game, decision, ask, Thought(answer), lease)


def _think(recipe: Recipe, decision: Decision, ask: RecordedAsk, is_by_built_in: bool) -> Thought:
    """Compute the answer.

    If the mind crashes, the answer is the window's fallback. If the budget is spent, it is the
    built-in player's.

    is_by_built_in: The built-in player prepared the round in place of a model.
    """
    try:
        thought = think(recipe, decision, ask)
        return _with_budget_label(thought) if is_by_built_in else thought
    except DatabaseError:  # not the mind's fault: the queue runs the task again
        raise
    except daily_budget.Exhausted:
        built_in = recipe.built_in()
        built_in_ask = ask.with_recipe(built_in, preparation.INSTEAD)
        return _with_budget_label(think(built_in, decision, built_in_ask))
    except Exception:  # a bug in a mind must not block the table for good
        seat, key = decision.seat, decision.window.key
        logger.exception("the mind of seat %s of %s failed at %s", seat, ask.game, key)
        return Thought(decision.window.fallback_for(seat, decision.rng, CRASH_LABEL))


def _submit(
    game: Game, decision: Decision, ask: RecordedAsk, thought: Thought, lease: Lease | None
) -> None:
    """Store the answer, its recorded requests and the mind's notes, and release the lease.

    All of this is one transaction.
    """
    seat, key, answer = decision.seat, decision.window.key, thought.answer

    def store(now: CachedGame) -> None:
        ask.store_calls(now)
        mind_notes.store_notes(
            game, seat, key, redact_outdated_notes(decision.view, now, thought.notes)
        )
        if lease:
            release_lease(lease)

    try:
        after = services.answer(
            game.pk,
            seat,
            key,
            answer.action,
            labels=answer.labels,
            is_agent=True,
            on_answered=store,
        )
    except Illegal as illegal:
        if illegal.code not in ("too_late", "game_over", "answered", "handed_over"):
            raise
        # The window was closed or answered meanwhile: only the requests are stored.
        with selectors.locked_position(game.pk) as now:
            ask.store_calls(now)
    else:
        if after and after.status == Game.OVER:
            from webapp.play.claims import finished  # loads the understanding, which no page needs

            finished.read_claims(after)


def _with_budget_label(thought: Thought) -> Thought:
    answer = replace(thought.answer, labels=(*thought.answer.labels, labels.BUDGET))
    return replace(thought, answer=answer)
