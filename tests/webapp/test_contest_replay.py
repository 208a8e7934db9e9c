"""The replay shows what a contest agent noted, to those who may look inside its mind."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from agents import contest
from agents.recipe import Recipe
from game import selectors
from game.engine import visibility
from game.models import Game
from tests.webapp.test_replay import guest
from webapp.play.models import MindNote, Table
from webapp.play.replay.replay_builder import build_guest_replay
from webapp.play.replay.replay_parts import MindPanel
from webapp.play.simulation.game_pool import simulate

pytestmark = pytest.mark.django_db(transaction=True)


def played(**recipe: Any) -> Game:
    (result,) = simulate("aiwolf-5", games=1, seed="notes1", recipe=Recipe(**recipe), concurrency=1)
    assert isinstance(result, dict), result
    game = Game.objects.get(code=result["game"])
    Table.objects.get_or_create(game=game)
    return game


def panels(game: Game) -> list[MindPanel]:
    """The mind at every line, as the all-knowing sees it."""
    last = build_guest_replay(guest(game, None), "moderator", "1").last
    found = (
        build_guest_replay(guest(game, None), "moderator", str(at)).minds
        for at in range(1, last + 1)
    )
    return [minds.mind for minds in found if minds and minds.mind]


def test_replay_shows_notes_of_every_contest_function() -> None:
    game = played(method="contest", switches={"claims": "both"})
    shown = {part.title: part.lines for mind in panels(game) for part in mind.notes}
    assert {
        "Claimed role", "Summary of the talk", "How claims were read",
        "Guesses and invented claims", "Requests for votes",
    } <= set(shown)  # fmt: skip
    attempt = MindNote.objects.filter(game=game, faculty=contest.INDUCING).last()
    names = selectors.view_for(game, visibility.PUBLIC).state.seats
    assert attempt
    name = names[attempt.data["target"] - 1]
    assert any(f"against {name}, openly" in line for mind in panels(game) for part in mind.notes
               for line in part.lines)  # fmt: skip
    assert "agree" in shown["How claims were read"][0]


def test_replay_counts_both_readings_of_a_guarded_agent() -> None:
    game = played(method="guarded", switches={"analysis": "both"})
    shown = {part.title: part.lines for mind in panels(game) for part in mind.notes}
    assert "agree" in shown["How claims were read"][0]


def test_contest_notes_are_hidden_from_the_public_and_absent_for_other_methods(
    client: Client,
) -> None:
    game = played(method="contest")
    assert build_guest_replay(guest(game, None), "public", "5").minds is None
    other = played(method="full")
    assert not any(mind.notes for mind in panels(other))
