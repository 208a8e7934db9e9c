"""One running Fabula for all tests with a browser that run in a process.

Whoever needs one with nothing else in it, or with settings of its own, makes it.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.live import Stack


@pytest.fixture(scope="session")
def stack(standing: Stack) -> Stack:
    """Whoever kills a process of it starts it again."""
    return standing


@pytest.fixture(scope="module")
def two_games() -> Iterator[Stack]:
    """A Fabula of its own in which nothing is but two finished games of two conditions, and nobody
    has an account."""
    with Stack() as running:
        for method in ("baseline", "full"):
            options = ("--ruleset", "one-night", "--games", "1", "--seed", "7", "--method", method)
            running.manage("simulate", *options)
        yield running


@pytest.fixture
def desk(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        yield context


@pytest.fixture
def phone(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(viewport={"width": 390, "height": 844}) as context:
        yield context
