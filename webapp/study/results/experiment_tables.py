"""The papers' tables of one experiment: of its games, texts, judges' scores and ratings."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from webapp.statistics.rating_results import compute_statistics
from webapp.study.design import rating_design
from webapp.study.design.instruments import Instrument
from webapp.study.judging.concordance import score_figures
from webapp.study.judging.criteria import CRITERIA
from webapp.study.models import Campaign, Judge, Slot, Study
from webapp.study.rating.rating_rows import read_marks
from webapp.study.results.campaign_tables import find_published_means, means_table
from webapp.study.results.experiment_facts import rating_campaigns
from webapp.study.results.figures import Drawing
from webapp.study.results.paper_figures import radar_figure
from webapp.study.results.paper_tables import paper_tables
from webapp.study.results.published_cells import Conditions, printed_figure
from webapp.study.results.published_means import paper_name, table_key
from webapp.study.results.result_table import DASH, ResultTable, select_stats
from webapp.study.results.text_distances import distance_table, text_distances
from webapp.study.results.word_clouds import word_clouds

MIN_RADAR_SPOKES = 3
SCORED_CRITERIA = {criterion.key for criterion in CRITERIA}  # other figures count listed items


def experiment_paper_tables(
    study: Study, conditions: Conditions, baseline: str
) -> tuple[list[ResultTable], dict[str, Drawing]]:
    """Return every table that is defined for the experiment, and drawings of some of them.

    The drawings are by key (`ResultTable.figure`). `paper_figures` has those of the other tables.
    """
    distances = text_distances(conditions)
    tables = [distance_table(distances)] if distances else []
    word_tables, word_drawings = word_clouds(conditions)
    score_tables, score_drawings = judge_tables(study, baseline)
    tables += [*word_tables, *paper_tables(conditions, baseline), *score_tables]
    return tables + rating_tables(study), {**word_drawings, **score_drawings}


def rating_tables(study: Study) -> list[ResultTable]:
    """Return people's ratings of the experiment's games, a table for each closed campaign."""
    counted = study.slots.filter(state=Slot.DONE, game__isnull=False)
    condition_by_code = dict(counted.values_list("game__code", "condition__name"))
    tables: dict[str, ResultTable] = {}
    for campaign in rating_campaigns(study).filter(state=Campaign.CLOSED):
        if table := _rating_table(campaign, condition_by_code):
            # Several campaigns can have one questionnaire, and pages link to tables by key.
            if table.key in tables:
                table.key = f"{table.key}-{campaign.code}"
            tables[table.key] = table
    return [*tables.values()]


def _rating_table(campaign: Campaign, condition_by_code: Mapping[str, str]) -> ResultTable | None:
    """Return means by item and condition, beside those of a paper with the questionnaire.

    Returns None if no game that counts has a rating.
    """
    instrument = Instrument.from_json(campaign.instrument)
    marks = [mark for mark in read_marks(campaign) if mark.game in condition_by_code]
    if campaign.choice["compare"] == rating_design.COMPARE_GAMES:
        # Such a campaign has conditions of its own. The tables compare those of the experiment.
        marks = [replace(mark, condition=condition_by_code[mark.game]) for mark in marks]
    if not any(mark.value is not None for mark in marks):
        return None
    results = compute_statistics(marks, [asdict(d) for d in instrument.dimensions])
    published = find_published_means(instrument)
    table = means_table(results, published)
    table.key, table.title = "ratings", f"{campaign.name}: ratings by people"
    if published:
        table.key = table_key(published)
        table.title += f" ({paper_name(published)}, {published['table']})"
    games = f"{len({mark.game for mark in marks})} of {len(condition_by_code)}"
    table.note(
        f"Ratings by people in the study {campaign.study.code}, of {games} games. Tests and"
        " agreement are in its results."
    )
    return table


def judge_tables(study: Study, baseline: str) -> tuple[list[ResultTable], dict[str, Drawing]]:
    """Return a table, and a drawing by key, for each judge that has scored games.

    Judges are not pooled. The drawing is missing if `_relative_scores` has no values for it.
    """
    judges = Judge.objects.filter(campaign__study=study).select_related("campaign")
    tables: list[ResultTable] = []
    drawings: dict[str, Drawing] = {}
    for judge in (judge for judge in judges if judge.scores.exists()):
        scores = score_figures(judge)
        tables.append(_judge_table(judge, scores))
        if spokes := _relative_scores(scores, baseline):
            title = f"Scores over those of {baseline} (Humanized, Figure 6)"
            key = tables[-1].figure = f"{tables[-1].key}-figure"
            drawings[key] = partial(radar_figure, key, title, spokes, baseline)
    return tables, drawings


def _relative_scores(
    scores: Sequence[Mapping[str, Any]], baseline: str
) -> dict[str, dict[str, float]]:
    """Return condition -> criterion -> its mean score divided by the baseline's.

    Only criteria count whose mean is defined and not 0 in each of their conditions, the baseline
    among them. The result is {} with fewer than MIN_RADAR_SPOKES of these, or if they have
    different conditions: a spoke of the radar needs a value of every condition.
    """
    means = {
        item["label"]: {row["condition"]: row["mean"]["value"] for row in item["conditions"]}
        for item in scores
    }
    complete = {label: row for label, row in means.items() if all(row.values()) and baseline in row}
    conditions = dict.fromkeys(name for row in complete.values() for name in row)
    have_all = all(set(row) == set(conditions) for row in complete.values())
    if len(complete) < MIN_RADAR_SPOKES or not have_all:
        return {}
    return {
        name: {label: row[name] / row[baseline] for label, row in complete.items()}
        for name in conditions
    }


def _judge_table(judge: Judge, scores: Sequence[Mapping[str, Any]]) -> ResultTable:
    """Return a judge's scores by criterion and condition (`concordance.score_figures`)."""
    title = f"{judge.pseudonym}: {judge.name} ({judge.model}; Humanized, Table 8)"
    head = ("Criterion", "Condition", "Games", "Mean", "SD", "95% CI", "Published")
    table = ResultTable(title, head, text_columns=2, key=f"judge-{judge.pseudonym}")
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
