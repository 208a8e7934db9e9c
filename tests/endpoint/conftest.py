"""Fixture: an endpoint of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.endpoint import Endpoint


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as server:
        yield server
