"""Nobody is told that games changed; nothing waits in a queue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from webapp.play import dispatch


@pytest.fixture(autouse=True)
def _nobody_listens() -> Iterator[None]:
    with dispatch.diverted(lambda game, opened: None):
        yield
