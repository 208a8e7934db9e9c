"""Judges' scores of an experiment's games, by condition (Humanized, Table 8)."""

from __future__ import annotations

from webapp.statistics.judged import paper_scores
from webapp.study.judging.concordance import judge_scores
from webapp.study.judging.criteria import CRITERIA, LISTS
from webapp.study.models import Judge, Study
from webapp.study.results.paper_tables import printed_figure
from webapp.study.results.result_table import DASH, ResultTable, stats

SCORED = {criterion.key for criterion in CRITERIA}  # by the judge itself


def judge_tables(study: Study) -> list[ResultTable]:
    """Return a table for each judge that has scored a game. Judges are never pooled."""
    judges = Judge.objects.filter(campaign__study=study).select_related("campaign")
    return [_table(judge) for judge in judges if judge.scores.exists()]


def _table(judge: Judge) -> ResultTable:
    title = f"{judge.pseudonym}: {judge.name} ({judge.model}; Humanized, Table 8)"
    head = ("Criterion", "Condition", "Games", "Mean", "SD", "95% CI", "Published")
    table = ResultTable(title, head, 2, key=f"judge-{judge.pseudonym}")
    criteria = [(c.key, c.label) for c in (LISTS if judge.mode == Judge.LISTS else CRITERIA)]
    for item in paper_scores(judge_scores(judge), criteria):
        metric = "judge_score" if item["key"] in SCORED else str(item["key"])
        for row in item["conditions"]:
            name = row["condition"]
            printed = printed_figure("humanized", "Table 8", metric, item["label"], name)
            figures = stats(row, "mean", "sd", "ci")
            table.add(item["label"], name, row["games"], *figures, printed or DASH)
    table.note(
        f"A language model, {judge.draws} draws of each score. CI: by t over deals. Published:"
        " another model's scores of the paper's own games; no test compares them. With \"?\": the"
        " figure cannot be what it says (docs/metrics.md)."
    )
    if judge.state != Judge.DONE:
        table.note("The judge is not done: games are missing.")
    return table
