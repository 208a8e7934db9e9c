"""Fixtures: server capabilities in memory, because these tests have no database; an endpoint."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents.llm import capabilities
from tests.endpoint import Endpoint


@pytest.fixture(autouse=True)
def _in_memory() -> Iterator[None]:
    before = capabilities.set_store(capabilities.CapabilityStore())
    yield
    capabilities.set_store(before)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as server:
        yield server
