"""Tests that the intervals and tests of a study's results keep their error rates."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy import stats

from tests.bench.outcomes import CASES, Case, Few, coverage, errors
from tests.study.planted_games import result_line
from webapp.statistics.reported_statistics import REASONS
from webapp.study.results import study_tables
from webapp.study.results.estimates import estimate, group_games
from webapp.study.results.participant_flow import compare_attrition
from webapp.study.results.study_results import build_results
from webapp.study.results.study_rows import (
    SCALE,
    AnswerRow,
    FlowRow,
    GameRow,
    GuessRow,
    ItemRow,
    Observation,
    StudyRows,
)
from webapp.study.results.table_files import render_markdown


@pytest.mark.parametrize("case", [CASES[1], CASES[9], CASES[11]], ids=lambda case: case.name)
def test_true_null_hypotheses_are_rarely_rejected(case: Case) -> None:
    """The limit is 6 %, and 100 studies can show 12 by chance. docs/statistics.md has 4000."""
    rejected, covered = errors(case, 100)
    assert rejected <= 0.12
    assert covered >= 0.88


@pytest.mark.parametrize(
    "few",
    [
        Few((1, 1), 3, 0.9),
        Few((1,) * 4, 3, 0.95),
        Few((1,) * 6, 7, 0.9),
        Few((5, 1, 1, 1), 7, 0.5),
        Few((10, 1, 1), 7, 0.5),
        Few((10, 1, 1), 3),
    ],
    ids=str,
)
def test_shown_interval_covers_the_true_value(few: Few) -> None:
    """The cases have few games, shares near one or unequal groups. No interval is empty."""
    shown_count, covered, width = coverage(few, 150)
    assert covered >= 0.92
    assert not shown_count or width > 0


def test_share_without_variation_gets_the_clopper_pearson_interval() -> None:
    """A difference of two conditions without variation has none, and each file says so."""
    games = tuple(GameRow(f"g{n}", f"d{n}", "ab"[n % 2], (f"P{n}",)) for n in range(8))
    guesses = [
        GuessRow(game.code, f"P{n}", 2, "who.kind", "human", "person", "person")
        for n, game in enumerate(games)
    ]
    results = build_results(StudyRows(("a", "b"), games, tuple(guesses)))
    right = result_line(results, "guesses", "right", item="who.kind")
    assert right["value"]["value"] == 1
    assert right["ci"]["value"] == pytest.approx([0.025 ** (1 / 8), 1])
    assert right["ci"]["care"] == []
    (one,) = results["sections"]["guesses"]["comparisons"]
    assert one["difference"]["ci"]["why"] == "no_spread_between"
    assert REASONS["no_spread_between"] in render_markdown(study_tables.study_tables(results))
    rows = [
        dict(zip(study_tables.ESTIMATE_COLUMNS, row, strict=True))
        for row in study_tables.estimate_rows(results)
    ]
    assert {row["why"] for row in rows if row["measure"] == "right"} == {""}
    half = [Observation(n % 2, f"g{n // 2}", "") for n in range(8)]
    assert estimate(half, group_games(games), is_share=True)["ci"]["why"] == "no_spread_between"
    few = [Observation(float(n), f"g{n}", "") for n in range(4)]
    warnings = estimate(few, group_games(games))["ci"]["care"]
    assert warnings == ["few_groups"]


def test_holm_family_contains_only_tests_over_all_conditions() -> None:
    games = tuple(GameRow(f"g{n}", f"d{n}", "ab"[n % 2], (f"P{n}",)) for n in range(16))
    guesses = [
        GuessRow(g.code, f"P{n}", seat, "who.kind", "human", guess, truth)
        for n, g in enumerate(games)
        for seat, truth in ((2, "person"), (3, "computer"))
        for guess in ("person" if (n + seat) % 3 else "computer",)
    ]
    results = build_results(StudyRows(("a", "b"), games, tuple(guesses)))
    tests = results["sections"]["guesses"]["comparisons"]
    family_sizes = {
        (t["of"], t["group"], t["condition"]): t["test"].get("p_holm", {}).get("tests")
        for t in tests
    }
    assert family_sizes == {
        ("condition", "", ""): 3, ("condition", "computer", ""): 3, ("kind", "", ""): 3,
        ("kind", "", "a"): None, ("kind", "", "b"): None,
    }  # fmt: skip
    assert render_markdown(study_tables.study_tables(results))


@pytest.mark.parametrize(
    ("lost", "started"), [((3, 11), (20, 22)), ((0, 6), (6, 6)), ((2, 9, 4), (12, 11, 10))]
)
def test_attrition_uses_fishers_exact_test(lost: tuple[int, ...], started: tuple[int, ...]) -> None:
    flow = [
        FlowRow(str(index), started=n + 1, under_way=1, completed=n - k)
        for index, (k, n) in enumerate(zip(lost, started, strict=True))
    ]
    result = compare_attrition(flow)
    table = [[k, n - k] for k, n in zip(lost, started, strict=True)]
    near = 1e-9 if len(started) == 2 else 0.02  # SciPy draws tables where there are more
    assert result["value"] == pytest.approx(stats.fisher_exact(table).pvalue, abs=near)
    assert (result["lost"], result["of"]) == (list(lost), list(started))
    assert compare_attrition(flow[:1])["why"] == "no_attrition"


def test_completers_are_compared_separately_if_they_differ() -> None:
    games = tuple(GameRow(f"{s}{n}", f"{s}{n}", s, (f"{s}{n}",)) for s in "ab" for n in range(4))
    item = ItemRow("i.x", "X", SCALE, 1, 5)
    answers = tuple(
        AnswerRow(g.people[0], g.code, g.condition, "i.x", float(1 + int(g.code[1]))) for g in games
    )
    rows = StudyRows(("a", "b"), games, answers=answers, items=(item,))
    everybody = frozenset(g.people[0] for g in games)
    assert build_results(replace(rows, completed=everybody))["completers"] == []
    (one,) = build_results(replace(rows, completed=everybody - {"b0"}))["completers"]
    assert one["difference"]["value"] == pytest.approx(0.5)
    assert one["n_b"] == 3
