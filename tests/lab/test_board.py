"""Tests of the board of players, against Bradley and Terry's model in plain loops."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import exp, log, sqrt

import pytest
from scipy import stats

from tests.lab.making import ROLES, TEAMS, game
from webapp.measures import board
from webapp.measures.game_record import GameRecord
from webapp.study.results.board_tables import board_table

VILLAGE, WEREWOLVES = frozenset({1, 2, 3}), frozenset({4, 5})
TRUE_STRENGTHS = {"a": -0.9, "b": -0.3, "c": 0.0, "d": 0.4, "e": 0.8}
Weights = dict[tuple[str, str], float]


def make_game(code: str, seats: str, village_won: bool) -> GameRecord:
    """Return a game in which system seats[n - 1] sits at seat n. A "-" is a seat without one."""
    winners, team = (VILLAGE, "village") if village_won else (WEREWOLVES, "werewolf")
    systems = {seat: "" if name == "-" else name for seat, name in enumerate(seats, 1)}
    return game(code=code, systems=systems, winners=winners, winner=team)


def draw_league(games: int) -> list[GameRecord]:
    rng = random.Random("league")
    league_games = []
    for number in range(games):
        seats = "".join(rng.sample([*TRUE_STRENGTHS], 5))
        strength = [TRUE_STRENGTHS[name] for name in seats]
        lead = 3 * (sum(strength[:3]) / 3 - sum(strength[3:]) / 2)
        league_games.append(make_game(str(number), seats, rng.random() < 1 / (1 + exp(-lead))))
    return league_games


def win_weights(games: Sequence[GameRecord]) -> Weights:
    weights: Weights = {}
    for played_game in games:
        for winner in played_game.winners:
            for loser in set(played_game.roles) - played_game.winners:
                pair = played_game.systems[winner], played_game.systems[loser]
                weights[pair] = weights.get(pair, 0) + 1 / 6
    return weights


def fit_by_loops(games: Sequence[GameRecord]) -> dict[str, float]:
    """Fit strengths with geometric mean 1 by Hunter's MM algorithm (2004)."""
    weights, strengths = win_weights(games), dict.fromkeys(TRUE_STRENGTHS, 1.0)
    for _step in range(2000):
        updated = {}
        for name in strengths:
            wins = sum(
                weights.get((name, opponent), 0) for opponent in strengths if opponent != name
            )
            denominator = 0.0
            for opponent in strengths:
                if opponent != name:
                    meetings = weights.get((name, opponent), 0) + weights.get((opponent, name), 0)
                    denominator += meetings / (strengths[name] + strengths[opponent])
            updated[name] = wins / denominator
        mean = exp(sum(map(log, updated.values())) / len(updated))
        strengths = {name: value / mean for name, value in updated.items()}
    return {name: log(value) for name, value in strengths.items()}


def test_strengths_and_intervals_equal_those_of_plain_loops() -> None:
    """The interval is compared with a jackknife that refits the model without each game."""
    games = draw_league(40)
    (fit,) = board.build_boards(games).boards
    expected = fit_by_loops(games)
    assert {standing.name: standing.strength for standing in fit.standings} == pytest.approx(
        expected, abs=1e-6
    )
    assert [standing.name for standing in fit.standings] == sorted(
        expected, key=lambda n: -expected[n]
    )
    jackknife = [fit_by_loops(games[:n] + games[n + 1 :]) for n in range(40)]
    for standing in fit.standings:
        values = [row[standing.name] for row in jackknife]
        mean = sum(values) / 40
        error = sqrt(39 / 40 * sum((value - mean) ** 2 for value in values))
        assert standing.interval
        low, high = standing.interval
        assert (low + high) / 2 == pytest.approx(standing.strength)
        assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 39) * error, rel=0.12)
        assert standing.games == 40
    true_order = sorted(TRUE_STRENGTHS, key=lambda name: -TRUE_STRENGTHS[name])
    assert fit.standings[0].name in true_order[:2]


def test_only_mutually_linked_players_share_a_board() -> None:
    """a and b beat each other, as do c and d. e beats a only, f only loses, g meets nobody."""
    outcomes = [
        ("a--b-", True), ("a--b-", False), ("a--b-", True), ("c--d-", True), ("c--d-", False),
        ("e--a-", True), ("e--f-", True), ("gg-g-", True), ("h--a-", True), ("f--h-", True),
    ]  # fmt: skip
    games = [make_game(str(n), seats, won) for n, (seats, won) in enumerate(outcomes, 1)]
    boards = board.build_boards(games)
    assert [[standing.name for standing in one_board.standings] for one_board in boards.boards] == [
        ["a", "b"],
        ["c", "d"],
    ]
    assert boards.left_out == {
        ("e", ""): board.WON_ALL, ("f", ""): board.ONE_WAY, ("g", ""): board.MET_NOBODY,
        ("h", ""): board.ONE_WAY,
    }  # fmt: skip
    first, second = boards.boards
    assert first.standings[0].strength == pytest.approx(log(2) / 2), "won two of three"
    assert first.standings[0].reason == board.NEEDS_ONE_GAME, "the one game that b won links them"
    assert second.standings[0].reason == board.FEW_ON_BOARD
    table = board_table({"one": games})
    assert table
    notes = table.notes.sentences
    assert f"On no board, because {board.MET_NOBODY}: g." in notes
    assert "Fewer than 10 games, so the rank is unreliable: a; b; c; d." in notes
    assert [list(row.texts())[2] for row in table.rows] == ["3 (few)"] * 2 + ["2 (few)"] * 2
    assert [list(row.texts())[-1] for row in table.rows[:2]] == ["59", "41"]


def test_people_are_one_player_and_unopposed_games_make_no_board() -> None:
    people = frozenset({4, 5})
    games = [
        game(code=str(n), systems={1: "a"}, people=people, winners=(VILLAGE, WEREWOLVES)[n % 2])
        for n in range(12)
    ]
    (fit,) = board.build_boards(games).boards
    assert {standing.name: standing.games for standing in fit.standings} == {
        "a": 12,
        board.PEOPLE: 12,
    }
    assert fit.standings[0].strength == pytest.approx(0)
    assert board_table({"one": [make_game("1", "aaaaa", True)]}) is None
    with_unwon_game = [*games, game(code="x", winners=frozenset(), winner="")]
    table = board_table({"one": with_unwon_game})
    assert table
    assert "Excluded games without a winner: 1." in table.notes.sentences


def test_strengths_by_role_are_centred_within_each_role() -> None:
    """a and b are Seer in turn against c and d as Werewolves. Each pair meets three times."""
    games = [
        make_game(f"{seer}{wolf}{n}", f"{seer}--{wolf}-", won)
        for seer, wolves in (("a", {"c": 2, "d": 1}), ("b", {"c": 1, "d": 1}))
        for wolf, wins in wolves.items()
        for n, won in enumerate([True] * wins + [False] * (3 - wins))
    ]
    (fit,) = board.build_boards(games, by_role=True).boards
    assert {standing.role for standing in fit.standings} == {ROLES[1], ROLES[4]}
    for role in (ROLES[1], ROLES[4]):
        role_standings = [standing for standing in fit.standings if standing.role == role]
        assert sum(standing.strength for standing in role_standings) == pytest.approx(0)
        assert role_standings[0].strength > role_standings[1].strength
    assert [standing.name for standing in fit.standings] == ["a", "b", "d", "c"]
    table = board_table({"one": games}, by_role=True)
    assert table
    assert list(table.rows[0].texts())[1:4] == [ROLES[1], "a", "6 (few)"]
    assert TEAMS[1] != TEAMS[4]
