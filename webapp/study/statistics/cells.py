"""The cells of the tables for a paper: means, agreement, paired comparisons.

What is undefined shows as a dash; its reason is in the notes below the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.study.statistics.outcomes import Outcome
from webapp.study.statistics.published import Published, alongside, beside
from webapp.study.statistics.reasons import REASONS
from webapp.study.statistics.wording import fixed

DASH = "–"
PUBLISHED_AS = "Published: "
BLANKS = ("", "", "")


@dataclass
class Table:
    """Plain text cells; `numeric` says from which column on numbers stand."""

    title: str
    head: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    numeric: int = 1
    notes: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)

    def number(self, outcome: Outcome, digits: int) -> str:
        """A value, or a pair of them, with that many decimals; else a dash and a note."""
        self._explain(outcome)
        value = outcome["value"]
        if value is None:
            return DASH
        if isinstance(value, list):
            return f"[{', '.join(fixed(end, digits) for end in value)}]"
        return fixed(value, digits)

    def _explain(self, outcome: Outcome) -> None:
        keys = [outcome["why"]] if outcome["value"] is None else outcome.get("care", ())
        for key in keys:
            self.note(REASONS[key])


def chance(outcome: Outcome) -> str:
    """A p value: three decimals, or below .001."""
    value = outcome["value"]
    return "<0.001" if value < 0.001 else fixed(value, 3)


def tables(results: Mapping[str, Any], published: Published | None = None) -> list[Table]:
    """The three tables, as cells; and one of published figures that may not stand beside ours."""
    found = [_means(results, published), _agreement(results), _comparisons(results)]
    return [*found, *_elsewhere(results, published)]


def _means(results: Mapping[str, Any], published: Published | None) -> Table:
    head = ("Dimension", "Condition", "n", "Games", "Raters", "Mean", "SD", "95% CI")
    table = Table("Ratings by dimension and condition", head, numeric=2)
    for dimension in results["dimensions"]:
        label = _label(dimension)
        for row in dimension["conditions"]:
            counts = (str(row["n"]), str(row["games"]), str(row["raters"]))
            figures = [table.number(row[name], 2) for name in ("mean", "sd", "ci")]
            table.rows.append((label, row["condition"], *counts, *figures))
        if published and alongside(published, dimension):
            table.rows += _published_rows(dimension["key"], label, published)
        if dimension["rank"]:
            table.note(
                f"{label}: mean ranks, {dimension['max']} the first; the ranks of a game have the "
                f"mean {(1 + dimension['max']) / 2:g}."
            )
    draws = results["settings"]["draws"]
    table.note(f"SD with n-1; CI: percentile bootstrap over games, {draws} draws.")
    if published and any(row[1].startswith(PUBLISHED_AS) for row in table.rows):
        table.note(_source(published))
    return table


def _published_rows(key: str, label: str, published: Published) -> list[tuple[str, ...]]:
    """The published means of a dimension, with the paper's own number of decimals."""
    return [
        (label, PUBLISHED_AS + system, *BLANKS, mean, *BLANKS[:2])
        for system, mean in beside(published, key)
    ]


def _elsewhere(results: Mapping[str, Any], published: Published | None) -> list[Table]:
    """The published means on another scale, or of another kind of judge, by themselves."""
    if published is None:
        return []
    table = Table(
        "Published on another scale", ("Dimension", "System", "Published mean"), numeric=2
    )
    for dimension in results["dimensions"]:
        if not alongside(published, dimension):
            rows = beside(published, dimension["key"])
            table.rows += [(_label(dimension), system, mean) for system, mean in rows]
    table.note(_source(published))
    table.note(
        "Not to be compared with the ratings above: another scale, or another kind of judge."
    )
    return [table] if table.rows else []


def _source(published: Published) -> str:
    low, high = published["scale"]
    by = f"judged by {published['judged_by']}"
    if published["judged_by"] == "not stated":
        by = "the paper does not state who judged"
    source = f"{published['paper']}, {published['table']}"
    return f"Published: {source}; {by}, scale {low}–{high}. {published['note']}"


def _agreement(results: Mapping[str, Any]) -> Table:
    head = ("Dimension", "Units", "Raters", "Alpha", "95% CI", "ICC(A,1)", "95% CI")
    ranked = any(dimension["rank"] for dimension in results["dimensions"])
    table = Table("Agreement between raters", (*head, "W") if ranked else head)
    for dimension in results["dimensions"]:
        alpha, icc, units = dimension["alpha"]["ordinal"], dimension["icc"], dimension["alpha"]
        cells = [_label(dimension), str(units["units"]), str(units["raters"])]
        for one in (alpha, icc):
            cells += [table.number(one, 3), table.number(one.get("ci", one), 3)]
        table.rows.append([*cells, table.number(dimension["kendall_w"], 3)] if ranked else cells)
    table.note("Alpha: Krippendorff's, ordinal; units and raters are those with overlap.")
    return table


def _comparisons(results: Mapping[str, Any]) -> Table:
    head = (
        "Dimension",
        "Pair",
        "Paired by",
        "n",
        "Difference",
        "95% CI",
        "W",
        "p",
        "p (Holm)",
        "r",
    )
    table = Table("Paired comparisons", head, numeric=3)
    for dimension in results["dimensions"]:
        for one in dimension["comparisons"]:
            difference, test = one["difference"], one["test"]
            p = [chance(test["p"]), chance(test["p_holm"])] if "p" in test else [DASH, DASH]
            table.rows.append(
                (
                    _label(dimension),
                    f"{one['b']} − {one['a']}",
                    one["by"] or DASH,
                    str(one["n"]),
                    table.number(difference, 2),
                    table.number(difference.get("ci", difference), 2),
                    table.number(test, 1),
                    *p,
                    table.number(one["effect"], 2),
                )
            )
            for key in one["care"]:
                table.note(REASONS[key])
    table.note(
        "Wilcoxon's signed-rank test, two-sided, zeros ranked and dropped (Pratt); "
        "W: the smaller rank sum; r: rank-biserial correlation."
    )
    return table


def _label(dimension: Mapping[str, Any]) -> str:
    return str(dimension["label"] or dimension["key"])
