"""Nobody is told that games changed; nothing waits in a queue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from webapp.play.live import dispatch
from webapp.play.turns import leases
from webapp.study.participant import stage_pages


@pytest.fixture(autouse=True)
def _nobody_listens() -> Iterator[None]:
    with dispatch.diverted(lambda game, opened: None):
        yield


@pytest.fixture(autouse=True)
def _leases_beat_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A heart that beats in a thread would wait for the test's own transaction."""
    monkeypatch.setattr(leases, "HEARTBEAT_INTERVAL_S", 60.0)


@pytest.fixture
def plain_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interview and debriefing are texts with a button: what is asked there has its own tests."""
    for kind in ("interview", "debriefing"):
        monkeypatch.delitem(stage_pages._PAGES, kind, raising=False)
