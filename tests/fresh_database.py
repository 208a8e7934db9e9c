"""A new SQLite database, migrated once per test run and copied where one is needed.

A migration from nothing takes seconds. Tests of the migration itself run their own.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from webapp.runtime import PROJECT_ROOT
from webapp.runtime.separate_stack import isolated_environment

DATABASE_NAME = "fabula.sqlite3"  # webapp.settings uses the same name.


def copy_migrated_database(file: Path) -> None:
    """Copy the migrated database to `file`. Outside a test run, do nothing."""
    if "FABULA_TEST_RUN" in os.environ:
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(get_or_build_shared_file("fresh", _migrate), file)


def get_or_build_shared_file(name: str, build: Callable[[Path], None]) -> Path:
    """Return the file that `build` writes to the path it is given.

    All processes of the run share the file, and the first one builds it. The two runs of
    `make test` share it by a common folder.
    """
    parent_folder = os.environ.get("FABULA_TEST_FILES") or os.environ["FABULA_TEST_RUN"]
    folder = Path(parent_folder) / f"shared-{name}"
    folder.mkdir(exist_ok=True)
    finished, unfinished = folder / "finished", folder / DATABASE_NAME
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not finished.exists():
            unfinished.unlink(missing_ok=True)
            build(unfinished)
            unfinished.rename(finished)
    return finished


def _migrate(file: Path) -> None:
    env = {**isolated_environment(), "FABULA_DATA": str(file.parent)}
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=PROJECT_ROOT, env=env, check=True)
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # so that one file holds everything
