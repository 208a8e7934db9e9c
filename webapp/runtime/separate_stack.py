"""A complete Fabula with processes, folder and ports of its own, for rehearsals and tests.

The processes are those of `make play`. A dead one is not restarted, unless a `Supervisor` watches
`Stack.group`. All end with the process that started them, even if that is killed.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from webapp.runtime import StartupError, children
from webapp.runtime.embedded_redis import REDIS, EmbeddedRedis
from webapp.runtime.launch_settings import LaunchSettings, browser_address, read_health
from webapp.runtime.process_group import Child, ProcessGroup

START_TIMEOUT_S = 180.0  # a busy machine needs a minute for three Pythons
PREPARE_TIMEOUT_S = 300.0  # a new database takes long on a busy machine
CHECK_INTERVAL_S = 0.05
REDELIVERY_S = 10  # another worker gets a dead worker's task after this time; usually 600
# Variables that processes of a stack must not inherit: the address of another database or Redis,
# and access to models and people that cost money.
EXCLUDED_VARIABLES = (
    "DATABASE_URL", "REDIS_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL",
    "PROLIFIC_API_TOKEN",
)  # fmt: skip


def isolated_environment() -> dict[str, str]:
    """Return this process's environment without EXCLUDED_VARIABLES."""
    env = {key: value for key, value in os.environ.items() if key not in EXCLUDED_VARIABLES}
    return {**env, "DJANGO_SETTINGS_MODULE": "webapp.settings"}


class Stack:
    """A running Fabula.

    Its processes have the names "redis", "web", "web2" …, "worker", "worker2" …, "sweeper" ….

    Args:
        data: the data folder; None: a temporary one.
        webs, workers, sweepers: the number of processes of each kind.
        database_url: a database to use instead of an SQLite file in `data`.
        env: added to the processes' environment.
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
        self._cleanup = ExitStack()
        try:
            if data is None:
                data = Path(tempfile.mkdtemp(prefix="fabula-stack-"))
                self._cleanup.callback(shutil.rmtree, data, ignore_errors=True)
            self.data = data
            self._listener = self._cleanup.enter_context(
                LaunchSettings(data, "127.0.0.1", 0, "").listen()
            )
            self.url = browser_address(self._listener).rstrip("/")
            self._redis = EmbeddedRedis(data / "redis")
            base = {
                **isolated_environment(),
                "FABULA_DATA": str(data),
                "FABULA_VISIBILITY_TIMEOUT": str(REDELIVERY_S),
                **({"DATABASE_URL": database_url} if database_url else {}),
                **(env or {}),
            }
            self.env = children.build_environment(self._redis.url, base)
            self.group = self._cleanup.enter_context(ProcessGroup(data / "logs"))
            self._children = self._plan(webs, workers, sweepers)
            self._start_all()
        except BaseException:
            self.close()
            raise

    def _plan(self, webs: int, workers: int, sweepers: int) -> dict[str, Child]:
        env, listener, plan = self.env, self._listener, [self._redis.child()]
        plan += [children.web_child(env, listener, n) for n in _numbered_names("web", webs)]
        plan += [children.worker_child(env, n) for n in _numbered_names("worker", workers)]
        plan += [children.sweeper_child(env, n) for n in _numbered_names("sweeper", sweepers)]
        return {child.name: child for child in plan}

    def _start_all(self) -> None:
        self.start(REDIS)
        preparation = self.group.start(children.prepare_child(self.env))
        try:
            exit_code = preparation.process.wait(PREPARE_TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            raise StartupError(f"{error}\n{self.read_log('prepare')}") from error
        if exit_code:
            raise StartupError(self.read_log("prepare"))
        del self.group.children["prepare"]  # it has ended, and a supervisor must not restart it
        for name in self._children:
            if name != REDIS:
                self.start(name)
        self.wait_until_healthy()

    def start(self, name: str) -> None:
        """Start a process that is not running. Redis must answer before this returns."""
        if self.is_alive(name):
            raise StartupError(f"{name} is running")
        self.group.start(self._children[name])
        if name != REDIS:
            return
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self._redis.answers():
            if time.monotonic() > deadline:
                raise StartupError(f"Redis does not answer\n{self.read_log(REDIS)}")
            time.sleep(CHECK_INTERVAL_S)

    def is_alive(self, name: str) -> bool:
        running = self.group.children.get(name)
        return running is not None and running.status is None

    def health(self, seconds: float = 5.0) -> tuple[int, dict[str, str]]:
        """Return status and report of /healthz, (0, {}) without an answer within `seconds`."""
        status, text = read_health(f"{self.url}/", seconds)
        try:
            return status, json.loads(text)
        except ValueError:  # no answer, or one of a process that is starting or dying
            return status, {}

    def wait_until_healthy(self, seconds: float = START_TIMEOUT_S) -> None:
        """Wait until /healthz answers 200. Raise `StartupError` after `seconds`."""
        deadline = time.monotonic() + seconds
        while self.health()[0] != 200:
            if time.monotonic() > deadline:
                logs = "\n".join(f"{name}:\n{self.read_log(name)}" for name in self._children)
                raise StartupError(f"/healthz: {self.health()}\n{logs}")
            time.sleep(CHECK_INTERVAL_S)

    def read_log(self, name: str) -> str:
        """Return everything that the process has written, over all its starts."""
        file = self.data / "logs" / f"{name}.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def close(self) -> None:
        self._cleanup.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _numbered_names(name: str, count: int) -> list[str]:
    """Return "worker", "worker2", "worker3" …"""
    return [name if number == 1 else f"{name}{number}" for number in range(1, count + 1)]
