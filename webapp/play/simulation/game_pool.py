"""Plays games of agents alone in this process, in threads that do what workers do.

The summary of a game has its result, its agents and their failures.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from django.db import connection

from agents.backends import HOUSE
from agents.decision import FAILED
from agents.personas.own_style import parse_own_style
from agents.recipe import Recipe
from game import cached_games, selectors, services
from game.engine import labels, rulesets, visibility
from game.engine.events import PUBLIC, RECORD, Event, digest
from game.engine.visibility import View
from game.models import Game
from webapp.connections import disable_synchronous_commit
from webapp.play.live import dispatch
from webapp.play.models import LLMCall, MindNote
from webapp.play.simulation.game_plans import GamePlan, GamePlanner
from webapp.play.turns import answering
from webapp.play.turns.answering import answer_window

THREADS_PER_TABLE = 18  # with models, a table's agents prepare and answer polls at once
MAX_THREADS = 400
# The summary of a game, or the error that ended it.
GameResult = dict[str, Any] | Exception


class StartedGame(NamedTuple):
    game: Game
    began: float  # on the monotonic clock


class Simulation:
    """A pool that plays up to `concurrency` games at once.

    Args:
        has_models: The agents wait for a model, so all agents of a game may think at once.
        use_lease: Take leases, because other processes may play the same games.
        on_end: Called with the id of each game that has ended.
    """

    def __init__(
        self,
        concurrency: int,
        has_models: bool,
        *,
        use_lease: bool = False,
        on_end: Callable[[int], None] = lambda game_id: None,
    ) -> None:
        self._use_lease, self._on_end = use_lease, on_end
        threads = min(MAX_THREADS, concurrency * (THREADS_PER_TABLE if has_models else 1))
        self._pool = ThreadPoolExecutor(threads)
        self._open_connections(
            threads, connection.ensure_connection if has_models else disable_synchronous_commit
        )
        self._capacity = threading.Semaphore(concurrency)
        self._ended: dict[int, threading.Event] = {}
        self._errors: dict[int, Exception] = {}
        self._is_stopped = False

    def _open_connections(self, threads: int, connect: Callable[[], None]) -> None:
        """Open every thread's connection before a game is timed.

        With built-in players (`disable_synchronous_commit`) a power cut may lose the
        last games of a batch, but never a reply of a paid model.
        """
        all_connected = threading.Barrier(threads + 1)

        def connect_and_wait() -> None:
            connect()
            all_connected.wait()

        for _ in range(threads):
            self._pool.submit(connect_and_wait)
        all_connected.wait()

    def on_game_changed(self, game_id: int, opened: list[str]) -> None:
        """Receive the change of a game (`dispatch.Sink`): queue the work of its agents."""
        waiting_position = None if opened else cached_games.latest_cached(game_id)
        if waiting_position and waiting_position.windows:  # other agents are still working on it
            return
        game, position = cached_games.current_game(game_id, is_only_writer=True)
        for key, seat in answering.find_preparations(position, opened):
            self._submit(answering.prepare_round, game_id, seat, key)
        for key, seat in selectors.agents_missing(position, opened):
            self._submit(partial(answer_window, use_lease=self._use_lease), game_id, seat, key)
        if game.ended_at:
            self._mark_ended(game_id)

    def _submit(self, work: Callable[[int, int, str], None], *arguments: Any) -> None:
        if not self._is_stopped:
            with suppress(RuntimeError):  # the pool was stopped just now
                self._pool.submit(self._work, work, *arguments)

    def stop(self) -> None:
        """Start no more work, and wait until the running answers are stored."""
        self._is_stopped = True
        self._pool.shutdown(cancel_futures=True)

    def close(self) -> None:
        """Let the threads end as soon as they are idle."""
        self._pool.shutdown(wait=False)

    def _work(
        self, work: Callable[[int, int, str], None], game_id: int, seat: int, key: str
    ) -> None:
        try:
            work(game_id, seat, key)
        except Exception as error:
            self._errors[game_id] = error
            self._mark_ended(game_id)

    def _mark_ended(self, game_id: int) -> None:
        ended = self._ended.setdefault(game_id, threading.Event())
        if not ended.is_set():
            ended.set()
            self._capacity.release()
            self._on_end(game_id)

    def error(self, game_id: int) -> Exception | None:
        return self._errors.get(game_id)

    def start(self, plan: GamePlan) -> StartedGame:
        """Begin a game as soon as the pool has capacity."""
        self._capacity.acquire()
        seats = [services.SeatPlan("agent", recipe) for recipe in plan.recipes]
        began = time.monotonic()
        game = services.create(
            plan.ruleset, seats, seed=plan.seed, settings=plan.settings, pace="none"
        )
        return StartedGame(game, began)

    def resume(self, game: Game) -> StartedGame:
        """Continue a game that was begun before, as soon as the pool has capacity."""
        if game.ended_at and game.started_at:
            self._ended.setdefault(game.pk, threading.Event()).set()
            duration = (game.ended_at - game.started_at).total_seconds()
            return StartedGame(game, time.monotonic() - duration)
        self._capacity.acquire()
        began = time.monotonic()
        self.on_game_changed(game.pk, list(cached_games.cached_game(game).windows))
        return StartedGame(game, began)

    def result(self, started: StartedGame) -> GameResult:
        game = started.game
        self._ended.setdefault(game.pk, threading.Event()).wait()
        if game.pk in self._errors:
            return self._errors[game.pk]
        game_result = game_summary(game, time.monotonic() - started.began)
        cached_games.remove_from_cache(game.pk)  # it is over and will not be read again
        return game_result


def find_earlier_game(plan: GamePlan) -> Game | None:
    """Return the latest game that was begun by the same plan, None for none."""
    same_deal = Game.objects.filter(ruleset=plan.ruleset, seed=plan.seed)
    for game in same_deal.filter(table=None, called_off=False).order_by("-pk"):
        recipes = list(game.players.values_list("recipe", flat=True))
        if plan.settings.items() <= game.settings.items() and recipes == plan.recipes:
            return game
    return None


def run_batch(
    planner: GamePlanner,
    numbers: Iterable[int],
    concurrency: int,
    *,
    has_models: bool,
    should_resume: bool = False,
    should_replay: bool = False,
) -> Generator[GameResult]:
    """Play the games `numbers` of a batch. Yield their results in order.

    If the generator is closed early, it first stores the answers that agents are computing.

    Args:
        should_resume: Continue games that were begun before instead of beginning them again.
        should_replay: After a void game, which is yielded too, play another game of its deal.
    """
    simulation = Simulation(concurrency, has_models)

    def begin(number: int, void_games: int = 0) -> StartedGame:
        plan = planner(number, void_games)
        earlier_game = find_earlier_game(plan) if should_resume else None
        return simulation.resume(earlier_game) if earlier_game else simulation.start(plan)

    def finish(number: int, started: StartedGame) -> Iterator[GameResult]:
        for void_games in count(1):
            yield (result := simulation.result(started))
            if not should_replay or isinstance(result, Exception) or result["counts"]:
                return
            started = begin(number, void_games)

    with dispatch.diverted(simulation.on_game_changed):
        try:
            # (number of the game, started game)
            under_way: deque[tuple[int, StartedGame]] = deque()
            for number in numbers:
                under_way.append((number, begin(number)))
                if len(under_way) >= 2 * concurrency:  # results are in order
                    yield from finish(*under_way.popleft())
            while under_way:
                yield from finish(*under_way.popleft())
        except BaseException:
            simulation.stop()
            raise
        simulation.close()


def game_summary(game: Game, seconds: float) -> dict[str, Any]:
    """Return the summary of a game, JSON-shaped. docs/models.md explains its figures."""
    view = selectors.view_for(game, visibility.MODERATOR)
    log, state = view.events, view.state
    all_labels = [label for e in log for label in e.labels]
    wording = rulesets.get(game.ruleset).wording
    statement_kinds = wording.kinds_of_shape("statement")
    kinds = Counter(labels.label_kind(label) for label in all_labels)
    requests = _count_requests(game)
    ending = next(e["reason"] for e in reversed(log) if e.kind == "game_over")
    return {
        "game": game.code,
        "ruleset": game.ruleset,
        "seed": game.seed,
        "winner": state.winner,
        "out": [view.name(s) for s in state.out],
        "roles": {view.name(s): state.roles[s] for s in sorted(state.roles)},
        "votes": [_vote_names(view, e) for e in log if e.kind in wording.ballots],
        "statements": sum(e.kind in statement_kinds and e.audience == PUBLIC for e in log),
        "fallbacks": kinds[labels.FALLBACK],
        "llm_calls": sum(requests["requests"].values()),
        "seconds": round(seconds, 3),
        "digest": digest(log),
        "ending": ending,
        "settings": dict(state.settings),
        "counts": wording.endings[ending].is_result,
        "agents": {p.name: _agent_facts(p.recipe) for p in game.players.all()},
        "polls": _poll_votes(view),
        "repaired": kinds["repaired"],
        "labels": dict(sorted(Counter(all_labels).items())),
        "failed_preparations": _count_failed_preparations(game),
        **requests,
    }


def _agent_facts(data: dict[str, Any]) -> dict[str, Any]:
    recipe = Recipe.of(data)
    persona = recipe.persona if "persona" in recipe.faculties else None
    style = None
    if persona and persona.style:
        style = parse_own_style(persona.style).character.name
    return {
        "backend": recipe.backend,
        "method": recipe.method,
        "context": recipe.context,
        "plain": recipe.has_plain_speech,
        "persona": dict(persona.scores) if persona else None,
        "style": style,
        "switches": recipe.switch_values,
    }


def _vote_names(view: View, event: Event) -> dict[str, Any]:
    targets = event.data.get("targets")
    target = view.name(targets[0]) if targets else None
    return {"voter": view.name(event["seat"]), "target": target}


def _poll_votes(view: View) -> list[dict[str, Any]]:
    """Return {"day", "round", "votes"} of each straw poll, in the order they were opened."""
    polls: dict[str, dict[str, Any]] = {}
    for event, state in visibility.steps_with_states(view):
        window = state.windows.get(event.data.get("key", ""))
        is_poll = window and window.answer_audience == RECORD and window.seats
        if event.kind == "window_opened" and window and is_poll:
            moment = window.moment
            polls[window.key] = {"day": moment.day, "round": moment.round, "votes": []}
        elif event.data.get("window") in polls and "seat" in event.data:
            polls[event["window"]]["votes"].append(_vote_names(view, event))
    return list(polls.values())


def _count_failed_preparations(game: Game) -> dict[str, dict[str, int]]:
    """Return faculty -> cause -> how often it failed."""
    failures: dict[str, Counter[str]] = {}
    for data in MindNote.objects.filter(game=game, faculty=FAILED).values_list("data", flat=True):
        failures.setdefault(data["faculty"], Counter())[data["cause"]] += 1
    return {faculty: dict(sorted(failures[faculty].items())) for faculty in sorted(failures)}


def _count_requests(game: Game) -> dict[str, Any]:
    """Count the requests to models by kind, their failures, and their tokens."""
    rows = LLMCall.objects.filter(game=game).exclude(backend=HOUSE).exclude(purpose=LLMCall.RIVAL)
    kinds: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for kind, failure, exchange in rows.values_list("kind", "failure", "exchange"):
        kinds[kind] += 1
        if failure:
            failures[failure] += 1
        exchange_data = exchange or {}
        totals["retries"] += exchange_data.get("retries") or 0
        totals["left_out"] += bool(exchange_data.get("left_out"))
        for name, tokens in (exchange_data.get("usage") or {}).items():
            totals[name] += tokens or 0
    return {
        "requests": dict(sorted(kinds.items())),
        "failed_requests": dict(sorted(failures.items())),
        "retries": totals["retries"],
        "left_out": totals["left_out"],  # requests whose talk was too long
        "tokens_in": totals["prompt_tokens"],
        "tokens_out": totals["completion_tokens"],
    }
