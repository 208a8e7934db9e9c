"""Requests, computes and stores the statistics of a campaign and the results of a study.

A page requests results, a worker computes them, and a row of `Analysis` or `StudyAnalysis` stores
them. `target` is the campaign or study.

Results that reveal who is a person are computed only after the study has ended. If the study is
opened again, `current_study_results` withholds them until it ends again.
"""

import hashlib
import logging
import math
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.db import connections, transaction
from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import override

from game.models import Player
from webapp import statistics
from webapp.celery import send
from webapp.play.models import MindNote
from webapp.study.csv_cells import csv_table
from webapp.study.data import archive
from webapp.study.data.studies.study_rows_reader import build_study_rows
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
from webapp.study.results import VERSION, experiment_facts, study_tables
from webapp.study.results.campaign_tables import campaign_tables, find_published_means
from webapp.study.results.result_table import ResultTable, tables_to_json
from webapp.study.results.study_rows import StudyRows
from webapp.study.results.table_files import render_cells_csv, render_latex, render_markdown

logger = logging.getLogger(__name__)
MIN_REQUEST_INTERVAL = timedelta(seconds=10)  # results are requested again only after this time
REQUEST_TIMEOUT = timedelta(seconds=120)  # a request that was not renewed for this long is lost
RENEWAL_INTERVAL_S = 30  # A worker that computes renews the request at this interval.
UNANSWERED = (
    f"No worker has answered within {REQUEST_TIMEOUT.seconds} seconds. Look whether one is running,"
    " and has enough memory"
)
UNREACHABLE = "The queue of the workers cannot be reached. Look whether Redis is running"
MAX_FAILURE_CHARS = 200
MISSING_LIBRARY = "Install what requirements.txt names (make setup) and restart the workers"


def _get_or_create_row(target: Campaign | Study) -> Any:
    """Return the row of the stored results."""
    if isinstance(target, Campaign):
        return Analysis.objects.get_or_create(campaign=target)[0]
    return StudyAnalysis.objects.get_or_create(study=target)[0]


def _select_row(row: Analysis | StudyAnalysis) -> QuerySet[Any]:
    """Return a query of the row, to update it only if it still exists."""
    return type(row)._default_manager.filter(pk=row.pk)


def input_digest(target: Campaign | Study) -> str:
    """Return the SHA-256 (hex) of the data that the results depend on."""
    read_inputs: Any = _campaign_inputs if isinstance(target, Campaign) else _study_inputs
    return hashlib.sha256(repr(read_inputs(target)).encode()).hexdigest()


def newest_results(target: Campaign | Study, *, should_retry: bool = False) -> Any:
    """Return the row of the newest results, and request new ones if the data have changed.

    Its `done_at` is None before the first results. This never waits and never fails, because a page
    that shows results polls again soon. `should_retry` repeats a failed computation.
    """
    row = _get_or_create_row(target)
    rows = _select_row(row)
    is_due = row.data_digest != input_digest(target) or (should_retry and row.failure)
    if is_due and _claim_computation(rows):
        transaction.on_commit(lambda: _queue(target, rows))
    row.refresh_from_db()
    return row


def _claim_computation(rows: QuerySet[Any]) -> bool:
    """Claim the computation. Return whether the caller may request results now.

    A lost request is stored as a failure until a computation succeeds.
    """
    now = timezone.now()
    settled = Q(requested_at__lt=now - MIN_REQUEST_INTERVAL, done_at__gte=F("requested_at"))
    if rows.filter(Q(requested_at=None) | settled).update(requested_at=now):
        return True
    lost = Q(requested_at__lt=now - REQUEST_TIMEOUT)
    return bool(rows.filter(lost).update(requested_at=now, failure=UNANSWERED))


def _queue(target: Campaign | Study, rows: QuerySet[Any]) -> None:
    """Queue the computation. If the queue cannot be reached, store that as the failure."""
    if not send("study.analyse" if isinstance(target, Campaign) else "study.results", target.pk):
        rows.update(requested_at=None)
        rows.filter(failure="").update(failure=UNREACHABLE)


def compute_results(target: Campaign | Study) -> None:
    """Compute outdated results. For workers only: it loads SciPy and Matplotlib."""
    row = _get_or_create_row(target)
    rows = _select_row(row)
    # Computed before the data are read, so that a concurrent change leads to another request.
    digest = input_digest(target)
    if row.data_digest == digest and row.done_at and not row.failure:
        # A second request for the same data. Without this its page would wait for results.
        rows.update(done_at=timezone.now())
        return
    pdfs: dict[str, bytes] = {}
    compute: Any = campaign_results if isinstance(target, Campaign) else study_results
    try:
        with _renewed_request(rows):
            computed = compute(target)
        pdfs = computed.pop("pdfs", {})
        row.data, row.failure = _json_value(computed), ""
    except Exception as error:
        logger.exception("the results of %s failed", target.code)
        hint = f". {MISSING_LIBRARY}" if isinstance(error, ImportError) else ""
        row.failure = f"{type(error).__name__}: {error}"[: MAX_FAILURE_CHARS - len(hint)] + hint
    # If the row was deleted meanwhile (erasure of a participant), this update must not create it
    # again with the erased figures.
    new_pdfs = {"pdfs": archive.zip_files(pdfs)} if pdfs else {}
    rows.update(
        data=row.data, failure=row.failure, data_digest=digest, done_at=timezone.now(), **new_pdfs
    )


@contextmanager
def _renewed_request(rows: QuerySet[Any]) -> Iterator[None]:
    """Renew the request in a thread during the block.

    Without it, a page would consider a slow worker's request lost and send it again. Two
    computations at once take even longer.
    """
    finished, requests = threading.Event(), rows.exclude(requested_at=None)

    def renew() -> None:
        while not finished.wait(RENEWAL_INTERVAL_S):
            requests.update(requested_at=timezone.now())
        connections.close_all()  # a thread has connections of its own

    requests.update(requested_at=timezone.now())
    thread = threading.Thread(target=renew, name="results", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()


def stored_pdfs(study: Study) -> dict[str, bytes]:
    """Return key -> PDF of the figures of the stored results."""
    pdfs = StudyAnalysis.objects.get(study=study).pdfs
    return archive.unzip_files(bytes(pdfs)) if pdfs else {}


def current_study_results(study: Study, row: StudyAnalysis | None = None) -> dict[str, Any] | None:
    """Return the stored results (of `row`) if their layout is current and they may be shown."""
    row = row or StudyAnalysis.objects.filter(study=study).first()
    stored: dict[str, Any] = row.data if row else {}
    if not stored or stored["results"]["version"] != VERSION:
        return None
    return None if stored["ended"] and not study.has_ended else stored


def report_data(study: Study) -> dict[str, Any] | None:
    """Return the stored results and PDFs of an ended experiment, None if they are outdated."""
    row = StudyAnalysis.objects.filter(study=study).first()
    if not study.is_experiment or row is None or row.data_digest != input_digest(study):
        return None
    stored = current_study_results(study, row)
    return {**stored, "pdfs": stored_pdfs(study)} if stored and stored["ended"] else None


def _campaign_inputs(campaign: Campaign) -> tuple[Any, ...]:
    """Return the data of ratings, games, systems and judges that the results depend on."""
    assignments = Assignment.objects.filter(rater__campaign=campaign).order_by("pk")
    assignments = assignments.filter(rater__kind=Rater.PERSON)
    raters = Rater.objects.filter(campaign=campaign).order_by("pk")
    games = campaign.chosen_games.order_by("pk")  # removing a text changes the game's version
    answers_of_systems = system_answers(unit__campaign=campaign).order_by("pk")
    return (
        statistics.VERSION,
        list(assignments.values_list("pk", "revision", "state", "active_ms", "over_quota")),
        list(raters.values_list("pk", "pseudonym", "excluded")),
        list(games.values_list("game", "game__version")),
        list(answers_of_systems.values_list("pk", "state", "failure")),
        *filter(None, [campaign.planned_analysis]),
        *concordance.judge_state(campaign),  # empty without judges
    )


def _study_inputs(study: Study) -> tuple[Any, ...]:
    """Return what a study's results depend on: games, seats, exclusions, answers, its end."""
    slots = Slot.objects.filter(study=study).order_by("pk")
    people = Participant.objects.filter(study=study).order_by("pk")
    answers = Response.objects.filter(participant__study=study)
    players = Player.objects.filter(game__slot__study=study).order_by("pk")
    notes = MindNote.objects.filter(game__slot__study=study)
    return (
        VERSION,
        study.has_ended,
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
    """Return the results of a campaign as they are stored.

    Returns:
        results, figures (key -> SVG), latex and markdown (all tables), published (values of the
        paper), and judges (their agreement with raters).
    """
    from webapp.statistics.rating_results import compute_statistics
    from webapp.study.results import figure_rendering, figures

    instrument = Instrument.from_json(campaign.instrument)
    dimension_rows = [asdict(d) for d in instrument.dimensions]
    planned = campaign.planned_analysis.get("tests", ())
    ratings, turns = read_marks(campaign), turn_outcomes(campaign)
    outcome = compute_statistics(ratings, dimension_rows, turns, planned)
    published = find_published_means(instrument)
    names = readable_names(Design.from_json(campaign.study.design))
    tables = campaign_tables(outcome, published)
    for table in tables:
        table.rename(names)
    with figure_rendering.use_condition_names(names):
        svgs = figures.distribution_figures(outcome)
    return {
        "results": outcome,
        "figures": svgs,
        "latex": render_latex(tables),
        "markdown": render_markdown(tables),
        "published": published,
        "judges": concordance.judge_results(campaign, dimension_rows),
    }


def study_results(study: Study) -> dict[str, Any]:
    """Return the results of a study as they are stored.

    Figures, LaTeX and Markdown show the conditions' readable names, everything else their names in
    the data.

    Returns:
        ended, results, estimates and comparisons (CSV), games (condition -> codes), names
        (condition -> readable name), figures (key -> SVG), and pdfs (key -> PDF, stored apart).
        Tables as JSON (`result_table.tables_to_json`): `tables` (those of the sections), `facts`
        (about the experiment), and `papers` (the board of players, and the papers' tables in an
        experiment). All tables together: `latex`, `markdown` and `tables_csv`.
    """
    from webapp.study.results import figure_rendering, figures
    from webapp.study.results.study_results import build_results

    source = StudySource(study)
    names = readable_names(source.design)
    with (
        override("en"),  # the same bytes for every reader
        figure_rendering.use_condition_names(names),
        figure_rendering.collect_pdfs() as pdfs,
    ):
        rows = build_study_rows(source)
        outcome = build_results(rows)
        facts, papers, svgs = _results_beside_sections(source, rows, outcome)
        svgs |= figures.estimate_figures(outcome)
        comparisons = study_tables.comparison_rows(outcome)
        estimates = study_tables.estimate_rows(outcome)
        return {
            **_render_tables(facts, study_tables.study_tables(outcome), papers, names),
            "ended": source.has_ended,
            "results": outcome,
            "figures": svgs,
            "pdfs": {key: pdfs[svg] for key, svg in svgs.items()},
            "estimates": csv_table(study_tables.ESTIMATE_COLUMNS, estimates).decode(),
            "comparisons": csv_table(study_tables.COMPARISON_COLUMNS, comparisons).decode(),
            "games": {
                name: [game.code for game in rows.games if game.condition == name]
                for name in rows.conditions
            },
            "names": names,
        }


def _render_tables(
    facts: list[ResultTable],
    sections: list[ResultTable],
    papers: list[ResultTable],
    names: Mapping[str, str],
) -> dict[str, Any]:
    """Return the tables as JSON and CSV, and all of them with readable names as text."""
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
) -> tuple[list[ResultTable], list[ResultTable], dict[str, str]]:
    """Return (tables of facts, the papers' tables, key -> SVG of their figures)."""
    from webapp.study.data.studies.game_records import board_tables, paper_results
    from webapp.study.results import figures

    if source.study.is_experiment:
        outcome |= {"flow": {}, "by_itself": True}  # nobody takes part
        summary = study_tables.summary_table(outcome)
        facts = [summary, *experiment_facts.fact_tables(source.study)]
        return facts, *paper_results(source.study)
    svgs = {"flow": figures.flow_figure(outcome["flow"])} if outcome["flow"] else {}
    return [], board_tables(source, rows), svgs


def _json_value(data: Any) -> Any:
    """Convert data to JSON that every database accepts: no NaN, no tuples, keys as text."""
    if isinstance(data, Mapping):
        return {str(k): _json_value(v) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return [_json_value(v) for v in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data
