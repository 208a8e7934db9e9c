"""Keeps the child processes running, and ends them all on request.

A child that dies is restarted after a growing pause. If one dies three times within a minute, all
processes end, because a person should see the reason. SIGINT, SIGTERM and SIGHUP end all processes
gracefully; a second signal kills them at once.
"""

import os
import signal
import time
from collections.abc import Callable
from types import FrameType

from webapp.runtime import StartupError, logs
from webapp.runtime.process_group import Child, ProcessGroup, RunningChild

MAX_DEATHS = 3
DEATH_WINDOW_S = 60.0
RESTART_DELAY_S = 0.5  # delay before the first restart; every further death doubles it
TICK_S = 0.1
GRACE_S = 6.0  # a child may take this long to end, for example to finish a model request
LOG_CHECK_INTERVAL_S = 10.0


class StopRequested(Exception):
    """A signal, or the end of the parent process, requests the end of all processes."""


class Supervisor:
    """Restarts the children of one process group.

    With `end_with_parent` it stops when the process that started this one (such as make) ends.
    """

    def __init__(
        self,
        group: ProcessGroup,
        say: Callable[[str], None],
        end_with_parent: bool = False,
        grace_s: float = GRACE_S,
    ) -> None:
        self.group = group
        self.say = say
        self.grace_s = grace_s
        self._parent = os.getppid() if end_with_parent else None
        self._stop_signals = 0
        self._deaths: dict[str, list[float]] = {}  # name -> when it died
        self._restarts: dict[str, tuple[float, Child]] = {}  # name -> (when it is due, child)
        self._last_log_check = time.monotonic()

    def catch_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._stop_signals += 1
        if self._stop_signals > 1:  # kill the processes that are still awaited
            for running in list(self.group.children.values()):
                running.process.kill()

    def run(self) -> None:
        """Watch the children until `wait` raises an exception."""
        self.wait(lambda: False, seconds=None)

    def wait(self, ready: Callable[[], bool], seconds: float | None) -> bool:
        """Watch the children until `ready`. Return False if that takes longer than `seconds`.

        Raise StopRequested, or StartupError if a child keeps dying.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            self._tick()
            if ready():
                return True
            if deadline is not None and time.monotonic() > deadline:
                return False
            time.sleep(TICK_S)

    def start_and_wait(
        self,
        child: Child,
        ready: Callable[[], bool] = lambda: False,
        seconds: float | None = None,
    ) -> RunningChild:
        """Start a child, and watch the others until it is `ready` or ends.

        It is killed if that takes longer than `seconds`. A child that has ended is not restarted:
        check the result's status. One that is ready is restarted when it ends later.
        """
        running = self.group.start(child)
        del self.group.children[child.name]
        is_finished = False
        try:
            is_finished = self.wait(lambda: running.status is not None or ready(), seconds)
        finally:
            if not is_finished:
                running.process.kill()
                running.process.wait()
        if running.status is None:
            self.group.children[child.name] = running
        return running

    def _tick(self) -> None:
        """Check once for stop requests, dead children, due restarts and long logs."""
        has_parent_ended = self._parent is not None and os.getppid() != self._parent
        if self._stop_signals or has_parent_ended:
            raise StopRequested
        if self.group.guard.poll() is not None:
            raise StartupError("The process that guards the others was killed, so everything ends.")
        now = time.monotonic()
        for running in list(self.group.children.values()):
            if running.status is not None:
                del self.group.children[running.child.name]
                self._schedule_restart(running, now)
        for name, (when, child) in list(self._restarts.items()):
            if now >= when:
                del self._restarts[name]
                self.group.start(child)
        if now - self._last_log_check > LOG_CHECK_INTERVAL_S:
            self._last_log_check = now
            for running in self.group.children.values():
                logs.bound_size(running.log)

    def _schedule_restart(self, running: RunningChild, now: float) -> None:
        """Schedule the restart of a dead child. Raise `StartupError` if it keeps dying."""
        child = running.child
        deaths = [
            when for when in self._deaths.get(child.name, []) if now - when < DEATH_WINDOW_S
        ] + [now]
        self._deaths[child.name] = deaths
        cause = describe_exit(running.status)
        if len(deaths) >= MAX_DEATHS:
            lines = "\n".join(f"  | {line}" for line in running.last_log_lines())
            raise StartupError(
                f"The {child.name} process ended {MAX_DEATHS} times within a minute "
                f"(the last time {cause}), so everything ends. "
                f"Its last words, from {running.log}:\n{lines or '  | (none)'}"
            )
        pause = RESTART_DELAY_S * 2 ** (len(deaths) - 1)
        self.say(f"The {child.name} process ended ({cause}); it is started again in {pause:g} s.")
        self._restarts[child.name] = (now + pause, child)

    def stop(self, last: tuple[str, ...] = ()) -> None:
        """End the children. Those named `last`, on which the others depend, end last."""
        self._restarts.clear()
        first = [name for name in self.group.children if name not in last]
        self.group.stop(first, self.grace_s)
        self.group.stop([name for name in last if name in self.group.children], self.grace_s)


def describe_exit(status: int | None) -> str:
    """Return how a process ended, as text: "with exit code 1", "killed by SIGKILL"."""
    if status is None:
        return "still running"
    if status >= 0:
        return f"with exit code {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
