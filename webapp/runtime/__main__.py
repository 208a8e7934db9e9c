"""`python -m webapp.runtime`: runs all processes of Fabula under one supervisor, until Ctrl-C."""

import os
import signal
import socket
import sys
import threading
import time

from webapp.runtime import StartupError, children, logs
from webapp.runtime.embedded_redis import REDIS, EmbeddedRedis
from webapp.runtime.launch_settings import (
    LaunchSettings,
    browser_address,
    read_health,
    write_address,
)
from webapp.runtime.process_group import ProcessGroup
from webapp.runtime.supervisor import StopRequested, Supervisor

READY_TIMEOUT_S = 90.0  # a slow machine's first start takes about ten seconds
REDIS_LOADING_TIMEOUT_S = 30.0
MAX_REDIS_STARTS = 3
POLL_INTERVAL_S = 0.1
REQUEST_TIMEOUT_S = 5.0  # the first request is answered when the web process has started


class HealthPoll:
    """Requests /healthz in a background thread until the answer is 200."""

    def __init__(self, address: str) -> None:
        self._address = address
        self.is_healthy = False
        self.last_answer = "the web process gives no answer"
        threading.Thread(target=self._poll, name="healthz", daemon=True).start()

    def _poll(self) -> None:
        while not self.is_healthy:
            status, text = read_health(self._address, REQUEST_TIMEOUT_S)
            self.last_answer = text[:500] if status else f"the web process gives no answer: {text}"
            self.is_healthy = status == 200
            if not self.is_healthy:
                time.sleep(POLL_INTERVAL_S)


def say(text: str) -> None:
    print(text, flush=True)


def start_redis(settings: LaunchSettings, supervisor: Supervisor) -> str:
    """Start the embedded server, on another port if its port is taken. Return its URL."""
    for _ in range(MAX_REDIS_STARTS):
        server = EmbeddedRedis(settings.data / "redis")
        running = supervisor.start_and_wait(server.child(), server.answers, REDIS_LOADING_TIMEOUT_S)
        if running.status is None:
            # A worker's heartbeat from before the last stop would make the new worker seem ready.
            server.answers("DEL fabula:worker")
            return server.url
    lines = "\n".join(f"  | {line}" for line in running.last_log_lines())
    raise StartupError(f"The embedded Redis server did not start. Its last words:\n{lines}")


def start_all(settings: LaunchSettings, supervisor: Supervisor, listener: socket.socket) -> None:
    """Start all processes. Raise `StartupError` if play is not possible in time."""
    env = children.build_environment(settings.redis_url or start_redis(settings, supervisor))
    preparation = supervisor.start_and_wait(children.prepare_child(env))
    if preparation.status != 0:
        lines = preparation.last_log_lines(1) or ["Preparing the start failed."]
        raise StartupError(lines[-1])
    for child in (
        children.web_child(env, listener),
        children.worker_child(env),
        children.sweeper_child(env),
    ):
        supervisor.group.start(child)
    poll = HealthPoll(browser_address(listener))
    if not supervisor.wait(lambda: poll.is_healthy, READY_TIMEOUT_S):
        raise StartupError(
            f"Play did not become possible within {READY_TIMEOUT_S:g} seconds "
            f"({poll.last_answer}); the logs are in {settings.logs}."
        )


def run(end_with_parent: bool) -> None:
    """Run Fabula until it is stopped, or also until the parent process ends."""
    settings = LaunchSettings.from_environment(os.environ)
    with (
        settings.lock() as lock,
        settings.listen() as listener,
        ProcessGroup(settings.logs, (lock,)) as group,
    ):
        logs.redact_logs(settings.logs)
        address = browser_address(listener)
        write_address(lock, address)
        supervisor = Supervisor(group, say, end_with_parent)
        supervisor.catch_signals()
        try:
            say("Starting …")
            start_all(settings, supervisor, listener)
            public_address = settings.public_address or address
            say(f"\nFabula is ready: {public_address}\n")
            if public_address != address:
                say(f"For the proxy before it, it listens at {address}\n")
            if first_link := settings.first_researcher_path:
                say(
                    "For research, the first account is made here: "
                    f"{public_address.rstrip('/')}{first_link}\n"
                )
            say(f"Ctrl-C ends it. Logs: {settings.logs}")
            supervisor.run()
        except StopRequested:
            say("Ending …")
        finally:
            supervisor.stop(last=(REDIS,))


def main() -> int:
    # Before the supervisor catches signals, an early Ctrl-C just ends the program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        run(end_with_parent="--end-with-parent" in sys.argv)
    except StartupError as refusal:
        print(f"fabula: {refusal}", file=sys.stderr, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
