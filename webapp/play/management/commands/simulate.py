"""Play games of agents alone, without web server or broker. Print a JSON line for each game."""

import gc
import json
import math
import signal
import subprocess
import sys
import threading
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from webapp.commands import DatabaseCommand
from webapp.play.simulation.batch_options import (
    MODEL_GAMES_AT_ONCE,
    BadOptionError,
    BatchOptions,
    parse_options,
    plan_batch,
)
from webapp.play.simulation.game_pool import run_batch
from webapp.play.simulation.game_summary import GameResult

FAILURE_KEY = "failed"  # key in what a child process writes: why there is no result
GC_THRESHOLD = 20_000  # new objects before a garbage collection: some megabytes


class Command(DatabaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        _add_game_options(parser)
        _add_seat_options(parser)
        _add_run_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        batch_options = parse_options(options)
        try:
            planner, game_count = plan_batch(batch_options)
        except BadOptionError as error:
            raise CommandError(str(error)) from error
        # By default every few queries would trigger a collection of all loaded objects. Those
        # loaded so far stay until the end, so no collection looks at them.
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD, 20, 20)
        if batch_options.processes > 1:
            results = _run_in_processes(batch_options, game_count)
        else:
            results = run_batch(
                planner,
                _game_numbers(batch_options.part, game_count),
                batch_options.games_at_once,
                has_models=batch_options.has_models,
                should_resume=batch_options.go_on,
                should_replay=batch_options.setting is not None,
            )
        with _stoppable(), closing(results):
            if batch_options.part:
                self._write_for_parent(results)
            else:
                self._write_results(results, game_count)

    def _write_results(self, results: Iterable[GameResult], game_count: int) -> None:
        """Write the results as they arrive, and to stderr the progress and the failures."""
        done_games, failures = 0, 0
        try:
            for number, result in enumerate(results, 1):
                done_games = number
                if isinstance(result, Exception):
                    failures += 1
                    self.stderr.write(f"game {number} failed: {result!r}")
                else:
                    self.stdout.write(json.dumps(result, ensure_ascii=False))
                    self.stdout.flush()
                self.stderr.write(f"{number} of {game_count} games", ending="\r")
        except KeyboardInterrupt:
            text = (
                f"stopped after {done_games} of {game_count} games. To continue, repeat the "
                "command with --go-on: no game begins again, and no answered request is sent again."
            )
            raise CommandError(text, returncode=130) from None
        self.stderr.write("")  # ends the line of the progress
        if failures:
            raise CommandError(f"{failures} of {game_count} games failed")

    def _write_for_parent(self, results: Iterable[GameResult]) -> None:
        """Write the results for the process that started this one, failures too."""
        with suppress(KeyboardInterrupt):
            for result in results:
                row = {FAILURE_KEY: repr(result)} if isinstance(result, Exception) else result
                self.stdout.write(json.dumps(row, ensure_ascii=False))
                self.stdout.flush()


def _add_game_options(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--ruleset", required=True, help="the ruleset's name, such as one-night")
    add("--games", type=int, help="how many (with --setting: as many as the paper)")
    add("--seed", required=True, help="a text; batches with the same seed have the same deals")
    add("--backend", default="house", help="who plays: house (the default) or a model's name")
    add("--method", default="baseline", help="the agents' method (baseline): see manage.py recipes")
    add("--setting", help="a paper's setting: it sets the rules, the seats and how many games")
    add("--baseline", help="with --setting, the backend of the seats that are not tested (house)")
    add("--context", help="how much of the talk a model's request holds: paper, whole or evidence")
    _add_repeatable(parser, "--switch", "NAME=VALUE", "a method's switch: see manage.py recipes")


def _add_seat_options(parser: ArgumentParser) -> None:
    add = parser.add_argument
    cast_help = "the backend, method or persona of a seat or role, such as werewolf:method=guarded"
    _add_repeatable(parser, "--cast", "WHO:NAME=VALUE", cast_help)
    add("--plain-speech", action="store_true", help="the built-in players use plain speech")
    _add_repeatable(parser, "--set", "NAME=VALUE", "a setting of the ruleset")
    add("--settings-file", metavar="FILE", help="such as a contest server's (YAML)")
    _add_repeatable(parser, "--style", "FILE", "a style (TOML), for a seat drawn at random")


def _add_repeatable(parser: ArgumentParser, name: str, metavar: str, text: str) -> None:
    help_text = f"{text}; may be given several times"
    parser.add_argument(name, action="append", default=[], metavar=metavar, help=help_text)


def _add_run_options(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--concurrency",
        type=int,
        help=f"games at once ({MODEL_GAMES_AT_ONCE} with a model, else one for each process)",
    )
    add("--processes", type=int, default=1, help="how many processes share the games (1)")
    add("--go-on", action="store_true", help="continue a stopped batch: repeat its options too")
    # The part of a child process, such as "0/2" (`_game_numbers`).
    add("--part", default="", help=SUPPRESS)


def _game_numbers(part: str, game_count: int) -> range:
    """Return the numbers of the games in a part. They start at 0.

    The part "1/2" has every second game from number 1 on.
    """
    first, _slash, step = part.partition("/")
    return range(int(first or 0), game_count, int(step or 1))


@contextmanager
def _stoppable() -> Iterator[None]:
    """Make SIGTERM stop the batch as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():  # it can set no signal handler
        yield
        return
    previous_handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous_handler)


def _run_in_processes(options: BatchOptions, game_count: int) -> Generator[GameResult]:
    """Yield the results of a batch, in order. Each process plays a part of its games.

    The processes have their own process groups, so that Ctrl-C reaches only this process. It stops
    them, and each one first stores the answers that its agents are computing.
    """
    at_once = max(1, math.ceil(options.games_at_once / options.processes))
    shared = replace(options, games=game_count, concurrency=at_once, processes=1)
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "simulate"]
    running = [
        subprocess.Popen(
            [*command, *replace(shared, part=f"{number}/{options.processes}").to_arguments()],
            cwd=settings.BASE_DIR,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for number in range(min(options.processes, game_count))
    ]
    try:
        for number in range(game_count):
            result = None
            # In a paper's setting, a void game is played again by the same process.
            while result is None or (options.setting and _is_void(result)):
                result = _read_result(running[number % len(running)])
                yield result
    except BaseException:
        for process in running:
            process.terminate()
        raise
    finally:
        for process in running:
            process.communicate()


def _is_void(result: GameResult) -> bool:
    return not isinstance(result, Exception) and not result["counts"]


def _read_result(process: subprocess.Popen[str]) -> GameResult:
    """Read a process's next result, a RuntimeError for a failed game.

    Raise RuntimeError if the process died.
    """
    assert process.stdout
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"a process of the batch died: exit status {process.wait()}")
    result: dict[str, Any] = json.loads(line)
    return RuntimeError(result[FAILURE_KEY]) if FAILURE_KEY in result else result
