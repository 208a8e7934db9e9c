"""Requests, computes and stores the statistics of a campaign and the results of a study.

Pages request results, a worker computes them, and a row stores them. `_Kind` holds what differs
between campaigns and studies.

Results that reveal who is a person are computed only after the study has ended. If the study is
opened again, `current_study_results` withholds them until it ends again.
"""

from __future__ import annotations

import hashlib
import logging
import math
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from django.db import connections, transaction
from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import override

from game.models import Player
from webapp import statistics
from webapp.play.models import MindNote
from webapp.study import results as outcomes
from webapp.study.data import archive
from webapp.study.data.studies.study_source import StudySource
from webapp.study.design.conditions import readable_names
from webapp.study.design.instruments import Instrument
from webapp.study.design.stages import Design
from webapp.study.judging import concordance
from webapp.study.models import (
    Analysis,
    Assignment,
    Campaign,
    Participant,
    Rater,
    Response,
    Slot,
    Study,
    StudyAnalysis,
)
from webapp.study.rating.rating_rows import read_marks
from webapp.study.rating.stimuli import system_answers
from webapp.study.rating.turn_outcomes import turn_outcomes
from webapp.study.results import experiment_facts
from webapp.study.results.study_rows import StudyRows
from webapp.task_queue import send

logger = logging.getLogger(__name__)
MIN_REQUEST_INTERVAL = timedelta(seconds=10)  # between two requests of results
REQUEST_TIMEOUT = timedelta(seconds=120)  # after it, a request that was not renewed is lost
RENEWAL_INTERVAL_S = 30  # of the request, while a worker computes
UNANSWERED = (
    f"No worker has answered within {REQUEST_TIMEOUT.seconds} seconds. Look whether one is running,"
    " and has enough memory"
)
UNREACHABLE = "The queue of the workers cannot be reached. Look whether Redis is running"
MAX_FAILURE_CHARS = 200
MISSING_LIBRARY = "Install what requirements.txt names (make setup) and restart the workers"


@dataclass(frozen=True)
class _Kind:
    """One kind of results: where rows are stored, the task, its inputs, and the computation."""

    row: type[Analysis] | type[StudyAnalysis]
    owner: str
    task: str
    inputs: Callable[[Any], tuple[Any, ...]]
    compute: Callable[[Any], dict[str, Any]]

    def rows(self, owner_id: int) -> QuerySet[Any]:
        return self.row._default_manager.filter(**{self.owner: owner_id})

    def make_row(self, of: Campaign | Study) -> Any:
        owner: dict[str, Any] = {self.owner: of}
        return self.row._default_manager.get_or_create(**owner)[0]


def _kind(of: Campaign | Study) -> _Kind:
    if isinstance(of, Campaign):
        return _Kind(Analysis, "campaign", "study.analyse", _campaign_inputs, campaign_results)
    return _Kind(StudyAnalysis, "study", "study.results", _study_inputs, study_results)


def input_digest(of: Campaign | Study) -> str:
    """Return the SHA-256 (hex) of the data that the results depend on."""
    return hashlib.sha256(repr(_kind(of).inputs(of)).encode()).hexdigest()


def newest_results(of: Campaign | Study, *, retry: bool = False) -> Any:
    """Return the newest results. `done_at` is None before the first ones.

    Requests new results if the data have changed since. Never waits and never fails, because a page
    that shows results polls again soon.

    Args:
        retry: Whether results are requested again if the last computation failed.
    """
    kind = _kind(of)
    row = kind.make_row(of)
    is_due = row.rests_on != input_digest(of) or (retry and row.failure)
    if is_due and _claim_computation(kind.rows(of.pk)):
        transaction.on_commit(lambda: _queue(kind, of.pk))
    row.refresh_from_db()
    return row


def _claim_computation(rows: QuerySet[Any]) -> bool:
    """Claim the computation. Return whether the caller may request results now.

    A request that was lost is recorded as a failure until one succeeds.
    """
    now = timezone.now()
    is_settled = Q(asked_at__lt=now - MIN_REQUEST_INTERVAL, done_at__gte=F("asked_at"))
    if rows.filter(Q(asked_at=None) | is_settled).update(asked_at=now):
        return True
    is_lost = Q(asked_at__lt=now - REQUEST_TIMEOUT)
    return bool(rows.filter(is_lost).update(asked_at=now, failure=UNANSWERED))


def _queue(kind: _Kind, owner_id: int) -> None:
    """Queue the computation. If the queue cannot be reached, store that as the failure."""
    if not send(kind.task, owner_id):
        rows = kind.rows(owner_id)
        rows.update(asked_at=None)
        rows.filter(failure="").update(failure=UNREACHABLE)


def compute_results(of: Campaign | Study) -> None:
    """Compute the results unless the stored ones match the present data.

    For workers only: it loads SciPy and Matplotlib.
    """
    kind = _kind(of)
    row = kind.make_row(of)
    # Taken before the data are read, so that a concurrent change requests new results later.
    state = input_digest(of)
    if row.rests_on == state and row.done_at and not row.failure:
        # Another request, or a page of another version: it must not wait for these results.
        kind.rows(of.pk).filter(pk=row.pk).update(done_at=timezone.now())
        return
    pdfs: dict[str, bytes] = {}
    try:
        with _renewed_request(kind.rows(of.pk)):
            computed = kind.compute(of)
        pdfs = computed.pop("pdfs", {})
        row.data, row.failure = _json_value(computed), ""
    except Exception as error:
        logger.exception("the results of %s failed", of.code)
        hint = f". {MISSING_LIBRARY}" if isinstance(error, ImportError) else ""
        row.failure = f"{type(error).__name__}: {error}"[: MAX_FAILURE_CHARS - len(hint)] + hint
    # If the row was deleted meanwhile (erasure of a participant), this update must not create it
    # again with the erased figures.
    archived_pdfs = {"pdfs": archive.zip_files(pdfs)} if pdfs else {}
    kind.rows(of.pk).filter(pk=row.pk).update(
        data=row.data, failure=row.failure, rests_on=state, done_at=timezone.now(), **archived_pdfs
    )


@contextmanager
def _renewed_request(rows: QuerySet[Any]) -> Iterator[None]:
    """Renew the request during the block.

    Otherwise a page would take a slow worker's request for lost and send it again, and computing
    twice at once takes even longer.
    """
    is_over, requested = threading.Event(), rows.exclude(asked_at=None)

    def renew() -> None:
        while not is_over.wait(RENEWAL_INTERVAL_S):
            requested.update(asked_at=timezone.now())
        connections.close_all()

    requested.update(asked_at=timezone.now())
    thread = threading.Thread(target=renew, name="results", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def stored_pdfs(study: Study) -> dict[str, bytes]:
    """Return key -> PDF of the figures of the stored results."""
    pdfs = StudyAnalysis.objects.get(study=study).pdfs
    return archive.unzip_files(bytes(pdfs)) if pdfs else {}


def current_study_results(study: Study, row: StudyAnalysis | None = None) -> dict[str, Any] | None:
    """Return the stored results if their layout is current and they may be shown now.

    Args:
        row: The stored results, read if it is not given.
    """
    row = row or StudyAnalysis.objects.filter(study=study).first()
    stored: dict[str, Any] = row.data if row else {}
    if not stored or stored["results"]["version"] != outcomes.VERSION:
        return None
    return None if stored["ended"] and not StudySource(study).is_ended else stored


def report_data(study: Study) -> dict[str, Any] | None:
    """Return the stored results for an ended experiment's report, None if they are outdated."""
    row = StudyAnalysis.objects.filter(study=study).first()
    if not study.is_experiment or row is None or row.rests_on != input_digest(study):
        return None
    stored = current_study_results(study, row)
    return {**stored, "pdfs": stored_pdfs(study)} if stored and stored["ended"] else None


def _campaign_inputs(campaign: Campaign) -> tuple[Any, ...]:
    """Return what a campaign's results depend on.

    These are ratings, raters, games, answers of the comparison system, and draws of judges.
    """
    assignments = Assignment.objects.filter(rater__campaign=campaign).order_by("pk")
    assignments = assignments.filter(rater__kind=Rater.PERSON)
    raters = Rater.objects.filter(campaign=campaign).order_by("pk")
    games = campaign.chosen.order_by("pk")  # a game's version changes with every removed text
    rivals = system_answers(unit__campaign=campaign).order_by("pk")
    return (
        statistics.VERSION,
        list(assignments.values_list("pk", "revision", "state", "active_ms", "over_quota")),
        list(raters.values_list("pk", "pseudonym", "excluded")),
        list(games.values_list("game", "game__version")),
        list(rivals.values_list("pk", "state", "failure")),
        *filter(None, [campaign.planned_analysis]),
        *concordance.judge_state(campaign),  # nothing where no model judges
    )


def _study_inputs(study: Study) -> tuple[Any, ...]:
    """Return what a study's results depend on: games, seats, exclusions, answers, its end."""
    slots = Slot.objects.filter(study=study).order_by("pk")
    people = Participant.objects.filter(study=study).order_by("pk")
    answers = Response.objects.filter(participant__study=study).order_by("participant")
    players = Player.objects.filter(game__slot__study=study).order_by("pk")
    notes = MindNote.objects.filter(game__slot__study=study)
    return (
        outcomes.VERSION,
        StudySource(study).is_ended,
        study.config_hash,
        list(slots.values_list("pk", "state", "game__version", "deviations")),
        list(people.values_list("pk", "withdrew", "excluded")),
        list(
            answers.values_list("participant", "state")
            .annotate(Count("pk"), Sum("revision"), Max("at"))
            .order_by("participant", "state")
        ),
        list(players.values_list("pk", "kind", "stand_in", "left_at")),
        notes.aggregate(Count("pk"), Max("pk")),
        *(experiment_facts.experiment_inputs(study) if study.is_experiment else []),
    )


def campaign_results(campaign: Campaign) -> dict[str, Any]:
    """Return the keys results, figures, latex, markdown, published and judges."""
    from webapp.statistics.rating_results import compute_statistics
    from webapp.study.results import figures
    from webapp.study.results.campaign_tables import campaign_tables, published_beside
    from webapp.study.results.table_files import render_latex, render_markdown

    instrument = Instrument.from_json(campaign.instrument)
    dimension_rows = [asdict(d) for d in instrument.dimensions]
    planned = campaign.planned_analysis.get("tests", ())
    marks, turns = read_marks(campaign), turn_outcomes(campaign)
    outcome = compute_statistics(marks, dimension_rows, turns, planned)
    published = published_beside(instrument)
    names = readable_names(Design.from_json(campaign.study.design))
    tables = campaign_tables(outcome, published)
    for table in tables:
        table.rename(names)
    with figures.use_condition_names(names):
        drawn = figures.distribution_figures(outcome)
    return {
        "results": outcome,
        "figures": drawn,
        "latex": render_latex(tables),
        "markdown": render_markdown(tables),
        "published": published,
        "judges": concordance.judge_results(campaign, dimension_rows),
    }


def study_results(study: Study) -> dict[str, Any]:
    """Return the results of a study as they are stored.

    Figures, LaTeX and Markdown have the conditions' names for readers, everything else their names
    in the data.

    Returns:
        ended, results, estimates and comparisons (CSV), games (condition -> codes), names
        (condition -> name for readers), figures, and pdfs (the figures as PDF, stored apart).
        Tables: `tables` of the sections, `facts` of an experiment itself, `papers` with the board
        of players and an experiment's tables of the papers (`result_table.tables_to_json`); all of
        them as `latex`, `markdown` and `tables_csv`.
    """
    from webapp.study.csv_cells import csv_table
    from webapp.study.data.studies.study_rows_reader import build_study_rows
    from webapp.study.results import figure_rendering, figures, study_tables
    from webapp.study.results.study_results import build_results

    source = StudySource(study)
    names = readable_names(source.design)
    # The same bytes for every reader.
    with (
        override("en"),
        figures.use_condition_names(names),
        figure_rendering.collect_pdfs() as pdfs,
    ):
        rows = build_study_rows(source)
        outcome = build_results(rows)
        facts, papers, drawn = _results_beside_sections(source, rows, outcome)
        drawn |= figures.estimate_figures(outcome)
        comparisons = study_tables.comparison_rows(outcome)
        estimates = study_tables.estimate_rows(outcome)
        return {
            **_render_tables(facts, study_tables.study_tables(outcome), papers, names),
            "ended": source.is_ended,
            "results": outcome,
            "figures": drawn,
            "pdfs": {key: pdfs[svg] for key, svg in drawn.items()},
            "estimates": csv_table(study_tables.ESTIMATE_COLUMNS, estimates).decode(),
            "comparisons": csv_table(study_tables.COMPARISON_COLUMNS, comparisons).decode(),
            "games": {
                name: [game.code for game in rows.games if game.condition == name]
                for name in rows.conditions
            },
            "names": names,
        }


def _render_tables(
    facts: list[Any], sections: list[Any], papers: list[Any], names: Mapping[str, str]
) -> dict[str, Any]:
    """Return the tables as JSON and CSV, then all with the names for readers as text."""
    from webapp.study.results.result_table import tables_to_json
    from webapp.study.results.table_files import render_cells_csv, render_latex, render_markdown

    tables = [*facts, *sections, *papers]
    rendered: dict[str, Any] = {
        "tables": tables_to_json(sections),
        "papers": tables_to_json(papers),
        "facts": tables_to_json(facts),
        "tables_csv": render_cells_csv(tables).decode(),
    }
    for table in tables:
        table.rename(names)
    return {**rendered, "latex": render_latex(tables), "markdown": render_markdown(tables)}


def _results_beside_sections(
    source: StudySource, rows: StudyRows, outcome: dict[str, Any]
) -> tuple[list[Any], list[Any], dict[str, str]]:
    """Return the tables of facts, the papers' tables, and the figures of both."""
    from webapp.study.data.studies.game_records import board_tables, paper_results
    from webapp.study.results import figures, study_tables

    if source.study.is_experiment:
        outcome |= {"flow": {}, "by_itself": True}  # nobody takes part
        summary = study_tables.summary_table(outcome)
        facts = [summary, *experiment_facts.experiment_tables(source.study)]
        return facts, *paper_results(source.study)
    drawn = {"flow": figures.flow_figure(outcome["flow"])} if outcome["flow"] else {}
    return [], board_tables(source, rows), drawn


def _json_value(data: Any) -> Any:
    """Return the data as JSON that every database accepts: no NaN, no tuples, keys as text."""
    if isinstance(data, Mapping):
        return {str(k): _json_value(v) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return [_json_value(v) for v in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data
