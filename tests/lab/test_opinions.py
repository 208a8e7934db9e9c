"""Tests of favor and belief over time, counted by hand."""

from __future__ import annotations

from math import exp, inf, log, sqrt

import pytest

from tests.lab.making import game
from webapp.measures.figure import Figure, add_interval
from webapp.measures.game_record import BELIEF, FAVOR, Opinion
from webapp.study.results.opinion_tables import opinion_table, opinions_by_round
from webapp.study.results.paper_figures import paper_figures


def logit_interval(mean: float, half_width: float, low: float, high: float) -> tuple[float, float]:
    """Return the ends of a symmetric interval of the logit, transformed back to the scale."""
    logit, error = (
        log((mean - low) / (high - mean)),
        half_width * (high - low) / (mean - low) / (high - mean),
    )
    odds = (exp(logit - error), exp(logit + error))
    return (low + odds[0] * high) / (1 + odds[0]), (low + odds[1] * high) / (1 + odds[1])


def test_means_are_over_games_with_student_intervals() -> None:
    """Seats 4 and 5 are Werewolves: 30 and 60 in one game, 60 by two judges in the others."""
    games = [
        game(opinions=(Opinion(2, 1, FAVOR, {4: 30.0, 5: 60.0, 2: 50.0}),)),
        game(opinions=(Opinion(2, 1, FAVOR, {4: 60.0}), Opinion(2, 4, FAVOR, {5: 60.0}))),
        game(opinions=(Opinion(2, 2, FAVOR, {4: 60.0}), Opinion(3, 2, FAVOR, {4: 70.0}))),
    ]
    opinions = opinions_by_round(games, FAVOR)
    assert set(opinions) == {"guard", "werewolf"}
    second = opinions["werewolf"][2]
    assert (second.value, second.n) == (pytest.approx(55), 3)
    half_width = 4.302653 * sqrt(75 / 3)  # values 45, 60 and 60
    assert second.interval == pytest.approx(logit_interval(55, half_width, 1, 100), abs=1e-4)
    assert (opinions["werewolf"][3].value, opinions["werewolf"][3].interval) == (70, None)
    table = opinion_table({"one": games, "none": [game()]}, FAVOR)
    assert table
    assert ["one", "werewolf", "3", "1", "70.0", "–"] in [list(r.texts()) for r in table.rows]
    assert "Without favor, as no agent there notes it: none." in table.notes.sentences
    assert opinion_table({"one": games}, BELIEF) is None


def test_interval_without_an_upper_bound_is_on_the_log_scale() -> None:
    """A Ratio of 1, 2 and 3: mean 2, half width 4.302653 (t) times the error 0.57735."""
    mean = Figure("ratio", "", 2.0, 3, "games")
    factor = exp(4.302653 * 0.577350 / 2)
    interval = add_interval(mean, [1.0, 2.0, 3.0], 0, inf).interval
    assert interval == pytest.approx((2 / factor, 2 * factor), abs=1e-4)
    assert add_interval(mean, [2.0, 2.0, 2.0], 0, inf).interval is None
    assert add_interval(mean, [1.0, 3.0], 0, inf).interval is None, "two games"


def test_belief_intervals_stay_within_the_scale_and_are_drawn() -> None:
    games = [game(opinions=(Opinion(2, 1, BELIEF, {4: p}),)) for p in (0.9, 0.95, 1.0)]
    figure = opinions_by_round(games, BELIEF)["werewolf"][2]
    half_width = 4.302653 * sqrt(0.0025 / 3)
    assert figure.interval == pytest.approx(logit_interval(0.95, half_width, 0, 1), abs=1e-4)
    assert figure.interval[1] < 1.0 < 0.95 + half_width, (
        "the interval is neither cut nor off the scale"
    )
    drawings = paper_figures({"one": games}, "one")
    assert set(drawings) == {"belief-by-round"}
    assert "one, werewolf: round 2 0.95" in drawings["belief-by-round"]
    assert paper_figures({"one": games}, "one") == drawings
