"""A full disk and a read-only database: people read what happened, and nothing is lost."""

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
from tests.webapp.test_live import seated
from tests.webapp.test_sockets import code_of, in_a_loop, line
from webapp import health, storage_faults
from webapp.play.live.consumers import PONG

pytestmark = pytest.mark.django_db(transaction=True)
Sit = Callable[[Game, int | None], Client]
KEY = "statement.1.1.1"
HTMX = {"HX-Request": "true"}
FULL, READ_ONLY = "The disk of this site is full", "database is read-only"


@pytest.fixture(autouse=True)
def _errors_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' browser gets the page of an error, as any other does."""
    monkeypatch.setattr(Client, "store_exc_info", lambda *_, **__: None)


@contextmanager
def in_new_connections(pragma: str) -> Iterator[None]:
    def set_up(connection: Any, **_: object) -> None:
        connection.connection.execute(pragma)

    connection_created.connect(set_up)
    try:
        yield
    finally:
        connection_created.disconnect(set_up)


@contextmanager
def everywhere(pragma: str, undo: str) -> Iterator[None]:
    """Set that pragma in this connection and in all that are opened meanwhile."""
    connection.ensure_connection()
    connection.connection.execute(pragma)
    try:
        with in_new_connections(pragma):
            yield
    finally:
        connection.connection.execute(undo)


@contextmanager
def full() -> Iterator[None]:
    """The database may not grow, and has no free page: what a full disk gives, SQLITE_FULL.

    A row fails if the page of its random key is full, though the table's own page may have
    room. So each size is tried with many keys.
    """
    row = {"game": new_game(1), "seat": 1, "window": "filler", "words": 1}
    with everywhere("PRAGMA max_page_count=1", "PRAGMA max_page_count=1000000"):
        for size in (3000, 300, 3):
            failures = 0  # in a row
            while failures < 20:
                try:
                    Utterance.objects.create(**row, text="x" * size)
                    failures = 0
                except OperationalError:
                    failures += 1
        yield


@contextmanager
def read_only() -> Iterator[None]:
    with everywhere("PRAGMA query_only=ON", "PRAGMA query_only=OFF"):
        yield


FAULTS = pytest.mark.parametrize(
    ("broken", "why"), [(full, FULL), (read_only, READ_ONLY)], ids=["full", "read-only"]
)


def shown(answer: HttpResponse) -> str:
    return " ".join(answer.content.decode().split())


@FAULTS
def test_answer_is_refused_in_words_and_taken_once_there_is_room(
    broken: Any, why: str, sit: Sit
) -> None:
    game = new_game(1)
    play_until(game, "statement")
    client, post = sit(game, 1), uuid.uuid4()
    form = {"window": KEY, "text": "I was at home. " * 20, "post": post}
    with broken():
        for headers in ({}, HTMX):
            answer = client.post(f"/games/{game.code}/answer", form, headers=headers)
            assert answer.status_code == 503, "a page's script sends it again by itself"
            assert why in shown(answer)
            assert "stays on the page" in shown(answer)
            assert ('id="refused"' in shown(answer)) is (headers == HTMX)
        assert client.get(f"/games/{game.code}/").status_code == 200
        assert client.get(f"/games/{game.code}/news?cursor=0").status_code == 200
    for _ in range(2):
        assert client.post(f"/games/{game.code}/answer", form, headers=HTMX).status_code == 200
    assert Answer.objects.filter(window__game=game, window__key=KEY, seat=1).count() == 1


@in_a_loop
async def test_socket_says_why_a_draft_is_not_kept_and_stays_open() -> None:
    game, cookie = await sync_to_async(seated)()
    client = line(game, "192.0.2.7", cookie)
    with in_new_connections("PRAGMA query_only=ON"):
        assert await code_of(client) == 0, "the page is shown"
        await client.send_to(text_data='{"draft": "I was at home."}')
        while READ_ONLY not in (frame := (await client.receive_output(10))["text"]):
            assert "refused" not in frame
        await client.send_to(text_data='{"ping": true}')
        while (await client.receive_output(10))["text"] != PONG:
            pass
    await client.disconnect(timeout=10)


def test_sign_in_says_why_nobody_can_come_in() -> None:
    User.objects.create_user("ada", password=PASSWORD)
    client, form = Client(), {"username": "ada", "password": PASSWORD}
    with read_only():
        answer = client.post("/study/sign-in", form)
    assert answer.status_code == 503
    assert READ_ONLY in shown(answer)
    assert client.post("/study/sign-in", form).status_code == 302


def test_rating_page_gets_the_reason_as_its_script_reads_it() -> None:
    client, rater = rating.enrol(rating.open_campaign("1"))
    (first, *_rest) = rating.pages_of(rater)
    with read_only():
        answer = rating.rate_page(client, first)
    assert answer.status_code == 503
    assert READ_ONLY in answer.json()["error"]
    assert rating.rate_page(client, first).status_code == 200


@pytest.fixture
def _slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Health is awaited on a machine of any speed."""
    monkeypatch.setattr(health, "MAX_WAIT_S", 60)


@pytest.mark.usefixtures("_slow")
@FAULTS
def test_health_names_a_database_that_takes_nothing(broken: Any, why: str) -> None:
    def database() -> str:
        told: str = Client().get("/healthz").json()["database"]
        return told

    assert database() == "ok"
    with broken():
        assert database() == ("full" if why == FULL else "read-only")
    assert database() == "ok"


@pytest.mark.usefixtures("_slow")
def test_health_waits_for_no_writer() -> None:
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
def test_faults_are_told_from_other_errors(error: Exception, fault: str) -> None:
    outer = RuntimeError("while that was rolled back")
    outer.__context__ = OperationalError(str(error))
    outer.__context__.__cause__ = error
    assert storage_faults.fault_of(outer) == fault
    assert storage_faults.fault_of(error) == fault
