"""Fixtures for visitors at tables. No process is notified of changes; tests answer for agents."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from agents import backends
from agents.decision import Request
from game.models import Game
from tests.endpoint import Endpoint
from tests.endpoint.clients import set_up
from tests.template_lookups import checked_template_lookups
from tests.webapp.scripted_model import ScriptedModel
from tests.webapp.viewers import client_in_seat
from webapp import rate_counters
from webapp.play import readings
from webapp.play.live import notifier
from webapp.play.turns.model_choices import model_checks


@pytest.fixture(autouse=True)
def _check_template_lookups() -> Iterator[None]:
    with checked_template_lookups():
        yield


@pytest.fixture(autouse=True)
def _without_notifications() -> Iterator[None]:
    with notifier.diverted(lambda _game, _opened: None):
        yield


@pytest.fixture(autouse=True)
def _without_cached_model_checks() -> None:
    model_checks.clear()


@pytest.fixture
def sit() -> Callable[[Game, int | None], Client]:
    return client_in_seat


@pytest.fixture
def _frozen_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Freeze the clock of the rate limits, so that a slow machine gets no more requests."""
    clock = {**vars(time), "monotonic": lambda: 0.0}
    monkeypatch.setattr(rate_counters, "time", SimpleNamespace(**clock))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """Run a model endpoint that the usual environment variables name."""
    with Endpoint() as server:
        set_up(monkeypatch, server)
        yield server


@pytest.fixture
def use_model(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ScriptedModel]:
    """Return a function that lets every agent use a model with the given replies."""

    def install(replies: Callable[[Request], dict[str, Any]]) -> ScriptedModel:
        model = ScriptedModel(replies)
        monkeypatch.setattr(backends, "get", lambda name: model)
        return model

    return install


@pytest.fixture
def queued_tasks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Collect the tasks that read finished games, instead of queueing them."""
    tasks: list[tuple[str, int]] = []
    monkeypatch.setattr(readings, "send", lambda *task: tasks.append(task) or True)
    return tasks
