"""The process group of all child processes: starts them, signals them, kills them together.

The orphan guard leads the group. Output goes to log files. `supervisor.py` decides what happens
when a child dies.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from webapp.runtime import PROJECT_ROOT, logs

ORPHAN_GUARD = Path(__file__).with_name("orphan_guard.py")
ORPHAN_GRACE_S = 2.0  # seconds between SIGTERM and SIGKILL after the supervisor has vanished


@dataclass(frozen=True)
class Child:
    """A process to run, and the file descriptors that it inherits."""

    name: str
    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    descriptors: tuple[int, ...] = ()


@dataclass
class RunningChild:
    """A started child, whose own output begins at byte `log_start` of its log file."""

    child: Child
    process: subprocess.Popen[bytes]
    log: Path
    log_start: int

    @property
    def status(self) -> int | None:
        """None while it runs, else its exit code (negative: the signal that ended it)."""
        return self.process.poll()

    def last_log_lines(self, lines: int = 20) -> list[str]:
        return logs.tail(self.log, self.log_start, lines)


class ProcessGroup:
    """The group, as a context manager that kills all its processes at the end.

    The orphan guard keeps `inherited_fds` (a lock) open while any child lives. A child that has
    ended stays in `children` until it is deleted.
    """

    def __init__(self, log_folder: Path, inherited_fds: tuple[int, ...] = ()) -> None:
        self.log_folder = log_folder
        self.children: dict[str, RunningChild] = {}
        read, self._pipe = os.pipe()
        self.guard = subprocess.Popen(
            [sys.executable, "-I", "-S", str(ORPHAN_GUARD), str(ORPHAN_GRACE_S)],
            stdin=read,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
            pass_fds=inherited_fds,
        )
        os.close(read)

    def start(self, child: Child) -> RunningChild:
        log = self.log_folder / f"{child.name}.log"
        with logs.open_log(log) as output:
            output.write(f"--- {time.strftime('%F %T')} {child.name} starts\n".encode())
            start = log.stat().st_size
            process = subprocess.Popen(
                child.command,
                cwd=PROJECT_ROOT,
                env=dict(child.env) or None,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=self.guard.pid,
                pass_fds=child.descriptors,
            )
        running = RunningChild(child, process, log, start)
        self.children[child.name] = running
        return running

    def signal(self, name: str, number: int) -> None:
        """Send the signal `number` to a child, if it runs."""
        running = self.children.get(name)
        if running and running.status is None:
            running.process.send_signal(number)

    def stop(self, names: Sequence[str], grace_s: float) -> None:
        """Send SIGTERM to these children, and kill those that run after `grace_s` seconds."""
        for name in names:
            self.signal(name, signal.SIGTERM)
        deadline = time.monotonic() + grace_s
        for name in names:
            running = self.children.get(name)
            if running is None:
                continue
            try:
                running.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                running.process.kill()
                running.process.wait()
            del self.children[name]

    def close(self) -> None:
        """Kill all remaining processes of the group, the orphan guard and grandchildren too."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.guard.pid, signal.SIGKILL)
        self.guard.wait()
        for running in self.children.values():
            running.process.wait()
        self.children.clear()
        os.close(self._pipe)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
