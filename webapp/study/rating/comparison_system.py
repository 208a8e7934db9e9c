"""Answers of comparison systems in place of players, at windows of a game's log (Guarded 5).

A comparison system ("rival" in stored keys) is a recipe that did not play the game. It gets the
view that the seat had when the window opened, and a mind from its own preparations only. Its
requests are stored in `LLMCall` under window keys of their own, so no campaign sends one twice.
"""

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
from django.db.models import QuerySet

from agents import backends
from agents.decision import Decision, Note, mind_at
from agents.model_catalog import InvalidCatalog
from agents.personas.styles import draw_style_character
from agents.recipe import Recipe
from agents.think import Thought, prepare, think
from game import cached_games
from game.engine.events import Moment
from game.engine.labels import FALLBACK, details_of_kind
from game.engine.seeded_random import SeededRandom
from game.models import Game
from game.models import Window as WindowRow
from webapp.celery import send
from webapp.play.models import LLMCall
from webapp.play.turns.answering import preparation_key
from webapp.play.turns.leases import hold_lease
from webapp.play.turns.llm_calls import RequestRecorder, build_decision
from webapp.study.games import situations
from webapp.study.games.public_talk import talk_of
from webapp.study.models import Campaign, Stimulus
from webapp.study.rating import stimuli, unit_candidates, units

logger = logging.getLogger(__name__)
KEY_PREFIX = "rival."  # begins the window keys of requests to comparison systems
KEY_DIGEST_CHARS = 12  # enough to tell the recipes of a site apart
CONTINUATION = "continued"  # kind and step of the `LLMCall` of a whole answer (`continuations`)
LEASE_WAIT_S = 60.0  # after this time the task gives up, so that the worker can do other tasks
POLL_INTERVAL_S = 0.1  # pause between two attempts to get the lease
MAX_CAUSE_CHARS = 60  # causes of failures are cut to this length


def count_answers(campaign: Campaign) -> dict[str, Any]:
    """Count the answers of units that are not withdrawn, by state and by cause of failure."""
    answers = stimuli.system_answers(unit__campaign=campaign, unit__withdrawn=False)
    rows = list(answers.values_list("state", "failure"))
    states = Counter(state for state, _failure in rows)
    causes = Counter(failure for state, failure in rows if state == Stimulus.FAILED)
    return {
        "made": states[Stimulus.READY],
        "waiting": states[Stimulus.WAITING],
        "failed": states[Stimulus.FAILED],
        "failures": dict(sorted(causes.items())),
    }


def unavailable_reason(campaign: Campaign) -> str:
    """Return in one word why a system's backend is unavailable, "" if all are available."""
    for system in campaign.systems.values():
        try:
            if reason := backends.error_cause(Recipe.of(system.recipe).backend_for("statement")):
                return reason
        except InvalidCatalog:
            return "unknown"
    return ""


def queue_answers(campaign: Campaign) -> int:
    """Queue every missing or failed answer, and return their number. Draw missing units first."""
    situations.request_reading(unit_candidates.games_without_situations(campaign))
    with transaction.atomic():
        row = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if not row.has_ratings:
            units.draw_units(row)
        failed = stimuli.system_answers(unit__campaign=row, state=Stimulus.FAILED)
        for stimulus in failed.select_related("unit__game", "unit__campaign"):
            _delete_requests(stimulus)
        failed.update(state=Stimulus.WAITING, failure="")
        waiting = stimuli.system_answers(
            unit__campaign=row, unit__withdrawn=False, state=Stimulus.WAITING
        )
        ids = list(waiting.values_list("pk", flat=True))
        # `all` stops at the first answer that the queue does not accept.
        transaction.on_commit(lambda: all(send("study.rival", stimulus_id) for stimulus_id in ids))
    return len(ids)


def make_answer(stimulus: Stimulus) -> None:
    """Make a system's answer and store its text, or the cause of its failure. Idempotent."""
    row = Stimulus.objects.select_related("unit__campaign", "unit__game").get(pk=stimulus.pk)
    unit = row.unit
    if row.state != Stimulus.WAITING or unit.game is None or unit.seat is None:
        return
    if (recipe := _recipe_of(row)) is None:
        return
    with wait_for_lease(unit.game.pk, unit.seat, build_window_key(recipe)):
        answer_fields = _request_answer(row, recipe)
    with transaction.atomic():
        unit.campaign = Campaign.objects.select_for_update().get(pk=unit.campaign_id)
        # Discard the answer if the researcher has chosen another recipe meanwhile.
        if _recipe_of(row) == recipe:
            Stimulus.objects.filter(pk=row.pk, state=Stimulus.WAITING).update(**answer_fields)
    stimulus.refresh_from_db()


@contextmanager
def wait_for_lease(game_id: int, seat: int, key: str) -> Iterator[None]:
    """Hold the lease of an answer as soon as no other worker does, or raise TimeoutError."""
    deadline = time.monotonic() + LEASE_WAIT_S
    while True:
        with hold_lease(game_id, seat, key) as lease:
            if lease:
                yield
                return
        if time.monotonic() >= deadline:
            raise TimeoutError(f"another worker has held {key} for {LEASE_WAIT_S:.0f} s")
        time.sleep(POLL_INTERVAL_S)


def _recipe_of(stimulus: Stimulus) -> Recipe | None:
    """Return the cast recipe of an answer's system, None if the system was removed."""
    unit = stimulus.unit
    assert unit.game is not None
    assert unit.seat is not None
    system = unit.campaign.systems.get(stimulus.place)
    return cast_recipe(Recipe.of(system.recipe), unit.game, unit.seat) if system else None


def cast_recipe(recipe: Recipe, game: Game, seat: int) -> Recipe:
    """Return the recipe with a persona or style drawn for the seat, if its method has one."""
    style = draw_style_character(recipe.faculties, game.seed, seat)
    return recipe.cast(f"{game.seed}/rival/{seat}", style)


def build_window_key(recipe: Recipe | None, window: str = "") -> str:
    """Return the window key under which a system's requests in a window are stored."""
    data = json.dumps(recipe.data() if recipe else None, sort_keys=True)
    digest = hashlib.sha256(data.encode()).hexdigest()[:KEY_DIGEST_CHARS]
    return f"{KEY_PREFIX}{digest}.{window}"


def stored_calls(game: Game, seat: int, window: str, recipe: Recipe | None) -> QuerySet[LLMCall]:
    """Return the stored requests of a system in a window, and its stored whole answer."""
    key = build_window_key(recipe, window)
    return LLMCall.objects.filter(game=game, seat=seat, window=key)


def _request_answer(stimulus: Stimulus, recipe: Recipe) -> dict[str, Any]:
    """Return the fields of a stimulus with its answer."""
    unit = stimulus.unit
    assert unit.game is not None
    assert unit.seat is not None
    window = talk_of(unit.game).turn_at(unit.position).window
    thought, failure = try_turn(unit.game, unit.seat, window, recipe)
    if thought is None:
        return _failed_fields(failure)
    action, labels = thought.answer.action, thought.answer.labels
    if action.kind != "say":
        causes = details_of_kind(FALLBACK, labels)
        return _failed_fields(causes[0] if causes else f"passed ({action.kind})")
    calls = stored_calls(unit.game, unit.seat, window, recipe).filter(failure="")
    requests = calls.exclude(kind=CONTINUATION).order_by("pk")
    last = requests.values_list("backend", "exchange__model", named=True).last()
    return {
        "text": action.text,
        "state": Stimulus.READY,
        "failure": "",
        "labels": list(labels),
        "method": recipe.method,
        "model": (last.exchange__model or last.backend) if last else recipe.backend,
    }


def _failed_fields(cause: str) -> dict[str, Any]:
    return {"text": "", "state": Stimulus.FAILED, "failure": cause[:MAX_CAUSE_CHARS]}


def try_turn(game: Game, seat: int, window: str, recipe: Recipe) -> tuple[Thought | None, str]:
    """Return the thought of `continue_turn`, or None and in one word why the system failed."""
    try:
        return continue_turn(game, seat, window, recipe), ""
    except DatabaseError:  # no failure of the system, so the task runs again
        raise
    except (backends.UnknownBackend, InvalidCatalog):
        return None, "unknown"
    except Exception:
        logger.exception("no continuation of %s in %s by %s", window, game.code, recipe)
        return None, "crash"


def continue_turn(game: Game, seat: int, window: str, recipe: Recipe) -> Thought:
    """Return what a recipe answers in place of a seat. Stored requests are not made again."""
    notes: tuple[Note, ...] = ()
    windows = WindowRow.objects.filter(game=game)
    window_row = windows.get(key=window)
    if recipe.has_preparations:
        rounds = windows.filter(opens_round=True, opened_seq__lte=window_row.opened_seq)
        for round_window in rounds.order_by("opened_seq"):
            key = build_window_key(recipe, preparation_key(round_window))
            decision = _build_decision(game, seat, round_window, key, notes)
            with _recorded_requests(game, seat, key, recipe, decision.round_start) as recorder:
                notes += prepare(recipe, decision, recorder)
    key = build_window_key(recipe, window)
    decision = _build_decision(game, seat, window_row, key, notes)
    with _recorded_requests(game, seat, key, recipe, decision.moment) as recorder:
        return think(recipe, decision, recorder)


@contextmanager
def _recorded_requests(
    game: Game, seat: int, key: str, recipe: Recipe, moment: Moment
) -> Iterator[RequestRecorder]:
    """Yield a recorder of requests, and store its records unless the block fails."""
    recorder = RequestRecorder(game, seat, key, recipe, moment, LLMCall.RIVAL)
    yield recorder
    with cached_games.locked_cached_game(game.pk) as now:
        recorder.store_calls(now)


def _build_decision(
    game: Game, seat: int, window_row: WindowRow, key: str, notes: tuple[Note, ...]
) -> Decision:
    """Return the seat's decision in the window, with the system's own mind and random numbers."""
    decision = build_decision(game, seat, window_row)
    mind = mind_at(notes, decision.moment, ())
    return replace(decision, mind=mind, rng=SeededRandom(f"{game.seed}/{key}/{seat}"))


def _delete_requests(stimulus: Stimulus) -> None:
    """Delete the stored requests of a system's answer, so that they are sent again."""
    unit = stimulus.unit
    if unit.game is None or unit.seat is None:
        return
    recipe = _recipe_of(stimulus)
    window = talk_of(unit.game).turn_at(unit.position).window
    stored_calls(unit.game, unit.seat, window, recipe).delete()
