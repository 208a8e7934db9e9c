"""Visitors at tables. Nobody is told that games changed; agents are answered for by hand."""

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
def _nobody_listens() -> Iterator[None]:
    with dispatch.diverted(lambda game, opened: None):
        yield


@pytest.fixture(autouse=True)
def _nothing_known_of_models() -> None:
    model_checks.clear()


@pytest.fixture
def sit() -> Callable[[Game, int | None], Client]:
    """A browser whose visitor sits in a seat of the game (none: watches)."""

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
def _limits_stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit of this process allows more because the machine is slow."""
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(monotonic=lambda: 0.0))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A model that the usual variables name, and that answers."""
    with Endpoint() as found:
        set_up(monkeypatch, found)
        yield found
