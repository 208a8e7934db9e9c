"""Fabula as it really runs, for tests: separate processes, a folder and ports of their own.

    with Stack() as stack:                 # embedded Redis, Daphne, a worker, a sweeper
        page.goto(stack.url)
        stack.kill("worker")               # SIGKILL; nothing starts it again but you
        stack.start("worker")
        stack.wait_healthy()

The processes are those of `make play` (webapp.runtime); only the supervisor is missing, so that a
test decides who dies and who comes back. They end with the test, even one that is killed itself.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from webapp.runtime import children
from webapp.runtime.data_dir import DataDir, address_of
from webapp.runtime.embedded import NAME as REDIS
from webapp.runtime.embedded import EmbeddedRedis, free_port
from webapp.runtime.process_group import ROOT, Child, ProcessGroup

__all__ = ["Stack", "free_port", "wait_until"]

STARTS_WITHIN = 60.0  # seconds
LEFT_OUT = ("DATABASE_URL", "REDIS_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")


T = TypeVar("T")


def wait_until(done: Callable[[], T], what: str, seconds: float = 20.0, every: float = 0.05) -> T:
    """Asks until the answer is true, and gives it. AssertionError naming `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        if answer := done():
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        time.sleep(every)


def free_environment() -> dict[str, str]:
    """This process's environment without what would lead out of the test."""
    env = {key: value for key, value in os.environ.items() if key not in LEFT_OUT}
    return {**env, "DJANGO_SETTINGS_MODULE": "webapp.settings"}


class Stack:
    """A running Fabula. Names: "redis", "web", "web2" …, "worker" …, "sweeper", "sweeper2" …

    `env` is added to the processes' environment; `database_url` replaces the SQLite file, which
    otherwise lies in `data` (a temporary folder unless given).
    """

    def __init__(
        self,
        data: Path | None = None,
        *,
        webs: int = 1,
        workers: int = 1,
        sweepers: int = 1,
        database_url: str = "",
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._own_folder = data is None
        self.data = data or Path(tempfile.mkdtemp(prefix="fabula-live-"))
        self._listener = DataDir(self.data, "127.0.0.1", 0, "").listen()
        self.url = address_of(self._listener).rstrip("/")
        self._redis = EmbeddedRedis(self.data / "redis")
        base = {**free_environment(), "FABULA_DATA": str(self.data)}
        base["FABULA_VISIBILITY_TIMEOUT"] = "10"
        if database_url:
            base["DATABASE_URL"] = database_url
        self.env = children.environment(self._redis.url, {**base, **(env or {})})
        self._pack = ProcessGroup(self.data / "logs")
        self._children = self._plan(webs, workers, sweepers)
        try:
            self._start_all()
        except BaseException:
            self.close()
            raise

    def _plan(self, webs: int, workers: int, sweepers: int) -> dict[str, Child]:
        plan = [self._redis.child()]
        plan += [children.web(self.env, self._listener, name) for name in numbered("web", webs)]
        plan += [children.worker(self.env, name) for name in numbered("worker", workers)]
        plan += [children.sweeper(self.env, name) for name in numbered("sweeper", sweepers)]
        return {child.name: child for child in plan}

    def _start_all(self) -> None:
        self.start(REDIS)
        prepare = self._pack.start(children.prepare(self.env))
        status = prepare.process.wait(STARTS_WITHIN)
        assert status == 0, self.logs("prepare")
        for name in self._children:
            if name != REDIS:
                self.start(name)
        self.wait_healthy()

    def start(self, name: str) -> None:
        """Starts a process that was killed; for Redis, waits until it answers."""
        assert not self.alive(name), f"{name} is running"
        self._pack.start(self._children[name])
        if name == REDIS:
            wait_until(self._redis.answers, f"Redis answers\n{self.logs(REDIS)}")

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """Sends the signal (SIGKILL unless told otherwise) and waits for the process to be gone."""
        running = self._pack.running[name]
        running.process.send_signal(number)
        running.process.wait(30)

    def fell(self, names: Iterable[str]) -> None:
        """Kills these at once, as a power cut would, and starts them again until all is well.

        AssertionError where another process died of it.
        """
        for name in names:
            self._pack.signal(name, signal.SIGKILL)
        for name in names:
            self._pack.running[name].process.wait(30)
        for name in sorted(names, key=lambda n: n != REDIS):
            self.start(name)
        self.wait_healthy()
        gone = [name for name in self._children if not self.alive(name)]
        assert not gone, f"{gone} died of it\n{self.logs(gone[0])}"

    def revive(self) -> None:
        """Starts whatever is dead, Redis first, until all is well."""
        for name in sorted(self._children, key=lambda n: n != REDIS):
            if not self.alive(name):
                self.start(name)
        self.wait_healthy()

    def pause(self, name: str) -> None:
        """SIGSTOP: the process is there but does nothing, like a machine that hangs."""
        self._pack.signal(name, signal.SIGSTOP)

    def resume(self, name: str) -> None:
        self._pack.signal(name, signal.SIGCONT)

    def alive(self, name: str) -> bool:
        running = self._pack.running.get(name)
        return running is not None and running.status is None

    def pid(self, name: str) -> int:
        return self._pack.running[name].process.pid

    def health(self, seconds: float = 5.0) -> tuple[int, dict[str, str]]:
        """Status and body of /healthz; (0, {}) when nobody answers within `seconds`."""
        try:
            with urllib.request.urlopen(self.url + "/healthz", timeout=seconds) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)
        except OSError:
            return 0, {}

    def wait_healthy(self, seconds: float = STARTS_WITHIN) -> None:
        try:
            wait_until(lambda: self.health()[0] == 200, "healthz answers 200", seconds)
        except AssertionError as error:
            logs = "\n".join(f"{name}:\n{self.logs(name)}" for name in self._children)
            raise AssertionError(f"{error}, but {self.health()}\n{logs}") from None

    def logs(self, name: str) -> str:
        """Everything the process has written, all its starts together."""
        file = self.data / "logs" / f"{name}.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def manage(self, *arguments: str, seconds: float = 60.0) -> str:
        """Runs `manage.py …` on this stack's database and gives its standard output."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def shell(self, code: str, seconds: float = 60.0) -> str:
        """Runs Python code with Django set up on this stack's database; gives what it prints."""
        return self.manage("shell", "--verbosity", "0", "-c", code, seconds=seconds)

    def close(self) -> None:
        self._pack.close()
        self._listener.close()
        if self._own_folder:
            shutil.rmtree(self.data, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def numbered(name: str, count: int) -> list[str]:
    """ "worker", "worker2", "worker3" …"""
    return [name if number == 1 else f"{name}{number}" for number in range(1, count + 1)]
