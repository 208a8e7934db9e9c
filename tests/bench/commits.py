"""Cost of SQLite commits with synchronous=FULL, which survives a power cut, and NORMAL.

Measures single commits, concurrent commits of several processes, and whole games of built-in
players, each in a separate process, on the file system of `.data`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.figures import spread
from tests.live import isolated_environment
from webapp.runtime import PROJECT_ROOT

LEVELS = ("NORMAL", "FULL")
ROUNDS = 3  # the levels alternate, so that other work on the machine affects both
COMMITS = 300
WRITERS = 4
GAMES = 4


def main() -> None:
    for _ in range(ROUNDS):
        for level in LEVELS:
            with tempfile.TemporaryDirectory(prefix=".commits-", dir=PROJECT_ROOT) as folder:
                run(folder, "alone", level)
                for writer in [start(folder, "one of four", level) for _ in range(WRITERS)]:
                    writer.wait()
                run(folder, "games", level)


def start(folder: str, part: str, level: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.bench.commits", part, level],
        cwd=PROJECT_ROOT,
        env={**isolated_environment(), "FABULA_DATA": folder},
        stderr=subprocess.DEVNULL,
    )


def run(folder: str, part: str, level: str) -> None:
    if start(folder, part, level).wait():
        raise SystemExit(f"{part} with {level} failed")


def measure(part: str, level: str) -> None:
    """Measure the database of FABULA_DATA at `level`. Runs in a separate process."""
    import django
    from django.conf import settings

    command = settings.SQLITE_OPTIONS["init_command"].replace("FULL", level)
    settings.SQLITE_OPTIONS["init_command"] = command.replace("NORMAL", level)
    django.setup()
    from django.core.management import call_command
    from django.db import connection

    if not Path(settings.DATABASES["default"]["NAME"]).exists():
        call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        synchronous = cursor.execute("PRAGMA synchronous").fetchone()[0]
    assert synchronous == {"NORMAL": 1, "FULL": 2}[level]
    games(level) if part == "games" else commits(part, level)


def commits(part: str, level: str) -> None:
    from django.contrib.sessions.models import Session
    from django.db import transaction
    from django.utils import timezone

    durations = []
    for number in range(COMMITS):
        began = time.perf_counter()
        with transaction.atomic():
            Session.objects.update_or_create(
                session_key=f"{os.getpid()}-{number % 20}",
                defaults={"session_data": "x" * 200, "expire_date": timezone.now()},
            )
        durations.append((time.perf_counter() - began) * 1000)
    print(f"{level}: a commit, {part}: {spread(durations, 'ms')}")


def games(level: str) -> None:
    from agents.recipe import Recipe
    from tests.simulated_games import simulate

    began = time.perf_counter()
    results = list(
        simulate("one-night", games=GAMES, seed="commits", recipe=Recipe(), concurrency=2)
    )
    assert not [result for result in results if isinstance(result, Exception)], results
    print(f"{level}: {GAMES} games of built-in players {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    measure(*sys.argv[1:])
