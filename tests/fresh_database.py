"""A new SQLite database, migrated once a run of the tests and copied by whoever needs one.

To migrate from nothing takes seconds of processor time. Tests that are about that do it themselves.
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

from webapp.runtime.process_group import ROOT
from webapp.runtime.separate_stack import isolated_environment

NAME = "fabula.sqlite3"  # in a data folder (webapp.settings)


def put(file: Path) -> None:
    """Put a copy there.

    Outside of a run of the tests nothing happens: it is for who starts first to migrate.
    """
    if "FABULA_TEST_RUN" in os.environ:
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(once("fresh", _migrate), file)


def once(name: str, make: Callable[[Path], None]) -> Path:
    """The file that `make` makes, at the path it is given.

    All processes of the run (xdist's workers) have it in common, and whoever asks first makes it;
    so have the two runs of `make test`, which gives them a folder for it.
    """
    shared = os.environ.get("FABULA_TEST_FILES") or os.environ["FABULA_TEST_RUN"]
    folder = Path(shared) / f"made-{name}"
    folder.mkdir(exist_ok=True)
    made, begun = folder / "made", folder / NAME
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            begun.unlink(missing_ok=True)
            make(begun)
            begun.rename(made)
    return made


def _migrate(file: Path) -> None:
    env = {**isolated_environment(), "FABULA_DATA": str(file.parent)}
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=env, check=True)
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # all of it is in the one file
