"""Tests of guesses at night by people who have no question, visible to themselves only."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from game import selectors
from game.engine import visibility
from game.models import Game
from tests.game.table import new_game
from tests.webapp.replays import guest_in_seat
from webapp.play.page.table_page import Page

pytestmark = pytest.mark.django_db


def read_other_view(game: Game, seat: int) -> list[object]:
    """Return what another player's page shows of the game, and the whole log."""
    page = Page(guest_in_seat(game, seat))
    return [page.entries, page.choice, page.awaited, selectors.view_for(game, visibility.MODERATOR)]


def read_form_address(client: Client, game: Game) -> str:
    """Return the address of the page's choice form, equal with and without scripts."""
    page = client.get(f"/games/{game.code}/").content.decode()
    form = re.search(r'<form id="choose"[^>]* action="([^"]+)"[^>]* hx-post="([^"]+)"', page)
    assert form
    assert form[1] == form[2]
    return form[1]


def test_guess_is_visible_to_its_owner_only(sit: Callable[..., Client]) -> None:
    game = new_game(1, 2, 3, seed="1")
    (seer,) = selectors.open_windows(game)[0].asked
    guesser = next(seat for seat in (1, 2, 3) if seat != seer)
    observer = next(seat for seat in (1, 2, 3) if seat not in (seer, guesser))
    open_choice = Page(guest_in_seat(game, guesser)).choice
    assert open_choice
    assert (open_choice.kind, open_choice.is_answered) == ("guess", False)
    client = sit(game, guesser)
    view_before = read_other_view(game, observer)
    assert (
        client.post(read_form_address(client, game), {"target": str(observer)}).status_code == 302
    )
    answered_choice = Page(guest_in_seat(game, guesser)).choice
    assert answered_choice
    assert answered_choice.is_answered
    assert [option.value for option in answered_choice.options if option.is_chosen] == [
        str(observer)
    ]
    assert read_other_view(game, observer) == view_before, (
        "no other view and no event contains the guess"
    )
    assert client.post(f"/games/{game.code}/guess", {"target": "99"}).status_code == 422
    assert read_form_address(sit(game, seer), game) == f"/games/{game.code}/answer"


@pytest.mark.usefixtures("_frozen_limits")
def test_guesses_are_rate_limited(sit: Callable[..., Client]) -> None:
    game = new_game(1, 2, 3, seed="1")
    (seer,) = selectors.open_windows(game)[0].asked
    guesser = next(seat for seat in (1, 2, 3) if seat != seer)
    client, address = sit(game, guesser), f"/games/{game.code}/guess"
    codes = [client.post(address, {"target": str(seer)}).status_code for _ in range(61)]
    assert codes == [302] * 60 + [429]


def test_only_person_at_a_table_is_not_asked_for_a_guess() -> None:
    game = new_game(1, seed="1")
    (seer,) = selectors.open_windows(game)[0].asked
    choice = Page(guest_in_seat(game, 1)).choice
    assert choice is None or seer == 1
