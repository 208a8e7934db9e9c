"""Games of language models against the test endpoint: requests, characters, the clock.

.venv/bin/python -m tests.bench models      # BENCH_LATENCY: the endpoint's, in seconds; 0.2
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
PATH = {"baseline": 26, "b5p": 26, "favor": 28, "strategy": 31, "full": 33}  # in L


@contextmanager
def endpoint(latency: float, faults: str = "") -> Iterator[str]:
    """A server in a process of its own; gives its address."""
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
    """(results, processor seconds) of `manage.py simulate` in a process of its own."""
    env = {
        **os.environ,
        "FABULA_DATA": data,
        "OPENAI_API_KEY": "any",
        "OPENAI_BASE_URL": url,
        "OPENAI_MODEL": "test",
    }
    given = {"ruleset": "one-night", "backend": "openai", "seed": "bench", "games": 1, **options}
    more = [f"--{key}" if value is True else f"--{key}={value}" for key, value in given.items()]
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=env, check=True)
    before = os.times()
    done = subprocess.run(
        [sys.executable, "manage.py", "simulate", *more],
        env=env,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    return [json.loads(line) for line in done.stdout.splitlines()], spent


def column(data: str, question: str) -> list[str]:
    """The answers to a question to the folder's database."""
    (file,) = Path(data).glob("*.sqlite3")
    with sqlite3.connect(file) as connection:
        return [row[0] for row in connection.execute(question)]


def prompts(data: str) -> list[list[str]]:
    """Every seat's prompts, in the order they were asked, of every game in the folder."""
    question = "select json_array(game_id, seat, exchange) from play_llmcall order by id"
    found: dict[tuple[int, int], list[str]] = {}
    for game, seat, exchange in map(json.loads, column(data, question)):
        if exchange:
            told = json.loads(exchange)["messages"]
            found.setdefault((game, seat), []).append("\n".join(m["content"] for m in told))
    return list(found.values())


def shared(told: list[list[str]]) -> float:
    """The share of prompts' characters that stood, as a beginning, in one before of that seat."""
    kept = total = 0
    for asked in told:
        for number, prompt in enumerate(asked):
            kept += max((alike(prompt, before) for before in asked[:number]), default=0)
            total += len(prompt)
    return kept / total


def alike(one: str, other: str) -> int:
    """How many characters both begin with."""
    differ = (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differ, min(len(one), len(other)))


def exchanges(data: str) -> list[dict[str, Any]]:
    """What went over the line, of every game in the folder."""
    found = column(data, "select exchange from play_llmcall where exchange is not null")
    return [json.loads(text) for text in found]


def failures(data: str) -> list[str]:
    return column(data, "select failure from play_llmcall")


def labelled(data: str) -> list[str]:
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
                found, again = exchanges(data), shared(prompts(data))
            told = sum(len(m["content"]) for e in found for m in e["messages"])
            frames = sum(len(e["messages"][0]["content"]) for e in found)
            answers = sum(len(e.get("answer", "")) for e in found)
            print(
                f"{method:9} {game['llm_calls']:9} {game['seconds']:8.1f} "
                f"{game['seconds'] / latency:10.1f} {PATH[method]:3} {told:15} {answers:13} "
                f"{frames / told:6.0%} {again:13.0%}"
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


ENDED = """
from game.models import Game
game = Game.objects.get(code="CODE")
print((game.ended_at - game.started_at).total_seconds() if game.ended_at else "")
"""


def through_celery(latency: float) -> None:
    """The same game with web, worker, sweeper and Redis as processes of their own."""
    with endpoint(latency) as url:
        env = {"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": url, "OPENAI_MODEL": "test"}
        with Stack(env=env) as stack:
            for number in range(2):  # the first one finds a worker that has just started
                host = Robot.host(stack.url, 0, mode="watch", backend="openai", method="full")
                code = asyncio.run(host).game
                ended = ENDED.replace("CODE", code)
                took = wait_until(partial(answer, stack, ended), "the game's end", 120)
                print(f"through Celery, game {number + 1}: {float(took) / latency:.1f} L")


def answer(stack: Stack, question: str) -> str:
    return stack.shell(question).strip()


def with_faults() -> None:
    with endpoint(0.0, FAULTS) as url, tempfile.TemporaryDirectory() as data:
        results, _spent = simulate(url, data, method="full", games=10, concurrency=2)
        causes = Counter(cause for cause in failures(data) if cause)
        labels = Counter(labelled(data))
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
