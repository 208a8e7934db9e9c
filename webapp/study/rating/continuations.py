"""Answers of systems at one turn of a finished game, which researchers compare (Guarded 5).

An answer is stored like a request, as an `LLMCall` with the step CONTINUATION. So it is made once,
and it is redacted and deleted with its requests.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from agents import backends
from agents.model_catalog import InvalidCatalog
from agents.recipe import BadRecipe, Recipe, parse_switches
from game import cached_games
from game.engine.labels import FALLBACK, details_of_kind
from game.models import Game, moment_columns
from game.models import Window as WindowRow
from webapp.celery import send
from webapp.play.models import LLMCall
from webapp.study.games.public_talk import SpokenTurn, talk_of
from webapp.study.rating import comparison_system
from webapp.study.rating.comparison_system import CONTINUATION, MAX_CAUSE_CHARS

MAX_SYSTEMS = 6
MAX_MESSAGE_QUOTE_CHARS = 60


class BadSystem(ValueError):
    """The text names no system. The message says how to write one."""


@dataclass(frozen=True)
class SystemAnswer:
    """The stored answer of a system at a turn."""

    system: str  # MODEL/METHOD:SWITCH=VALUE,…
    text: str = ""  # the kind of action in brackets, such as "(skip)", if the system did not speak
    labels: tuple[str, ...] = ()
    failure: str = ""  # why it gave no usable answer; a fallback has text as well
    is_waiting: bool = False  # no answer is stored yet


def parse_system(text: str) -> Recipe:
    """Return the recipe of "MODEL/METHOD:SWITCH=VALUE,…", or raise BadSystem."""
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
    except (BadRecipe, InvalidCatalog) as error:
        raise BadSystem(f"“{_shorten(text)}”: {error.args[0]}") from None


def parse_systems(texts: list[str]) -> dict[str, Recipe]:
    """Return the recipes by their text, or raise BadSystem, also if there are too many."""
    if len(texts) > MAX_SYSTEMS:
        raise BadSystem(f"{len(texts)} systems are too many: at most {MAX_SYSTEMS}")
    return {text: parse_system(text) for text in texts}


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_MESSAGE_QUOTE_CHARS else f"{text[:MAX_MESSAGE_QUOTE_CHARS]}…"


def find_turn(game: Game, seat: int, window: str) -> SpokenTurn | None:
    """Return the public turn of a seat in a window, if there is one."""
    turns = talk_of(game).spoken
    return next((turn for turn in turns if (turn.seat, turn.window) == (seat, window)), None)


def answers_of(
    game: Game, turn: SpokenTurn, systems: Mapping[str, Recipe]
) -> Iterator[SystemAnswer]:
    """Yield the stored answer of each system, or one with `is_waiting` set."""
    for text, recipe in systems.items():
        row = _call_rows(game, turn.seat, turn.window, recipe).filter(step=CONTINUATION).first()
        if row is None:
            yield SystemAnswer(text, is_waiting=True)
            continue
        reply = row.reply or {}
        said = reply.get("text") or ("" if row.failure else f"({reply.get('pass', 'removed')})")
        yield SystemAnswer(text, said, tuple(reply.get("labels", ())), row.failure)


def queue_answers(game: Game, turn: SpokenTurn, systems: Mapping[str, Recipe]) -> bool:
    """Queue the missing and the failed answers. Return whether the queue accepted all."""
    missing = []
    for text, recipe in systems.items():
        rows = _call_rows(game, turn.seat, turn.window, recipe)
        if rows.filter(step=CONTINUATION).exclude(failure="").exists():
            rows.delete()
        if not rows.filter(step=CONTINUATION).exists():
            missing.append(text)
    return all(send("study.continue_turn", game.pk, turn.seat, turn.window, t) for t in missing)


def make_answer(game: Game, seat: int, window: str, recipe: Recipe) -> None:
    """Make a system's answer and store it. Idempotent, and safe to run concurrently."""
    recipe = comparison_system.cast_recipe(recipe, game, seat)
    with comparison_system.wait_for_lease(
        game.pk, seat, comparison_system.build_window_key(recipe, window)
    ):
        while not _store_answer(game, seat, window, recipe):
            game.refresh_from_db()


def _store_answer(game: Game, seat: int, window: str, recipe: Recipe) -> bool:
    """Make and store an answer if none is stored. Return False if the game changed meanwhile."""
    if _call_rows(game, seat, window, recipe).filter(step=CONTINUATION).exists():
        return True
    started_at = time.monotonic()
    row = LLMCall(
        game=game,
        seat=seat,
        purpose=LLMCall.RIVAL,
        window=comparison_system.build_window_key(recipe, window),
        step=CONTINUATION,
        backend=recipe.backend,
        kind=CONTINUATION,
        brief={},
        **moment_columns(WindowRow.objects.get(game=game, key=window).moment),
    )
    thought, row.failure = comparison_system.try_turn(game, seat, window, recipe)
    if thought:
        answer = thought.answer
        row.failure = next(iter(details_of_kind(FALLBACK, answer.labels)), "")[:MAX_CAUSE_CHARS]
        row.reply = {"text": answer.action.text, "labels": list(answer.labels)}
        if answer.action.kind != "say":
            row.reply["pass"] = answer.action.kind
    row.seconds = time.monotonic() - started_at
    with cached_games.locked_cached_game(game.pk):
        if Game.objects.get(pk=game.pk).version != game.version:
            return False  # text was removed from the game, and the answer may repeat it
        row.save()
    return True


def _call_rows(game: Game, seat: int, window: str, recipe: Recipe) -> QuerySet[LLMCall]:
    cast_recipe = comparison_system.cast_recipe(recipe, game, seat)
    return comparison_system.stored_calls(game, seat, window, cast_recipe)
