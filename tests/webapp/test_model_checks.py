"""Tests that many button presses check a model's server once, within the budget."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings
from django.db import connections
from django.test import Client

from tests.endpoint import Endpoint
from tests.endpoint.clients import set_up
from webapp.play.models import Spent
from webapp.play.turns import model_choices

pytestmark = pytest.mark.django_db(transaction=True)
FORM = {"ruleset": "none", "mode": "watch", "pace": "instant", "guests": 0, "backend": "openai"}


@pytest.fixture(autouse=True)
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint(models=["m"], key="any") as server:
        set_up(monkeypatch, server)
        yield server


def test_refused_forms_check_the_model_once(endpoint: Endpoint) -> None:
    assert [Client().post("/tables/new", FORM).status_code for _ in range(8)] == [422] * 8
    assert endpoint.count == 1


def test_concurrent_presses_share_one_model_check(endpoint: Endpoint) -> None:
    def press(_: int) -> str:
        try:
            return model_choices.backend_error("openai")
        finally:
            connections.close_all()

    endpoint.hold()
    with ThreadPoolExecutor(6) as pool:
        futures = [pool.submit(press, n) for n in range(6)]
        endpoint.wait_for(1)
        endpoint.release()
        assert [future.result() for future in futures] == [""] * 6
    assert endpoint.count == 1


def test_failing_model_is_not_checked_on_every_press(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    assert [Client().post("/play").status_code for _ in range(4)] == [503] * 4
    checks = endpoint.count
    assert Client().post("/play").status_code == 503
    assert endpoint.count == checks


def test_model_check_counts_in_the_daily_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    unlimited = dict.fromkeys(("requests", "tokens"))
    monkeypatch.setattr(
        settings, "BUDGET", {"site": {**unlimited, "requests": 1}, "table": unlimited}
    )
    assert model_choices.backend_error("openai") == ""
    assert Spent.objects.get(scope="site").requests == 1
    assert "daily limit for language models" in model_choices.backend_error("openai")
