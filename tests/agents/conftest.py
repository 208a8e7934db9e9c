"""Keep discovered server capabilities in memory, because these tests have no database."""

from collections.abc import Iterator

import pytest

from agents.llm import capabilities


@pytest.fixture(autouse=True)
def _in_memory() -> Iterator[None]:
    before = capabilities.set_store(capabilities.CapabilityStore())
    yield
    capabilities.set_store(before)
