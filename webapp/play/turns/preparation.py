"""Preparations: the agents' thoughts that run in parallel when a round opens (SPEC 2.5).

A preparation reads only what was said before its round. So all preparations of a table run at once,
beside the polls and the first speaker. An answer waits for its own seat's preparation.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterable

from django.db import DatabaseError

from agents.mind import Note
from agents.recipe import Recipe
from agents.think import failed_preparation_notes, prepare
from game import selectors
from game.cached_games import CachedGame
from game.engine import visibility
from game.models import Game
from game.models import Window as WindowRow
from webapp.play.models import Lease, LLMCall
from webapp.play.turns import daily_budget, mind_notes
from webapp.play.turns.leases import hold_lease, is_set_aside, release_lease
from webapp.play.turns.llm_calls import RecordedAsk, build_decision
from webapp.play.turns.record_redaction import redact_outdated_notes

logger = logging.getLogger(__name__)

PREPARED = "prepared"  # the note that marks a finished preparation
INSTEAD = "instead/"  # prefix of the steps that the built-in player takes in place of a model
POLL_INTERVAL_S = 0.1  # between checks whether another process is done
_preparation_done = threading.Condition()  # signals finished preparations inside this process


def preparation_key(first: WindowRow) -> str:
    """Return the key of the preparation for `first`'s round."""
    return f"prepare.{first.day}.{first.round}"


def find_preparations(position: CachedGame, opened: Collection[str]) -> list[tuple[str, int]]:
    """List the preparations that new windows require, as (first window of a round, seat).

    The first speaker's comes first. opened: the keys of the new windows.
    """
    preparations = []
    for first in position.windows.values():
        if first.key in opened and first.opens_round:
            seats_out = position.view(visibility.MODERATOR).state.out
            agents = (p for p in position.players if p.seat not in seats_out and not p.by_person)
            preparations += [
                (first.key, p.seat)
                for p in sorted(agents, key=lambda p: p.seat not in first.asked)
                if Recipe.of(p.recipe or {}).has_preparations
            ]
    return preparations


def _done_note(notes_held: Iterable[Note], first: WindowRow) -> Note | None:
    began = first.moment.phase_start
    return next((n for n in notes_held if n.faculty == PREPARED and n.moment == began), None)


def is_by_built_in(position: CachedGame, window: WindowRow, notes_held: Iterable[Note]) -> bool:
    """Return whether the built-in player prepared the round of `window` in place of a model."""
    if not daily_budget.is_limited() or (first := position.round_start_window(window)) is None:
        return False
    note = _done_note(notes_held, first)
    return bool(note and note.data.get("instead"))


def ensure_prepared(
    game: Game, position: CachedGame, window: WindowRow, seat: int, recipe: Recipe
) -> list[Note]:
    """Prepare the seat for the round of `window`, or wait until another worker has.

    Returns the seat's usable notes.
    """
    notes_held = mind_notes.usable_notes(game, seat)
    first = position.round_start_window(window) if recipe.has_preparations else None
    while first and not _done_note(notes_held, first):
        with hold_lease(game.pk, seat, preparation_key(first)) as lease:
            if lease:
                _prepare(game, position, first, seat, recipe, lease)
        if not lease:
            with _preparation_done:
                _preparation_done.wait(POLL_INTERVAL_S)
        notes_held = mind_notes.usable_notes(game, seat)
    return notes_held


def _prepare(
    game: Game,
    position: CachedGame,
    first: WindowRow,
    seat: int,
    recipe: Recipe,
    lease: Lease,
) -> None:
    """Prepare the round that `first` opened, unless that is done or killed too many workers."""
    notes_held = mind_notes.usable_notes(game, seat)
    if _done_note(notes_held, first):
        return
    key = preparation_key(first)
    decision = build_decision(game, seat, first, position, notes_held, purpose=key)
    ask = RecordedAsk(game, seat, key, recipe, decision.began, LLMCall.PREPARATION)
    new_notes: tuple[Note, ...]
    instead: dict[str, str] = {}
    try:
        new_notes = (
            failed_preparation_notes(recipe, decision, "crash")
            if is_set_aside(lease)
            else prepare(recipe, decision, ask)
        )
    except DatabaseError:  # not the mind's fault: the next caller tries again
        raise
    except daily_budget.Exhausted:
        built_in, instead = recipe.built_in(), {"instead": recipe.backend}
        new_notes = prepare(built_in, decision, ask.with_recipe(built_in, INSTEAD))
    except Exception:  # a bug in a mind must not block the table for good
        logger.exception("seat %s of %s could not prepare at %s", seat, game, key)
        new_notes = failed_preparation_notes(recipe, decision, "crash")
    with selectors.locked_position(game.pk) as now:  # removal of text takes the same lock
        ask.store_calls(now)
        kept_notes = redact_outdated_notes(decision.view, now, new_notes)
        done_note = Note(PREPARED, decision.began, instead)
        mind_notes.store_notes(game, seat, key, [*kept_notes, done_note])
        release_lease(lease)
    with _preparation_done:
        _preparation_done.notify_all()


def prepare_round(game_id: int, seat: int, window: str) -> None:
    """Prepare an agent for the round that `window` opened. Idempotent."""
    game, position = selectors.current_game(game_id)
    player = position.player(seat)
    first = next((row for row in position.round_windows if row.key == window), None)
    if first and player and not player.by_person:
        recipe = Recipe.of(player.recipe or {})
        if recipe.has_preparations:
            with hold_lease(game_id, seat, preparation_key(first)) as lease:
                if lease:
                    _prepare(game, position, first, seat, recipe, lease)
