"""A new SQLite database, migrated once a run of the tests and copied by whoever needs one.

To migrate from nothing takes seconds of processor time. Tests that are about that do it themselves.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from webapp.runtime.process_group import ROOT
from webapp.runtime.stack import free_environment

NAME = "fabula.sqlite3"  # in a data folder (webapp.settings)


def put(file: Path) -> None:
    """Put a copy there. Outside of a run of the tests nothing happens: it is for who starts first
    to migrate."""
    if run := os.environ.get("FABULA_TEST_RUN"):
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(_made(Path(run)), file)


def _made(run: Path) -> Path:
    """The one that all processes of the run (xdist's workers) copy; whoever is first makes it."""
    folder = run / "fresh"
    folder.mkdir(exist_ok=True)
    made = folder / "made.sqlite3"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            env = {**free_environment(), "FABULA_DATA": str(folder)}
            command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
            subprocess.run(command, cwd=ROOT, env=env, check=True)
            (folder / NAME).rename(made)
    return made
