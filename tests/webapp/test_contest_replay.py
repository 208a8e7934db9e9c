"""Tests that the replay shows a contest agent's notes to viewers who may see its mind."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from agents import contest
from agents.recipe import Recipe
from game import selectors
from game.engine import visibility
from game.models import Game
from tests.simulated_games import simulate
from tests.webapp.replays import guest_in_seat
from webapp.play.models import MindNote, Table
from webapp.play.replay.mind_panels import MindPanel
from webapp.play.replay.replay_builder import build_guest_replay

pytestmark = pytest.mark.django_db(transaction=True)


def play_contest_game(**recipe: Any) -> Game:
    (result,) = simulate("aiwolf-5", games=1, seed="notes1", recipe=Recipe(**recipe), concurrency=1)
    assert isinstance(result, dict), result
    game = Game.objects.get(code=result["game"])
    Table.objects.get_or_create(game=game)
    return game


def mind_panels(game: Game) -> list[MindPanel]:
    """Return the mind panel of every line in the moderator's view."""
    last = build_guest_replay(guest_in_seat(game, None), "moderator", "1").last
    line_minds = (
        build_guest_replay(guest_in_seat(game, None), "moderator", str(line)).minds
        for line in range(1, last + 1)
    )
    return [minds.mind for minds in line_minds if minds and minds.mind]


def test_replay_shows_notes_of_every_contest_function() -> None:
    game = play_contest_game(method="contest", switches={"claims": "both"})
    lines_by_title = {
        part.title: part.lines for mind in mind_panels(game) for part in mind.contest_notes
    }
    assert {
        "Claimed role", "Summary of the talk", "How claims were read",
        "Guesses and invented claims", "Requests for votes",
    } <= set(lines_by_title)  # fmt: skip
    attempt = MindNote.objects.filter(game=game, faculty=contest.INDUCING).last()
    names = selectors.view_for(game, visibility.PUBLIC).state.seats
    assert attempt
    name = names[attempt.data["target"] - 1]
    notes = [part for mind in mind_panels(game) for part in mind.contest_notes]
    assert any(f"against {name}, openly" in line for part in notes for line in part.lines)
    assert "agree" in lines_by_title["How claims were read"][0]


def test_replay_counts_both_readings_of_a_guarded_agent() -> None:
    game = play_contest_game(method="guarded", switches={"analysis": "both"})
    lines_by_title = {
        part.title: part.lines for mind in mind_panels(game) for part in mind.contest_notes
    }
    assert "agree" in lines_by_title["How claims were read"][0]


def test_contest_notes_are_hidden_from_the_public_and_absent_for_other_methods(
    client: Client,
) -> None:
    game = play_contest_game(method="contest")
    assert build_guest_replay(guest_in_seat(game, None), "public", "5").minds is None
    full_game = play_contest_game(method="full")
    assert not any(mind.contest_notes for mind in mind_panels(full_game))
