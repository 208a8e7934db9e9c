"""Games of agents alone in this process: the same `fill` as a worker's, on a pool of threads."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from django.db import connection

from agents import backends
from agents.recipe import Recipe
from game import selectors, services
from game.engine import rulesets, views
from game.engine.events import Event, digest
from game.models import Game
from webapp.play import dispatch, preparing
from webapp.play.filling import fill
from webapp.play.models import Asked

AT_A_TABLE = 18  # agents of one game that may think at once: all prepare, all are polled
MOST = 400  # threads


class Simulation:
    """Up to `concurrency` games are under way at once.

    waiting: their agents wait for a model, so that all of a table's may think at once.
    """

    def __init__(self, concurrency: int, waiting: bool) -> None:
        threads = min(MOST, concurrency * (AT_A_TABLE if waiting else 1))
        self._pool = ThreadPoolExecutor(threads)
        self._warm(threads)
        self._places = threading.Semaphore(concurrency)
        self._over: dict[int, threading.Event] = {}
        self._errors: dict[int, Exception] = {}

    def _warm(self, threads: int) -> None:
        """Every thread opens its connection before a game is timed."""
        all_there = threading.Barrier(threads + 1)

        def begin() -> None:
            connection.ensure_connection()
            all_there.wait()

        for _ in range(threads):
            self._pool.submit(begin)
        all_there.wait()

    def sink(self, game_id: int, opened: list[str]) -> None:
        """Hear that a game changed: give its agents their work, or note that it is over."""
        for key, seat in preparing.called_for(game_id, opened):
            self._pool.submit(self._work, preparing.begin, game_id, seat, key)
        for key, seat in selectors.agents_missing(game_id, opened) if opened else ():
            self._pool.submit(self._work, partial(fill, leased=False), game_id, seat, key)
        if not opened and Game.objects.filter(pk=game_id, ended_at__isnull=False).exists():
            self._end(game_id)

    def _work(
        self, work: Callable[[int, int, str], None], game_id: int, seat: int, key: str
    ) -> None:
        try:
            work(game_id, seat, key)
        except Exception as error:
            self._errors[game_id] = error
            self._end(game_id)

    def _end(self, game_id: int) -> None:
        over = self._over.setdefault(game_id, threading.Event())
        if not over.is_set():
            over.set()
            self._places.release()

    def start(self, ruleset: str, seed: str, recipe: Recipe) -> tuple[Game, float]:
        """Begin a game as soon as there is a place for it."""
        self._places.acquire()
        seats = range(1, len(rulesets.get(ruleset).deck) + 1)
        plans = [services.SeatPlan("agent", recipe.cast(f"{seed}/{s}").data()) for s in seats]
        began = time.monotonic()
        return services.create(ruleset, plans, seed=seed, pace="none"), began

    def result(self, game: Game, began: float) -> dict[str, Any] | Exception:
        """Wait for the game's end and sum it up."""
        self._over.setdefault(game.pk, threading.Event()).wait()
        if game.pk in self._errors:
            return self._errors[game.pk]
        return summary(game, time.monotonic() - began)


def simulate(
    ruleset: str, *, games: int, seed: str, recipe: Recipe, concurrency: int
) -> Iterator[dict[str, Any] | Exception]:
    """Play `games` games, game i from the seed "`seed`/i"; gives them in order."""
    simulation = Simulation(concurrency, waiting=recipe.backend != backends.HOUSE)
    with dispatch.diverted(simulation.sink):
        begun: list[tuple[Game, float]] = []
        given = 0
        for number in range(games):
            begun.append(simulation.start(ruleset, f"{seed}/{number}", recipe))
            if number + 1 - given >= 2 * concurrency:
                yield simulation.result(*begun[given])
                given += 1
        for pair in begun[given:]:
            yield simulation.result(*pair)


def summary(game: Game, seconds: float) -> dict[str, Any]:
    """A finished game as `manage.py simulate` prints it."""
    view = selectors.view_for(game, views.MODERATOR)
    log, state = view.events, view.state
    labels = Counter(e.label.split(":")[0] for e in log)
    return {
        "game": game.code,
        "ruleset": game.ruleset,
        "seed": game.seed,
        "winner": state.winner,
        "out": [view.name(s) for s in state.out],
        "roles": {view.name(s): state.roles[s] for s in sorted(state.roles)},
        "votes": [_vote(view, e) for e in log if e.kind == "vote"],
        "statements": sum(e.kind == "statement" for e in log),
        "fallbacks": labels["fallback"],
        "llm_calls": Asked.objects.filter(game=game).exclude(backend="house").count(),
        "seconds": round(seconds, 3),
        "digest": digest(log),
    }


def _vote(view: views.View, event: Event) -> dict[str, Any]:
    targets = event.data.get("targets")
    target = view.name(targets[0]) if targets else None
    return {"voter": view.name(event["seat"]), "target": target}
