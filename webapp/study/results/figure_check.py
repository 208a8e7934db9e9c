"""Recomputes the figures of a report from its archive, and lists the differences.

It uses no code of `webapp.measures` or of the modules that computed the report.
"""

import re
from collections.abc import Mapping
from typing import Any

from webapp.study.results.archive_data import HUNTED, ArchiveData
from webapp.study.results.comparison_check import (
    COMPARISONS,
    ESTIMATES,
    FigureCheck,
    add_holm_adjustment,
    check_rows,
)
from webapp.study.results.recomputed_leads import lead_rows, lead_values
from webapp.study.results.recomputed_values import VALUE_FUNCTIONS

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
EXILE_TEAM = "tanner"  # the team that wins by its own exile
TABLES = "tables.csv"
# Tables whose figures ESTIMATES and COMPARISONS have with all digits: they are checked there.
CHECKED_IN_ROWS = {"design-in-words", "summary"} | {
    f"{section}{end}" for section in ("endings", "votes", "leadership") for end in ("", "-compared")
}
UNCAST_LABELS = "timeout|fallback|stand-in"  # pattern of labels of votes that no player cast
# Beginning of a table's key -> why its figures cannot be computed from the archive.
UNCHECKED_REASONS = {
    "table-guarded-contradictions": "only the program's own rules read claims from the talk",
    "table-impressions-8": "attempts to win votes are not among the data",
    **dict.fromkeys(
        ("table-guarded-7", "table-impressions-3", "table-impressions-4", "ratings"),
        "the ratings are in the files of the study that rates",
    ),
    **dict.fromkeys(
        ("table-humanized-1", "table-humanized-4"), "vectors of texts are not among the data"
    ),
    "judge-": "they are a language model's scores (judge_scores.csv)",
    "cost-by-condition": "prices are not among the data",
    "games-by-condition": "labels of answers are in part not among the data",
}
# (measure, item) -> column of `lead_rows`.
LEAD_MEASURES = {("ratio", "others"): "ratio", ("dc", "over_others"): "over_others",
                 ("dc", "over_living"): "over_living"}  # fmt: skip


def unchecked_reason(table: str) -> str:
    """Return why the figures of the table are not recomputed."""
    reasons = (text for key, text in UNCHECKED_REASONS.items() if table.startswith(key))
    return next(reasons, "the data leave them open")


def check_figures(files: Mapping[str, bytes]) -> FigureCheck:
    """Compare the report's figures with those recomputed from the archive's data."""
    data = ArchiveData(files)
    computed = {
        (cell.table, cell.row, cell.column): cell.value
        for recompute in (*VALUE_FUNCTIONS, lead_values)
        for cell in recompute(data)
    }
    check = FigureCheck()
    for row in data.read_csv(TABLES).itertuples():
        name = (row.table, row.row_name, row.column)
        is_figure = NUMBER.search(row.value) or name in computed
        is_published = "published" in (row.row_name + row.column).lower()
        if not is_figure or is_published or row.table in CHECKED_IN_ROWS:
            continue
        if name not in computed:
            check.unchecked[row.table] += 1
            continue
        check.checked += 1
        if not _matches(row.value, computed[name]):
            value = computed[name]
            text = value if isinstance(value, str) else ", ".join(f"{n:.6g}" for n in value)
            check.differences.append(f"{' / '.join(name)}: printed {row.value}, computed {text}")
    values = _observations(data)
    check_rows(check, ESTIMATES, data.read_csv(ESTIMATES), values)
    check_rows(check, COMPARISONS, add_holm_adjustment(data.read_csv(COMPARISONS)), values)
    return check


def _matches(cell: str, computed: list[float] | str) -> bool:
    """Return whether the cell has the computed text, or the numbers rounded to its digits."""
    if isinstance(computed, str):
        return cell == computed
    printed = NUMBER.findall(cell)
    tolerances = [0.5 * 10 ** -len(text.partition(".")[2]) + 1e-9 for text in printed]
    return len(printed) >= len(computed) and all(
        abs(float(text) - value) <= tolerance
        for text, value, tolerance in zip(printed, computed, tolerances, strict=False)
    )


def _observations(data: ArchiveData) -> dict[tuple[str, str, str], Any]:
    """Return the computer players' values as `comparison_check.check_rows` takes them."""
    deals = data.players.game_id.map(data.deals)
    seats = data.players.assign(deal=deals)[data.players.speaker_kind == "agent"]
    won = seats[seats.won != ""].assign(value=lambda rows: rows.won == "true")
    survived = seats.assign(value=seats.out == "no")
    cast = data.ballots[~data.ballots.labels.str.contains(UNCAST_LABELS)].dropna(subset="target")
    cast = cast.merge(seats[["game_id", "seat", "team", "deal"]])
    cast = cast[~cast.team.isin([HUNTED, EXILE_TEAM])]
    values = {("accurate", "", "computer"): cast.assign(value=cast.target_role == HUNTED)}
    for name, rows in won.drop_duplicates(["game_id", "team"]).groupby("team"):
        values["won", "", f"computer/team:{name}"] = rows
    for name, rows in survived.groupby("role"):
        values["survived", "", f"computer/role:{name}"] = rows
    _player_days, led_games = lead_rows(data)
    for (measure, item), column in LEAD_MEASURES.items() if len(led_games) else ():
        rows = led_games.dropna(subset=column).assign(deal=led_games.game_id.map(data.deals))
        values[measure, item, "computer"] = rows.assign(value=rows[column])
    return {key: rows.assign(value=rows.value.astype(float)) for key, rows in values.items()}
