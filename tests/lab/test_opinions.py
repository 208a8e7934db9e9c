"""Favor and belief over time, counted by hand."""

from __future__ import annotations

from math import exp, inf, log, sqrt

import pytest

from tests.lab.making import game
from webapp.measures.figure import Figure, add_interval
from webapp.measures.game_record import BELIEF, FAVOR, Opinion
from webapp.study.results.opinion_tables import belief_table, favor_table, opinions_by_round
from webapp.study.results.paper_figures import paper_figures


def on_logit(mean: float, half: float, low: float, high: float) -> tuple[float, float]:
    """The ends of a symmetric interval of log((mean - low) / (high - mean)), on the scale again."""
    at, error = (
        log((mean - low) / (high - mean)),
        half * (high - low) / (mean - low) / (high - mean),
    )
    odds = (exp(at - error), exp(at + error))
    return (low + odds[0] * high) / (1 + odds[0]), (low + odds[1] * high) / (1 + odds[1])


def test_means_are_over_games_and_their_interval_is_students() -> None:
    """Seats 4 and 5 are Werewolves: 30 and 60 in one game, 60 by two judges in the others."""
    games = [
        game(opinions=(Opinion(2, 1, FAVOR, {4: 30.0, 5: 60.0, 2: 50.0}),)),
        game(opinions=(Opinion(2, 1, FAVOR, {4: 60.0}), Opinion(2, 4, FAVOR, {5: 60.0}))),
        game(opinions=(Opinion(2, 2, FAVOR, {4: 60.0}), Opinion(3, 2, FAVOR, {4: 70.0}))),
    ]
    of = opinions_by_round(games, FAVOR)
    assert set(of) == {"guard", "werewolf"}
    second = of["werewolf"][2]
    assert (second.value, second.n) == (pytest.approx(55), 3)
    half = 4.302653 * sqrt(75 / 3)  # values 45, 60 and 60
    assert second.interval == pytest.approx(on_logit(55, half, 1, 100), abs=1e-4)
    assert (of["werewolf"][3].value, of["werewolf"][3].interval) == (70, None)
    table = favor_table({"one": games, "none": [game()]})
    assert table
    assert ["one", "werewolf", "3", "1", "70.0", "–"] in [list(r.texts()) for r in table.rows]
    assert "Without favor, as no agent there notes it: none." in table.notes.sentences
    assert belief_table({"one": games}) is None


def test_an_interval_without_an_upper_end_is_on_the_log() -> None:
    """Of a Ratio: 1, 2 and 3 have a mean of 2, and t of 4.302653 times their error of 0.57735."""
    mean = Figure("ratio", "", 2.0, 3, "games")
    factor = exp(4.302653 * 0.577350 / 2)
    found = add_interval(mean, [1.0, 2.0, 3.0], 0, inf).interval
    assert found == pytest.approx((2 / factor, 2 * factor), abs=1e-4)
    assert add_interval(mean, [2.0, 2.0, 2.0], 0, inf).interval is None
    assert add_interval(mean, [1.0, 3.0], 0, inf).interval is None, "two games"


def test_beliefs_stay_within_their_scale_and_are_drawn_with_their_values() -> None:
    games = [game(opinions=(Opinion(2, 1, BELIEF, {4: p}),)) for p in (0.9, 0.95, 1.0)]
    figure = opinions_by_round(games, BELIEF)["werewolf"][2]
    half = 4.302653 * sqrt(0.0025 / 3)
    assert figure.interval == pytest.approx(on_logit(0.95, half, 0, 1), abs=1e-4)
    assert figure.interval[1] < 1.0 < 0.95 + half, "neither cut nor off the scale"
    drawn = paper_figures({"one": games}, "one")
    assert set(drawn) == {"belief-by-round"}
    assert "one, werewolf: round 2 0.95" in drawn["belief-by-round"]
    assert paper_figures({"one": games}, "one") == drawn
