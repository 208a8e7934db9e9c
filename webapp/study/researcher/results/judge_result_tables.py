"""Builds the tables of language models as judges for a campaign's results page."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from webapp.study.judging.concordance import published_scores
from webapp.study.models import Judge
from webapp.study.results.result_table import (
    PAGE_FORMAT,
    Data,
    Notes,
    ResultTable,
    Stat,
    select_stats,
)


def build_judge_results(judges: Sequence[Data]) -> dict[str, Any]:
    """Return the tables of judges, with the published scores if a judge has scores like them."""
    rater_judges = [_build_rater_judge(judge) for judge in judges if judge["mode"] == Judge.RATER]
    paper_judges = [_build_paper_judge(judge) for judge in judges if judge["mode"] != Judge.RATER]
    has_scores = any(not judge["lists"] for judge in paper_judges)
    return {
        "rater_judges": rater_judges,
        "paper_judges": paper_judges,
        "published": _build_published_table() if has_scores else None,
    }


def _build_rater_judge(judge: Data) -> dict[str, Any]:
    notes, key, items = Notes(PAGE_FORMAT), f"judge-{judge['pseudonym']}", judge["beside"]
    order = _build_order_table(items, notes, f"{key}-order")
    bias = _build_bias_table(items, notes, f"{key}-bias")
    is_rated = any(item["units"] for item in items)
    steadiness = _build_steadiness_table(items, notes, f"{key}-steady")
    position = _build_position_table(items, notes, f"{key}-position")
    tables = [order, bias, steadiness] if is_rated else [steadiness]
    tables += [position] if position.rows else []
    return _build_judge(judge, tables, notes) | {"has_no_ratings": not is_rated}


def _build_order_table(items: Sequence[Data], notes: Notes, key: str) -> ResultTable:
    interval = _("95 % CI")
    head = (_("Item"), _("Units"), _("Games"), _("Spearman’s ρ with human means"), interval,
            _("α of human raters"), interval, _("α with the judge"), interval,
            _("Difference of α"), interval)  # fmt: skip
    table = ResultTable(_("Does the judge rank units as humans do?"), head, notes=notes, key=key)
    for item in items:
        names = ("spearman", "alpha_people", "alpha_with", "alpha_difference")
        values = (Stat(stat) for name in names for stat in (item[name], item[name]["ci"]))
        table.add(item["label"], item["units"], item["games"], *values)
    return table


def _build_bias_table(items: Sequence[Data], notes: Notes, key: str) -> ResultTable:
    head = (_("Item"), _("Condition"), _("Units"), _("Games"), _("Judge − humans"), _("95 % CI"))
    title = _("Does the judge rate higher or lower than humans?")
    table = ResultTable(title, head, text_columns=2, notes=notes, key=key)
    for item in items:
        for row in item["bias"]:
            labels = (item["label"], row["condition"] or _("all"), row["units"], row["games"])
            table.add(*labels, *select_stats(row, "difference", "ci"))
    return table


def _build_position_table(items: Sequence[Data], notes: Notes, key: str) -> ResultTable:
    """Return the table of pairs that were asked in both orders. Older results have none."""
    head = (_("Item"), _("Pairs"), _("Games"), _("First − second"), _("95 % CI"),
            _("Same preference in both orders"))  # fmt: skip
    table = ResultTable(_("Does the judge prefer the first option?"), head, notes=notes, key=key)
    for item in items:
        position = item.get("position", {})
        if position.get("pairs"):
            labels = (item["label"], position["pairs"], position["games"])
            same_percent = f"{100 * position['same']['value']:.0f} %"
            table.add(*labels, *select_stats(position, "difference", "ci"), same_percent)
    return table


def _build_steadiness_table(items: Sequence[Data], notes: Notes, key: str) -> ResultTable:
    head = (_("Item"), _("Repeats"), _("equal"), _("within one step"),
            _("Answers drawn several times"), _("draws equal"), _("SD of draws"),
            _("α of draws"))  # fmt: skip
    table = ResultTable(_("Is the judge consistent?"), head, notes=notes, key=key)
    for item in items:
        repeats, draws = item["repeats"], item["draws"]
        repeat_values = (repeats["n"], *select_stats(repeats, "exact", "within_one"))
        draw_values = (draws["n"], *select_stats(draws, "exact", "sd", "alpha"))
        table.add(item["label"], *repeat_values, *draw_values)
    return table


def _build_paper_judge(judge: Data) -> dict[str, Any]:
    notes = Notes(PAGE_FORMAT)
    head = (_("Criterion"), _("Condition"), _("Games"), _("Mean"), "SD", _("95 % CI"))
    table = ResultTable("", head, text_columns=2, notes=notes, key=f"judge-{judge['pseudonym']}")
    for item in judge["scores"]:
        for row in item["conditions"]:
            labels = (item["label"], row["condition"], row["games"])
            table.add(*labels, *select_stats(row, "mean", "sd", "ci"))
    draws = [
        (item["label"], *map(notes.cell, select_stats(item["draws"], "sd", "alpha")))
        for item in judge["scores"]
    ]
    draw_rows = [] if judge["mode"] == Judge.LISTS else draws
    return _build_judge(judge, [table], notes) | {"draw_rows": draw_rows}


def _build_judge(judge: Data, tables: Sequence[ResultTable], notes: Notes) -> dict[str, Any]:
    return {
        "name": f"{judge['pseudonym']}: {judge['name']}",
        "key": f"judge-{judge['pseudonym']}",
        "model": judge["model"],
        "unfinished": judge["state"] != Judge.DONE,
        "draws": judge["draws"],
        "saw_outcome": judge["mode"] == Judge.PAPER_REVEALED,
        "lists": judge["mode"] == Judge.LISTS,
        "tables": tables,
        "notes": notes.sentences,
    }


def _build_published_table() -> ResultTable:
    scores = published_scores()
    names = list(dict.fromkeys(name for row in scores["rows"].values() for name in row))
    title = _("Published: {table}").format(table=scores["table"].capitalize())
    help_text = _(
        "Scores of the paper’s own games by another language model, from 1 to 10. They are not"
        " human ratings, and no test compares them with our results."
    )
    head = (_("Criterion"), *names)
    table = ResultTable(title, head, key="judge-published", help=help_text)
    for label, row in scores["rows"].items():
        table.add(label, *(f"{row[name]:.2f}" for name in names), style="is-published")
    return table
