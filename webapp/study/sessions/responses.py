"""Participants' responses: the only code that writes them, and their rows for exports.

The answers of a step (during play, of a moment) have a revision, the highest of their rows. A
submission names the revision that its page showed. If a newer one is stored, the submission changes
nothing and raises `Stale` with the stored answers. A cleared answer keeps its row, without content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from webapp.study.models import Participant, Response, Slot, Study
from webapp.study.sessions import participant_state, study_events
from webapp.study.sessions.answers import Answer
from webapp.study.sessions.participant_state import Step

FORCED_EXITS = ("technical", "removed", "abandoned")  # participants never choose them
LATE_LIMIT = timedelta(seconds=60)  # After a forced exit, typed text is stored for this long.
MAX_PAGE_ID_CHARS = 24  # length of the column `Response.page`
AnswerKey = tuple[str, str, int]  # (instrument, item, seat that it is about or 0)


@dataclass(frozen=True)
class StoredAnswers:
    """The stored answers of a step, with their revision."""

    revision: int
    answers: Mapping[AnswerKey, Answer]


class Stale(Exception):
    """Newer answers are stored."""

    def __init__(self, stored: StoredAnswers) -> None:
        self.stored = stored


class StepChanged(Exception):
    """The participant is no longer at that step."""


def stored_answers(participant: Participant, step: Step, moment: str = "") -> StoredAnswers:
    """Return the stored answers of the step, those of `moment` if it is a question in play."""
    return _build_stored(_load_rows(participant, step, moment))


def save_answers(
    participant: Participant,
    step: Step,
    answers: Mapping[AnswerKey, Answer],
    *,
    revision: int,
    page_id: str = "",
    is_final: bool = False,
    slot: Slot | None = None,
    moment: str = "",
) -> int:
    """Store the answers that have changed, and return their new revision.

    `revision` is the one that the page showed. A submission that changes nothing is accepted on any
    revision. A final one may be older than those of its own page (`page_id`), because the reply to
    one of them may have been lost.

    Raises:
        Stale: Newer answers are stored.
        StepChanged: The participant is no longer at the step.
    """
    with participant_state.locked_participant(participant) as row:
        if _is_closed(row) or row.step != step.index:
            raise StepChanged
        rows = _load_rows(row, step, moment)
        stored = _build_stored(rows)
        changed = {k: a for k, a in answers.items() if stored.answers.get(k, Answer()) != a}
        if not changed:
            return stored.revision
        own_page = page_id if is_final and page_id else None
        if {r.page for r in rows if r.revision > revision} - {own_page}:
            raise Stale(stored)
        new_revision, page = stored.revision + 1, page_id[:MAX_PAGE_ID_CHARS]
        fields = {"revision": new_revision, "page": page, "slot": slot, "moment": moment}
        _write_responses(row, step, changed, **fields)
        return new_revision


def was_ended_by_others(row: Participant) -> bool:
    """Return whether a researcher or the clock ended the participation."""
    last_actor = row.visits[-1]["by"] if row.visits else ""
    return row.exit in FORCED_EXITS or (bool(row.exit) and last_actor == study_events.RESEARCHER)


def _is_closed(row: Participant) -> bool:
    """Return whether the participant has left and can save nothing more (see LATE_LIMIT)."""
    if not was_ended_by_others(row) or row.exited_at is None or row.withdrew:
        return bool(row.exit)
    return timezone.now() - row.exited_at > LATE_LIMIT


def _load_rows(participant: Participant, step: Step, moment: str) -> list[Response]:
    return list(participant.responses.filter(step=step.key, moment=moment))


def _build_stored(rows: list[Response]) -> StoredAnswers:
    return StoredAnswers(
        max((r.revision for r in rows), default=0),
        {
            (r.instrument, r.item, r.about_seat): Answer(r.number, r.text, r.choice)
            for r in rows
        },
    )  # fmt: skip


def _write_responses(
    row: Participant, step: Step, changed: Mapping[AnswerKey, Answer], **common_fields: Any
) -> None:
    state, now = Response.LEFT if row.exit else Response.TYPED, timezone.now()
    Response.objects.bulk_create(
        [
            Response(
                participant=row, step=step.key, instrument=instrument, item=item, about_seat=seat,
                number=answer.number, text=answer.text, choice=answer.choice, state=state, at=now,
                **common_fields,
            )
            for (instrument, item, seat), answer in changed.items()
        ],
        update_conflicts=True,
        unique_fields=["participant", "step", "about_seat", "moment", "instrument", "item"],
        update_fields=["number", "text", "choice", "slot", "state", "page", "revision", "at"],
    )  # fmt: skip


def read_rows(study: Study) -> Iterator[Response]:
    """Yield every answer except of participants who withdrew their data, in a stable order."""
    rows = Response.objects.filter(participant__study=study, participant__withdrew=False)
    rows = rows.select_related("participant").order_by("participant_id", "pk")
    return (row for row in rows.iterator(2000) if Answer(row.number, row.text, row.choice))
