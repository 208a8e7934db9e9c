"""The databases of earlier revisions, one after the other, each as this process's own."""

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
from webapp.play.live import dispatch
from webapp.study.models import Campaign, Study


@pytest.fixture(scope="session", params=database.names())
def migrated(request: pytest.FixtureRequest, django_db_blocker: Any) -> tuple[str, Path]:
    """(name, file) of a database that has come to the present schema, once a run."""

    def make(file: Path) -> None:
        database.unpack(request.param, file)
        with django_db_blocker.unblock(), database.opened(file):
            call_command("migrate", verbosity=0)

    return request.param, fresh_database.once(request.param, make)


@dataclass(frozen=True)
class Old:
    """What is expected of the database that is open."""

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
    """A copy for each test, open."""
    name, file = migrated
    copy = Path(shutil.copy(file, tmp_path / "copy.sqlite3"))
    expected = database.facts(name)
    unheard = dispatch.diverted(lambda game, opened: None)  # what a World does not hear
    with django_db_blocker.unblock(), database.opened(copy), unheard:
        yield Old(**expected)


@pytest.fixture(autouse=True)
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """The model that some of the computer players have."""
    with Endpoint() as found:
        monkeypatch.delenv("FABULA_MODELS", raising=False)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        monkeypatch.setenv("OPENAI_MODEL", "a-model")
        monkeypatch.setenv("OPENAI_BASE_URL", found.url)
        yield found
    assert not found.errors
