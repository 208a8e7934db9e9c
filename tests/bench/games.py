"""Duration, winners and talk of simulated games, through the database and in memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from tests.bench import house
from tests.live import isolated_environment
from webapp.runtime import PROJECT_ROOT

GAMES = 10


def run_simulation(*options: str) -> tuple[list[dict[str, Any]], float, float]:
    """Run `manage.py simulate`. Returns: results, wall-clock seconds, processor seconds."""
    with tempfile.TemporaryDirectory(prefix="fabula-bench-") as data:
        env = {**isolated_environment(), "FABULA_DATA": data}
        manage = [sys.executable, "manage.py"]
        subprocess.run([*manage, "migrate", "-v0"], cwd=PROJECT_ROOT, env=env, check=True)
        arguments = ["--ruleset", "one-night", "--seed", "bench", *options]
        before, began = os.times(), time.monotonic()
        completed = subprocess.run(
            [*manage, "simulate", *arguments],
            cwd=PROJECT_ROOT,
            env=env,
            check=True,
            capture_output=True,
            text=True,
        )
        wall, after = time.monotonic() - began, os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    return [json.loads(line) for line in completed.stdout.splitlines()], wall, spent


def simulate(concurrency: int) -> None:
    results, wall, spent = run_simulation("--games", str(GAMES), "--concurrency", str(concurrency))
    _one, _wall, start = run_simulation("--games", "1", "--concurrency", str(concurrency))
    seconds = sorted(result["seconds"] for result in results)
    print(
        f"concurrency {concurrency}: {GAMES} games in {wall:.1f} s of wall clock, start included;"
        f" one game takes {seconds[len(seconds) // 2]:.1f} s (median), and"
        f" {(spent - start) / (GAMES - 1):.2f} s of processor"
    )


def batch() -> None:
    """Simulate BENCH_GAMES games (default 100)."""
    games = os.environ.get("BENCH_GAMES") or "100"
    for processes in ("1", "2"):
        _results, wall, _spent = run_simulation("--games", games, "--processes", processes)
        print(f"{games} games, {processes} processes: {wall:.0f} s")


def main() -> None:
    for concurrency in (1, 8):
        simulate(concurrency)
    batch()
    with ProcessPoolExecutor(2) as pool:
        seeds = [f"bench/{i}" for i in range(500)]
        house.report(list(pool.map(house.play, seeds, chunksize=5)))
