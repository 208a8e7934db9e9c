"""At night whoever is asked nothing may guess, for themselves alone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from game import selectors
from game.engine import visibility
from game.models import Game, Player
from tests.game.table import new_game
from webapp.play.page.page_builder import page_for
from webapp.play.visitors import Guest

pytestmark = pytest.mark.django_db


def guest(game: Game, seat: int) -> Guest:
    return Guest(game, Player.objects.get(game=game, seat=seat), is_member=True)


def seen(game: Game, seat: int) -> list[object]:
    """What another's page shows of the game, and the whole log."""
    page = page_for(guest(game, seat))
    return [page.entries, page.choice, page.awaited, selectors.view_for(game, visibility.MODERATOR)]


def form_of(client: Client, game: Game) -> str:
    """Where the page's form of a choice is sent, with its script and without."""
    page = client.get(f"/games/{game.code}/").content.decode()
    form = re.search(r'<form id="choose"[^>]* action="([^"]+)"[^>]* hx-post="([^"]+)"', page)
    assert form
    assert form[1] == form[2]
    return form[1]


def test_a_guess_is_kept_for_its_owner_alone(sit: Callable[..., Client]) -> None:
    game = new_game(1, 2, 3, seed="1")
    (seer,) = selectors.open_windows(game)[0].asked
    mine = next(seat for seat in (1, 2, 3) if seat != seer)
    other = next(seat for seat in (1, 2, 3) if seat not in (seer, mine))
    asked = page_for(guest(game, mine)).choice
    assert asked
    assert (asked.kind, asked.is_answered) == ("guess", False)
    client = sit(game, mine)
    before = seen(game, other)
    assert client.post(form_of(client, game), {"target": str(other)}).status_code == 302
    kept = page_for(guest(game, mine)).choice
    assert kept
    assert kept.is_answered
    assert [o.value for o in kept.options if o.is_chosen] == [str(other)]
    assert seen(game, other) == before, "nobody sees it, and the game knows nothing of it"
    assert client.post(f"/games/{game.code}/guess", {"target": "99"}).status_code == 422
    assert form_of(sit(game, seer), game) == f"/games/{game.code}/answer"


@pytest.mark.usefixtures("_limits_stand_still")
def test_guesses_are_limited_far_above_what_people_do(sit: Callable[..., Client]) -> None:
    game = new_game(1, 2, 3, seed="1")
    (seer,) = selectors.open_windows(game)[0].asked
    mine = next(seat for seat in (1, 2, 3) if seat != seer)
    client, address = sit(game, mine), f"/games/{game.code}/guess"
    codes = [client.post(address, {"target": str(seer)}).status_code for _ in range(61)]
    assert codes == [302] * 60 + [429]


def test_who_is_alone_is_asked_for_none() -> None:
    game = new_game(1, seed="1")
    (seer,) = selectors.open_windows(game)[0].asked
    choice = page_for(guest(game, 1)).choice
    assert choice is None or seer == 1
