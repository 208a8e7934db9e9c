"""Programs under test as a terminal runs them: output, signals and remaining processes."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from tests.live import isolated_environment, wait_until
from webapp.runtime import PROJECT_ROOT


class Console:
    """A program in its own process group, with its output in a file. It ends with the test."""

    def __init__(self, folder: Path, *command: str, env: Mapping[str, str] | None = None) -> None:
        self._file = folder / f"console-{os.urandom(4).hex()}"
        with open(self._file, "wb") as output:
            self.process = subprocess.Popen(
                command,
                cwd=PROJECT_ROOT,
                env={**isolated_environment(), **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
        self._seen: dict[int, psutil.Process] = {}

    @property
    def output(self) -> str:
        return self._file.read_text(errors="replace")

    def wait_for(self, text: str, count: int = 1, seconds: float = 90.0) -> None:
        def is_in_output() -> bool:
            has_ended = self.process.poll() is not None
            is_found = self.output.count(text) >= count
            assert is_found or not has_ended, f"ended without {text!r}:\n{self.output}"
            return is_found

        wait_until(is_in_output, f"{text!r} in the output", seconds)

    def record_processes(self) -> list[psutil.Process]:
        """Record the program and its descendants, and return all that are recorded so far."""
        process = psutil.Process(self.process.pid)
        for each in [process, *process.children(recursive=True)]:
            self._seen[each.pid] = each
        return list(self._seen.values())

    def child(self, word: str) -> psutil.Process:
        """Return the first living descendant with `word` in its command line."""
        return next(each for each in self.record_processes() if word in " ".join(command_of(each)))

    def interrupt(self) -> None:
        """Send Ctrl-C to the whole foreground group, as the terminal does."""
        os.killpg(self.process.pid, signal.SIGINT)

    def wait_for_exit(self, seconds: float = 90.0) -> int:
        return self.process.wait(seconds)

    def wait_until_all_exit(self, seconds: float = 40.0) -> None:
        """Wait until every process that `record_processes` has recorded is gone."""
        assert len(self._seen) > 1, "record_processes() was not called while it lived"

        def are_gone() -> bool:
            if self.process.poll() is None:
                return False
            return not [each for each in self._seen.values() if lives(each)]

        wait_until(are_gone, f"all of {list(self._seen)} are gone", seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            # The orphan guard is killed too, so new processes must be recorded.
            self.record_processes()
        self.process.kill()
        self.process.wait()
        for each in self._seen.values():
            if lives(each):
                each.kill()


def command_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def lives(process: psutil.Process) -> bool:
    """Return whether the process runs. A zombie counts as dead."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def play(folder: Path, *arguments: str, **env: str) -> Console:
    """Run `make play` without make, on any free port by default."""
    env = {"FABULA_DATA": str(folder / "data"), "PORT": "0", **env}
    return Console(folder, sys.executable, "-m", "webapp.runtime", *arguments, env=env)
