"""The results as tables for a paper: LaTeX (booktabs) and Markdown, from the same cells.

What is undefined shows as a dash; its reason is in the notes below the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.study.statistics.outcomes import REASONS, Outcome, fixed, one_line
from webapp.study.statistics.published import Published, alongside, beside
from webapp.study.statistics.turns import CAUSES

DASH = "–"
PUBLISHED_AS = "Published: "
BLANKS = ("", "", "")


@dataclass
class ResultTable:
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


def tables(results: Mapping[str, Any], published: Published | None = None) -> list[ResultTable]:
    """The tables, as cells; that of the turns where any are known, and one of published figures
    that may not stand beside ours."""
    found = [_means(results, published), _agreement(results), _comparisons(results)]
    if results["selection"]["conditions"]:
        found.append(_turns(results))
    return [*found, *_elsewhere(results, published)]


def _means(results: Mapping[str, Any], published: Published | None) -> ResultTable:
    head = ("Dimension", "Condition", "n", "Games", "Raters", "Mean", "SD", "95% CI")
    table = ResultTable("Ratings by dimension and condition", head, numeric=2)
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
    table.note(
        f"SD with n-1; CI: percentile bootstrap over games "
        f"(over deals where games share one), {draws} draws."
    )
    if published and any(row[1].startswith(PUBLISHED_AS) for row in table.rows):
        table.note(_source(published))
    return table


def _published_rows(key: str, label: str, published: Published) -> list[tuple[str, ...]]:
    """The published means of a dimension, with the paper's own number of decimals."""
    return [
        (label, PUBLISHED_AS + system, *BLANKS, mean, *BLANKS[:2])
        for system, mean in beside(published, key)
    ]


def _elsewhere(results: Mapping[str, Any], published: Published | None) -> list[ResultTable]:
    """The published means on another scale, or of another kind of judge, by themselves."""
    if published is None:
        return []
    table = ResultTable(
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


def _agreement(results: Mapping[str, Any]) -> ResultTable:
    head = ("Dimension", "Units", "Raters", "Alpha", "95% CI", "ICC(A,1)", "95% CI")
    ranked = any(dimension["rank"] for dimension in results["dimensions"])
    table = ResultTable("Agreement between raters", (*head, "W") if ranked else head)
    for dimension in results["dimensions"]:
        alpha, icc, units = dimension["alpha"]["ordinal"], dimension["icc"], dimension["alpha"]
        cells = [_label(dimension), str(units["units"]), str(units["raters"])]
        for one in (alpha, icc):
            cells += [table.number(one, 3), table.number(one.get("ci", one), 3)]
        table.rows.append([*cells, table.number(dimension["kendall_w"], 3)] if ranked else cells)
    table.note("Alpha: Krippendorff's, ordinal; units and raters are those with overlap.")
    return table


def _comparisons(results: Mapping[str, Any]) -> ResultTable:
    head = ("Dimension", "Pair", "Design", "n", "Difference", "95% CI", "Test", "p", "p (Holm)",
            "r", "Model", "Model 95% CI")  # fmt: skip
    table = ResultTable("Comparisons of conditions", head, numeric=3)
    for dimension in results["dimensions"]:
        for one in dimension["comparisons"]:
            table.rows.append(_comparison(_label(dimension), one, table))
            for key in one["care"]:
                table.note(REASONS[key])
    table.note(
        "n: games, or deals where games share one. W: Wilcoxon's signed-rank test, zeros ranked "
        "and dropped (Pratt), the smaller rank sum; U: Mann–Whitney as a permutation test over "
        "games, the smaller of the two; both two-sided. r: rank-biserial correlation. CI of the "
        "difference: t over games."
    )
    table.note(
        "Model: the condition's coefficient in a linear mixed model (REML) with crossed random "
        "effects; it is no test of record and has no part in Holm's adjustment."
    )
    return table


def _comparison(label: str, one: Outcome, table: ResultTable) -> tuple[str, ...]:
    difference, test, model = one["difference"], one["test"], one["model"]
    p = [chance(test["p"]), chance(test["p_holm"])] if "p" in test else [DASH, DASH]
    statistic = table.number(test, 1)
    return (
        label,
        f"{one['b']} − {one['a']}",
        f"{one['design']} by {one['by']}" if one["design"] else DASH,
        size(one),
        table.number(difference, 2),
        table.number(difference.get("ci", difference), 2),
        f"{test['statistic']} = {statistic}" if "statistic" in test else statistic,
        *p,
        table.number(one["effect"], 2),
        table.number(model, 2),
        table.number(model.get("ci", model), 2),
    )


def size(one: Outcome) -> str:
    """How many observations: pairs, or those of the first and of the second condition."""
    return f"{one['n_a']}, {one['n_b']}" if "n_a" in one else str(one["n"])


def _label(dimension: Mapping[str, Any]) -> str:
    return str(dimension["label"] or dimension["key"])


def _turns(results: Mapping[str, Any]) -> ResultTable:
    head = ("Condition", "Turns", "Words", "Failed", "Share", "Timed out", "Refused", "Unusable",
            "Passed", "Removed")  # fmt: skip
    table = ResultTable("Turns that the rated words come from", head)
    for row in results["selection"]["conditions"]:
        causes = (str(row["causes"][cause]) for cause in CAUSES)
        counts = (str(row[fate]) for fate in ("turns", "words", "failed"))
        share = table.number(row["share_failed"], 3)
        rest = (str(row["passed"]), str(row["removed"]))
        table.rows.append((row["condition"], *counts, share, *causes, *rest))
    for key in results["selection"]["care"]:
        table.note(REASONS[key])
    return table


def latex(results: Mapping[str, Any], published: Published | None = None) -> str:
    """The tables as LaTeX; needs the package booktabs."""
    return "\n".join(latex_of(table) for table in tables(results, published))


def latex_of(table: ResultTable) -> str:
    """One table."""
    columns = "l" * table.numeric + "r" * (len(table.head) - table.numeric)
    lines = [r"\begin{table}", r"\centering", rf"\caption{{{escape_latex(table.title)}}}"]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _latex_row(table.head), r"\midrule"]
    lines += [_latex_row(row) for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\footnotesize {escape_latex(note)}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}", ""])


def _latex_row(cells: Sequence[str]) -> str:
    # Braced: a row that begins with "[" would otherwise be read as \\'s own argument.
    escaped = [escape_latex(cell) for cell in cells]
    return " & ".join([f"{{{escaped[0]}}}", *escaped[1:]]) + r" \\"


LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "−": "$-$",
}


def escape_latex(text: str) -> str:
    """The text with LaTeX's special characters made harmless, on one line."""
    return "".join(LATEX.get(character, character) for character in one_line(text))


def markdown(results: Mapping[str, Any], published: Published | None = None) -> str:
    """The tables as Markdown (GitHub's)."""
    return "\n".join(markdown_of(table) for table in tables(results, published))


def markdown_of(table: ResultTable) -> str:
    """One table."""
    rule = ["---"] * table.numeric + ["---:"] * (len(table.head) - table.numeric)
    rows = [table.head, rule, *table.rows]
    lines = [_markdown_row(row) if row is not rule else f"|{'|'.join(rule)}|" for row in rows]
    notes = [f"- {escape_markdown(note)}" for note in table.notes]
    return "\n".join([f"### {table.title}", "", *lines, "", *notes, ""])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(escape_markdown(cell) for cell in cells)} |"


MARKDOWN = frozenset("\\`*_{}[]<>#|&~$")


def escape_markdown(text: str) -> str:
    """The text with Markdown's special characters escaped, on one line."""
    return "".join(f"\\{one}" if one in MARKDOWN else one for one in one_line(text))
