"""The tables of judges for a campaign's results page; no computation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from webapp.study.judging.concordance import published_scores
from webapp.study.models import Judge
from webapp.study.researcher.results.campaign_result_tables import PAGE
from webapp.study.results.result_table import Notes, ResultTable, Stat, select_stats


def judge_results(judges: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the tables of judges.

    Judges in mode RATER are separate from those in mode PAPER, which are shown with the paper's own
    figures.
    """
    apart = [_scores(one) for one in judges if one["mode"] != Judge.RATER]
    return {
        "beside": [_ratings(one) for one in judges if one["mode"] == Judge.RATER],
        "apart": apart,
        "published": _published() if any(not one["lists"] for one in apart) else None,
    }


def _judge(one: Mapping[str, Any], tables: Sequence[ResultTable], notes: Notes) -> dict[str, Any]:
    return {
        "name": f"{one['pseudonym']}: {one['name']}",
        "key": f"judge-{one['pseudonym']}",
        "model": one["model"],
        "unfinished": one["state"] != Judge.DONE,
        "draws": one["draws"],
        "saw_outcome": one["mode"] == Judge.PAPER_REVEALED,
        "lists": one["mode"] == Judge.LISTS,
        "tables": tables,
        "notes": notes.sentences,
    }


def _ratings(one: Mapping[str, Any]) -> dict[str, Any]:
    notes, key, items = Notes(PAGE), f"judge-{one['pseudonym']}", one["beside"]
    order, bias = _order(items, notes, f"{key}-order"), _bias(items, notes, f"{key}-bias")
    rated = any(item["units"] for item in items)
    steady = _steadiness(items, notes, f"{key}-steady")
    position = _position(items, notes, f"{key}-position")
    tables = [order, bias, steady] if rated else [steady]
    tables += [position] if position.rows else []
    return _judge(one, tables, notes) | {"nothing": not rated}


def _order(items: Sequence[Mapping[str, Any]], notes: Notes, key: str) -> ResultTable:
    interval = _("95 % CI")
    head = (_("Item"), _("Units"), _("Games"), _("Spearman’s ρ with people’s means"), interval,
            _("α of people alone"), interval, _("α with the judge"), interval,
            _("Difference of α"), interval)  # fmt: skip
    table = ResultTable(_("Does it put things in the people’s order?"), head, 1, notes, key)
    for item in items:
        statistics = (
            item[k] for k in ("spearman", "alpha_people", "alpha_with", "alpha_difference")
        )
        values = (Stat(stat) for value in statistics for stat in (value, value["ci"]))
        table.add(item["label"], item["units"], item["games"], *values)
    return table


def _bias(items: Sequence[Mapping[str, Any]], notes: Notes, key: str) -> ResultTable:
    head = (_("Item"), _("Condition"), _("Units"), _("Games"), _("Judge − people"), _("95 % CI"))
    table = ResultTable(_("Does it rate higher or lower than people?"), head, 2, notes, key)
    for item in items:
        for row in item["bias"]:
            of = (item["label"], row["condition"] or _("all"), row["units"], row["games"])
            table.add(*of, *select_stats(row, "difference", "ci"))
    return table


def _position(items: Sequence[Mapping[str, Any]], notes: Notes, key: str) -> ResultTable:
    """Return the table of pairs asked in both orders. Older results have none."""
    head = (_("Item"), _("Pairs"), _("Games"), _("First − second"), _("95 % CI"),
            _("The same preferred both times"))  # fmt: skip
    table = ResultTable(_("Does it prefer what stands first?"), head, 1, notes, key)
    for item in items:
        position = item.get("position", {})
        if position.get("pairs"):
            same = f"{100 * position['same']['value']:.0f} %"
            statistics = select_stats(position, "difference", "ci")
            table.add(item["label"], position["pairs"], position["games"], *statistics, same)
    return table


def _steadiness(items: Sequence[Mapping[str, Any]], notes: Notes, key: str) -> ResultTable:
    head = (_("Item"), _("Repeats"), _("equal"), _("within one step"),
            _("Answers drawn several times"), _("draws equal"), _("SD of draws"),
            _("α of draws"))  # fmt: skip
    table = ResultTable(_("Does it agree with itself?"), head, 1, notes, key)
    for item in items:
        again, draws = item["repeats"], item["draws"]
        repeats = (again["n"], *select_stats(again, "exact", "within_one"))
        table.add(item["label"], *repeats, draws["n"], *select_stats(draws, "exact", "sd", "alpha"))
    return table


def _scores(one: Mapping[str, Any]) -> dict[str, Any]:
    notes = Notes(PAGE)
    head = (_("Criterion"), _("Condition"), _("Games"), _("Mean"), "SD", _("95 % CI"))
    table = ResultTable("", head, 2, notes, f"judge-{one['pseudonym']}")
    for item in one["scores"]:
        for row in item["conditions"]:
            of = (item["label"], row["condition"], row["games"])
            table.add(*of, *select_stats(row, "mean", "sd", "ci"))
    draws = [
        (item["label"], *map(notes.cell, select_stats(item["draws"], "sd", "alpha")))
        for item in one["scores"]
    ]
    return _judge(one, [table], notes) | {"steady": [] if one["mode"] == Judge.LISTS else draws}


def _published() -> ResultTable:
    scores = published_scores()
    names = list(dict.fromkeys(name for row in scores["rows"].values() for name in row))
    title = _("Published: {table}").format(table=scores["table"].capitalize())
    help_text = _(
        "Another language model’s scores of the paper’s own games, 1 to 10: no ratings by people,"
        " and no test compares them with ours."
    )
    head = (_("Criterion"), *names)
    table = ResultTable(title, head, key="judge-published", help=help_text)
    for label, row in scores["rows"].items():
        table.add(label, *(f"{row[name]:.2f}" for name in names), style="is-published")
    return table
