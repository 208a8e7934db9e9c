"""Fixtures for the tests of studies: no notifications, no queue, fixed random draws."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from html import escape
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.signals import post_save
from django.test import Client

from game import models
from tests.endpoint import Endpoint
from tests.endpoint.clients import set_up
from tests.study import world
from tests.study.desk import sign_in
from tests.template_lookups import checked_template_lookups
from webapp.play.live import notifier
from webapp.play.turns import leases
from webapp.study.models import AuditEvent, Campaign
from webapp.study.monitor import audit_event_lines
from webapp.study.participant import entrance
from webapp.study.planning import studies
from webapp.study.rating import campaigns
from webapp.study.results import figure_rendering
from webapp.study.results.figure_rendering import SVG, FigureBuilder


@pytest.fixture(autouse=True)
def _check_template_lookups() -> Iterator[None]:
    with checked_template_lookups():
        yield


@pytest.fixture(autouse=True)
def _ignore_game_changes() -> Iterator[None]:
    with notifier.diverted(lambda game, opened: None):
        yield


@pytest.fixture(autouse=True)
def _fix_random_draws(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Draw the same codes, keys and seeds in each run of a test."""
    numbers = defaultdict[int, Iterator[int]](count)

    def draw(size: int) -> Random:
        return Random(f"{request.node.nodeid} {size} {next(numbers[size])}")

    def token_hex(size: int) -> str:
        return draw(size).randbytes(size).hex()

    def code(length: int) -> str:
        return "".join(draw(length).choices(models.CODE_LETTERS, k=length))

    monkeypatch.setattr(models, "_random_code", code)
    for module in (studies, campaigns):
        monkeypatch.setattr(module, "secrets", SimpleNamespace(token_hex=token_hex))


@pytest.fixture(autouse=True)
def _slow_down_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the heartbeat thread from waiting for the transaction of the test."""
    monkeypatch.setattr(leases, "HEARTBEAT_INTERVAL_S", 60.0)


@pytest.fixture(autouse=True)
def _check_event_texts() -> Iterator[None]:
    """Check that each recorded event has a text on the monitor."""
    undescribed = set()

    def collect(instance: AuditEvent, **_: Any) -> None:
        if audit_event_lines.event_text(instance.what) == instance.what.replace("_", " "):
            undescribed.add(instance.what)

    post_save.connect(collect, AuditEvent, weak=False)
    yield
    post_save.disconnect(collect, AuditEvent)
    assert not undescribed


@pytest.fixture
def plain_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show interview and debriefing as texts with a button."""
    for kind in ("interview", "debriefing"):
        monkeypatch.delitem(entrance._PAGES, kind)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """Serve a model that the environment variables name. No task is queued."""
    monkeypatch.setattr("celery.Celery.send_task", lambda *_args, **_options: None)
    with Endpoint(models=["m"]) as server:
        set_up(monkeypatch, server)
        yield server


@pytest.fixture
def plain_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace figures by a description of what would be drawn."""

    def render(
        builder: FigureBuilder, prefix: str, title: str, description: str, *, with_pdf: bool
    ) -> tuple[str, bytes]:
        texts = escape(f"{title} {description} {builder.key!r}")
        return f'<svg xmlns="{SVG}" id="{prefix}"><text>{texts}</text></svg>', b"%PDF"

    monkeypatch.setattr(figure_rendering, "_render", render)


@pytest.fixture
def ada() -> Client:
    """Return a browser in which the researcher Ada is signed in."""
    return sign_in("ada")


@pytest.fixture
def campaign() -> Campaign:
    """Return a draft of Ada without games. Tests of open campaigns replace this fixture."""
    owner = User.objects.filter(username="ada").first() or world.create_researcher()
    return campaigns.create(owner, "A study")
