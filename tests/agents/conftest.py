"""What these tests find out about servers is kept in memory: they have no database."""

from collections.abc import Iterator

import pytest

from agents.model import known


@pytest.fixture(autouse=True)
def _in_memory() -> Iterator[None]:
    before = known.keep_in(known.InMemory())
    yield
    known.keep_in(before)
