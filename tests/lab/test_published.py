"""The published figures are as printed, and recompute where the papers give what they come from."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Callable, Iterator
from statistics import fmean, pstdev
from typing import Any

import pytest

from webapp.lab.published import (
    FILE,
    PUBLISHED,
    BadFigures,
    PublishedCell,
    parse_figures,
    published_values,
)
from webapp.statistics import paper_figures as study

HALF = 0.0005 + 1e-9  # of the last digit printed
YES, NO = 303, 197  # of the 500 rules questions


def cell(table: str, row: str, column: str, paper: str = "helmsman") -> PublishedCell:
    where = (paper, table, row, column)
    (found,) = (p for p in PUBLISHED if (p.paper, p.table, p.row, p.column) == where)
    return found


def named(table: str, row: str, paper: str = "helmsman") -> list[PublishedCell]:
    return [p for p in PUBLISHED if (p.paper, p.table, p.row) == (paper, table, row)]


# -- what recomputes: each check gives the names of those that do not


def products() -> Iterator[str]:
    """C * W is completion times win."""
    for found in named("Table 24", "C * W"):
        rates = [cell("Table 24", row, found.column) for row in ("Completion Rate", "Win Rate")]
        if abs(rates[0].value * rates[1].value - found.value) > HALF:
            yield found.name


def shares() -> Iterator[str]:
    """Rates are whole games of 30, or of those completed; accuracies are whole questions of 500."""
    for found in named("Table 24", "Completion Rate"):
        completed = round(found.value * 30)
        if abs(completed / 30 - found.value) > HALF:
            yield found.name
        win = cell("Table 24", "Win Rate", found.column)
        if abs(round(win.value * completed) / completed - win.value) > HALF:
            yield win.name
    for found in PUBLISHED:
        if found.metric == "accuracy" and abs(round(found.value * 500) / 500 - found.value) > HALF:
            yield found.name


def repeats() -> Iterator[str]:
    """A figure that stands in several tables, of one model in one setting, is the same in each."""
    first = {}
    for found in PUBLISHED:
        row = "Ratio" if found.metric == "ratio" else found.row
        if found.paper == "helmsman" and found.table.split()[1] in ("1", "2", "23", "24"):
            first.setdefault((row, found.column), found.value)
            if first[row, found.column] != found.value:
                yield found.name
    for row in ("Ratio", "DC"):
        for model in ("C3-6B", "In-20B"):
            there = cell("Table 20", row, f"{model} (from Table 1)")
            if there.value != cell("Table 1", row, model).value:
                yield there.name
        there = cell("Table 3", "Simulation", row)
        if there.value != cell("Table 1", row, "GLM-3").value:
            yield there.name


def f1_scores() -> Iterator[str]:
    """Some confusion matrix of 303 yes and 197 no gives both the accuracy and the F1, averaged over
    both classes by their sizes. (By the plain mean five could not be: Yi-34B, GLM-3, GLM-4, GPT-4
    and B(FT).)"""
    for found in PUBLISHED:
        if found.metric == "f1":
            right = round(cell(found.table, "Accuracy", found.column).value * 500)
            if all(abs(f1 - found.value) > HALF for f1 in weighted(right)):
                yield found.name


def weighted(right: int) -> Iterator[float]:
    """The weighted F1 of every confusion matrix with so many right answers."""
    for yes in range(max(0, right - NO), min(YES, right) + 1):
        no = right - yes
        of_yes = 2 * yes / (2 * yes + (YES - yes) + (NO - no))
        of_no = 2 * no / (2 * no + (YES - yes) + (NO - no))
        yield (YES * of_yes + NO * of_no) / (YES + NO)


def gains() -> Iterator[str]:
    """What the text of 4.2.2 says of fine-tuning, in per cent."""
    for row, after, before, told in (
        ("Ratio", "In(FT)", "In-20B", 7.2),
        ("DC", "In(FT)", "In-20B", 61.8),
        ("Ratio", "B(FT)", "B-13B", 8.6),
    ):
        gain = cell("Table 2", row, after).value / cell("Table 2", row, before).value - 1
        if round(100 * gain, 1) != told:
            yield f"helmsman 4.2.2, {row}, {after}"


def ratings() -> Iterator[str]:
    """Guarded's means are whole sums of ratings: cases times ten raters."""
    for found in PUBLISHED:
        whole = round(found.value * found.n) / found.n if found.n else found.value
        if found.metric == "rating" and abs(whole - found.value) > 0.005 + 1e-9:
            yield found.name


def variations() -> Iterator[str]:
    """Humanized's Table 5 is one over the deviation (divided by R*) of Table 6's shares, as far as
    shares of two decimals tell: a deviation is off by 0.00005 at most."""
    for found in named("Table 5", "Judgement Variation", "humanized"):
        column = [p for p in PUBLISHED if p.metric == "vote_share" and p.column == found.column]
        variation = 1 / pstdev(p.value / 100 for p in column)
        if abs(variation - found.value) > variation**2 * 0.00005:
            yield found.name


def vote_shares() -> Iterator[str]:
    """Humanized's Table 7 repeats two rows of Table 6; all three make 100."""
    for method in ("Baseline", "B5P", "Favor", "Strategy", "Full"):
        village, wolves, tanner = (
            cell("Table 7", row, method, "humanized") for row in ("Villager", "Werewolf", "Tanner")
        )
        for there, role in ((village, "Werewolf"), (tanner, "Tanner")):
            if there.value != cell("Table 6", role, method, "humanized").value:
                yield there.name
        if abs(village.value + wolves.value + tanner.value - 100) > 0.015:
            yield wolves.name


def averages() -> Iterator[str]:
    """Impressions' column All is the mean of the others; both sides of a vote make 100."""
    for found in PUBLISHED:
        row = named(found.table, found.row, "impressions")
        others = [p.value for p in row if p.column != found.column]
        if found.column == "All" and abs(fmean(others) - found.value) > HALF:
            yield found.name
        if found.metric == "plan_votes" and sum(p.value for p in row) != 100:
            yield found.name


def win_rates() -> Iterator[str]:
    """Impressions' win rates are whole games of those in brackets."""
    for found in PUBLISHED:
        if found.metric == "win_rate" and found.n:
            whole = 100 * round(found.value * found.n / 100) / found.n
            if abs(whole - found.value) > 0.005 + 1e-9:
                yield found.name


@pytest.mark.parametrize(
    ("check", "wrong"),
    [
        (products, ["helmsman Table 24, C * W, M(FT)", "helmsman Table 24, C * W, B(FT)"]),
        (shares, []),
        (repeats, ["helmsman Table 2, F1, B-13B"]),
        (f1_scores, ["helmsman Table 2, F1, B-13B"]),
        (gains, ["helmsman 4.2.2, Ratio, B(FT)"]),
        (ratings, []),
        (variations, ["humanized Table 5, Judgement Variation, Full"]),
        (
            vote_shares,
            ["humanized Table 7, Werewolf, Baseline", "humanized Table 7, Villager, B5P"],
        ),
        (averages, []),
        (win_rates, []),
    ],
)
def test_published_figures_recompute_except_known_errors(
    check: Callable[[], Iterator[str]], wrong: list[str]
) -> None:
    assert list(check()) == wrong


def test_exactly_the_figures_that_do_not_recompute_are_doubted() -> None:
    checks = (products, repeats, f1_scores, variations, vote_shares)
    wrong = {name for check in checks for name in check()}
    # No other table gives what memorability comes from.
    doubted = [p for p in PUBLISHED if p.doubt and p.metric != "memorability"]
    assert {p.name for p in doubted} == wrong
    assert all(p.read_as is not None for p in doubted)


def test_all_tables_of_the_specification_are_present() -> None:
    count = {(p.paper, p.table) for p in PUBLISHED}
    numbers = (1, 2, 3, 19, 20, 22, 23, 24, 25)
    assert count == {
        *(("helmsman", f"Table {n}") for n in numbers),
        *(("humanized", f"Table {n}") for n in (1, 4, 5, 6, 7, 8)),
        *(("impressions", f"Table {n}") for n in (2, 3, 4, 5, 6)),
        ("impressions", "Section 8"),
        ("guarded", "Section 6"),
        ("guarded", "Table 7"),
    }
    helmsman = [p for p in PUBLISHED if p.paper == "helmsman"]
    sizes = {n: sum(p.table == f"Table {n}" for p in helmsman) for n in numbers}
    assert sizes == {1: 32, 2: 32, 3: 5, 19: 8, 20: 8, 22: 2, 23: 36, 24: 60, 25: 16}
    assert cell("Table 3", "Human Evaluation", "Correlation").value == 0.233


@pytest.mark.parametrize(
    ("shown", "paper", "table"),
    [
        ("guarded", "guarded", "Table 7"),
        ("contest-5", "impressions", "Table 3"),
        ("contest-13", "impressions", "Table 4"),
        ("experience", "humanized", "Table 8"),
    ],
)
def test_rating_survey_shows_the_same_figures(shown: str, paper: str, table: str) -> None:
    theirs = [m for means in study.PUBLISHED[shown]["means"].values() for m in means.values()]
    ours = [
        p.value
        for p in PUBLISHED
        if (p.paper, p.table) == (paper, table)
        and (p.column, p.metric) != ("All", "mean_rank")
        and p.metric not in ("memorability", "variation")
    ]
    assert sorted(ours) == sorted(theirs)


def test_variant_has_only_the_figures_made_with_it() -> None:
    assert published_values(PUBLISHED, "dc", "over_others") == {}
    assert published_values(PUBLISHED, "dc", "person") == {
        "helmsman Table 3": {"Human Evaluation": {"DC": 0.083}}
    }
    assert published_values(PUBLISHED, "correlation", "program") == {
        "helmsman Table 3": {"Human Evaluation": {"Correlation": 0.233}}
    }
    products = published_values(PUBLISHED, "completion_win", "product")["helmsman Table 24"][
        "C * W"
    ]
    assert products["M(FT)"] == 0.0999
    ratios = published_values(PUBLISHED, "ratio", "others")
    assert "helmsman Table 23" not in ratios  # copies of Tables 1 and 2
    assert ratios["helmsman Table 22"] == {"Average Result": {"Ratio": 1.231}}


# -- what the loader refuses


def data() -> dict[str, Any]:
    return copy.deepcopy(tomllib.loads(FILE.read_text()))


@pytest.mark.parametrize(
    ("where", "value", "told"),
    [
        (("paper",), "nobody", "no such paper"),
        (("pages",), [9, 8], "pages are a first and a last one"),
        (("columns",), ["one"], "not one value a column"),
        (("rows", 2, "metric"), "luck", "no metric 'luck'"),
        (("rows", 3, "variant"), "others", "no variant 'others'; known: over_others"),
        (("rows", 3, "values", 0), 1.2, "not from 0 to 1: 1.2"),
        (("rows", 3, "values", 0), "much", "no number: 'much'"),
        (("rows", 3, "n"), 0, "no number of games: 0"),
        (("rows", 3, "row"), "Ratio", "given twice: helmsman Table 1, Ratio"),
        (("doubts",), [{"row": "Luck", "column": "X"}], "doubts about figures that it has not"),
    ],
)
def test_invalid_file_is_refused(where: tuple[Any, ...], value: object, told: str) -> None:
    changed = data()
    place = changed["tables"][0]
    for step in where[:-1]:
        place = place[step]
    place[where[-1]] = value
    with pytest.raises(BadFigures, match=told):
        parse_figures(changed)


@pytest.mark.parametrize(("table", "games", "village"), [("Table 5", 120, 71), ("Table 6", 13, 4)])
def test_seer_rows_give_the_number_of_games_and_village_wins(
    table: str, games: int, village: int
) -> None:
    """Every game has one Seer, and its team is the village."""
    seers = [c for c in PUBLISHED if (c.paper, c.table, c.column) == ("impressions", table, "Seer")]
    assert sum(cell.n or 0 for cell in seers) == games
    assert sum(round((cell.n or 0) * cell.value / 100) for cell in seers) == village
