"""Collects the papers' tables of one experiment: its games, texts, words, scores and ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace

from webapp.study.design import compared_conditions
from webapp.study.design.instruments import Instrument
from webapp.study.models import Campaign, Slot, Study
from webapp.study.rating.to_ratings import to_ratings
from webapp.study.results.campaign_tables import means_table, published_beside
from webapp.study.results.experiment_facts import campaigns_of
from webapp.study.results.figures import Drawing
from webapp.study.results.judge_tables import judge_tables
from webapp.study.results.paper_tables import paper_tables
from webapp.study.results.published_cells import Conditions
from webapp.study.results.result_table import ResultTable
from webapp.study.results.text_distances import distance_table, text_distances
from webapp.study.results.word_clouds import word_clouds


def tables_of_papers(
    study: Study, records: Conditions, baseline: str
) -> tuple[list[ResultTable], dict[str, Drawing]]:
    """Return every table that is defined for the experiment, and key -> figure beside a table.

    Args:
        records: The games that count, by condition (`game_records.records_by_condition`).
        baseline: The condition that others are marked against.
    """
    distances = text_distances(records)
    word_tables, word_figures = word_clouds(records)
    judged, judge_figures = judge_tables(study, baseline)
    of_texts = [distance_table(distances)] if distances else []
    of_games = paper_tables(records, baseline)
    tables = [*of_texts, *word_tables, *of_games, *judged, *rating_tables(study)]
    return tables, {**word_figures, **judge_figures}


def rating_tables(study: Study) -> list[ResultTable]:
    """Return people's ratings of the experiment's games, a table for each closed campaign."""
    counted = study.slots.filter(state=Slot.DONE, game__isnull=False)
    condition_of = dict(counted.values_list("game__code", "condition__name"))
    tables: dict[str, ResultTable] = {}
    for campaign in campaigns_of(study).filter(state=Campaign.CLOSED):
        if table := _rating_table(campaign, condition_of):
            if table.key in tables:
                table.key = f"{table.key}-{campaign.code}"
            tables[table.key] = table
    return [*tables.values()]


def _rating_table(campaign: Campaign, condition_of: Mapping[str, str]) -> ResultTable | None:
    """Return means by item and condition, beside a paper's with the same questionnaire."""
    # Imported here because it loads pandas, which most reports do not need.
    from webapp.statistics.rating_results import compute_statistics

    instrument = Instrument.from_json(campaign.instrument)
    marks = [mark for mark in to_ratings(campaign) if mark.game in condition_of]
    if campaign.choice["compare"] == compared_conditions.GAME:
        marks = [replace(mark, condition=condition_of[mark.game]) for mark in marks]
    if not any(mark.value is not None for mark in marks):
        return None
    published = published_beside(instrument)
    table = means_table(
        compute_statistics(marks, [asdict(d) for d in instrument.dimensions]), published
    )
    paper = published["paper"].partition(" (")[0] if published else ""
    source = f" ({paper}, {published['table']})" if published else ""
    table.key = (
        f"table-{paper}-{published['table'].split()[-1]}".lower() if published else "ratings"
    )
    table.title = f"{campaign.name}: ratings by people{source}"
    games = len({mark.game for mark in marks})
    table.note(
        f"Ratings by people in the study {campaign.study.code}, of {games} of {len(condition_of)}"
        " games. Tests and agreement are in its results."
    )
    return table
