"""Runs a batch of simulated games in several processes of `manage.py simulate`."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.conf import settings

from webapp.play.simulation.batch_options import BatchOptions
from webapp.play.simulation.game_summary import GameResult

FAILED = "failed"  # key in the output of a child process: why there is no result


def game_numbers(part: str, games: int) -> range:
    """Return the numbers of the games in a part. "1/2" is every second game, from game 1 on."""
    first, _slash, step = part.partition("/")
    return range(int(first or 0), games, int(step or 1))


def to_json(result: GameResult) -> dict[str, Any]:
    """Return a result in the form that a child process prints for its parent."""
    return {FAILED: repr(result)} if isinstance(result, Exception) else result


@contextmanager
def stoppable() -> Iterator[None]:
    """Make SIGTERM stop the batch as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous_handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous_handler)


def run_in_processes(options: BatchOptions, games: int) -> Generator[GameResult]:
    """Yield the results of a batch of `games` games, in order. Each process plays a part of it.

    The processes have their own process groups, so that Ctrl-C reaches only this process. It stops
    them, and each one first stores the answers that its agents are computing.
    """
    at_once = max(1, math.ceil(options.games_at_once / options.processes))
    shared = replace(options, games=games, concurrency=at_once, processes=1)
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "simulate"]
    running = [
        subprocess.Popen(
            [*command, *replace(shared, part=f"{number}/{options.processes}").to_arguments()],
            cwd=settings.BASE_DIR,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        for number in range(min(options.processes, games))
    ]
    try:
        for number in range(games):
            yield (result := _read_result(running[number % len(running)]))
            while options.setting and isinstance(result, dict) and not result["counts"]:
                # In a paper's setting, a void game is played again.
                yield (result := _read_result(running[number % len(running)]))
    except BaseException:
        for process in running:
            process.terminate()
        raise
    finally:
        for process in running:
            process.communicate()


def _read_result(process: subprocess.Popen[str]) -> GameResult:
    """Read a process's next result, or raise RuntimeError if the process died."""
    assert process.stdout
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"a process of the batch died: exit status {process.wait()}")
    result: dict[str, Any] = json.loads(line)
    return RuntimeError(result[FAILED]) if FAILED in result else result
