"""Tests that `experiment verify` recomputes tests, intervals, boards, words and leadership."""

from __future__ import annotations

import csv
import io
import itertools
import re
import zipfile
from typing import Any

import numpy as np
import pandas as pd
import pytest
from django.contrib.auth.models import User
from scipy import stats

from webapp.statistics import rank_tests
from webapp.statistics.comparison_design import ComparisonDesign as Comparison
from webapp.study import analysis, timed_steps
from webapp.study.data import studies as study_data
from webapp.study.data.archive import zip_files
from webapp.study.data.studies.verification import verify_report
from webapp.study.design.stages import Design
from webapp.study.experiments import local_run
from webapp.study.planning import studies
from webapp.study.results import comparison_check

database = pytest.mark.django_db(transaction=True)
pytestmark = pytest.mark.usefixtures("plain_figures")
Files = dict[str, bytes]


def archive_of(**design: Any) -> Files:
    """Return the files of the archive of a played experiment."""
    owner, _new = User.objects.get_or_create(username="ada")
    study = studies.create(owner, "Verified", seed="verify", design=Design.from_json(design))
    studies.open(study)
    list(local_run.play_games(study))
    timed_steps.close_finished()
    study.refresh_from_db()
    options = study_data.ExportOptions(report=True)
    content = study_data.build_zip(study, options, analysis.study_results(study))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def differences(files: Files) -> list[str]:
    texts = verify_report(zip_files(files)).differences
    return [text for text in texts if not text.endswith("has the hash of")]


def change_cell(files: Files, name: str, field: str, **cells: str) -> None:
    """Add 0.4 to the first number in a cell of the first matching row."""
    rows = list(csv.DictReader(io.StringIO(files[name].decode())))
    fits = (row for row in rows if all(row[key] == value for key, value in cells.items()))
    row = next(row for row in fits if re.search(r"\d", row[field]))
    row[field] = re.sub(r"\d+(?:\.\d+)?", lambda m: f"{float(m[0]) + 0.4:.3f}", row[field], count=1)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [*rows[0]])
    writer.writeheader()
    writer.writerows(rows)
    files[name] = text.getvalue().encode()


@database
def test_altered_test_interval_or_lead_is_named() -> None:
    levels = [{"name": name, "table": {"settings": {"first_sheriff": name}}}
              for name in ("villager", "werewolf")]  # fmt: skip
    files = archive_of(
        table={"people": 0, "blind": False, "ruleset": "sheriff", "method": "helmsman",
               "settings": {"election": False, "sheriff_dies": "ends"}},
        factors=[{"name": "sheriff", "levels": levels}], assignment={"games": 6},
    )  # fmt: skip
    assert differences(files) == []
    dc = {"measure": "dc", "item": "over_living"}
    for column in ("difference", "low", "statistic", "p", "p_holm", "effect", "effect_high"):
        change_cell(files, "comparisons.csv", column, **dc)
    change_cell(files, "estimates.csv", "high", **dc)
    change_cell(files, "estimates.csv", "low", measure="ratio")
    change_cell(files, "estimates.csv", "low", measure="survived")
    for table, column in (
        ("table-helmsman-1", "Ratio"), ("table-helmsman-1", "Completion"),
        ("figure-helmsman-3", "Ratio, 95% CI"), ("table-helmsman-25", "With badge"),
    ):  # fmt: skip
        change_cell(files, "tables.csv", "value", table=table, column=column)
    reports = "\n".join(differences(files))
    of_dc = "comparisons.csv: dc / over_living / computer / werewolf − villager / "
    for column in ("difference", "low", "statistic", "p", "p_holm", "effect", "effect_high"):
        assert f"{of_dc}{column}: printed" in reports
    assert re.search(r"estimates\.csv: dc / over_living / computer / \w+ / high: printed", reports)
    assert re.search(r"estimates\.csv: ratio / others / computer / \w+ / low: printed", reports)
    assert re.search(r"estimates\.csv: survived / computer[^ ]* / \w+ / low: printed", reports)
    assert re.search(r"table-helmsman-1 / \w+ / Ratio: printed", reports)
    assert re.search(r"table-helmsman-1 / \w+ / Completion: printed", reports)
    assert re.search(r"figure-helmsman-3 / .* / Ratio, 95% CI: printed", reports)
    assert re.search(r"table-helmsman-25 / .* / With badge: printed", reports)


@database
def test_altered_board_or_word_is_named() -> None:
    systems = [{"name": name, "seat": {"method": name}} for name in ("b5p", "full")]
    files = archive_of(
        table={"people": 0, "blind": False, "method": "b5p"},
        assignment={"games": 6}, experiment={"league": systems},
    )  # fmt: skip
    assert differences(files) == []
    board = {"table": "board-of-players"}
    for column in ("Games", "Won, %", "Strength", "95% CI"):
        change_cell(files, "tables.csv", "value", column=column, **board)
    change_cell(files, "tables.csv", "value", table="persona-words", row_name="3")
    reports = differences(files)
    for column in ("Games", "Won, %", "Strength", "95% CI"):
        pattern = rf"board-of-players / 1 \| (b5p|full) / {re.escape(column)}: printed"
        assert sum(bool(re.match(pattern, text)) for text in reports) == 1, reports
    (word,) = [text for text in reports if text.startswith("persona-words / 3 / ")]
    assert re.search(r": printed \w+ \d+\.\d+, computed \w+ \d+$", word)
    assert len(reports) == 5


@database
def test_report_of_games_without_winners_is_verified() -> None:
    files = archive_of(
        table={"people": 0, "blind": False, "settings": {"opening_only": True}},
        assignment={"games": 3},
    )  # fmt: skip
    assert "board-of-players" not in files["tables.csv"].decode()
    assert differences(files) == []


def values_by_game(first: Any, second: Any) -> Any:
    """Return values by game in two conditions, each game with its own deal."""
    names = [f"{side}{n}" for side, rows in (("a", first), ("b", second)) for n in range(len(rows))]
    return pd.DataFrame({"game_id": names, "deal": names, "condition": [n[0] for n in names],
                         "value": [*first, *second]})  # fmt: skip


def test_non_numeric_cell_is_a_difference_not_a_failure() -> None:
    row = {"measure": "dc", "item": "", "group": "computer", "condition": "all", "a": "a", "b": "b",
           "n": "4", "margin": "", "p": "none", "p_holm": "0.5", "family": ""}  # fmt: skip
    rows = comparison_check.add_holm_adjustment(pd.DataFrame([row]))
    values = {("dc", "", "computer"): values_by_game([0.0, 1.0], [1.0, 1.0])}
    check = comparison_check.FigureCheck()
    comparison_check.check_rows(check, "comparisons.csv", rows, values)
    assert any("/ p: printed none, computed 1" in text for text in check.differences)


@pytest.mark.parametrize(("n", "m"), [(1, 7), (4, 5), (9, 12), (30, 25)])
def test_unpaired_games_have_the_p_value_and_effect_of_the_report(n: int, m: int) -> None:
    rng = np.random.default_rng(n)
    first, second = rng.integers(0, 5, n) / 4, rng.integers(1, 6, m) / 4
    row = {"a": "a", "b": "b", "margin": ""}
    recomputed = comparison_check._recompute_comparison(values_by_game(first, second), row)
    report = rank_tests.rank_sum(first, second)
    assert recomputed["statistic"] == pytest.approx(report["test"]["value"])
    chance = 0.02 if recomputed["drawn"] else 1e-9
    assert recomputed["p"] == pytest.approx(report["test"]["p"]["value"], abs=chance)
    assert recomputed["effect"] == pytest.approx(report["effect"]["value"])
    table = np.array([*([x, np.nan] for x in first), *([np.nan, y] for y in second)])
    plan = Comparison("unpaired", "game", first=tuple(range(n)), second=tuple(range(n, n + m)))
    ends = rank_tests.effect_interval(table, plan)["value"]
    assert recomputed.get("effect_low") == (pytest.approx(ends[0]) if ends else None)


def test_signed_rank_p_value_matches_full_enumeration() -> None:
    pairs = np.array([0.25, -0.25, 0.5, 0.0, 1.0, 0.75, 0.5])
    ranks = stats.rankdata(abs(pairs))[pairs != 0]
    sums = [sum(choice) for choice in itertools.product(*([0, rank] for rank in ranks))]
    recomputed = comparison_check._signed_rank_test(pairs)
    share = np.mean([total <= recomputed["statistic"] + 1e-9 for total in sums])
    assert recomputed["p"] == pytest.approx(2 * share)
