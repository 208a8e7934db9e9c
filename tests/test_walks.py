"""Tests that four requests pass through the files, and their number, in docs/paths.md."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.test import Client

from game.models import Game, Player
from tests.game.table import new_game, open_window, play_until
from tests.study import entering, rating
from tests.walks import ROOT, record_called_files
from webapp.play import visitors
from webapp.play.live import notifier
from webapp.play.models import Table
from webapp.play.turns import answering
from webapp.rate_counters import Rate

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _without_notifications() -> Iterator[None]:
    with notifier.diverted(lambda _game, _opened: None):
        yield


MIDDLEWARE_FILE = "webapp/middleware.py"
DATABASE_FILE = "webapp/sqlite/base.py"
MAX_CACHED_FILES = 12  # files a path may skip, because earlier tests cached their results


def listed_paths(title: str) -> set[str]:
    """Return the files and folders of one of the lists."""
    text = (ROOT / "docs/paths.md").read_text()
    match = re.search(rf"^\*\*{title}\*\*(.*?)(?=^\*\*|^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert match, f"no list {title!r}"
    assert all(f"`{name}`" in text for name in (MIDDLEWARE_FILE, DATABASE_FILE))
    return set(re.findall(r"`((?:webapp|game|agents)/[\w/.]*)`", match[1]))


def check_path(title: str, files: list[str], *extra_files: str) -> None:
    """Check the entered files against the list, and their number against the page.

    Extra files are allowed in addition to the list. Folders are listed by name, so the number shows
    their growth.
    """
    text = (ROOT / "docs/paths.md").read_text()
    number = re.search(rf"^\*\*{title}\*\*[^\n]*?(\d+) files", text, re.MULTILINE)
    paths = listed_paths(title) | {DATABASE_FILE, *extra_files}
    folders = tuple(path for path in paths if path.endswith("/"))
    assert {file for file in files if not file.startswith(folders)} == paths - set(folders)
    for folder in folders:
        assert any(file.startswith(folder) for file in files), folder
    assert number, f"the page names no number of files for {title!r}"
    # files whose results are cached are not entered again
    assert int(number[1]) - MAX_CACHED_FILES <= len(set(files)) <= int(number[1]), sorted(
        set(files)
    )


def open_host_page(game: Game) -> Client:
    """Return the browser of the host in seat 1, which has opened the page."""
    Table.objects.create(game=game)
    client, visitor = Client(), uuid.uuid4()
    session = client.session
    session[visitors.VISITOR_KEY] = visitor.hex
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    visitors.seat_visitor(visitor, game, Player.objects.get(game=game, seat=1), is_host=True)
    assert client.get(f"/games/{game.code}/").status_code == 200
    return client


def test_vote_passes_through_the_documented_files() -> None:
    game = new_game(1)
    play_until(game, "vote")
    client, window = open_host_page(game), open_window(game, "vote")
    form = {"window": window.window.key, "target": 2, "post": uuid.uuid4(), "cursor": 5}
    with record_called_files() as files:
        response = client.post(f"/games/{game.code}/answer", form, headers={"HX-Request": "true"})
    assert response.status_code == 200
    check_path("A vote", files, MIDDLEWARE_FILE)


def test_agent_turn_passes_through_the_documented_files() -> None:
    game = new_game(2)
    play_until(game, "statement")
    turn = open_window(game, "statement")
    with record_called_files() as files:
        answering.answer_window(game.pk, turn.asked[0], turn.window.key)
    assert open_window(game, "statement").window.key != turn.window.key
    check_path("An agent’s turn", files)


def test_rating_passes_through_the_documented_files() -> None:
    client, rater = rating.enrol(rating.open_campaign("1", units_per_rater=3, repeats=0))
    assignment = rating.pages_of(rater)[0]
    assert client.get(rating.page_url(assignment)).status_code == 200
    with record_called_files() as files:
        response = rating.rate_page(client, assignment, 2)
    assert response.status_code == 200
    check_path("A rating", files, MIDDLEWARE_FILE)


def test_arrival_passes_through_the_documented_files() -> None:
    """From the shared link over the consent to the first page of the study."""
    study = entering.create_study()
    Rate("arrival", 1, 60).try_acquire("")  # the first count logs if Redis is away
    with record_called_files() as files:
        client, participant = entering.enrol(study)
        page = client.get(entering.page_url(participant))
    assert page.status_code == 200
    check_path("An arrival", files, MIDDLEWARE_FILE)
