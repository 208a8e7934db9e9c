"""Tests of completion, win and their product by hand (Helmsman D.5; SPEC 3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.lab.making import day, game
from webapp.measures.game_record import GameRecord, NotDefined
from webapp.measures.outcomes import (
    completion,
    completion_win,
    elected_by_role,
    win,
    wins_by_role,
    wins_by_system,
    wins_by_team,
)

WON = game(day())
LOST = game(day(), winner="werewolf", winners=frozenset({4, 5}), reason="wolves_equal")
DIED = game(day(), dead=frozenset({1}))  # the village won, but without the Sheriff
CUT = game(day(), winner="", winners=frozenset(), reason="too_long")  # the Sheriff lives
VOID = game(day(votes={}), winner="", winners=frozenset(), reason="void", leader=0)


def test_completion_covers_all_games_and_win_the_completed_ones() -> None:
    # Five games, two completed: 0.4. One of these two won: 0.5. Product 0.2: one of five.
    games = [WON, LOST, DIED, CUT, DIED]
    assert (completion(games).value, completion(games).n) == (0.4, 5)
    assert (win(games).value, win(games).n) == (0.5, 2)
    assert win(games).omitted["games not completed"] == 3
    assert completion_win(games).value == pytest.approx(0.2)


def test_win_and_product_are_undefined_without_completed_games() -> None:
    games: list[GameRecord] = [DIED, CUT]
    assert completion(games).value == 0
    assert win(games).value is None
    assert completion_win(games).value is None
    assert completion_win(games).reason == "no game was completed"


def test_werewolf_sheriff_wins_with_the_werewolves() -> None:
    werewolf_game = game(day(), leader=4, winner="werewolf", winners=frozenset({4, 5}))
    assert win([werewolf_game]).value == 1


def test_game_that_ended_before_any_vote_without_a_winner_is_void() -> None:
    assert VOID.is_void
    assert not CUT.is_void
    assert not game(day(votes={})).is_void


def test_wins_by_team_and_role_need_no_sheriff() -> None:
    # Three games: village, werewolf, nobody. Two werewolves a game: 2 of 6 holders won.
    games = [game(day(), has_leader=False), LOST, CUT]
    teams, roles = wins_by_team(games), wins_by_role(games)
    assert {team: figure.value for team, figure in teams.items()} == {
        "village": pytest.approx(1 / 3),
        "werewolf": pytest.approx(1 / 3),
    }
    assert (roles["werewolf"].value, roles["werewolf"].n) == (pytest.approx(2 / 6), 6)
    assert roles["seer"].n == 3
    with pytest.raises(NotDefined, match="no Sheriff"):
        completion(games)


def test_elected_share_is_computed_over_candidates_by_role() -> None:
    # Seats 1 to 5. The first game elects 1, the second 4, the third nobody's (no election).
    games = [
        game(day(), candidates=(1, 4), elected=1),
        game(day(), candidates=(4, 2), elected=4),
        game(day()),
    ]
    # Seat 1 the Seer, 2 the Guard, 4 a Werewolf: it stood twice.
    figures = elected_by_role(games)
    assert {role: (figure.value, figure.n) for role, figure in figures.items()} == {
        "seer": (1, 1),
        "guard": (0, 1),
        "werewolf": (0.5, 2),
    }
    # Where a setting tests one seat, other candidacies do not count.
    (remaining,) = elected_by_role([replace(record, tested=4) for record in games]).items()
    assert (remaining[0], remaining[1].value, remaining[1].n) == ("werewolf", 0.5, 2)


def test_wins_by_system_count_a_game_once_for_each_role() -> None:
    # Both werewolves (4, 5) of one system are one game of it. It lost one of two.
    systems = {1: "a", 2: "a", 3: "b", 4: "b", 5: "b"}
    table = wins_by_system([game(day(), systems=systems), replace(LOST, systems=systems)])
    assert (table["b"]["werewolf"].value, table["b"]["werewolf"].n) == (50, 2)
    assert set(table["a"]) == {"seer", "guard"}
    # Clopper and Pearson's interval of 1 in 2, as tables print it.
    assert table["a"]["seer"].interval == pytest.approx((1.258, 98.742), abs=1e-3)
