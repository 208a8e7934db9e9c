"""Tests of the published figures: as printed, and recomputed where the papers allow it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from statistics import fmean, pstdev

import pytest

from webapp.lab.published import (
    FILE,
    PUBLISHED,
    PublishedCell,
    published_values,
)

ROUNDING_ERROR = 0.0005 + 1e-9  # half of the last printed digit
YES_COUNT, NO_COUNT = 303, 197  # answers to the 500 questions about rules


def cell(table: str, row: str, column: str, paper: str = "helmsman") -> PublishedCell:
    where = (paper, table, row, column)
    (matching_cell,) = (p for p in PUBLISHED if (p.paper, p.table, p.row, p.column) == where)
    return matching_cell


def find_row(table: str, row: str, paper: str = "helmsman") -> list[PublishedCell]:
    return [p for p in PUBLISHED if (p.paper, p.table, p.row) == (paper, table, row)]


# -- checks, which yield the names of figures that do not recompute


def check_products() -> Iterator[str]:
    """C * W is completion times win."""
    for product in find_row("Table 24", "C * W"):
        rates = [cell("Table 24", row, product.column) for row in ("Completion Rate", "Win Rate")]
        if abs(rates[0].value * rates[1].value - product.value) > ROUNDING_ERROR:
            yield product.name


def check_shares() -> Iterator[str]:
    """Rates are shares of 30 games or of the completed ones. Accuracies are of 500 questions."""
    for figure in find_row("Table 24", "Completion Rate"):
        completed = round(figure.value * 30)
        if abs(completed / 30 - figure.value) > ROUNDING_ERROR:
            yield figure.name
        win = cell("Table 24", "Win Rate", figure.column)
        if abs(round(win.value * completed) / completed - win.value) > ROUNDING_ERROR:
            yield win.name
    for figure in PUBLISHED:
        nearest_share = round(figure.value * 500) / 500
        if figure.metric == "accuracy" and abs(nearest_share - figure.value) > ROUNDING_ERROR:
            yield figure.name


def check_repeats() -> Iterator[str]:
    """A figure printed in several tables, of one model in one setting, is equal in each."""
    first_values = {}
    for figure in PUBLISHED:
        row = "Ratio" if figure.metric == "ratio" else figure.row
        if figure.paper == "helmsman" and figure.table.split()[1] in ("1", "2", "23", "24"):
            first_values.setdefault((row, figure.column), figure.value)
            if first_values[row, figure.column] != figure.value:
                yield figure.name
    for row in ("Ratio", "DC"):
        for model in ("C3-6B", "In-20B"):
            copy = cell("Table 20", row, f"{model} (from Table 1)")
            if copy.value != cell("Table 1", row, model).value:
                yield copy.name
        copy = cell("Table 3", "Simulation", row)
        if copy.value != cell("Table 1", row, "GLM-3").value:
            yield copy.name


def check_f1_scores() -> Iterator[str]:
    """Some confusion matrix of 303 yes and 197 no gives both the accuracy and the F1.

    The F1 is averaged over both classes by their sizes. The plain mean does not explain five of
    them: Yi-34B, GLM-3, GLM-4, GPT-4 and B(FT).
    """
    for figure in PUBLISHED:
        if figure.metric == "f1":
            correct = round(cell(figure.table, "Accuracy", figure.column).value * 500)
            if all(abs(f1 - figure.value) > ROUNDING_ERROR for f1 in weighted_f1_values(correct)):
                yield figure.name


def weighted_f1_values(correct: int) -> Iterator[float]:
    """Yield the weighted F1 of every confusion matrix with so many correct answers."""
    for yes in range(max(0, correct - NO_COUNT), min(YES_COUNT, correct) + 1):
        no = correct - yes
        errors = (YES_COUNT - yes) + (NO_COUNT - no)
        f1_yes = 2 * yes / (2 * yes + errors)
        f1_no = 2 * no / (2 * no + errors)
        yield (YES_COUNT * f1_yes + NO_COUNT * f1_no) / (YES_COUNT + NO_COUNT)


def check_gains() -> Iterator[str]:
    """The gains of fine-tuning that the text of 4.2.2 names, in per cent."""
    for row, tuned, base, stated_gain in (
        ("Ratio", "In(FT)", "In-20B", 7.2),
        ("DC", "In(FT)", "In-20B", 61.8),
        ("Ratio", "B(FT)", "B-13B", 8.6),
    ):
        gain = cell("Table 2", row, tuned).value / cell("Table 2", row, base).value - 1
        if round(100 * gain, 1) != stated_gain:
            yield f"helmsman 4.2.2, {row}, {tuned}"


def check_ratings() -> Iterator[str]:
    """Guarded's means are integer sums of ratings: cases times ten raters."""
    for figure in PUBLISHED:
        nearest_mean = round(figure.value * figure.n) / figure.n if figure.n else figure.value
        if figure.metric == "rating" and abs(nearest_mean - figure.value) > 0.005 + 1e-9:
            yield figure.name


def check_variations() -> Iterator[str]:
    """Humanized's Table 5 is one over the deviation (divided by R*) of Table 6's shares.

    Shares have two decimals, so a deviation is off by 0.00005 at most.
    """
    for figure in find_row("Table 5", "Judgement Variation", "humanized"):
        column = [p for p in PUBLISHED if p.metric == "vote_share" and p.column == figure.column]
        variation = 1 / pstdev(p.value / 100 for p in column)
        if abs(variation - figure.value) > variation**2 * 0.00005:
            yield figure.name


def check_vote_shares() -> Iterator[str]:
    """Humanized's Table 7 repeats two rows of Table 6. All three rows add up to 100."""
    for method in ("Baseline", "B5P", "Favor", "Strategy", "Full"):
        village, wolves, tanner = (
            cell("Table 7", row, method, "humanized") for row in ("Villager", "Werewolf", "Tanner")
        )
        for share, role in ((village, "Werewolf"), (tanner, "Tanner")):
            if share.value != cell("Table 6", role, method, "humanized").value:
                yield share.name
        if abs(village.value + wolves.value + tanner.value - 100) > 0.015:
            yield wolves.name


def check_averages() -> Iterator[str]:
    """Impressions' column All is the mean of the others. Both sides of a vote add up to 100."""
    for figure in PUBLISHED:
        row = find_row(figure.table, figure.row, "impressions")
        other_values = [p.value for p in row if p.column != figure.column]
        if figure.column == "All" and abs(fmean(other_values) - figure.value) > ROUNDING_ERROR:
            yield figure.name
        if figure.metric == "plan_votes" and sum(p.value for p in row) != 100:
            yield figure.name


def check_win_rates() -> Iterator[str]:
    """Impressions' win rates are shares of the games in brackets."""
    for figure in PUBLISHED:
        if figure.metric == "win_rate" and figure.n:
            nearest_rate = 100 * round(figure.value * figure.n / 100) / figure.n
            if abs(nearest_rate - figure.value) > 0.005 + 1e-9:
                yield figure.name


@pytest.mark.parametrize(
    ("check", "known_errors"),
    [
        (check_products, ["helmsman Table 24, C * W, M(FT)", "helmsman Table 24, C * W, B(FT)"]),
        (check_shares, []),
        (check_repeats, ["helmsman Table 2, F1, B-13B"]),
        (check_f1_scores, ["helmsman Table 2, F1, B-13B"]),
        (check_gains, ["helmsman 4.2.2, Ratio, B(FT)"]),
        (check_ratings, []),
        (check_variations, ["humanized Table 5, Judgement Variation, Full"]),
        (
            check_vote_shares,
            ["humanized Table 7, Werewolf, Baseline", "humanized Table 7, Villager, B5P"],
        ),
        (check_averages, []),
        (check_win_rates, []),
    ],
)
def test_published_figures_recompute_except_known_errors(
    check: Callable[[], Iterator[str]], known_errors: list[str]
) -> None:
    assert list(check()) == known_errors


def test_exactly_the_figures_that_do_not_recompute_are_doubted() -> None:
    checks = (check_products, check_repeats, check_f1_scores, check_variations, check_vote_shares)
    errors = {name for check in checks for name in check()}
    # No other table gives what memorability comes from.
    doubtful = [p for p in PUBLISHED if p.doubt and p.metric != "memorability"]
    assert {p.name for p in doubtful} == errors
    assert all(p.read_as is not None for p in doubtful)


def test_all_tables_of_the_specification_are_present() -> None:
    tables = {(p.paper, p.table) for p in PUBLISHED}
    numbers = (1, 2, 3, 19, 20, 22, 23, 24, 25)
    assert tables == {
        *(("helmsman", f"Table {number}") for number in numbers),
        *(("humanized", f"Table {number}") for number in (1, 4, 5, 6, 7, 8)),
        *(("impressions", f"Table {number}") for number in (2, 3, 4, 5, 6)),
        ("impressions", "Section 8"),
        ("guarded", "Section 6"),
        ("guarded", "Table 7"),
    }
    helmsman = [p for p in PUBLISHED if p.paper == "helmsman"]
    sizes = {number: sum(p.table == f"Table {number}" for p in helmsman) for number in numbers}
    assert sizes == {1: 32, 2: 32, 3: 5, 19: 8, 20: 8, 22: 2, 23: 36, 24: 60, 25: 16}
    assert cell("Table 3", "Human Evaluation", "Correlation").value == 0.233


def test_variant_has_only_the_figures_made_with_it() -> None:
    assert published_values("dc", "over_others") == {}
    assert published_values("dc", "person") == {
        "helmsman Table 3": {"Human Evaluation": {"DC": 0.083}}
    }
    assert published_values("correlation", "program") == {
        "helmsman Table 3": {"Human Evaluation": {"Correlation": 0.233}}
    }
    product_figures = published_values("completion_win", "product")["helmsman Table 24"]["C * W"]
    assert product_figures["M(FT)"] == 0.0999
    ratios = published_values("ratio", "others")
    assert "helmsman Table 23" not in ratios  # copies of Tables 1 and 2
    assert ratios["helmsman Table 22"] == {"Average Result": {"Ratio": 1.231}}


def test_file_is_valid() -> None:
    document = tomllib.loads(FILE.read_text())
    names = [cell.name for cell in PUBLISHED]
    assert len(set(names)) == len(names)
    for cell in PUBLISHED:
        metric = document["metrics"][cell.metric]
        lowest, highest = metric["range"]
        assert cell.paper in document["papers"], cell.name
        assert cell.variant in metric["variants"], cell.name
        assert type(cell.value) in (int, float), cell.name
        assert lowest <= cell.probable_value <= highest, cell.name
        assert not cell.pages or 0 < cell.pages[0] <= cell.pages[1], cell.name
        assert len(cell.pages) in (0, 2), cell.name
        assert cell.n is None or cell.n > 0, cell.name


def test_every_doubt_is_about_a_figure() -> None:
    doubts = [
        d for table in tomllib.loads(FILE.read_text())["tables"] for d in table.get("doubts", ())
    ]
    assert len(doubts) == sum(bool(cell.doubt) for cell in PUBLISHED)


@pytest.mark.parametrize(("table", "games", "village"), [("Table 5", 120, 71), ("Table 6", 13, 4)])
def test_seer_rows_give_the_number_of_games_and_village_wins(
    table: str, games: int, village: int
) -> None:
    """Every game has one Seer, whose team is the village."""
    seers = [p for p in PUBLISHED if (p.paper, p.table, p.column) == ("impressions", table, "Seer")]
    assert sum(cell.n or 0 for cell in seers) == games
    assert sum(round((cell.n or 0) * cell.value / 100) for cell in seers) == village
