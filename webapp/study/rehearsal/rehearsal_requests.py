"""Rehearsals that researchers request on a page. Workers run them one at a time.

A rehearsal takes minutes and starts processes, so the worker's task only starts a thread, which
stores the progress in the row. If a row has no heartbeat for too long, its worker has died, and
another rehearsal can be requested.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.db import connections, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from webapp.celery import send
from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design
from webapp.study.models import Rehearsal, Study
from webapp.study.planning import studies
from webapp.study.rehearsal import study_power, study_runs
from webapp.study.rehearsal.rehearsal_options import PowerOptions, StudyRunOptions
from webapp.study.rehearsal.separate_process import PROGRESS_PREFIX

logger = logging.getLogger(__name__)

# A worker without a heartbeat for this long has died. The start of all processes takes less.
HEARTBEAT_TIMEOUT = timedelta(minutes=4)
MAX_PROGRESS_CHARS = 200
MAX_FAILURE_CHARS = 2000


def request_rehearsal(study: Study, options: StudyRunOptions) -> Rehearsal:
    """Request a rehearsal of the study as it is now. It replaces the study's earlier rehearsal.

    Raise `Refused` while a rehearsal of any study waits or runs.
    """
    now = timezone.now()
    with transaction.atomic():
        _lock_requests()
        unfinished_rows = Rehearsal.objects.filter(
            state__in=[Rehearsal.WAITING, Rehearsal.RUNNING], beat_at__gt=now - HEARTBEAT_TIMEOUT
        )
        if unfinished_rows.exists():
            raise Refused([_("Another rehearsal is running. Try again when it has finished.")])
        Rehearsal.objects.filter(study=study).delete()  # their archives too
        design_hash, options_data = studies.config_hash(study), asdict(options)
        row = Rehearsal.objects.create(
            study=study, options=options_data, design=design_hash, requested_at=now, beat_at=now
        )
        transaction.on_commit(lambda: _queue_rehearsal(row))
    return row


def _lock_requests() -> None:
    """Let no other request continue before the end of this transaction.

    The oldest study is locked: the first rehearsal of a site has no row to lock, and no other row
    is common to all studies. Foreign keys may refer to it meanwhile (`no_key`).
    """
    Study.objects.select_for_update(no_key=True).order_by("pk").values_list("pk").first()


def _queue_rehearsal(row: Rehearsal) -> None:
    if not send("study.rehearse", row.pk):
        _store_result_or_failure(
            row.pk, failure=_("The task queue can’t be reached. Try again in a moment.")
        )


def start_rehearsal_thread(pk: int) -> None:
    """Start a thread that runs a waiting rehearsal. Do nothing if it has been started or deleted.

    The thread stores progress, archive, and result or failure in the row (`run_rehearsal`).
    """
    waiting = Rehearsal.objects.filter(pk=pk, state=Rehearsal.WAITING)
    if waiting.update(state=Rehearsal.RUNNING, beat_at=timezone.now()):
        threading.Thread(target=_run_in_thread, args=(pk,), name="rehearsal", daemon=True).start()


def _run_in_thread(pk: int) -> None:
    try:
        run_rehearsal(pk)
    finally:
        connections.close_all()


def run_rehearsal(pk: int) -> None:
    """Rehearse the study of the row, and store progress, archive, and result or failure."""
    row = Rehearsal.objects.select_related("study").get(pk=pk)

    def store_progress(text: str) -> None:
        progress_text = text.removeprefix(PROGRESS_PREFIX)[:MAX_PROGRESS_CHARS]
        Rehearsal.objects.filter(pk=pk).update(progress=progress_text, beat_at=timezone.now())

    def store_archive(archive: bytes) -> None:
        Rehearsal.objects.filter(pk=pk).update(archive=archive)

    try:
        options = StudyRunOptions(**row.options)
        result = study_runs.rehearse(
            row.study.name, row.study.design, options, store_progress, store_archive
        )
        result["power"] = _simulate_planned_tests(row.study.design, options, store_progress)
    except Refused as refused:
        _store_result_or_failure(pk, failure=" ".join(refused.sentences))
    except Exception as error:
        logger.exception("the rehearsal of %s failed", row.study.code)
        _store_result_or_failure(pk, failure=f"{type(error).__name__}: {error}"[:MAX_FAILURE_CHARS])
    else:
        _store_result_or_failure(pk, result=result)


def _simulate_planned_tests(
    data: dict[str, Any], options: StudyRunOptions, on_progress: Callable[[str], None]
) -> dict[str, Any]:
    """Return the power of the planned tests, {} if none of them can be simulated."""
    power_options = PowerOptions(
        effect=options.effect, dropout=options.dropout, careless=options.careless
    )
    try:
        return study_power.rehearse_tests(Design.from_json(data), power_options, on_progress)
    except Refused:
        return {}


def _store_result_or_failure(
    pk: int, *, result: dict[str, Any] | None = None, failure: str = ""
) -> None:
    Rehearsal.objects.filter(pk=pk).update(
        state=Rehearsal.FAILED if failure else Rehearsal.DONE,
        result=result or {},
        failure=failure,
        done_at=timezone.now(),
    )


def is_unfinished(row: Rehearsal) -> bool:
    """Return whether the rehearsal waits or runs, and its last heartbeat is recent."""
    has_heartbeat = row.beat_at > timezone.now() - HEARTBEAT_TIMEOUT
    return has_heartbeat and row.state in (Rehearsal.WAITING, Rehearsal.RUNNING)
