"""Suppress notifications about changed games, because these tests have no listeners."""

from collections.abc import Iterator

import pytest

from tests.game.clock import Clock
from webapp.play.live import notifier


@pytest.fixture(autouse=True)
def _no_notifications() -> Iterator[None]:
    with notifier.diverted(lambda game, opened: None):
        yield


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Provide the game's clock, which the test moves by hand."""
    return Clock(monkeypatch)
