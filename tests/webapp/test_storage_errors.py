"""Tests of a full disk and a read-only database: visitors get the reason, and nothing is lost."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.db.backends.signals import connection_created
from django.http import HttpResponse
from django.test import Client

from game.models import Answer, Game, Utterance
from tests.game.table import new_game, play_until
from tests.study import rating
from tests.study.desk import PASSWORD
from tests.webapp.sockets import connect_and_get_code, open_socket, run_in_event_loop, seat_person
from webapp import health, storage_errors
from webapp.play.live.consumers import PONG

pytestmark = pytest.mark.django_db(transaction=True)
Sit = Callable[[Game, int | None], Client]
KEY = "statement.1.1.1"
HTMX = {"HX-Request": "true"}
FULL, READ_ONLY = "The disk of this site is full", "database is read-only"


@pytest.fixture(autouse=True)
def _error_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the test client the page of an error, as any other browser."""
    monkeypatch.setattr(Client, "store_exc_info", lambda *_, **__: None)


@contextmanager
def pragma_on_new_connections(pragma: str) -> Iterator[None]:
    def set_up(connection: Any, **_: object) -> None:
        connection.connection.execute(pragma)

    connection_created.connect(set_up)
    try:
        yield
    finally:
        connection_created.disconnect(set_up)


@contextmanager
def pragma_on_all_connections(pragma: str, undo: str) -> Iterator[None]:
    """Set the pragma on this connection and on all that are opened meanwhile."""
    connection.ensure_connection()
    connection.connection.execute(pragma)
    try:
        with pragma_on_new_connections(pragma):
            yield
    finally:
        connection.connection.execute(undo)


@contextmanager
def full_disk() -> Iterator[None]:
    """Fail writes as on a full disk: the database cannot grow and has no free page.

    An insert fails if the index page of its random key is full, though the table's page may have
    room. So each size is tried with many keys.
    """
    row = {"game": new_game(1), "seat": 1, "window": "filler", "words": 1}
    with pragma_on_all_connections("PRAGMA max_page_count=1", "PRAGMA max_page_count=1000000"):
        for size in (3000, 300, 3):
            failures = 0  # consecutive
            while failures < 20:
                try:
                    Utterance.objects.create(**row, text="x" * size)
                    failures = 0
                except OperationalError:
                    failures += 1
        yield


@contextmanager
def read_only_database() -> Iterator[None]:
    with pragma_on_all_connections("PRAGMA query_only=ON", "PRAGMA query_only=OFF"):
        yield


each_fault = pytest.mark.parametrize(
    ("fault", "reason"),
    [(full_disk, FULL), (read_only_database, READ_ONLY)],
    ids=["full", "read-only"],
)


def read_text(response: HttpResponse) -> str:
    return " ".join(response.content.decode().split())


@each_fault
def test_answer_is_refused_with_the_reason_and_accepted_after_the_fault(
    fault: Any, reason: str, sit: Sit
) -> None:
    game = new_game(1)
    play_until(game, "statement")
    client, post = sit(game, 1), uuid.uuid4()
    form = {"window": KEY, "text": "I was at home. " * 20, "post": post}
    with fault():
        for headers in ({}, HTMX):
            response = client.post(f"/games/{game.code}/answer", form, headers=headers)
            assert response.status_code == 503, "the page's script retries after a 503"
            assert reason in read_text(response)
            assert "stays on the page" in read_text(response)
            assert ('id="refused"' in read_text(response)) is (headers == HTMX)
        assert client.get(f"/games/{game.code}/").status_code == 200
        assert client.get(f"/games/{game.code}/news?cursor=0").status_code == 200
    for _ in range(2):
        assert client.post(f"/games/{game.code}/answer", form, headers=HTMX).status_code == 200
    assert Answer.objects.filter(window__game=game, window__key=KEY, seat=1).count() == 1


@run_in_event_loop
async def test_socket_explains_why_a_draft_is_not_stored_and_stays_open() -> None:
    game, cookie = await sync_to_async(seat_person)()
    client = open_socket(game, "192.0.2.7", cookie)
    with pragma_on_new_connections("PRAGMA query_only=ON"):
        assert await connect_and_get_code(client) == 0, "the page is shown"
        await client.send_to(text_data='{"draft": "I was at home."}')
        while READ_ONLY not in (frame := (await client.receive_output(10))["text"]):
            assert "refused" not in frame
        await client.send_to(text_data='{"ping": true}')
        while (await client.receive_output(10))["text"] != PONG:
            pass
    await client.disconnect(timeout=10)


def test_sign_in_explains_a_read_only_database() -> None:
    User.objects.create_user("ada", password=PASSWORD)
    client, form = Client(), {"username": "ada", "password": PASSWORD}
    with read_only_database():
        response = client.post("/study/sign-in", form)
    assert response.status_code == 503
    assert READ_ONLY in read_text(response)
    assert client.post("/study/sign-in", form).status_code == 302


def test_rating_page_gets_the_reason_as_json() -> None:
    client, rater = rating.enrol(rating.open_campaign("1"))
    (first, *_rest) = rating.pages_of(rater)
    with read_only_database():
        response = rating.rate_page(client, first)
    assert response.status_code == 503
    assert READ_ONLY in response.json()["error"]
    assert rating.rate_page(client, first).status_code == 200


@pytest.fixture
def _unlimited_health_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the health report on a machine of any speed."""
    monkeypatch.setattr(health, "ALL_CHECKS_TIMEOUT_S", 60)


@pytest.mark.usefixtures("_unlimited_health_wait")
@each_fault
def test_health_reports_a_database_that_rejects_writes(fault: Any, reason: str) -> None:
    def read_database_state() -> str:
        state: str = Client().get("/healthz").json()["database"]
        return state

    assert read_database_state() == "ok"
    with fault():
        assert read_database_state() == ("full" if reason == FULL else "read-only")
    assert read_database_state() == "ok"


@pytest.mark.usefixtures("_unlimited_health_wait")
def test_health_does_not_wait_for_a_writer() -> None:
    with sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None) as writer:
        writer.execute("BEGIN IMMEDIATE")
        assert Client().get("/healthz").json()["database"] == "ok"
        writer.execute("ROLLBACK")


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (psycopg.errors.DiskFull("no space"), "full"),
        (psycopg.errors.ReadOnlySqlTransaction("no"), "read-only"),
        (psycopg.errors.AdminShutdown("terminating"), "away"),
        (psycopg.OperationalError("connection refused"), "away"),
        (psycopg.errors.UniqueViolation("twice"), ""),
        (OSError(28, "No space left on device"), "full"),
        (OSError(2, "No such file"), ""),
        (OperationalError("database is locked"), "away"),
        (ValueError("database is full of ideas"), ""),
    ],
)
def test_storage_faults_are_distinguished_from_other_errors(error: Exception, fault: str) -> None:
    outer = RuntimeError("while that was rolled back")
    outer.__context__ = OperationalError(str(error))
    outer.__context__.__cause__ = error
    assert storage_errors.kind_of(outer) == fault
    assert storage_errors.kind_of(error) == fault
