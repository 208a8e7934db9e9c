"""Four paths run through the files that docs/paths.md lists, and through as many as it says."""

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
from tests.walks import ROOT, walked
from webapp.play import visitors
from webapp.play.live import dispatch
from webapp.play.models import Table
from webapp.play.turns import answering

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nobody_listens() -> Iterator[None]:
    with dispatch.diverted(lambda game, opened: None):
        yield


FRONT = ("webapp/middleware.py", "webapp/storable_text.py")
BELOW = "webapp/sqlite/base.py"
CACHED = 12  # files that a path may skip, because earlier tests have cached what they load


def listed(title: str) -> set[str]:
    """The files, and folders, of one of the lists."""
    text = (ROOT / "docs/paths.md").read_text()
    found = re.search(rf"^\*\*{title}\*\*(.*?)(?=^\*\*|^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, f"no list {title!r}"
    assert all(f"`{name}`" in text for name in (*FRONT, BELOW))
    return set(re.findall(r"`((?:webapp|game|agents)/[\w/.]*)`", found[1]))


def check(title: str, files: list[str], *beside: str) -> None:
    """Every file that was entered is listed (or `beside`), every listed one was entered, and their
    number is the one of the page: folders are listed by name, so it tells when one grows."""
    text = (ROOT / "docs/paths.md").read_text()
    number = re.search(rf"^\*\*{title}\*\*[^\n]*?(\d+) files", text, re.MULTILINE)
    paths = listed(title) | {BELOW, *beside}
    folders = tuple(path for path in paths if path.endswith("/"))
    assert {file for file in files if not file.startswith(folders)} == paths - set(folders)
    for folder in folders:
        assert any(file.startswith(folder) for file in files), folder
    assert number, f"the page names no number of files for {title!r}"
    # what other tests have cached already is not entered again
    assert int(number[1]) - CACHED <= len(set(files)) <= int(number[1]), sorted(set(files))


def host_of(game: Game) -> Client:
    """The browser of the person in seat 1, who is the host; it has opened the page."""
    Table.objects.create(game=game)
    client, visitor = Client(), uuid.uuid4()
    session = client.session
    session[visitors.KEY] = visitor.hex
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    visitors.seat_visitor(visitor, game, Player.objects.get(game=game, seat=1), is_host=True)
    assert client.get(f"/games/{game.code}/").status_code == 200
    return client


def test_a_vote() -> None:
    game = new_game(1)
    play_until(game, "vote")
    client, vote = host_of(game), open_window(game, "vote")
    form = {"window": vote.window.key, "target": 2, "post": uuid.uuid4(), "cursor": 5}
    with walked() as files:
        answer = client.post(f"/games/{game.code}/answer", form, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    check("A vote", files, *FRONT)


def test_an_agents_turn() -> None:
    game = new_game(2)
    play_until(game, "statement")
    turn = open_window(game, "statement")
    with walked() as files:
        answering.answer_window(game.pk, turn.asked[0], turn.window.key)
    assert open_window(game, "statement").window.key != turn.window.key
    check("An agent’s turn", files)


def test_a_rating() -> None:
    client, rater = rating.enrolled(rating.opened("1", units_per_rater=3, repeats=0))
    first = rating.way(rater)[0]
    assert client.get(rating.item(first)).status_code == 200
    with walked() as files:
        answer = rating.rate(client, first, 2)
    assert answer.status_code == 200
    check("A rating", files, *FRONT)


def test_an_arrival() -> None:
    """From the shared link over the consent to the first page of the study."""
    study = entering.study()
    with walked() as files:
        client, participant = entering.enrolled(study)
        page = client.get(entering.way(participant))
    assert page.status_code == 200
    check("An arrival", files, *FRONT)
