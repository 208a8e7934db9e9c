"""Fixtures for visitors at tables. No process is notified of changes; tests answer for agents."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.test import Client

from game.models import Game, Player
from tests.endpoint import Endpoint
from tests.endpoint.clients import set_up
from webapp.play import rate_limits, visitors
from webapp.play.live import dispatch
from webapp.play.turns.model_choices import model_checks


@pytest.fixture(autouse=True)
def _without_notifications() -> Iterator[None]:
    with dispatch.diverted(lambda _game, _opened: None):
        yield


@pytest.fixture(autouse=True)
def _without_cached_model_checks() -> None:
    model_checks.clear()


@pytest.fixture
def sit() -> Callable[[Game, int | None], Client]:
    """Return a browser whose visitor sits in a seat of the game.

    A visitor without a seat watches.
    """

    def _sit(game: Game, seat: int | None) -> Client:
        client, visitor = Client(), uuid.uuid4()
        session = client.session
        session[visitors.KEY] = visitor.hex
        session.save()
        client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
        player = Player.objects.get(game=game, seat=seat) if seat else None
        visitors.seat_visitor(visitor, game, player)
        return client

    return _sit


@pytest.fixture
def _frozen_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Freeze the clock of the rate limits, so that a slow machine gets no more requests."""
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(monotonic=lambda: 0.0))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """Run a model endpoint that the usual environment variables name."""
    with Endpoint() as server:
        set_up(monkeypatch, server)
        yield server
