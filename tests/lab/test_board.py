"""The board of players against Bradley and Terry's model worked out by plain loops."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import exp, log, sqrt

import pytest
from scipy import stats

from tests.lab.making import ROLES, TEAMS, game
from webapp.measures import board
from webapp.measures.game_record import GameRecord
from webapp.study.results.board_tables import board_by_role_table, board_table

VILLAGE, WOLVES = frozenset({1, 2, 3}), frozenset({4, 5})
PLANTED = {"a": -0.9, "b": -0.3, "c": 0.0, "d": 0.4, "e": 0.8}
Weights = dict[tuple[str, str], float]


def played(code: str, seats: str, village_won: bool) -> GameRecord:
    """A game in which system seats[n - 1] sits at seat n; a "-" is nobody's seat."""
    winners, team = (VILLAGE, "village") if village_won else (WOLVES, "werewolf")
    systems = {seat: "" if name == "-" else name for seat, name in enumerate(seats, 1)}
    return game(code=code, systems=systems, winners=winners, winner=team)


def league(games: int) -> list[GameRecord]:
    rng = random.Random("league")
    drawn = []
    for number in range(games):
        seats = "".join(rng.sample([*PLANTED], 5))
        strength = [PLANTED[name] for name in seats]
        lead = 3 * (sum(strength[:3]) / 3 - sum(strength[3:]) / 2)
        drawn.append(played(str(number), seats, rng.random() < 1 / (1 + exp(-lead))))
    return drawn


def weights_of(games: Sequence[GameRecord]) -> Weights:
    weights: Weights = {}
    for one in games:
        for winner in one.winners:
            for loser in set(one.roles) - one.winners:
                pair = one.systems[winner], one.systems[loser]
                weights[pair] = weights.get(pair, 0) + 1 / 6
    return weights


def by_loops(games: Sequence[GameRecord]) -> dict[str, float]:
    """Hunter's MM algorithm (2004), on strengths with geometric mean 1."""
    weights, worth = weights_of(games), dict.fromkeys(PLANTED, 1.0)
    for _step in range(2000):
        new = {}
        for one in worth:
            won = sum(weights.get((one, other), 0) for other in worth if other != one)
            met = 0.0
            for other in worth:
                if other != one:
                    both = weights.get((one, other), 0) + weights.get((other, one), 0)
                    met += both / (worth[one] + worth[other])
            new[one] = won / met
        mean = exp(sum(map(log, new.values())) / len(new))
        worth = {one: value / mean for one, value in new.items()}
    return {one: log(value) for one, value in worth.items()}


def test_strengths_and_intervals_equal_those_of_plain_loops() -> None:
    """The interval is compared with a jackknife that fits the model again without each game."""
    games = league(40)
    (found,) = board.build_boards(games).boards
    expected = by_loops(games)
    assert {one.name: one.strength for one in found.standings} == pytest.approx(expected, abs=1e-6)
    assert [one.name for one in found.standings] == sorted(expected, key=lambda n: -expected[n])
    left_out = [by_loops(games[:n] + games[n + 1 :]) for n in range(40)]
    for one in found.standings:
        values = [row[one.name] for row in left_out]
        mean = sum(values) / 40
        error = sqrt(39 / 40 * sum((value - mean) ** 2 for value in values))
        assert one.interval
        low, high = one.interval
        assert (low + high) / 2 == pytest.approx(one.strength)
        assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 39) * error, rel=0.12)
        assert one.games == 40
    planted = sorted(PLANTED, key=lambda name: -PLANTED[name])
    assert found.standings[0].name in planted[:2]


def test_only_mutually_linked_players_share_a_board() -> None:
    """a and b beat each other, as do c and d; e beats a only; f is beaten only; g meets nobody."""
    games = [
        played("1", "a--b-", True), played("2", "a--b-", False), played("3", "a--b-", True),
        played("4", "c--d-", True), played("5", "c--d-", False),
        played("6", "e--a-", True), played("7", "e--f-", True), played("8", "gg-g-", True),
        played("9", "h--a-", True), played("10", "f--h-", True),
    ]  # fmt: skip
    boards = board.build_boards(games)
    assert [[one.name for one in b.standings] for b in boards.boards] == [["a", "b"], ["c", "d"]]
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
        game(code=str(n), systems={1: "a"}, people=people, winners=(VILLAGE, WOLVES)[n % 2])
        for n in range(12)
    ]
    (found,) = board.build_boards(games).boards
    assert {one.name: one.games for one in found.standings} == {"a": 12, board.PEOPLE: 12}
    assert found.standings[0].strength == pytest.approx(0)
    assert board_table({"one": [played("1", "aaaaa", True)]}) is None
    nobody = [*games, game(code="x", winners=frozenset(), winner="")]
    table = board_table({"one": nobody})
    assert table
    assert "Excluded games without a winner: 1." in table.notes.sentences


def test_strengths_by_role_are_centred_within_each_role() -> None:
    """a and b are Seer in turn against c and d as Werewolves: each pair meets three times."""
    games = [
        played(f"{seer}{wolf}{n}", f"{seer}--{wolf}-", won)
        for seer, wolves in (("a", {"c": 2, "d": 1}), ("b", {"c": 1, "d": 1}))
        for wolf, wins in wolves.items()
        for n, won in enumerate([True] * wins + [False] * (3 - wins))
    ]
    (found,) = board.build_boards(games, by_role=True).boards
    assert {one.role for one in found.standings} == {ROLES[1], ROLES[4]}
    for role in (ROLES[1], ROLES[4]):
        own = [one for one in found.standings if one.role == role]
        assert sum(one.strength for one in own) == pytest.approx(0)
        assert own[0].strength > own[1].strength
    assert [one.name for one in found.standings] == ["a", "b", "d", "c"]
    table = board_by_role_table({"one": games})
    assert table
    assert list(table.rows[0].texts())[1:4] == [ROLES[1], "a", "6 (few)"]
    assert TEAMS[1] != TEAMS[4]
