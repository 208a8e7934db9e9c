"""/healthz tells the truth about each part, and never keeps anyone waiting."""

import errno
import threading
from collections.abc import Callable

import pytest
from django.conf import LazySettings
from django.test import Client

from tests.live import Stack, wait_until
from webapp import health
from webapp.health import OK, Check, check_disk, check_result

HEALTHY = (200, {"status": "ok", "database": "ok", "redis": "ok", "worker": "ok", "disk": "ok"})


def says(stack: Stack, **well: bool) -> Callable[[], bool]:
    """It says so of these parts: on a busy machine one that is well may be late."""

    def asked() -> bool:
        code, report = stack.health()
        found = {part: report.get(part) == "ok" for part in well}
        return code == (200 if all(well.values()) else 503) and found == well

    return asked


def test_running_stack_is_healthy(stack: Stack) -> None:
    wait_until(lambda: stack.health() == HEALTHY, "it is healthy")


def test_dead_worker_is_reported_until_it_is_back(stack: Stack) -> None:
    stack.kill("worker")
    wait_until(says(stack, worker=False, redis=True), "the worker is missed")
    stack.start("worker")
    stack.wait_healthy()


def test_hanging_worker_is_reported(stack: Stack) -> None:
    stack.pause("worker")
    wait_until(says(stack, worker=False, redis=True), "the worker is missed")
    stack.resume("worker")
    stack.wait_healthy()


def test_dead_redis_is_reported_until_it_is_back(stack: Stack) -> None:
    stack.kill("redis")
    missed = says(stack, redis=False, worker=False, database=True)
    wait_until(missed, "Redis is missed, and the worker")
    stack.start("redis")
    stack.wait_healthy()


def test_hanging_redis_does_not_block_the_report(stack: Stack) -> None:
    stack.pause("redis")
    for _ in range(3):
        code, report = stack.health(seconds=20)
        assert code == 503
        assert report["redis"] != "ok"
    wait_until(says(stack, redis=False, database=True), "the database is well")
    stack.resume("redis")
    stack.wait_healthy()


@pytest.mark.live
def test_missing_database_is_reported() -> None:
    with Stack() as alone:
        for name in ("worker", "sweeper"):
            alone.kill(name)  # nobody writes beside it
        (alone.data / "fabula.sqlite3").rename(alone.data / "aside")
        wait_until(says(alone, database=False, redis=True), "the database is missed")
        (alone.data / "aside").rename(alone.data / "fabula.sqlite3")
        wait_until(lambda: alone.health()[1].get("database") == "ok", "the database is there again")


def test_full_disk_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object, **__: object) -> object:
        raise OSError(errno.ENOSPC, "No space left on device")

    assert check_disk() == OK
    with monkeypatch.context() as patch:
        patch.setattr(health.tempfile, "TemporaryFile", no_room)
        assert check_disk() == "full"


def test_almost_full_disk_is_reported(settings: LazySettings, client: Client) -> None:
    settings.LEAST_FREE = 10**12
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert "almost full" in answer.json()["disk"]
    assert set(answer.json()) == {"status", "database", "redis", "worker", "disk"}


def test_hanging_checks_do_not_accumulate() -> None:
    begun: list[int] = []
    gate = threading.Event()

    def ask() -> str:
        begun.append(1)
        gate.wait(10)
        return OK

    check = Check(ask)
    try:
        assert [check_result(check.begin(), 0.01) for _ in range(5)] == ["no answer"] * 5
        assert len(begun) == 1
    finally:
        gate.set()
    assert check_result(check.begin(), 5) == OK
    assert check_result(check.begin(), 5) == OK


def test_failed_check_is_reported_without_its_message() -> None:
    def ask() -> str:
        raise ValueError("password=secret")

    assert check_result(Check(ask).begin(), 5) == "unusable (ValueError)"
