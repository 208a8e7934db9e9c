"""Rules can read from the log which seats are people, and players cannot."""

from __future__ import annotations

import pytest

from game import selectors
from game.engine import rulesets, visibility
from tests.game.table import finish, new_game
from tests.two_days import TwoDays

pytestmark = pytest.mark.django_db


class PeopleAwareTwoDays(TwoDays):
    """The two-day game with rules that need to know the seats of people."""

    name = "known"
    needs_people_seats = True


@pytest.fixture(autouse=True)
def people_aware_ruleset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rulesets._RULESETS, "known", PeopleAwareTwoDays())


def test_people_are_recorded_and_hidden_from_players() -> None:
    game = new_game(2, 4, ruleset="known", settings={"blind": True})
    moderator_view = selectors.view_for(game, visibility.MODERATOR)
    assert moderator_view.state.people == (2, 4)
    assert moderator_view.events[1].audience.kind == "record"
    finish(game)
    for viewer in (visibility.PUBLIC, visibility.AFTERMATH, visibility.seat(2)):
        view = selectors.view_for(game, viewer)
        assert view.state.people == ()
        assert "people_seated" not in {event.kind for event in view.events}
