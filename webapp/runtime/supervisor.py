"""Keeps the child processes running, and ends them all on request.

A child that dies is restarted after a growing pause; one that dies three times within a minute ends
everything, because a person should see why. SIGINT, SIGTERM and SIGHUP end everything gracefully; a
second signal doesn't wait.
"""

import os
import signal
import time
from collections.abc import Callable
from types import FrameType

from webapp.runtime.process_group import Child, ProcessGroup, Running
from webapp.runtime.startup_error import StartupError

DEATHS = 3
WITHIN = 60.0  # seconds
RESTART_DELAY_S = 0.5  # seconds before the first restart; doubled for every further death
TICK = 0.1
# seconds that a child may take to end: a running model request is not awaited for longer
GRACE = 6.0
LOG_CHECK = 10.0


class Stopped(Exception):
    """The end of all processes was requested."""


class Supervisor:
    """Restarts the children of one process group.

    say: receives messages for the person at the console. follow_parent: stop when the process that
    started this one (such as make) ends. grace: in seconds.
    """

    def __init__(
        self,
        group: ProcessGroup,
        say: Callable[[str], None],
        follow_parent: bool = False,
        grace: float = GRACE,
    ) -> None:
        self.group = group
        self.say = say
        self.grace = grace
        self._parent = os.getppid() if follow_parent else None
        self._asked = 0
        self._deaths: dict[str, list[float]] = {}
        self._due: dict[str, tuple[float, Child]] = {}
        self._logs_checked = time.monotonic()

    def catch_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._asked += 1
        if self._asked > 1:  # kill the processes that are still awaited
            for running in list(self.group.running.values()):
                running.process.kill()

    def start(self, child: Child) -> None:
        self.group.start(child)

    def run(self) -> None:
        """Watch the children until a stop is requested.

        Raises StartupError if a child keeps dying.
        """
        self.wait(lambda: False, seconds=None)

    def wait(self, ready: Callable[[], bool], seconds: float | None) -> bool:
        """Watch the children until `ready`. Return False if that takes longer than `seconds`.

        Raises Stopped if a stop is requested meanwhile, StartupError if a child keeps dying.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            self._tick()
            if ready():
                return True
            if deadline is not None and time.monotonic() > deadline:
                return False
            time.sleep(TICK)

    def run_once(self, child: Child) -> Running:
        """Start a child that is meant to end, and watch the others until it has ended."""
        return self._aside(child, lambda running: running.status is not None, seconds=None)

    def start_when(self, child: Child, ready: Callable[[], bool], seconds: float) -> Running:
        """Start a child and wait until it is `ready`; kill it if that takes too long.

        It is restarted after a death only from then on: check the status of the result.
        """
        running = self._aside(child, lambda it: it.status is not None or ready(), seconds)
        if running.status is None:
            self.group.running[child.name] = running
        return running

    def _aside(
        self, child: Child, is_done: Callable[[Running], bool], seconds: float | None
    ) -> Running:
        """Start a child whose end is expected, and watch the others until `is_done`."""
        running = self.group.start(child)
        del self.group.running[child.name]
        finished = False
        try:
            finished = self.wait(lambda: is_done(running), seconds)
        finally:
            if not finished:
                running.process.kill()
                running.process.wait()
        return running

    def _tick(self) -> None:
        parent_gone = self._parent is not None and os.getppid() != self._parent
        if self._asked or parent_gone:
            raise Stopped
        if self.group.guard.poll() is not None:
            raise StartupError("The process that guards the others was killed, so everything ends.")
        now = time.monotonic()
        for running in list(self.group.running.values()):
            if running.status is not None:
                del self.group.running[running.child.name]
                self._bury(running, now)
        for name, (when, child) in list(self._due.items()):
            if now >= when:
                del self._due[name]
                self.start(child)
        if now - self._logs_checked > LOG_CHECK:
            self._logs_checked = now
            self.group.bound_logs()

    def _bury(self, running: Running, now: float) -> None:
        child = running.child
        deaths = [when for when in self._deaths.get(child.name, []) if now - when < WITHIN] + [now]
        self._deaths[child.name] = deaths
        cause = describe(running.status)
        if len(deaths) >= DEATHS:
            words = "\n".join(f"  | {line}" for line in running.last_words())
            raise StartupError(
                f"The {child.name} process ended {DEATHS} times within a minute "
                f"(the last time {cause}), so everything ends. "
                f"Its last words, from {running.log}:\n{words or '  | (none)'}"
            )
        pause = RESTART_DELAY_S * 2 ** (len(deaths) - 1)
        self.say(f"The {child.name} process ended ({cause}); it is started again in {pause:g} s.")
        self._due[child.name] = (now + pause, child)

    def stop(self, last: tuple[str, ...] = ()) -> None:
        """End the children, those named `last` (on which the others depend) after the others."""
        self._due.clear()
        first = [name for name in self.group.running if name not in last]
        self.group.stop(first, self.grace)
        self.group.stop([name for name in last if name in self.group.running], self.grace)


def describe(status: int | None) -> str:
    """Return how a process ended, as text: "with exit code 1", "killed by SIGKILL"."""
    if status is None:
        return "still running"
    if status >= 0:
        return f"with exit code {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
