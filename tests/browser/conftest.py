"""Each module of tests with a browser has a Fabula of its own: they run side by side."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live import Stack


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """One running Fabula for the tests of a module."""
    with Stack() as running:
        yield running
