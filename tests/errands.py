"""Python code and commands of manage.py on a stack's database, in one process that stays.

To start Django takes seconds. `tests.live.Stack` starts it (`python -m tests.errands`) and speaks
to it.

A line in is JSON, {"code": …} or {"command": [word, …]}; the line that answers is {"told": what was
printed, "error": a traceback or ""}.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping
from typing import Any

from webapp.runtime.process_group import ROOT


class Errands:
    """The process, from the side of a test.

    It starts when it is first needed, and ends with the test's process.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)
        self._process: subprocess.Popen[str] | None = None

    def do(self, task: Mapping[str, Any], seconds: float) -> str:
        """What the task prints. AssertionError where it fails or takes longer than `seconds`."""
        process = self._process = self._process or self._start()
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        too_long = threading.Timer(seconds, process.kill)
        too_long.start()
        line = process.stdout.readline()
        too_long.cancel()
        if not line:
            self.close()
            raise AssertionError(f"not done within {seconds:g} s, or it ended: {task}")
        answer = json.loads(line)
        assert not answer["error"], answer["error"]
        return str(answer["told"])

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.errands"],
            cwd=ROOT,
            env=self._env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        process, self._process = self._process, None
        if process:
            process.kill()
            process.communicate()


def run(task: Mapping[str, Any]) -> None:
    """Raises whatever the code or the command does."""
    from django.core.management import call_command

    if "code" in task:
        exec(task["code"], {"__name__": "errand"})
    else:
        call_command(*task["command"])


def main() -> None:
    import django

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else writes among the answers
    django.setup()
    from django.db import connections

    from game import cached_games

    for line in sys.stdin:
        told, error = io.StringIO(), ""
        cached_games.clear_cache()
        try:
            with contextlib.redirect_stdout(told):
                run(json.loads(line))
        except BaseException:
            error = traceback.format_exc()
        finally:
            connections.close_all()
        answers.write(json.dumps({"told": told.getvalue(), "error": error}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
