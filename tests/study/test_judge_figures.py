"""Tests of judge figures against hand calculations: agreement, bias and position effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.study import making
from webapp.statistics import judge_agreement
from webapp.statistics.marks import Mark
from webapp.study.design.instruments import Dimension
from webapp.study.judging import judge_runs
from webapp.study.rating.stimuli import RatingField

# Two people and a judge rate three units of condition a and one of b.
UNITS = {  # unit -> game, condition, two people's values, the judge's
    "u1": ("g1", "a", (1, 2), 2),
    "u2": ("g1", "a", (2, 4), 5),
    "u3": ("g2", "a", (4, 5), 4),
    "u4": ("g3", "b", (5, 5), 5),
}
PEOPLE = [
    making.mark(value, unit=unit, game=game, condition=condition, rater=f"r{n}")
    for unit, (game, condition, values, _judge) in UNITS.items()
    for n, value in enumerate(values)
]
JUDGE = [
    *(
        making.mark(value, unit=unit, game=game, condition=condition, rater="J01")
        for unit, (game, condition, _people, value) in UNITS.items()
    ),
    making.mark(4, unit="u1", game="g1", rater="J01", is_repeat=True),
]
ANSWERS = [
    judge_agreement.DrawnAnswer("u1", "interest", (1, 3)),
    judge_agreement.DrawnAnswer("u2", "interest", (5, 5)),
]


def compare(people: Sequence[Mark] = PEOPLE, judge: Sequence[Mark] = JUDGE) -> Mapping[str, Any]:
    """Return the figures of the judge beside the people."""
    (figures,) = judge_agreement.compare_judge_with_people(
        people, judge, ANSWERS, [making.dimension()]
    )
    return figures


def test_correlation_and_bias_of_a_judge_match_values_computed_by_hand() -> None:
    figures = compare()
    # People's means 1.5, 3, 4.5, 5 have ranks 1 2 3 4; the judge's 2 5 4 5 have 1 3.5 2 3.5.
    # Deviations' products: (-1.5)(-1.5) + (-.5)(1) + (.5)(-.5) + (1.5)(1) = 3; over √(5 · 4.5).
    assert figures["spearman"]["value"] == pytest.approx(3 / (5 * 4.5) ** 0.5)
    # Judge − people: .5, 2, −.5, 0; of games 1.25, −.5 and 0.
    over_all, a, b = figures["bias"]
    assert over_all["difference"]["value"] == pytest.approx(0.25)
    assert a["difference"]["value"] == pytest.approx(0.375)
    assert (b["difference"]["value"], b["ci"]["why"]) == (0, "one_game")
    # t with one degree of freedom: 0.375 ± 12.7062 · 1.23744 / √2
    low, high = a["ci"]["value"]
    assert (low, high) == pytest.approx((-10.7430, 11.4930), abs=1e-3)


def test_alphas_with_and_without_a_judge_use_units_rated_by_two_people() -> None:
    """A unit of one person is in neither."""
    figures = compare()
    extended = compare(
        [*PEOPLE, making.mark(1, unit="u9", game="g9", rater="r0")],
        [*JUDGE, making.mark(5, unit="u9", game="g9", rater="J01")],
    )
    assert extended["alpha_with"] == figures["alpha_with"]
    difference = figures["alpha_difference"]
    assert difference["value"] == pytest.approx(
        figures["alpha_with"]["value"] - figures["alpha_people"]["value"]
    )
    low, high = difference["ci"]["value"]
    assert low <= difference["value"] <= high
    alpha = making.dimension_result(PEOPLE)["alpha"]["ordinal"]["value"]
    assert figures["alpha_people"]["value"] == alpha
    assert (
        figures["alpha_with"]["value"]
        == making.dimension_result([*PEOPLE, *JUDGE])["alpha"]["ordinal"]["value"]
    )


def test_repeats_and_draws_of_a_judge_match_values_computed_by_hand() -> None:
    figures = compare()
    assert (figures["repeats"]["n"], figures["repeats"]["distance"]["value"]) == (1, 2)
    draws = figures["draws"]
    assert (draws["n"], draws["exact"]["value"]) == (2, 0.5)
    assert draws["sd"]["value"] == pytest.approx(2**0.5 / 2)
    # Interval alpha: observed (1−3)² twice of 4 values; expected over all pairs of 1, 3, 5, 5.
    assert draws["alpha"]["value"] == pytest.approx(1 - (8 / 4) / (2 * (4 + 16 + 16 + 4 + 4) / 12))


def test_position_effect_matches_values_computed_by_hand() -> None:
    """In one pair the judge prefers the first text by 2, in the other by 0."""
    judge = [
        making.mark(3, unit=f"{pair}.{side}", game=f"g{pair}", moment=pair, rater="J01")
        for pair in ("1", "2")
        for side in ("1", "2")
    ]
    answers = [
        judge_agreement.DrawnAnswer("1.1", "interest", (4,), (2,), True),  # first: 4, second: 2
        judge_agreement.DrawnAnswer("1.2", "interest", (2,), (4,), False),
        judge_agreement.DrawnAnswer("2.1", "interest", (5,), (5,), True),
        judge_agreement.DrawnAnswer("2.2", "interest", (1,), (1,), False),
    ]
    effect = judge_agreement.position_effect(judge, answers)
    assert (effect["pairs"], effect["units"], effect["games"]) == (2, 4, 2)
    assert effect["difference"]["value"] == 1
    assert effect["same"]["value"] == 0.5
    assert (
        judge_agreement.position_effect(
            judge, [judge_agreement.DrawnAnswer("1.1", "interest", (4,))]
        )["pairs"]
        == 0
    )


def test_combined_ranking_orders_by_mean_rank_of_draws() -> None:
    best = Dimension("best", "Best", "Who is best?", "last", "first", 1, 3, rank=True)
    fields = {f"s{n}/best": RatingField(f"s{n}/best", f"s{n}", n, best) for n in (1, 2, 3)}
    draws = [{"1/best": 3, "2/best": 2, "3/best": 1}, {"1/best": 1, "2/best": 3, "3/best": 2}]
    # Means 2, 2.5 and 1.5.
    assert judge_runs.combine_draws(fields, draws) == {"s2/best": 3, "s1/best": 2, "s3/best": 1}
    draws[1] = {"1/best": 2, "2/best": 3, "3/best": 1}
    # The first two have 2.5 each and keep the order of the first draw.
    assert judge_runs.combine_draws(fields, draws) == {"s1/best": 3, "s2/best": 2, "s3/best": 1}
