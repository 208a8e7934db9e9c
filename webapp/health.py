"""GET /healthz: reports whether play is possible now, and which part is missing."""

import errno
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from webapp import storage_errors
from webapp.runtime import worker_heartbeat

ALL_CHECKS_TIMEOUT_S = 1.5
TEST_BYTES = 4096  # a test of the disk writes this much
OK = "ok"


def check_database() -> str:
    """Read a table that only a migrated database has, and test whether the database is writable."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM django_migrations LIMIT 1")
            if connection.vendor == "sqlite":
                _try_to_grow(connection.connection)
                return OK
            cursor.execute("SHOW transaction_read_only")
            return OK if cursor.fetchone()[0] == "off" else "read-only"
    except (DatabaseError, sqlite3.Error) as error:
        if (kind := storage_errors.kind_of(error)) not in ("", "away"):
            return kind
        raise
    finally:
        connection.close()  # checks are rare, so the thread keeps no connection open


def _try_to_grow(database: sqlite3.Connection) -> None:
    """Allocate a page, as a write would, and roll back.

    The check does not wait in the queue of writers (`webapp.sqlite`). If another writer holds
    SQLite's lock, the database is writable and the check passes.
    """
    database.execute("PRAGMA busy_timeout=0")
    try:
        database.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            return
        raise
    try:
        database.execute("CREATE TABLE room_to_grow (it)")
    finally:
        if database.in_transaction:  # SQLite may have rolled it back
            database.execute("ROLLBACK")


_redis = worker_heartbeat.connect(settings.REDIS_URL)


def check_redis() -> str:
    _redis.ping()
    return OK


def check_worker() -> str:
    """Check that a worker has renewed its heartbeat."""
    return OK if _redis.exists(worker_heartbeat.KEY) else "no worker takes tasks from the queue"


def check_disk() -> str:
    """Write a little into the data folder, as SQLite, Redis and the logs must be able to."""
    free = shutil.disk_usage(settings.DATA_DIR).free // 1_000_000
    if free < settings.MIN_FREE_MB:
        return f"almost full: {free} MB are free"
    try:
        with tempfile.TemporaryFile(dir=settings.DATA_DIR, buffering=0) as file:
            file.write(bytes(TEST_BYTES))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return "full"
        raise
    return OK


class Check:
    """Runs one check in a thread of its own.

    While a check hangs, no second one is started, so that hanging checks don't accumulate. It hangs
    if a server accepts connections but does not answer.
    """

    def __init__(self, run_check: Callable[[], str]) -> None:
        self._run_check = run_check
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=run_check.__name__)
        self._lock = threading.Lock()
        self._pending: Future[str] | None = None

    def begin(self) -> Future[str]:
        with self._lock:
            if self._pending is None or self._pending.done():
                self._pending = self._pool.submit(self._run_check)
            return self._pending


CHECKS = {
    "database": Check(check_database),
    "redis": Check(check_redis),
    "worker": Check(check_worker),
    "disk": Check(check_disk),
}


def wait_for_result(pending: Future[str], seconds: float) -> str:
    """Return OK, or the problem without addresses and other secrets, after at most `seconds`."""
    try:
        return pending.result(timeout=max(0.0, seconds))
    except TimeoutError:
        return "no answer"
    except Exception as error:  # every error of a driver means the same here
        return f"unusable ({type(error).__name__})"


def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 if database, Redis, a worker and disk space are available, else 503."""
    deadline = monotonic() + ALL_CHECKS_TIMEOUT_S
    pending = {name: check.begin() for name, check in CHECKS.items()}
    report = {
        name: wait_for_result(future, deadline - monotonic()) for name, future in pending.items()
    }
    is_healthy = all(value == OK for value in report.values())
    report = {"status": OK if is_healthy else "unavailable", **report}
    return JsonResponse(report, status=200 if is_healthy else 503)
