"""Answers windows for agents, and prepares agents when a round of talk opens (SPEC 2.5).

No transaction is open while an agent thinks, because a model may take a minute.

A preparation depends only on what was said before its round. So all agents of a table prepare at
once. An answer waits for the preparation of its own seat.
"""

import logging
import threading
from collections.abc import Collection, Iterable
from contextlib import nullcontext
from dataclasses import replace

from django.db import DatabaseError

from agents.decision import Decision, Note
from agents.recipe import Recipe
from agents.think import Thought, crashed_preparation_notes, prepare, think
from game import cached_games, locked_game
from game.cached_games import CachedGame
from game.engine import labels, visibility
from game.engine.forms import Illegal
from game.models import Game, Window
from webapp.play.models import Lease, LLMCall
from webapp.play.turns import agent_records, daily_budget
from webapp.play.turns.agent_records import redact_outdated_notes
from webapp.play.turns.leases import hold_lease, is_set_aside, release_lease
from webapp.play.turns.llm_calls import RequestRecorder, build_decision

logger = logging.getLogger(__name__)

CRASH_LABEL = "fallback:crash"  # the label of an answer whose computation failed
PREPARED = "prepared"  # the faculty of the note that marks a finished preparation
INSTEAD = "instead/"  # begins steps in which the built-in player replaces a model
POLL_INTERVAL_S = 0.1  # this often, it is checked whether another process is done
_preparation_done = threading.Condition()  # signals finished preparations inside this process


def answer_window(game_id: int, seat: int, key: str, *, use_lease: bool = True) -> None:
    """Answer window `key` for the agent in `seat`, unless it is answered or in progress.

    A process that is alone with the game (simulations) needs no lease.
    """
    game, position = cached_games.current_game(game_id, is_only_writer=not use_lease)
    window, player = position.awaited_window(key, seat), position.player(seat)
    if window is None or player is None:
        return
    with hold_lease(game_id, seat, key) if use_lease else nullcontext() as lease:
        if use_lease and lease is None:
            return
        recipe = Recipe.of(player.recipe)
        if lease and is_set_aside(lease):  # computing the agent's own answer killed its workers
            decision = build_decision(game, seat, window, position)
            recorder = RequestRecorder(game, seat, key, recipe, decision.moment)
            answer = decision.window.fallback_for(seat, decision.rng, CRASH_LABEL)
            _submit(game, decision, recorder, Thought(answer), lease)
            return
        notes_held = _ensure_prepared(game, position, window, seat, recipe)
        decision = build_decision(game, seat, window, position, notes_held)
        recorder = RequestRecorder(
            game, seat, key, recipe, decision.moment, closes_at=window.expires_at
        )
        thought = _think(recipe, decision, recorder, _is_by_built_in(position, window, notes_held))
        _submit(game, decision, recorder, thought, lease)


def prepare_round(game_id: int, seat: int, key: str) -> None:
    """Prepare an agent for the round that the window `key` opened. Idempotent."""
    game, position = cached_games.current_game(game_id)
    player = position.player(seat)
    start_window = next((window for window in position.round_windows if window.key == key), None)
    if start_window is None or player is None or player.is_person_now:
        return
    recipe = Recipe.of(player.recipe or {})
    if recipe.has_preparations:
        with hold_lease(game_id, seat, preparation_key(start_window)) as lease:
            if lease:
                _prepare(game, position, start_window, seat, recipe, lease)


def _think(
    recipe: Recipe, decision: Decision, recorder: RequestRecorder, was_built_in: bool
) -> Thought:
    """Compute the answer.

    If the budget is spent, the built-in player answers. If the mind crashes, the answer is the
    window's fallback. `was_built_in`: the built-in player prepared the round in place of a model.
    """
    try:
        thought = think(recipe, decision, recorder)
        return _with_budget_label(thought) if was_built_in else thought
    except DatabaseError:  # not the mind's fault: the queue runs the task again
        raise
    except daily_budget.Exhausted:
        built_in = recipe.built_in()
        built_in_recorder = recorder.with_recipe(built_in, INSTEAD)
        return _with_budget_label(think(built_in, decision, built_in_recorder))
    except Exception:  # a bug in a mind must not block the table for good
        seat, key = decision.seat, decision.window.key
        logger.exception("the mind of seat %s of %s failed at %s", seat, recorder.game, key)
        return Thought(decision.window.fallback_for(seat, decision.rng, CRASH_LABEL))


def _submit(
    game: Game, decision: Decision, recorder: RequestRecorder, thought: Thought, lease: Lease | None
) -> None:
    """Store the answer, its recorded requests and the mind's notes, and release the lease.

    If the answer comes too late, store only the requests.
    """
    seat, key, answer = decision.seat, decision.window.key, thought.answer

    def store(now: CachedGame) -> None:  # runs in the transaction that stores the answer
        recorder.store_calls(now)
        agent_records.store_notes(
            game, seat, key, redact_outdated_notes(decision.view, now, thought.notes)
        )
        if lease:
            release_lease(lease)

    try:
        after = locked_game.record_answer(
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
        with cached_games.locked_cached_game(game.pk) as now:
            recorder.store_calls(now)
    else:
        if after and after.status == Game.OVER:
            from webapp.play import claim_reading  # loads the understanding, which no page needs

            claim_reading.read_final_claims(after)


def _with_budget_label(thought: Thought) -> Thought:
    answer = replace(thought.answer, labels=(*thought.answer.labels, labels.BUDGET))
    return replace(thought, answer=answer)


def preparation_key(start_window: Window) -> str:
    """Return the key of the preparations for a round, from the window that starts it."""
    return f"prepare.{start_window.day}.{start_window.round}"


def find_preparations(position: CachedGame, opened: Collection[str]) -> list[tuple[str, int]]:
    """List the preparations that new windows require, the first speaker's first.

    `opened` has the keys of the new windows. Each preparation is (key of the first window of a
    round, seat).
    """
    preparations = []
    for start_window in position.windows.values():
        if start_window.key in opened and start_window.opens_round:
            seats_out = position.view(visibility.MODERATOR).state.out
            agents = (
                p for p in position.players if p.seat not in seats_out and not p.is_person_now
            )
            preparations += [
                (start_window.key, p.seat)
                for p in sorted(agents, key=lambda p: p.seat not in start_window.asked)
                if Recipe.of(p.recipe or {}).has_preparations
            ]
    return preparations


def _done_note(notes_held: Iterable[Note], start_window: Window) -> Note | None:
    """Return the note that the round of `start_window` is prepared, None if it is not."""
    began = start_window.moment.phase_start
    return next((n for n in notes_held if n.faculty == PREPARED and n.moment == began), None)


def _is_by_built_in(position: CachedGame, window: Window, notes_held: Iterable[Note]) -> bool:
    """Return whether the built-in player prepared the round of `window` in place of a model."""
    start_window = position.round_start_window(window) if daily_budget.is_limited() else None
    note = _done_note(notes_held, start_window) if start_window else None
    return bool(note and note.data.get("instead"))


def _ensure_prepared(
    game: Game, position: CachedGame, window: Window, seat: int, recipe: Recipe
) -> list[Note]:
    """Prepare the seat for the window's round, or wait for it. Return the seat's usable notes."""
    notes_held = agent_records.usable_notes(game, seat)
    start_window = position.round_start_window(window) if recipe.has_preparations else None
    while start_window and not _done_note(notes_held, start_window):
        with hold_lease(game.pk, seat, preparation_key(start_window)) as lease:
            if lease:
                _prepare(game, position, start_window, seat, recipe, lease)
        if not lease:
            with _preparation_done:
                _preparation_done.wait(POLL_INTERVAL_S)
        notes_held = agent_records.usable_notes(game, seat)
    return notes_held


def _prepare(
    game: Game, position: CachedGame, start_window: Window, seat: int, recipe: Recipe, lease: Lease
) -> None:
    """Prepare the round that `start_window` opened, unless it is done or killed its workers."""
    notes_held = agent_records.usable_notes(game, seat)
    if _done_note(notes_held, start_window):
        return
    key = preparation_key(start_window)
    decision = build_decision(game, seat, start_window, position, notes_held, purpose=key)
    recorder = RequestRecorder(game, seat, key, recipe, decision.round_start, LLMCall.PREPARATION)
    new_notes: tuple[Note, ...]
    instead: dict[str, str] = {}
    try:
        new_notes = (
            crashed_preparation_notes(recipe, decision)
            if is_set_aside(lease)
            else prepare(recipe, decision, recorder)
        )
    except DatabaseError:  # not the mind's fault: the next caller tries again
        raise
    except daily_budget.Exhausted:
        built_in, instead = recipe.built_in(), {"instead": recipe.backend}
        new_notes = prepare(built_in, decision, recorder.with_recipe(built_in, INSTEAD))
    except Exception:  # a bug in a mind must not block the table for good
        logger.exception("seat %s of %s could not prepare at %s", seat, game, key)
        new_notes = crashed_preparation_notes(recipe, decision)
    with cached_games.locked_cached_game(game.pk) as now:  # removal of text takes the same lock
        recorder.store_calls(now)
        kept_notes = redact_outdated_notes(decision.view, now, new_notes)
        done_note = Note(PREPARED, decision.round_start, instead)
        agent_records.store_notes(game, seat, key, [*kept_notes, done_note])
        release_lease(lease)
    with _preparation_done:
        _preparation_done.notify_all()
