"""Tests of alpha, the intraclass correlation and Kendall's W against examples and the library."""

from __future__ import annotations

import krippendorff as library
import numpy as np
import pytest

from tests.study.making import campaign_marks, dimension_result, mark, marks_of
from webapp.statistics.agreement import MEASUREMENT_LEVELS, alphas, coincidences, kendall_w
from webapp.statistics.intervals import BOOTSTRAP_DRAWS, bootstrap_draws

# Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), part C: four observers.
TEXTBOOK = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
# Shrout and Fleiss (1979), table 2: six targets, four judges; table 4 has the coefficients.
SHROUT_FLEISS = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]


def test_krippendorffs_example_gives_his_coefficients() -> None:
    alpha = dimension_result(marks_of(TEXTBOOK))["alpha"]
    coefficients = [round(alpha[level]["value"], 3) for level in ("nominal", "ordinal", "interval")]
    assert coefficients == [0.743, 0.815, 0.849]
    assert (alpha["units"], alpha["ratings"], alpha["raters"]) == (11, 40, 4)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("low", "high"), [(1, 5), (0, 10), (1, 13)])
def test_alpha_equals_the_library_at_each_level(seed: int, low: int, high: int) -> None:
    generator = np.random.default_rng(seed)
    table = generator.integers(low, high + 1, (5, 30))
    gaps = generator.random(table.shape) < 0.5
    rows = [
        [None if gap else int(value) for value, gap in zip(*row, strict=True)]
        for row in zip(table, gaps, strict=True)
    ]
    alpha = dimension_result(marks_of(rows, low=low, high=high), min=low, max=high)["alpha"]
    for level in MEASUREMENT_LEVELS:
        expected = library.alpha(
            np.where(gaps, np.nan, table),
            value_domain=np.arange(low, high + 1),
            level_of_measurement=level,
        )
        assert alpha[level]["value"] == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("level", MEASUREMENT_LEVELS)
def test_bootstrap_alpha_equals_alpha_of_the_drawn_units(level: str) -> None:
    generator = np.random.default_rng(11)
    units = np.repeat(np.arange(24), 3)
    values = generator.integers(1, 6, len(units)).astype(float)
    scale, matrices = coincidences(values, units, units // 4)  # six games of four units
    counts = np.array([[(values[units == u] == v).sum() for v in scale] for u in range(24)])
    for draw in np.concatenate(list(bootstrap_draws(6)))[:25]:
        drawn_counts = np.repeat(counts, np.repeat(draw.astype(int), 4), axis=0)
        expected = library.alpha(
            value_counts=drawn_counts, value_domain=scale, level_of_measurement=level
        )
        computed = alphas((draw @ matrices.reshape(6, -1)).reshape(1, 5, 5), scale, level)[0]
        assert computed == pytest.approx(expected, abs=1e-12)


def test_alpha_is_resampled_over_games_or_units_of_one_game() -> None:
    many = dimension_result(campaign_marks(3, 12, ["interest"], games=3))["alpha"]["ordinal"]["ci"]
    assert (many["over"], many["clusters"]) == ("games", 3)
    single = dimension_result(campaign_marks(3, 12, ["interest"], games=1))["alpha"]["ordinal"][
        "ci"
    ]
    assert (single["over"], single["clusters"]) == ("units", 12)
    assert "over_units" in single["care"]
    low, high = single["value"]
    assert (
        low
        < dimension_result(campaign_marks(3, 12, ["interest"], games=1))["alpha"]["ordinal"][
            "value"
        ]
        < high
    )


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "no_ratings"),
        ([[1, 2, 3]], "one_rater"),
        ([[1, 2, None], [None, None, 3]], "no_overlap"),
        ([[3, 3, 3], [3, 3, None]], "no_variation"),
    ],
)
def test_undefined_alpha_has_a_reason(rows: list[list[int | None]], reason: str) -> None:
    alpha = dimension_result(marks_of(rows))["alpha"]
    for level in MEASUREMENT_LEVELS:
        assert alpha[level] == {"value": None, "why": reason, "ci": {"value": None, "why": reason}}


def test_alpha_interval_is_omitted_if_most_draws_are_undefined() -> None:
    """One of two units has only threes, so a quarter of the draws has only threes."""
    alpha = dimension_result(marks_of([[3, 1], [3, 5]]))["alpha"]["ordinal"]
    assert alpha["value"] is not None
    assert alpha["ci"]["why"] == "unstable"
    assert alpha["ci"]["defined"] < 0.95 * BOOTSTRAP_DRAWS


def test_icc_matches_shrout_and_fleiss() -> None:
    rows = np.array(SHROUT_FLEISS).T.tolist()
    icc = dimension_result(marks_of(rows, low=1, high=10), max=10)["icc"]
    kinds = ["ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)"]
    coefficients = [round(icc["all"][kind]["value"], 2) for kind in kinds]
    assert coefficients == [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    assert (icc["type"], icc["units"], icc["raters"]) == ("ICC(A,1)", 6, 4)
    assert icc["value"] == icc["all"]["ICC(A,1)"]["value"]
    assert [round(end, 4) for end in icc["ci"]["value"]] == [0.0188, 0.7611]  # R's psych::ICC


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "no_ratings"),
        ([[1, 2, 3, 4, 5]], "one_rater"),
        ([[1, 2, 3], [1, 2, None]], "incomplete_design"),
        ([[1], [2], [3], [4], [5]], "one_unit"),
        ([[1, 2], [2, 1]], "too_few_ratings"),
        ([[2, 2, 2], [2, 2, 2]], "no_variation"),
    ],
)
def test_undefined_icc_has_a_reason(rows: list[list[int | None]], reason: str) -> None:
    assert dimension_result(marks_of(rows))["icc"] == {"value": None, "why": reason}


def test_identical_raters_have_icc_one_without_interval() -> None:
    icc = dimension_result(marks_of([[1, 3, 4], [1, 3, 4]]))["icc"]
    assert icc["value"] == pytest.approx(1)
    assert icc["ci"]["why"] == "no_interval"


def test_kendall_w_matches_siegels_example() -> None:
    """In Siegel, Nonparametric Statistics (1956), six applicants have s = 25.5 and W = .16."""
    table = [[1, 6, 3, 2, 5, 4], [1, 5, 6, 4, 2, 3], [6, 3, 2, 5, 4, 1]]
    assert kendall_w(np.array(table, float)) == pytest.approx(12 * 25.5 / (9 * (216 - 6)))
    assert kendall_w(np.array([[1, 2, 3], [2, 4, 5]], float)) == pytest.approx(1)
    assert kendall_w(np.ones((2, 3))) is None


def test_rankings_give_the_mean_w_over_complete_games() -> None:
    order = list(range(1, 14))
    marks = [
        mark(rank, rater=rater, unit=f"{game}-{seat}", game=game, low=1, high=13)
        for game, second in (("g1", order), ("g2", order[::-1]), ("g3", order[:5]))
        for rater, ranks in (("r1", order), ("r2", second))
        for seat, rank in enumerate(ranks)
    ]
    result = dimension_result(marks, max=13, rank=True)["kendall_w"]
    assert result == {"value": 0.5, "games": 2}  # 1 where they agree, 0 where one turns it round
    assert dimension_result(marks, max=13)["kendall_w"]["why"] == "not_ranked"
