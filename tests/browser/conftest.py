"""Fixtures of browser tests: one running Fabula per process, and browser contexts.

A test that needs an empty Fabula, or other settings, starts its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.line import Line
from tests.live import Stack


@pytest.fixture(scope="session")
def stack(standing: Stack) -> Stack:
    """Provide the shared Fabula. A test that kills a process of it starts it again."""
    return standing


@pytest.fixture(scope="module")
def two_games() -> Iterator[Stack]:
    """Run a Fabula with two finished games of two conditions, and no account."""
    with Stack() as running:
        for method in ("baseline", "full"):
            options = ("--ruleset", "one-night", "--games", "1", "--seed", "7", "--method", method)
            running.manage("simulate", *options)
        yield running


@pytest.fixture
def desktop(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        yield context


@pytest.fixture
def phone(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(viewport={"width": 390, "height": 844}) as context:
        yield context


@pytest.fixture
def laptop(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(viewport={"width": 1280, "height": 720}) as context:
        yield context


@pytest.fixture
def line(stack: Stack) -> Iterator[Line]:
    """Provide a connection to the site that the test can cut."""
    port = urlsplit(stack.url).port
    assert port
    with Line(port) as line:
        yield line


@pytest.fixture(scope="module")
def stack_without_worker(stack: Stack) -> Iterator[Stack]:
    """Stop the worker, so that only the test answers for agents."""
    stack.kill("worker")
    yield stack
    stack.revive()
