"""Nobody is told that games changed; nothing waits in a queue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from webapp.play import dispatch, leases


@pytest.fixture(autouse=True)
def _nobody_listens() -> Iterator[None]:
    with dispatch.diverted(lambda game, opened: None):
        yield


@pytest.fixture(autouse=True)
def _leases_beat_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A heart that beats in a thread would wait for the test's own transaction."""
    monkeypatch.setattr(leases, "BEAT", 60.0)
