"""Tests of /healthz: a true report of each part, without long waits."""

import errno
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.conf import LazySettings
from django.test import Client

from tests.live import Stack, wait_until
from webapp import health
from webapp.health import OK, Check, check_disk, wait_for_result
from webapp.runtime.__main__ import HealthPoll
from webapp.runtime.launch_settings import read_health

HEALTHY = (200, {"status": "ok", "database": "ok", "redis": "ok", "worker": "ok", "disk": "ok"})


def reports(stack: Stack, **parts: bool) -> Callable[[], bool]:
    """Return a check that /healthz reports these parts so.

    On a slow machine a healthy part may be late.
    """

    def is_reported() -> bool:
        code, report = stack.health()
        states = {part: report.get(part) == "ok" for part in parts}
        return code == (200 if all(parts.values()) else 503) and states == parts

    return is_reported


def test_running_stack_is_healthy(stack: Stack) -> None:
    assert wait_until(lambda: stack.health() == HEALTHY, "the stack is healthy")


def test_dead_worker_is_reported_until_it_is_back(stack: Stack) -> None:
    stack.kill("worker")
    assert wait_until(reports(stack, worker=False, redis=True), "the dead worker is reported")
    stack.start("worker")
    stack.wait_until_healthy()


def test_hanging_worker_is_reported(stack: Stack) -> None:
    stack.pause("worker")
    assert wait_until(reports(stack, worker=False, redis=True), "the dead worker is reported")
    stack.resume("worker")
    stack.wait_until_healthy()


def test_dead_redis_is_reported_until_it_is_back(stack: Stack) -> None:
    stack.kill("redis")
    is_reported = reports(stack, redis=False, worker=False, database=True)
    assert wait_until(is_reported, "Redis is missed, and the worker")
    stack.start("redis")
    stack.wait_until_healthy()


def test_hanging_redis_does_not_block_the_report(stack: Stack) -> None:
    stack.pause("redis")
    for _ in range(3):
        code, report = stack.health(seconds=20)
        assert code == 503
        assert report["redis"] != "ok"
    assert wait_until(reports(stack, redis=False, database=True), "the database is well")
    stack.resume("redis")
    stack.wait_until_healthy()


@pytest.mark.live
def test_missing_database_is_reported() -> None:
    with Stack() as own_stack:
        for name in ("worker", "sweeper"):
            own_stack.kill(name)  # no other process writes
        (own_stack.data / "fabula.sqlite3").rename(own_stack.data / "aside")
        assert wait_until(reports(own_stack, database=False, redis=True), "the database is missed")
        (own_stack.data / "aside").rename(own_stack.data / "fabula.sqlite3")
        assert wait_until(
            lambda: own_stack.health()[1].get("database") == "ok", "the database is there again"
        )


def test_full_disk_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object, **__: object) -> object:
        raise OSError(errno.ENOSPC, "No space left on device")

    assert check_disk() == OK
    with monkeypatch.context() as context:
        context.setattr(health.tempfile, "TemporaryFile", no_room)
        assert check_disk() == "full"


def test_almost_full_disk_is_reported(settings: LazySettings, client: Client) -> None:
    settings.MIN_FREE_MB = 10**12
    response = client.get("/healthz")
    assert response.status_code == 503
    assert "almost full" in response.json()["disk"]
    assert set(response.json()) == {"status", "database", "redis", "worker", "disk"}


def test_hanging_checks_do_not_accumulate() -> None:
    calls: list[int] = []
    gate = threading.Event()

    def wait_for_gate() -> str:
        calls.append(1)
        gate.wait(10)
        return OK

    check = Check(wait_for_gate)
    try:
        assert [wait_for_result(check.begin(), 0.01) for _ in range(5)] == ["no answer"] * 5
        assert len(calls) == 1
    finally:
        gate.set()
    assert wait_for_result(check.begin(), 5) == OK
    assert wait_for_result(check.begin(), 5) == OK


def test_failed_check_is_reported_without_its_message() -> None:
    def fail() -> str:
        raise ValueError("password=secret")

    assert wait_for_result(Check(fail).begin(), 5) == "unusable (ValueError)"


@contextmanager
def raw_server(*answers: bytes) -> Iterator[str]:
    """Send each connection the next of `answers`, and close it. Yields the site's address."""

    def serve() -> None:
        for answer in answers:
            connection, _ = listener.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


CUT_503 = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 500\r\n\r\n{"
HTML_503 = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\n\r\n<html"
EMPTY_200 = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def test_cut_report_counts_as_no_answer() -> None:
    with raw_server(CUT_503) as site:
        status, reason = read_health(site, 5)
    assert status == 0
    assert "IncompleteRead" in reason


def test_poll_continues_after_broken_reports() -> None:
    with raw_server(CUT_503, b"", HTML_503, EMPTY_200) as site:
        poll = HealthPoll(site)
        assert wait_until(lambda: poll.is_healthy, "the poll reads the last answer")


def test_report_that_is_no_json_is_read_as_empty() -> None:
    stack = Stack.__new__(Stack)  # no processes
    with raw_server(HTML_503) as site:
        stack.url = site.rstrip("/")
        assert stack.health() == (503, {})
