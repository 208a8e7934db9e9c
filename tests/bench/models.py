"""Requests, characters and duration of games of language models on the test endpoint.

.venv/bin/python -m tests.bench models      # BENCH_LATENCY: of the endpoint in seconds (0.2)
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tests.clients import Robot
from tests.live import Stack, wait_until

METHODS = ("baseline", "b5p", "favor", "strategy", "full")
FAULTS = (
    "garbage=0.01,broken_answer=0.01,half_json=0.01,empty=0.01,foreign=0.01,illegal_name=0.01,"
    "refusal=0.01,http429=0.01,http500=0.01,reset=0.01"
)
# The unit is L, the latency of a request.
PATH = {"baseline": 26, "b5p": 26, "favor": 28, "strategy": 31, "full": 33}


@contextmanager
def endpoint(latency: float, faults: str = "") -> Iterator[str]:
    """Run an endpoint in a separate process. Yields: its URL."""
    command = [sys.executable, "-m", "tests.endpoint", "--port", "0", "--latency", str(latency)]
    command += ["--faults", faults, "--seed", "1"] if faults else []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def simulate(url: str, data: str, **options: object) -> tuple[list[dict[str, Any]], float]:
    """Run `manage.py simulate` in a separate process. Returns: results, processor seconds."""
    env = {
        **os.environ,
        "FABULA_DATA": data,
        "OPENAI_API_KEY": "any",
        "OPENAI_BASE_URL": url,
        "OPENAI_MODEL": "test",
    }
    settings = {"ruleset": "one-night", "backend": "openai", "seed": "bench", "games": 1, **options}
    arguments = [
        f"--{key}" if value is True else f"--{key}={value}" for key, value in settings.items()
    ]
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=env, check=True)
    before = os.times()
    completed = subprocess.run(
        [sys.executable, "manage.py", "simulate", *arguments],
        env=env,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    return [json.loads(line) for line in completed.stdout.splitlines()], spent


def column(data: str, question: str) -> list[str]:
    """Return the first column of an SQL query on the folder's database."""
    (file,) = Path(data).glob("*.sqlite3")
    with sqlite3.connect(file) as connection:
        return [row[0] for row in connection.execute(question)]


def prompts(data: str) -> list[list[str]]:
    """Return the prompts of every seat of every game in the folder, in order."""
    question = "select json_array(game_id, seat, exchange) from play_llmcall order by id"
    prompts_by_seat: dict[tuple[int, int], list[str]] = {}
    for game, seat, exchange in map(json.loads, column(data, question)):
        if exchange:
            prompt_messages = json.loads(exchange)["messages"]
            prompts_by_seat.setdefault((game, seat), []).append(
                "\n".join(m["content"] for m in prompt_messages)
            )
    return list(prompts_by_seat.values())


def shared_prefix_share(prompts_by_seat: list[list[str]]) -> float:
    """Return the share of prompt characters that are a common prefix with an earlier prompt."""
    prefix_chars = total = 0
    for seat_prompts in prompts_by_seat:
        for number, prompt in enumerate(seat_prompts):
            prefix_chars += max(
                (common_prefix_length(prompt, before) for before in seat_prompts[:number]),
                default=0,
            )
            total += len(prompt)
    return prefix_chars / total


def common_prefix_length(first: str, second: str) -> int:
    """Return the length of the common prefix."""
    differ = (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    return next(differ, min(len(first), len(second)))


def exchanges(data: str) -> list[dict[str, Any]]:
    """Return the exchanges of every game in the folder."""
    rows = column(data, "select exchange from play_llmcall where exchange is not null")
    return [json.loads(text) for text in rows]


def failures(data: str) -> list[str]:
    return column(data, "select failure from play_llmcall")


def event_labels(data: str) -> list[str]:
    rows = column(data, "select labels from game_event")
    return [label for row in rows for label in json.loads(row)]


def by_method(latency: float) -> None:
    print(f"one game, L = {latency} s")
    print(
        "method     requests  seconds  path in L  of    prompt chars  answer chars  "
        "frame  begun before"
    )
    with endpoint(latency) as url:
        for method in METHODS:
            with tempfile.TemporaryDirectory() as data:
                ((game,), _spent) = simulate(url, data, method=method)
                all_exchanges, shared_part = exchanges(data), shared_prefix_share(prompts(data))
            chars = sum(len(m["content"]) for e in all_exchanges for m in e["messages"])
            frames = sum(len(e["messages"][0]["content"]) for e in all_exchanges)
            answers = sum(len(e.get("answer", "")) for e in all_exchanges)
            print(
                f"{method:9} {game['llm_calls']:9} {game['seconds']:8.1f} "
                f"{game['seconds'] / latency:10.1f} {PATH[method]:3} {chars:15} {answers:13} "
                f"{frames / chars:6.0%} {shared_part:13.0%}"
            )


def at_once(latency: float) -> None:
    print(f"\nfull games at once, L = {latency} s")
    with endpoint(latency) as url:
        for games in (1, 5, 20):
            with tempfile.TemporaryDirectory() as data:
                results, spent = simulate(url, data, method="full", games=games, concurrency=games)
            longest = max(r["seconds"] for r in results)
            calls = sum(r["llm_calls"] for r in results)
            print(
                f"{games:3} games: the longest {longest:.1f} s, "
                f"{1000 * spent / calls:.0f} ms of our processor a request"
            )


FINISHED_QUERY = """
from game.models import Game
game = Game.objects.get(code="CODE")
print((game.ended_at - game.started_at).total_seconds() if game.ended_at else "")
"""


def through_celery(latency: float) -> None:
    """Run the game with web, worker, sweeper and Redis as separate processes."""
    with endpoint(latency) as url:
        env = {"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": url, "OPENAI_MODEL": "test"}
        with Stack(env=env) as stack:
            for number in range(2):  # the first game has a worker that has just started
                host = Robot.host(stack.url, 0, mode="watch", backend="openai", method="full")
                code = asyncio.run(host).game
                query = FINISHED_QUERY.replace("CODE", code)
                seconds = wait_until(partial(answer, stack, query), "the game's end", 120)
                print(f"through Celery, game {number + 1}: {float(seconds) / latency:.1f} L")


def answer(stack: Stack, question: str) -> str:
    return stack.shell(question).strip()


def with_faults() -> None:
    with endpoint(0.0, FAULTS) as url, tempfile.TemporaryDirectory() as data:
        results, _spent = simulate(url, data, method="full", games=10, concurrency=2)
        causes = Counter(cause for cause in failures(data) if cause)
        labels = Counter(event_labels(data))
    ended = sum(bool(r["winner"]) for r in results)
    print(f"\na tenth of faults: {ended} of 10 games ended, ", end="")
    print(f"{sum(r['fallbacks'] for r in results)} fallbacks; requests that failed, by cause:")
    print("       " + ", ".join(f"{cause} {number}" for cause, number in causes.most_common()))
    print("labels in the logs:", ", ".join(f"{k} {n}" for k, n in labels.most_common()))


def main() -> None:
    latency = float(os.environ.get("BENCH_LATENCY") or 0.2)
    by_method(latency)
    at_once(latency)
    through_celery(latency)
    with_faults()


if __name__ == "__main__":
    main()
