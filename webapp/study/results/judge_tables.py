"""Tables and figures of judges' scores of an experiment's games (Humanized, Table 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from webapp.statistics.judged import paper_scores
from webapp.study.judging.concordance import judge_scores
from webapp.study.judging.criteria import CRITERIA, LISTS
from webapp.study.models import Judge, Study
from webapp.study.results.figures import Drawing
from webapp.study.results.paper_figures import radar_figure
from webapp.study.results.published_cells import printed_figure
from webapp.study.results.result_table import DASH, ResultTable, select_stats

MIN_SPOKES = 3  # of a radar
SCORED_CRITERIA = {criterion.key for criterion in CRITERIA}  # others are computed from lists


def judge_tables(study: Study, baseline: str) -> tuple[list[ResultTable], dict[str, Drawing]]:
    """Return a table and a figure for each judge that has scored games. Judges are not pooled."""
    judges = Judge.objects.filter(campaign__study=study).select_related("campaign")
    tables: list[ResultTable] = []
    figures: dict[str, Drawing] = {}
    for judge in (judge for judge in judges if judge.scores.exists()):
        criteria = [(c.key, c.label) for c in (LISTS if judge.mode == Judge.LISTS else CRITERIA)]
        scores = paper_scores(judge_scores(judge), criteria)
        tables.append(_judge_table(judge, scores))
        if spokes := _relative_scores(scores, baseline):
            title = f"Scores over those of {baseline} (Humanized, Figure 6)"
            key = tables[-1].figure = f"{tables[-1].key}-figure"
            figures[key] = partial(radar_figure, key, title, spokes, baseline)
    return tables, figures


def _relative_scores(
    scores: Sequence[Mapping[str, Any]], baseline: str
) -> dict[str, dict[str, float]]:
    """Return condition -> criterion -> its mean score divided by the baseline's.

    It is {} with fewer than MIN_SPOKES criteria that are defined in all conditions.
    """
    means = {
        item["label"]: {row["condition"]: row["mean"]["value"] for row in item["conditions"]}
        for item in scores
    }
    complete = {
        label: row for label, row in means.items() if all(row.values()) and row.get(baseline)
    }
    conditions = dict.fromkeys(name for row in complete.values() for name in row)
    have_all = all(set(row) == set(conditions) for row in complete.values())
    if len(complete) < MIN_SPOKES or not have_all:
        return {}
    return {
        name: {str(label): row[name] / row[baseline] for label, row in complete.items()}
        for name in conditions
    }


def _judge_table(judge: Judge, scores: Sequence[Mapping[str, Any]]) -> ResultTable:
    title = f"{judge.pseudonym}: {judge.name} ({judge.model}; Humanized, Table 8)"
    head = ("Criterion", "Condition", "Games", "Mean", "SD", "95% CI", "Published")
    table = ResultTable(title, head, 2, key=f"judge-{judge.pseudonym}")
    for item in scores:
        metric = "judge_score" if item["key"] in SCORED_CRITERIA else str(item["key"])
        for row in item["conditions"]:
            name = row["condition"]
            printed = printed_figure("humanized", "Table 8", metric, item["label"], name)
            figures = select_stats(row, "mean", "sd", "ci")
            table.add(item["label"], name, row["games"], *figures, printed or DASH)
    table.note(
        f"A language model, {judge.draws} draws of each score. CI: by t over deals. Published:"
        " another model's scores of the paper's own games; no test compares them. With \"?\": the"
        " figure cannot be what it says (docs/metrics.md)."
    )
    if judge.state != Judge.DONE:
        table.note("The judge has not finished: games are missing.")
    return table
