"""A complete Fabula for tests: separate processes, with their own folder and ports.

    with Stack() as stack:                 # embedded Redis, Daphne, a worker, a sweeper
        page.goto(stack.url)
        stack.kill("worker")               # SIGKILL; only the test starts it again
        stack.start("worker")
        stack.wait_until_healthy()

A test decides which process dies and when it restarts. `webapp.runtime.separate_stack` runs the
processes. They end with the test, even if it is killed.
"""

import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TypeVar

from tests import fresh_database
from tests.django_process import DjangoProcess
from webapp.runtime import PROJECT_ROOT, separate_stack
from webapp.runtime.embedded_redis import REDIS, free_port
from webapp.runtime.separate_stack import isolated_environment

__all__ = ["Stack", "free_port", "isolated_environment", "run_manage", "wait_until"]

T = TypeVar("T")


def wait_until(
    condition: Callable[[], T], description: str, seconds: float = 120.0, every: float = 0.05
) -> T:
    """Return the first true result of `condition`. Raise AssertionError after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        if answer := condition():
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} s: {description}")
        time.sleep(every)


def run_manage(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command of manage.py in a process of its own, with `env` in its environment."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT_ROOT,
        env={**isolated_environment(), **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


class Stack(separate_stack.Stack):
    """A running Fabula whose processes can be killed, paused and started again.

    A new one begins with a migrated database.
    """

    def _start_all(self) -> None:
        file = self.data / fresh_database.DATABASE_NAME
        if "DATABASE_URL" not in self.env and not file.exists():
            fresh_database.copy_migrated_database(file)
        super()._start_all()

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """Send the signal, by default SIGKILL, and wait for the end of the process."""
        running = self.group.children[name]
        running.process.send_signal(number)
        running.process.wait(30)

    def limit_files(self, name: str, max_bytes: int | None) -> None:
        """Limit the size of each file that the process writes (None: no limit).

        Its database then answers "disk I/O error". Linux only.
        """
        pid, limit = self.pid(name), resource.RLIMIT_FSIZE
        _soft, hard = resource.prlimit(pid, limit)
        resource.prlimit(pid, limit, (hard if max_bytes is None else max_bytes, hard))

    def kill_and_restart(
        self, names: Iterable[str], *, without_redis_data: bool = False, wait: bool = True
    ) -> None:
        """Kill these processes at once, as a power cut would, and start them again.

        without_redis_data: lose what Redis had on disk. wait: until the stack is healthy. Dead
        processes are only started. AssertionError if another process died meanwhile.
        """
        for name in names:
            if self.is_alive(name):
                self.group.signal(name, signal.SIGKILL)
        for name in names:
            self.group.children[name].process.wait(30)
        if without_redis_data:
            shutil.rmtree(self.data / "redis")
            self._children[REDIS] = self._redis.child()  # with a new configuration file
        for name in sorted(names, key=lambda n: n != REDIS):
            self.start(name)
        if not wait:
            return
        self.wait_until_healthy()
        dead = [name for name in self._children if not self.is_alive(name)]
        assert not dead, f"{dead} died of it\n{self.read_log(dead[0])}"

    def revive(self) -> None:
        """Start all dead processes, Redis first, and wait until the stack is healthy."""
        for name in sorted(self._children, key=lambda n: n != REDIS):
            if not self.is_alive(name):
                self.start(name)
        self.wait_until_healthy()

    def pause(self, name: str) -> None:
        """Send SIGSTOP: the process exists but does nothing, like a hanging machine."""
        self.group.signal(name, signal.SIGSTOP)

    def resume(self, name: str) -> None:
        self.group.signal(name, signal.SIGCONT)

    def pid(self, name: str) -> int:
        return self.group.children[name].process.pid

    def manage(self, *arguments: str, seconds: float = 240.0) -> str:
        """Run a command of manage.py on this stack's database and return its standard output."""
        return self._django_process.run({"command": arguments}, seconds)

    def shell(self, code: str, seconds: float = 240.0) -> str:
        """Run Python code with Django on this stack's database and return what it prints."""
        return self._django_process.run({"code": code}, seconds)

    @cached_property
    def _django_process(self) -> DjangoProcess:
        return DjangoProcess(self.env)

    def close(self) -> None:
        if "_django_process" in vars(self):  # unset if the stack could not start
            self._django_process.close()
        super().close()
