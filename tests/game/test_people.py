"""Rules that depend on who is a person learn it from the log, and no player does."""

from __future__ import annotations

import pytest

from game import selectors
from game.engine import rulesets, visibility
from tests.game.table import finish, new_game
from tests.two_days import TwoDays

pytestmark = pytest.mark.django_db


class Known(TwoDays):
    """Two days whose rules may ask who is a person."""

    name = "known"
    needs_people_seats = True


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rulesets._RULESETS, "known", Known())


def test_the_record_tells_who_is_a_person_and_nobody_sees_it() -> None:
    game = new_game(2, 4, ruleset="known", settings={"blind": True})
    everything = selectors.view_for(game, visibility.MODERATOR)
    assert everything.state.people == (2, 4)
    assert everything.events[1].audience.kind == "record"
    finish(game)
    for viewer in (visibility.PUBLIC, visibility.AFTERMATH, visibility.seat(2)):
        view = selectors.view_for(game, viewer)
        assert view.state.people == ()
        assert "people_seated" not in {event.kind for event in view.events}
