"""Fixtures that open the databases of earlier revisions as this process's own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from game.models import Game
from tests import fresh_database
from tests.endpoint import Endpoint
from tests.upgrade import database
from webapp.play.live import notifier
from webapp.study.models import Campaign, Study


@pytest.fixture(scope="session", params=database.names())
def migrated(request: pytest.FixtureRequest, django_db_blocker: Any) -> tuple[str, Path]:
    """(name, file) of a database migrated to the current schema, once per run."""

    def build(file: Path) -> None:
        database.unpack(request.param, file)
        with django_db_blocker.unblock(), database.opened(file):
            call_command("migrate", verbosity=0)

    return request.param, fresh_database.get_or_build_shared_file(request.param, build)


@dataclass(frozen=True)
class Old:
    """Expected facts of the open database."""

    games: dict[str, Any]
    campaigns: dict[str, Any]
    studies: dict[str, str] = field(default_factory=dict)  # name -> code

    def game(self, name: str) -> Game:
        return Game.objects.get(code=self.games[name]["code"])

    def campaign(self, name: str) -> Campaign:
        return Campaign.objects.get(code=self.campaigns[name]["code"])

    def study(self, name: str) -> Study:
        return Study.objects.get(code=self.studies[name])


@pytest.fixture
def old(migrated: tuple[str, Path], tmp_path: Path, django_db_blocker: Any) -> Iterator[Old]:
    """Open a copy of the database for each test."""
    name, file = migrated
    copy = Path(shutil.copy(file, tmp_path / "copy.sqlite3"))
    expected = database.facts(name)
    no_notifications = notifier.diverted(lambda game, opened: None)  # events outside of a World
    with django_db_blocker.unblock(), database.opened(copy), no_notifications:
        yield Old(**expected)


@pytest.fixture(autouse=True)
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """The model endpoint of some agents."""
    with Endpoint() as server:
        monkeypatch.delenv("FABULA_MODELS", raising=False)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        monkeypatch.setenv("OPENAI_MODEL", "a-model")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield server
    assert not server.errors
