"""Answers of other systems at moments of a game's log (Guarded, Tables 2–4).

A system answers for a seat in the state in which the window opened. It gets the seat's view, and a
mind from its own preparations only. Its requests are stored in `LLMCall` under separate window
keys, so no campaign sends one twice.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.db import DatabaseError, transaction

from agents import backends
from agents.decision import Decision
from agents.mind import Note, mind_at
from agents.model_catalog import BadCatalog
from agents.personas.styles import character_of
from agents.recipe import Recipe
from agents.think import Thought, prepare, think
from game import selectors
from game.engine.events import Moment
from game.engine.labels import FALLBACK, details_of_kind
from game.engine.seeded_random import SeededRandom
from game.models import Game
from game.models import Window as WindowRow
from webapp.play.models import LLMCall
from webapp.play.turns.answering import preparation_key
from webapp.play.turns.leases import hold_lease
from webapp.play.turns.llm_calls import RecordedAsk, build_decision
from webapp.study.games.public_talk import talk_of
from webapp.study.models import Campaign, Stimulus
from webapp.study.rating import situation_cache, stimuli, units
from webapp.task_queue import send

logger = logging.getLogger(__name__)
IDLE, WAITING, FAILED = "idle", "waiting", "failed"
KEY_PREFIX = "rival."  # prefix of the window keys of such answers
CONTINUED = "continued"  # kind and step of a whole answer (`continuations`)
LEASE_WAIT_S = 60.0  # then the task gives up, so that the worker can do others
POLL_INTERVAL_S = 0.1  # between two attempts to get the lease


def count_answers(campaign: Campaign) -> dict[str, Any]:
    """Return the numbers of made, waiting and failed answers of units that are not withdrawn.

    Returns:
        {"made": n, "waiting": n, "failed": n, "failures": {cause: n}}.
    """
    rows = stimuli.system_answers(unit__campaign=campaign, unit__withdrawn=False)
    state_rows = list(rows.values_list("state", "failure"))
    states = Counter(state for state, _failure in state_rows)
    causes = Counter(failure for state, failure in state_rows if state == FAILED)
    return {
        "made": states[IDLE],
        "waiting": states[WAITING],
        "failed": states[FAILED],
        "failures": dict(sorted(causes.items())),
    }


def unavailable_reason(campaign: Campaign) -> str:
    """Return in one word why a system's backend is unavailable, "" if all are available."""
    for _condition, recipe in campaign.systems.values():
        try:
            if reason := backends.error_cause(Recipe.of(recipe).backend_for("statement")):
                return reason
        except BadCatalog:
            return "unknown"
    return ""


def queue_answers(campaign: Campaign) -> int:
    """Queue every missing or failed answer. The units are drawn first if necessary.

    Returns:
        Their number.

    Raises:
        Refused: The units cannot be drawn.
    """
    situation_cache.request_reading(units.games_without_situations(campaign))
    with transaction.atomic():
        row = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if not row.is_locked:
            units.draw_units(row)
        failed = stimuli.system_answers(unit__campaign=row, state=FAILED)
        for stimulus in failed.select_related("unit__game", "unit__campaign"):
            delete_requests(stimulus)
        failed.update(state=WAITING, failure="")
        unanswered = stimuli.system_answers(
            unit__campaign=row, unit__withdrawn=False, state=WAITING
        )
        keys = list(unanswered.values_list("pk", flat=True))
        # `all` stops at the first answer that the queue does not accept.
        transaction.on_commit(lambda: all(send("study.rival", key) for key in keys))
    return len(keys)


def make_answer(stimulus: Stimulus) -> None:
    """Make a system's answer and store its text. Idempotent.

    Without text the stimulus becomes `failed`, with the cause.

    Raises:
        TimeoutError: See `wait_for_lease`.
    """
    row = Stimulus.objects.select_related("unit__campaign", "unit__game").get(pk=stimulus.pk)
    unit = row.unit
    if row.state != WAITING or unit.game is None or unit.seat is None:
        return
    if (recipe := recipe_of(row)) is None:
        return
    with wait_for_lease(unit.game.pk, unit.seat, key_for(recipe)):
        text, answer_fields = _answer(row, recipe)
    # Discard the answer if the researcher has chosen another recipe meanwhile.
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update().get(pk=unit.campaign_id)
        unit.campaign = campaign
        is_same_recipe = recipe_of(row) == recipe
        waiting = Stimulus.objects.filter(pk=row.pk, state=WAITING)
        if is_same_recipe:
            waiting.update(text=text, **answer_fields)
    stimulus.refresh_from_db()


@contextmanager
def wait_for_lease(game_id: int, seat: int, key: str) -> Iterator[None]:
    """Hold the lease of an answer, after waiting for other workers.

    Raises:
        TimeoutError: Another worker still holds it after LEASE_WAIT_S. The task runs again later.
    """
    deadline = time.monotonic() + LEASE_WAIT_S
    while True:
        with hold_lease(game_id, seat, key) as lease:
            if lease:
                yield
                return
        if time.monotonic() >= deadline:
            raise TimeoutError(f"another worker has held {key} for {LEASE_WAIT_S:.0f} s")
        time.sleep(POLL_INTERVAL_S)


def recipe_of(stimulus: Stimulus) -> Recipe | None:
    """Return the recipe of an answer's system (`cast_for`), None if the system was removed."""
    unit = stimulus.unit
    assert unit.game is not None
    assert unit.seat is not None
    _condition, recipe = unit.campaign.systems.get(stimulus.place, ("", None))
    return cast_for(Recipe.of(recipe), unit.game, unit.seat) if recipe else None


def cast_for(recipe: Recipe, game: Game, seat: int) -> Recipe:
    """Return the recipe with a drawn persona or style, if its method has one."""
    style = character_of(recipe.faculties, game.seed, seat)
    return recipe.cast(f"{game.seed}/rival/{seat}", style)


def key_for(recipe: Recipe | None, window: str = "") -> str:
    """Return the window key under which this rival's requests are stored."""
    data = json.dumps(recipe.data() if recipe else None, sort_keys=True)
    digest = hashlib.sha256(data.encode()).hexdigest()[:12]
    return f"{KEY_PREFIX}{digest}.{window}"


def _answer(stimulus: Stimulus, recipe: Recipe) -> tuple[str, dict[str, Any]]:
    """Return (text, other fields of the stimulus)."""
    unit = stimulus.unit
    assert unit.game is not None
    assert unit.seat is not None
    window = talk_of(unit.game).at(unit.position).window
    thought, failure = try_turn(unit.game, unit.seat, window, recipe)
    if thought is None:
        return "", {"state": FAILED, "failure": failure}
    action, labels = thought.answer.action, thought.answer.labels
    if action.kind != "say":
        causes = details_of_kind(FALLBACK, labels)
        cause = causes[0] if causes else f"passed ({action.kind})"
        return "", {"state": FAILED, "failure": cause[:60]}
    call_rows = LLMCall.objects.filter(
        game=unit.game, seat=unit.seat, window=key_for(recipe, window), failure=""
    )
    call_rows = call_rows.exclude(kind=CONTINUED).order_by("pk")
    last = call_rows.values_list("backend", "exchange__model").last()
    return action.text, {
        "state": IDLE,
        "failure": "",
        "labels": list(labels),
        "method": recipe.method,
        "model": (last[1] or last[0]) if last else recipe.backend,
    }


def try_turn(game: Game, seat: int, window: str, recipe: Recipe) -> tuple[Thought | None, str]:
    """Return (result of `continue_turn`, ""), or (None, cause in one word)."""
    try:
        return continue_turn(game, seat, window, recipe), ""
    except DatabaseError:  # not a failure of the system: the task runs again
        raise
    except (backends.UnknownBackend, BadCatalog):
        return None, "unknown"
    except Exception:
        logger.exception("no continuation of %s in %s by %s", window, game.code, recipe)
        return None, "crash"


def continue_turn(game: Game, seat: int, window: str, recipe: Recipe) -> Thought:
    """Return the answer of a recipe in place of a seat, in a window of a finished game.

    Its requests are stored, so none is made twice.
    """
    notes: tuple[Note, ...] = ()
    window_row = WindowRow.objects.get(game=game, key=window)
    if recipe.has_preparations:
        round_windows = WindowRow.objects.filter(
            game=game, opens_round=True, opened_seq__lte=window_row.opened_seq
        )
        for first in round_windows.order_by("opened_seq"):
            key = key_for(recipe, preparation_key(first))
            decision = _decision(game, seat, first, key, notes)
            with _recorded_requests(game, seat, key, recipe, decision.began) as ask:
                notes += prepare(recipe, decision, ask)
    key = key_for(recipe, window)
    decision = _decision(game, seat, window_row, key, notes)
    with _recorded_requests(game, seat, key, recipe, decision.moment) as ask:
        return think(recipe, decision, ask)


@contextmanager
def _recorded_requests(
    game: Game, seat: int, key: str, recipe: Recipe, moment: Moment
) -> Iterator[RecordedAsk]:
    """Yield a recorder of requests, and store its records at the end."""
    ask = RecordedAsk(game, seat, key, recipe, moment, LLMCall.RIVAL)
    yield ask
    with selectors.locked_cached_game(game.pk) as now:
        ask.store_calls(now)


def _decision(game: Game, seat: int, row: WindowRow, key: str, notes: tuple[Note, ...]) -> Decision:
    """Return the seat's decision in the window, with the rival's own mind and random numbers."""
    decision = build_decision(game, seat, row)
    mind = mind_at(notes, decision.moment, ())
    return replace(decision, mind=mind, rng=SeededRandom(f"{game.seed}/{key}/{seat}"))


def delete_requests(stimulus: Stimulus) -> None:
    """Delete the stored requests of a rival's answer, so that they are sent again."""
    unit = stimulus.unit
    if unit.game is None or unit.seat is None:
        return
    recipe = recipe_of(stimulus)
    window = talk_of(unit.game).at(unit.position).window
    LLMCall.objects.filter(game=unit.game, seat=unit.seat, window=key_for(recipe, window)).delete()
