"""Plays games of agents alone in this process, in threads that do what workers do."""

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import count
from typing import NamedTuple

from django.db import connection

from game import cached_games, lobby, selectors
from game.models import Game
from webapp.connections import disable_synchronous_commit
from webapp.play.live import notifier
from webapp.play.simulation.game_plans import GamePlan, GamePlanner
from webapp.play.simulation.game_summary import GameResult, game_summary
from webapp.play.turns import answering
from webapp.play.turns.answering import answer_window

THREADS_PER_TABLE = 18  # all agents of the largest table, who prepare and answer polls at once
MAX_THREADS = 400  # each has a connection to the database and to a model's server


class StartedGame(NamedTuple):
    game: Game
    began: float  # on the monotonic clock


class GamePool:
    """Plays up to `concurrency` games at once.

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
        self._executor = ThreadPoolExecutor(threads)
        self._open_connections(
            threads, connection.ensure_connection if has_models else disable_synchronous_commit
        )
        self._capacity = threading.Semaphore(concurrency)
        self._ended: dict[int, threading.Event] = {}
        self._errors: dict[int, Exception] = {}
        self._lock = threading.Lock()  # a game may end in one thread and fail in another
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
            self._executor.submit(connect_and_wait)
        all_connected.wait()

    def on_game_changed(self, game_id: int, opened: list[str]) -> None:
        """Receive the change of a game (`notifier.ChangeHandler`): queue the work of its agents."""
        waiting_position = None if opened else cached_games.latest_cached(game_id)
        if waiting_position and waiting_position.windows:  # other agents are still working on it
            return
        # This process made the change, so its cached version has the new windows.
        game, position = cached_games.current_game(game_id, is_only_writer=True)
        for key, seat in answering.find_preparations(position, opened):
            self._submit(answering.prepare_round, game_id, seat, key)
        for key, seat in selectors.agents_missing(position, opened):
            self._submit(partial(answer_window, use_lease=self._use_lease), game_id, seat, key)
        if game.ended_at:
            self._mark_ended(game_id)

    def _submit(
        self, task: Callable[[int, int, str], None], game_id: int, seat: int, key: str
    ) -> None:
        def run_and_catch() -> None:
            try:
                task(game_id, seat, key)
            except Exception as error:
                self._errors[game_id] = error
                self._mark_ended(game_id)

        if not self._is_stopped:
            with suppress(RuntimeError):  # the pool was stopped just now
                self._executor.submit(run_and_catch)

    def stop(self) -> None:
        """Start no more work, and wait until the running answers are stored."""
        self._is_stopped = True
        self._executor.shutdown(cancel_futures=True)

    def close(self) -> None:
        """Let the threads end as soon as they are idle."""
        self._executor.shutdown(wait=False)

    def _mark_ended(self, game_id: int) -> None:
        with self._lock:
            ended = self._ended.setdefault(game_id, threading.Event())
            if ended.is_set():
                return
            ended.set()
        self._capacity.release()
        self._on_end(game_id)

    def error(self, game_id: int) -> Exception | None:
        return self._errors.get(game_id)

    def start(self, plan: GamePlan) -> StartedGame:
        """Begin a game as soon as the pool has capacity."""
        self._capacity.acquire()
        seats = [lobby.SeatPlan("agent", recipe) for recipe in plan.recipes]
        began = time.monotonic()
        game = lobby.create_game(
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
    pool = GamePool(concurrency, has_models)

    def begin(number: int, void_games: int = 0) -> StartedGame:
        plan = planner(number, void_games)
        earlier_game = find_earlier_game(plan) if should_resume else None
        return pool.resume(earlier_game) if earlier_game else pool.start(plan)

    def finish(number: int, started: StartedGame) -> Iterator[GameResult]:
        for void_games in count(1):
            yield (result := pool.result(started))
            if not should_replay or isinstance(result, Exception) or result["counts"]:
                return
            started = begin(number, void_games)

    with notifier.diverted(pool.on_game_changed):
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
            pool.stop()
            raise
        pool.close()
