"""The audit events and failures of a study as text for its researchers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.study.design.exits import EXIT_DESCRIPTIONS
from webapp.study.models import AuditEvent
from webapp.study.monitor.researcher_blinding import Blinding
from webapp.study.sessions import study_events

MAX_EVENT_LINES = 30
EXIT_EVENT_PREFIX = "out:"  # the kind of the exit follows
# Kinds of events whose text names its subject.
EVENTS_WITHOUT_ACTOR = ("began", "done", "void", "failed", "stand_in")
# Kinds of events whose subject is the participant, even if another actor caused them.
PARTICIPANT_PREFIXES = (EXIT_EVENT_PREFIX, "ratings:")

EVENT_TEXTS = {
    "opened": gettext_lazy("opened the study"),
    "unlocked": gettext_lazy("made the study a draft again"),
    "paused": gettext_lazy("paused the study"),
    "resumed": gettext_lazy("resumed recruitment"),
    "closed": gettext_lazy("closed the study"),
    "stopped": gettext_lazy("stopped the study"),
    "uncovered": gettext_lazy("lifted the blinding"),
    "covered": gettext_lazy("restored the blinding"),
    "agreed": gettext_lazy("agreed to take part"),
    "away": gettext_lazy("is away from the game"),
    "back": gettext_lazy("returned to the game"),
    "began": gettext_lazy("the game started"),
    "done": gettext_lazy("the game ended and counts"),
    "void": gettext_lazy("the game does not count"),
    "failed": gettext_lazy("the game failed"),
    "extended": gettext_lazy("added games"),
    "ended": gettext_lazy("canceled the game"),
    "stand_in": gettext_lazy("a computer player replaced them"),
    "left_game": gettext_lazy("left the game"),
    "withdrew": gettext_lazy("withdrew their answers"),
    "help": gettext_lazy("asked for help"),
    "report": gettext_lazy("sent a report"),
    "moved_on": gettext_lazy("moved them to the next stage"),
    "gave_time": gettext_lazy("gave more time"),
    "handed_over": gettext_lazy("replaced them with a computer player"),
    "gave_back": gettext_lazy("gave the seat back"),
    "begin_short": gettext_lazy("let the game start with fewer participants"),
    "excluded": gettext_lazy("excluded them from the analysis"),
    "included": gettext_lazy("included them in the analysis again"),
    "told": gettext_lazy("sent them a message"),
    "told_table": gettext_lazy("sent a message to the table"),
    "told_all": gettext_lazy("sent a message to everyone"),
    "erased": gettext_lazy("had their answers erased"),
    "consent_again:kept": gettext_lazy("agreed again after the debriefing"),
    "consent_again:taken_back": gettext_lazy("withdrew their consent after the debriefing"),
    "results_seen": gettext_lazy("viewed results"),
    "ratings:no_campaign": gettext_lazy("could not rate: the ratings are not available"),
    "ratings:nothing_left": gettext_lazy("had nothing left to rate"),
    "pay:told": gettext_lazy("showed participants their bonuses"),
    "pay:added": gettext_lazy("added a payment"),
    "pay:withheld": gettext_lazy("withheld a payment"),
    "pay:released": gettext_lazy("released a payment"),
    "pay:paid": gettext_lazy("marked a payment as paid"),
    "pay:as_bonus": gettext_lazy("turned a reward into a bonus"),
    "pay:batch": gettext_lazy("created a batch of payments"),
    "pay:batch_paid": gettext_lazy("marked a batch as paid"),
    "pay:batch_cancelled": gettext_lazy("revoked a batch of payments"),
    "pay:prolific": gettext_lazy("sent a request to Prolific, or received its answer"),
    "payments_deleted": gettext_lazy("deleted the payments"),
    "retention:prolonged": gettext_lazy("extended the retention period"),
    "retention:identities": gettext_lazy("announced the deletion of identities"),
    "retention:identities_deleted": gettext_lazy("deleted the identities"),
    "retention:data": gettext_lazy("announced the deletion of data"),
    "retention:data_deleted": gettext_lazy("deleted the data"),
}


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
    return str(EVENT_TEXTS.get(event_kind, event_kind.replace("_", " ")))


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
