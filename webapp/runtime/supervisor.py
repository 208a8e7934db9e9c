"""Keeps a pack of children alive, and ends them all when asked to.

A child that dies is started again after a growing pause; one that dies three times within a
minute ends everything, because a person should see why. SIGINT, SIGTERM and SIGHUP end everything
gracefully; a second one doesn't wait.
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
PAUSE = 0.5  # seconds before the first new start; doubled for every further death
TICK = 0.1
GRACE = 6.0  # seconds a child may take to end: an agent's running request is not waited for longer
LOG_CHECK = 10.0


class Stopped(Exception):
    """A request to end everything."""


class Supervisor:
    """Restarts the children of one pack.

    `say` gets what a person should know; with `follow_parent` the end of the process that started
    this one (make, or whoever) is the end here too; `grace` is in seconds.
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
        if self._asked > 1:  # no patience: whoever is still being waited for is killed now
            for running in list(self.group.running.values()):
                running.process.kill()

    def start(self, child: Child) -> None:
        self.group.start(child)

    def run(self) -> None:
        """Watches until somebody asks for the end. Refusal when a child keeps dying."""
        self.wait(lambda: False, seconds=None)

    def wait(self, ready: Callable[[], bool], seconds: float | None) -> bool:
        """Watches until `ready`.

        Returns False when that took longer than `seconds`.

        Stopped when the end was asked for meanwhile, Refusal when a child keeps dying.
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
        """Starts a child that is meant to end, and watches the others until it has."""
        return self._aside(child, lambda running: running.status is not None, seconds=None)

    def start_when(self, child: Child, ready: Callable[[], bool], seconds: float) -> Running:
        """Starts a child and waits until it is `ready`.

        Killed if that takes too long.

        Only from then on it is kept alive: look at the status of what is returned.
        """
        running = self._aside(child, lambda it: it.status is not None or ready(), seconds)
        if running.status is None:
            self.group.running[child.name] = running
        return running

    def _aside(
        self, child: Child, is_done: Callable[[Running], bool], seconds: float | None
    ) -> Running:
        """Starts a child whose end is no death, and watches the others until `is_done`."""
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
        pause = PAUSE * 2 ** (len(deaths) - 1)
        self.say(f"The {child.name} process ended ({cause}); it is started again in {pause:g} s.")
        self._due[child.name] = (now + pause, child)

    def stop(self, last: tuple[str, ...] = ()) -> None:
        """Ends the children.

        Those named `last` (what the others depend on) after the others.
        """
        self._due.clear()
        first = [name for name in self.group.running if name not in last]
        self.group.stop(first, self.grace)
        self.group.stop([name for name in last if name in self.group.running], self.grace)


def describe(status: int | None) -> str:
    """Return how a process ended, in words: "with exit code 1", "killed by SIGKILL"."""
    if status is None:
        return "still running"
    if status >= 0:
        return f"with exit code {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
