"""The results of a study: asked for by its page, worked out by a worker, kept in a row.

What tells who is a person is worked out once it may be told. A row that was worked out then shows
nothing while the study is open again: `current` gives it only to a study that has ended.
"""

from __future__ import annotations

import hashlib
import logging
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Q, Sum
from django.utils import timezone
from django.utils.translation import override

from game.models import Player
from webapp.play.models import MindNote
from webapp.study.exports.studies.study_data import Source
from webapp.study.models import Participant, Response, Slot, Study, StudyAnalysis
from webapp.study.outcomes import VERSION
from webapp.study.sending import sent

logger = logging.getLogger(__name__)
AT_MOST = timedelta(seconds=10)  # so often new ones are asked for
LOST = timedelta(seconds=120)  # those that were asked for and have not come by then never will


def state_of(study: Study) -> str:
    """SHA-256 (hex) of what the results rest on: games, seats, who counts, answers, and whether
    kinds may be told."""
    slots = Slot.objects.filter(study=study).order_by("pk")
    people = Participant.objects.filter(study=study).order_by("pk")
    answers = Response.objects.filter(participant__study=study).order_by("participant")
    players = Player.objects.filter(game__slot__study=study).order_by("pk")
    notes = MindNote.objects.filter(game__slot__study=study)
    told = (
        VERSION,
        Source(study).ended,
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
    )
    return hashlib.sha256(repr(told).encode()).hexdigest()


def fresh(study: Study) -> StudyAnalysis:
    """The newest results, `done_at` none before the first; asks for new ones where the data have
    changed since. Never waits and never fails."""
    row, _made = StudyAnalysis.objects.get_or_create(study=study)
    if row.rests_on != state_of(study) and _claim(row):
        transaction.on_commit(lambda: _queue(study.pk))
    row.refresh_from_db()
    return row


def _claim(row: StudyAnalysis) -> bool:
    """Whether it is this page's turn to ask."""
    now = timezone.now()
    free = Q(asked_at=None) | Q(asked_at__lt=now - LOST)
    done = Q(asked_at__lt=now - AT_MOST, done_at__gte=F("asked_at"))
    return bool(StudyAnalysis.objects.filter(free | done, pk=row.pk).update(asked_at=now))


def _queue(study_id: int) -> None:
    if not sent("study.results", study_id):
        StudyAnalysis.objects.filter(study=study_id).update(asked_at=None)


def current(study: Study) -> dict[str, Any] | None:
    """What is kept, if it has the layout that pages read and tells no more than may be told now."""
    row = StudyAnalysis.objects.filter(study=study).first()
    found: dict[str, Any] = row.data if row else {}
    if not found or found["results"]["version"] != VERSION:
        return None
    return None if found["ended"] and not Source(study).ended else found


def work_out(study: Study) -> None:
    """Work the results out where they are not those of the present data. For workers: loads SciPy
    and Matplotlib."""
    row, _made = StudyAnalysis.objects.get_or_create(study=study)
    state = state_of(study)  # before the data are read: a change meanwhile is seen later
    if row.rests_on == state and row.done_at:
        return
    try:
        row.data, row.failure = worked_out(study), ""
    except Exception as error:
        logger.exception("the results of %s failed", study.code)
        row.failure = f"{type(error).__name__}: {error}"[:200]
    row.rests_on, row.done_at = state, timezone.now()
    # Who took their answers back meanwhile took the row along.
    kept = StudyAnalysis.objects.filter(pk=row.pk)
    kept.update(data=row.data, failure=row.failure, rests_on=row.rests_on, done_at=row.done_at)


def worked_out(study: Study) -> dict[str, Any]:
    """ended, results, figures, latex, markdown, estimates and comparisons (CSV)."""
    from webapp.study.csv_cells import table
    from webapp.study.exports.studies.outcome_rows import rows_of
    from webapp.study.outcomes.results import results
    from webapp.study.reporting import figures, study_tables
    from webapp.study.reporting.result_table import latex, markdown

    source = Source(study)
    with override("en"):  # the same bytes for every reader
        found = results(rows_of(source))
        tables = study_tables.study_tables(found)
        tests = table(study_tables.COMPARISONS, study_tables.comparisons(found))
        return {
            "ended": source.ended,
            "results": found,
            "figures": figures.estimates(found),
            "latex": latex(tables),
            "markdown": markdown(tables),
            "estimates": table(study_tables.ESTIMATES, study_tables.estimates(found)).decode(),
            "comparisons": tests.decode(),
        }
