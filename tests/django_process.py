"""A long-lived Django process that runs code and commands of manage.py for tests.

A start of Django takes seconds. `tests.live.Stack` starts the process
(`python -m tests.django_process`).

An input line is JSON, {"code": …} or {"command": [word, …]}. The output line is {"output": the
printed text, "error": a traceback or ""}.
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

from webapp.runtime import PROJECT_ROOT


class DjangoProcess:
    """Client of a long-lived Django process that runs test code.

    It starts when first needed, and ends with the test's process.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)
        self._process: subprocess.Popen[str] | None = None

    def run(self, task: Mapping[str, Any], timeout_s: float) -> str:
        """Return what the task prints. AssertionError if it fails or exceeds `timeout_s`."""
        process = self._process = self._process or self._start()
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(task) + "\n")
        process.stdin.flush()
        timer = threading.Timer(timeout_s, process.kill)
        timer.start()
        line = process.stdout.readline()
        timer.cancel()
        if not line:
            self.close()
            raise AssertionError(f"not done within {timeout_s:g} s, or it ended: {task}")
        reply = json.loads(line)
        assert not reply["error"], reply["error"]
        return str(reply["output"])

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.django_process"],
            cwd=PROJECT_ROOT,
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


def run_task(task: Mapping[str, Any]) -> None:
    """Run the code or command, and raise what it raises."""
    from django.core.management import call_command

    if "code" in task:
        exec(task["code"], {"__name__": "task"})
    else:
        call_command(*task["command"])


def main() -> None:
    import django

    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # no other output mixes with the replies
    django.setup()
    from django.db import connections

    from game import cached_games

    for line in sys.stdin:
        output, error = io.StringIO(), ""
        cached_games.clear_cache()
        try:
            with contextlib.redirect_stdout(output):
                run_task(json.loads(line))
        except BaseException:
            error = traceback.format_exc()
        finally:
            connections.close_all()
        replies.write(json.dumps({"output": output.getvalue(), "error": error}) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
