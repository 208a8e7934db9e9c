"""Fabula as it really runs, for tests: separate processes, a folder and ports of their own.

    with Stack() as stack:                 # embedded Redis, Daphne, a worker, a sweeper
        page.goto(stack.url)
        stack.kill("worker")               # SIGKILL; nothing starts it again but you
        stack.start("worker")
        stack.wait_healthy()

A test decides which process dies and when it is started again. `webapp.runtime.separate_stack` does
the rest. The processes end with the test, even if it is killed.
"""

import resource
import shutil
import signal
import time
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TypeVar

from tests import fresh_database
from tests.errands import Errands
from webapp.runtime import separate_stack
from webapp.runtime.embedded import NAME as REDIS
from webapp.runtime.embedded import free_port
from webapp.runtime.separate_stack import isolated_environment

__all__ = ["Stack", "free_port", "isolated_environment", "wait_until"]

T = TypeVar("T")


def wait_until(done: Callable[[], T], what: str, seconds: float = 120.0, every: float = 0.05) -> T:
    """Asks until the answer is true, and gives it. AssertionError naming `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        if answer := done():
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        time.sleep(every)


class Stack(separate_stack.Stack):
    """A running Fabula whose processes can be killed, paused and started again.

    A new one begins with a database that is migrated already.
    """

    def _start_all(self) -> None:
        file = self.data / fresh_database.NAME
        if "DATABASE_URL" not in self.env and not file.exists():
            fresh_database.put(file)
        super()._start_all()

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """Sends the signal (SIGKILL unless told otherwise) and waits for the process to be gone."""
        running = self._group.running[name]
        running.process.send_signal(number)
        running.process.wait(30)

    def limit_files(self, name: str, most_bytes: int | None) -> None:
        """Let no file that the process writes grow beyond so many bytes (none: any size).

        Its database then answers "disk I/O error". Linux only.
        """
        pid, limit = self.pid(name), resource.RLIMIT_FSIZE
        _soft, hard = resource.prlimit(pid, limit)
        resource.prlimit(pid, limit, (hard if most_bytes is None else most_bytes, hard))

    def fell(
        self, names: Iterable[str], *, without_redis_data: bool = False, wait: bool = True
    ) -> None:
        """Kills these at once, as a power cut would, and starts them again until all is well.

        without_redis_data: what Redis had on disk is lost. wait: until all is well. What is dead
        already is only started.

        AssertionError where another process died of it.
        """
        for name in names:
            if self.is_alive(name):
                self._group.signal(name, signal.SIGKILL)
        for name in names:
            self._group.running[name].process.wait(30)
        if without_redis_data:
            shutil.rmtree(self.data / "redis")
            self._children[REDIS] = self._redis.child()  # with its configuration written anew
        for name in sorted(names, key=lambda n: n != REDIS):
            self.start(name)
        if not wait:
            return
        self.wait_healthy()
        gone = [name for name in self._children if not self.is_alive(name)]
        assert not gone, f"{gone} died of it\n{self.logs(gone[0])}"

    def revive(self) -> None:
        """Starts whatever is dead, Redis first, until all is well."""
        for name in sorted(self._children, key=lambda n: n != REDIS):
            if not self.is_alive(name):
                self.start(name)
        self.wait_healthy()

    def pause(self, name: str) -> None:
        """SIGSTOP: the process is there but does nothing, like a machine that hangs."""
        self._group.signal(name, signal.SIGSTOP)

    def resume(self, name: str) -> None:
        self._group.signal(name, signal.SIGCONT)

    def pid(self, name: str) -> int:
        return self._group.running[name].process.pid

    def manage(self, *arguments: str, seconds: float = 240.0) -> str:
        """Runs a command of manage.py on this stack's database and gives its standard output."""
        return self._errands.do({"command": arguments}, seconds)

    def shell(self, code: str, seconds: float = 240.0) -> str:
        """Runs Python code with Django set up on this stack's database; gives what it prints."""
        return self._errands.do({"code": code}, seconds)

    @cached_property
    def _errands(self) -> Errands:
        return Errands(self.env)

    def close(self) -> None:
        if "_errands" in vars(self):  # not where it could not start
            self._errands.close()
        super().close()
