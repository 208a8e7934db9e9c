"""Simulated games through the database, and 500 in memory: how long, who wins, how they talk."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

from tests.bench import house
from tests.live import free_environment
from webapp.runtime.pack import ROOT

GAMES = 10


def simulate(concurrency: int) -> None:
    with tempfile.TemporaryDirectory(prefix="fabula-bench-") as data:
        env = {**free_environment(), "FABULA_DATA": data}
        manage = [sys.executable, "manage.py"]
        subprocess.run([*manage, "migrate", "-v0"], cwd=ROOT, env=env, check=True)
        options = ["--ruleset", "one-night", "--games", str(GAMES), "--seed", "bench"]
        began = time.monotonic()
        done = subprocess.run(
            [*manage, "simulate", *options, "--concurrency", str(concurrency)],
            cwd=ROOT,
            env=env,
            check=True,
            capture_output=True,
            text=True,
        )
        wall = time.monotonic() - began
    seconds = sorted(json.loads(line)["seconds"] for line in done.stdout.splitlines())
    print(
        f"concurrency {concurrency}: {GAMES} games in {wall:.1f} s of wall clock, start included;"
        f" one game takes {seconds[len(seconds) // 2]:.1f} s (median)"
    )


def main() -> None:
    for concurrency in (1, 8):
        simulate(concurrency)
    with ProcessPoolExecutor(2) as pool:
        seeds = [f"bench/{i}" for i in range(500)]
        house.report(list(pool.map(house.play, seeds, chunksize=5)))
