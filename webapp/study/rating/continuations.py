"""Answers of several systems at one turn of a finished game, in place of the player (Guarded 5).

An answer is stored as an `LLMCall` with its own step, beside its requests. So it is made once, and
it is redacted and deleted with them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from agents import backends
from agents.model_catalog import BadCatalog
from agents.recipe import Recipe
from agents.switches import BadRecipe, parse_switches
from game import selectors
from game.engine.labels import FALLBACK, details_of_kind
from game.models import Game, moment_columns
from game.models import Window as WindowRow
from webapp.play.models import LLMCall
from webapp.study.games.public_talk import SpokenTurn, talk_of
from webapp.study.rating.comparison_system import CONTINUED as STEP
from webapp.study.rating.comparison_system import cast_for, key_for, try_turn, wait_for_lease
from webapp.task_queue import send

MAX_SYSTEMS = 6
MAX_QUOTED_CHARS = 60  # of a text that names no system


class BadSystem(ValueError):
    """The text names no system. The message says how to write one."""


@dataclass(frozen=True)
class SystemAnswer:
    """Answer of a system.

    Attributes:
        failure: Why the system gave no usable answer, "" if it did. A fallback has text as well.
        is_waiting: Whether no answer is stored yet.
    """

    system: str
    text: str = ""
    labels: tuple[str, ...] = ()
    failure: str = ""
    is_waiting: bool = False


def parse_system(text: str) -> Recipe:
    """Return the recipe of "MODEL/METHOD:SWITCH=VALUE,…"."""
    system, _colon, switches = text.partition(":")
    backend, slash, method = system.rpartition("/")
    if not slash:
        raise BadSystem(
            f"“{_shorten(text)}” is no system: write MODEL/METHOD, such as house/guarded"
        )
    try:
        backends.get(backend)
        pairs = [pair for pair in switches.split(",") if pair]
        return Recipe(backend, method, switches=parse_switches(pairs))
    except backends.UnknownBackend:
        choices = ", ".join(backends.names())
        raise BadSystem(f"there is no model “{_shorten(backend)}”: choose {choices}") from None
    except (BadRecipe, BadCatalog) as error:
        raise BadSystem(f"“{_shorten(text)}”: {error.args[0]}") from None


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_QUOTED_CHARS else f"{text[:MAX_QUOTED_CHARS]}…"


def parse_systems(texts: list[str]) -> dict[str, Recipe]:
    """Return the recipes by their text.

    Raises:
        BadSystem: A recipe is unknown, or there are too many.
    """
    if len(texts) > MAX_SYSTEMS:
        raise BadSystem(f"{len(texts)} systems are too many: at most {MAX_SYSTEMS}")
    return {text: parse_system(text) for text in texts}


def find_turn(game: Game, window: str, seat: int) -> SpokenTurn | None:
    """Return the public turn of a seat in a window, if there is one."""
    turns = (t for t in talk_of(game).spoken if (t.window, t.seat) == (window, seat))
    return next(turns, None)


def answers_of(
    game: Game, turn: SpokenTurn, systems: Mapping[str, Recipe]
) -> Iterator[SystemAnswer]:
    """Yield the stored answer of each system, or one with `is_waiting` set."""
    for text, recipe in systems.items():
        row = _call_rows(game, turn.seat, turn.window, recipe).filter(step=STEP).first()
        if row is None:
            yield SystemAnswer(text, is_waiting=True)
            continue
        reply = row.reply or {}
        spoken = reply.get("text") or ("" if row.failure else f"({reply.get('pass', 'removed')})")
        yield SystemAnswer(text, spoken, tuple(reply.get("labels", ())), row.failure)


def queue_answers(game: Game, turn: SpokenTurn, systems: Mapping[str, Recipe]) -> bool:
    """Queue the missing and the failed answers. Return whether the queue accepted them."""
    missing = []
    for text, recipe in systems.items():
        rows = _call_rows(game, turn.seat, turn.window, recipe)
        if rows.filter(step=STEP).exclude(failure="").exists():
            rows.delete()
        if not rows.filter(step=STEP).exists():
            missing.append(text)
    return all(send("study.continue_turn", game.pk, turn.seat, turn.window, t) for t in missing)


def make_answer(game: Game, seat: int, window: str, recipe: Recipe) -> None:
    """Make a system's answer and store it. Safe to run twice, concurrently or later.

    Raises:
        TimeoutError: See `wait_for_lease`.
    """
    recipe = cast_for(recipe, game, seat)
    with wait_for_lease(game.pk, seat, key_for(recipe, window)):
        while not _store_answer(game, seat, window, recipe):
            game.refresh_from_db()


def _store_answer(game: Game, seat: int, window: str, recipe: Recipe) -> bool:
    """Make and store an answer if it is missing. Return False if the game changed meanwhile."""
    if _call_rows(game, seat, window, recipe).filter(step=STEP).exists():
        return True
    began = time.monotonic()
    row = LLMCall(
        game=game,
        seat=seat,
        purpose=LLMCall.RIVAL,
        window=key_for(recipe, window),
        step=STEP,
        backend=recipe.backend,
        kind=STEP,
        brief={},
        **moment_columns(WindowRow.objects.get(game=game, key=window).moment),
    )
    thought, row.failure = try_turn(game, seat, window, recipe)
    if thought:
        answer = thought.answer
        row.failure = next(iter(details_of_kind(FALLBACK, answer.labels)), "")[:60]
        row.reply = {"text": answer.action.text, "labels": list(answer.labels)}
        row.reply |= {} if answer.action.kind == "say" else {"pass": answer.action.kind}
    row.seconds = time.monotonic() - began
    with selectors.locked_cached_game(game.pk):
        if Game.objects.get(pk=game.pk).version != game.version:
            return False  # text was removed from it, and the answer may repeat it
        row.save()
    return True


def _call_rows(game: Game, seat: int, window: str, recipe: Recipe) -> QuerySet[LLMCall]:
    """Return the stored requests and the answer of a system at a turn."""
    key = key_for(cast_for(recipe, game, seat), window)
    return LLMCall.objects.filter(game=game, seat=seat, window=key)
