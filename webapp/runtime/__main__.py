"""`python -m webapp.runtime`: runs all processes under one supervisor, until Ctrl-C."""

import http.client
import os
import signal
import socket
import sys
import threading
from urllib.parse import urlsplit

from webapp.runtime import children, logs
from webapp.runtime.data_dir import DataDir, browser_address, write_address
from webapp.runtime.embedded import NAME as REDIS
from webapp.runtime.embedded import EmbeddedRedis
from webapp.runtime.process_group import ProcessGroup
from webapp.runtime.startup_error import StartupError
from webapp.runtime.supervisor import Stopped, Supervisor

POLL_INTERVAL_S = 0.1
TIMEOUT_S = 5.0  # for one request; the first is answered when the web process has started


class HealthPoll:
    """Requests /healthz in a background thread until the answer is 200.

    `latest` is the last answer's text, or the reason why there was none.
    """

    def __init__(self, address: str) -> None:
        self._address = urlsplit(address)
        self.healthy = False
        self.latest = "the web process gives no answer"
        self._stop = threading.Event()
        threading.Thread(target=self._poll, name="healthz", daemon=True).start()

    def stop(self) -> None:
        self._stop.set()

    def _poll(self) -> None:
        while not self.healthy and not self._stop.is_set():
            try:
                status, self.latest = self._request()
                self.healthy = status == 200
            except (OSError, http.client.HTTPException) as error:
                self.latest = f"the web process gives no answer: {error}"
            if not self.healthy:
                self._stop.wait(POLL_INTERVAL_S)

    def _request(self) -> tuple[int, str]:
        host, port = self._address.hostname or "", self._address.port
        connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
        try:
            connection.request("GET", "/healthz", headers={"Host": "localhost"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")[:500]
        finally:
            connection.close()


READY_TIMEOUT_S = 90.0  # a slow machine's first start takes about ten seconds
REDIS_TIMEOUT_S = 30.0  # for loading its data
MAX_START_ATTEMPTS = 3


def say(text: str) -> None:
    print(text, flush=True)


def start_redis(data_dir: DataDir, supervisor: Supervisor) -> str:
    """Start the embedded server and return its URL.

    Another program may take the port after it was chosen. Then another port is tried.
    """
    for _ in range(MAX_START_ATTEMPTS):
        server = EmbeddedRedis(data_dir.data / "redis")
        running = supervisor.start_when(server.child(), server.answers, REDIS_TIMEOUT_S)
        if running.status is None:
            # A worker's heartbeat from before the last stop would make the new worker seem ready.
            server.answers("DEL fabula:worker")
            return server.url
    lines = "\n".join(f"  | {line}" for line in running.last_log_lines())
    raise StartupError(f"The embedded Redis server did not start. Its last words:\n{lines}")


def start_all(data_dir: DataDir, supervisor: Supervisor, listener: socket.socket) -> None:
    """Start every process and return when play is possible."""
    env = children.environment(data_dir.redis_url or start_redis(data_dir, supervisor))
    prepared = supervisor.run_once(children.prepare(env))
    if prepared.status != 0:
        lines = prepared.last_log_lines(1) or ["Preparing the start failed."]
        raise StartupError(lines[-1])
    for child in (children.web(env, listener), children.worker(env), children.sweeper(env)):
        supervisor.start(child)
    poll = HealthPoll(browser_address(listener))
    if not supervisor.wait(lambda: poll.healthy, READY_TIMEOUT_S):
        raise StartupError(
            f"Play did not become possible within {READY_TIMEOUT_S:g} seconds "
            f"({poll.latest}); the logs are in {data_dir.logs}."
        )


def play(end_with_parent: bool) -> None:
    """Run Fabula until it is stopped.

    Args:
        end_with_parent: Also stop when the parent process ends.
    """
    data_dir = DataDir.from_environment(os.environ)
    with (
        data_dir.lock() as lock,
        data_dir.listen() as listener,
        ProcessGroup(data_dir.logs, (lock,)) as group,
    ):
        logs.redact_logs(data_dir.logs)
        address = browser_address(listener)
        write_address(lock, address)
        supervisor = Supervisor(group, say, end_with_parent)
        supervisor.catch_signals()
        try:
            say("Starting …")
            start_all(data_dir, supervisor, listener)
            site = data_dir.site or address
            say(f"\nFabula is ready: {site}\n")
            if site != address:
                say(f"For the proxy before it, it listens at {address}\n")
            if first_link := data_dir.first_researcher:
                say(
                    "For research, the first account is made here: "
                    f"{site.rstrip('/')}{first_link}\n"
                )
            say(f"Ctrl-C ends it. Logs: {data_dir.logs}")
            supervisor.run()
        except Stopped:
            say("Ending …")
        finally:
            supervisor.stop(last=(REDIS,))


def main() -> int:
    # Before the supervisor catches signals, an early Ctrl-C just ends the program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        play(end_with_parent="--end-with-parent" in sys.argv)
    except StartupError as refusal:
        print(f"fabula: {refusal}", file=sys.stderr, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
