"""The audit events and failures of a study as text for its researchers."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from webapp.study.design.exits import EXIT_DESCRIPTIONS
from webapp.study.models import AuditEvent
from webapp.study.monitor.researcher_blinding import Blinding
from webapp.study.sessions import study_events
from webapp.study.toml_files import read_tables

MAX_EVENT_LINES = 30
EXIT_EVENT_PREFIX = "out:"  # the kind of the exit follows
# Kinds of events whose text names its subject.
EVENTS_WITHOUT_ACTOR = ("began", "done", "void", "failed", "stand_in")
# Kinds of events whose subject is the participant, even if another actor caused them.
PARTICIPANT_PREFIXES = (EXIT_EVENT_PREFIX, "ratings:")

EVENT_TEXTS = read_tables(__file__, "event_texts.toml")


def event_lines(rows: QuerySet[AuditEvent], blinding: Blinding) -> list[dict[str, Any]]:
    """Return the last events as text, newest first. While blinded, reasons are redacted.

    `actor_label` is "" if the description has its own subject. `about` is the pseudonym of the
    participant concerned, `game_number` the index of the slot of the game concerned.
    """
    related_rows = rows.select_related("participant", "slot").order_by("-pk")
    fields = ("what", "actor", "reason", "at", "participant__pseudonym", "slot__index", "study_id")
    lines = []
    for row in related_rows.only(*fields)[:MAX_EVENT_LINES]:
        about = row.participant.pseudonym if row.participant else ""
        lines.append(
            {
                "at": row.at,
                "actor_label": _actor_label(row, about),
                "description": event_text(row.what),
                "about": about,
                "game_number": row.slot.index if row.slot else 0,
                "reason": blinding.redact_event_reason(row),
            }
        )
    return lines


def event_text(event_kind: str) -> str:
    """Return the description of a kind of event, its name in the data if it has none."""
    if event_kind.startswith(EXIT_EVENT_PREFIX):
        kind = event_kind.removeprefix(EXIT_EVENT_PREFIX)
        return _("left the study: {how}").format(how=EXIT_DESCRIPTIONS.get(kind, kind))
    return _(EVENT_TEXTS.get(event_kind, event_kind.replace("_", " ")))


def _actor_label(row: AuditEvent, about: str) -> str:
    """Return the subject of the event's text, "" if the text has its own."""
    if row.what in EVENTS_WITHOUT_ACTOR:
        return ""
    if row.actor == study_events.PARTICIPANT or row.what.startswith(PARTICIPANT_PREFIXES):
        return about or _("a participant")
    if row.actor == study_events.CLOCK:
        return _("the system")
    return _("the dropout rule") if row.actor == study_events.POLICY else row.actor


def failure_counts(
    void_cause_counts: Iterable[tuple[str, int]],
    request_failure_counts: Iterable[tuple[str, int]],
    technical_exit_count: int,
) -> Sequence[tuple[str, int]]:
    """Return (description, number) of failed games, failed requests and technical exits."""
    counts = [(_("game: {why}").format(why=cause), n) for cause, n in void_cause_counts]
    text = _("model request: {why}")
    counts += [(text.format(why=cause), n) for cause, n in request_failure_counts]
    if technical_exit_count:
        counts.append((_("participants with a technical problem"), technical_exit_count))
    return counts
