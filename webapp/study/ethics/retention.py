"""Retention: deletes data at the end of the period that the study's consent text states.

Outside names and payments are deleted first, then all personal data. The design, slots, games
without people's texts, and audit events without reasons stay. The researcher gets notices 30 and 7
days before, and can prolong the period with a reason. Nothing is deleted before a notice has been
visible for LAST_NOTICE_DAYS; if the program did not run, the data stay that much longer.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.play import shredding
from webapp.study.design.refusals import Refused
from webapp.study.ethics import participant_erasure
from webapp.study.models import AuditEvent, Erasure, Identity, Participant, Payment, Study
from webapp.study.sessions import participant_state, slots, study_events

IDENTITIES, DATA = "identities", "data"  # outside names and payments, all personal data
NOTICE_DAYS = (30, 7)  # A notice is sent these numbers of days before a deletion.
LAST_NOTICE_DAYS = NOTICE_DAYS[-1]
MAX_DAYS_PER_PROLONGATION = 3650


@dataclass(frozen=True)
class DeletionDate:
    """A date at which IDENTITIES or DATA are deleted, and when that was completed."""

    data_kind: str
    at: datetime
    done_at: datetime | None = None

    @property
    def days(self) -> int:
        """Whole days until then, 0 if it is due."""
        return max((self.at - timezone.now()).days, 0)


def deletion_dates(study: Study) -> list[DeletionDate]:
    """Return the study's dates of deletion in order, [] unless it is closed."""
    ethics, due_dates = participant_state.design_of(study).ethics, []
    if study.closed_at is None:
        return []
    for data_kind, days in ((IDENTITIES, ethics.identity_days), (DATA, ethics.retention_days)):
        if days:
            at = study.closed_at + timedelta(days=days + study.extra_retention_days)
            done_text = study.retention.get(data_kind)
            done_at = datetime.fromisoformat(done_text) if done_text else None
            due_dates.append(DeletionDate(data_kind, at, done_at))
    return due_dates


def deletion_notices(study: Study) -> list[str]:
    """Return the current notices for the researcher as sentences."""
    return [
        _notice_text(due)
        for due in deletion_dates(study)
        if not due.done_at and due.days <= NOTICE_DAYS[0]
    ]


def _notice_text(due: DeletionDate) -> str:
    if due.data_kind == IDENTITIES:
        sentence = ngettext(
            "External names and payments will be deleted in {n} day.",
            "External names and payments will be deleted in {n} days.",
            due.days,
        )
    else:
        sentence = ngettext(
            "All personal data of this study will be deleted in {n} day.",
            "All personal data of this study will be deleted in {n} days.",
            due.days,
        )
    return sentence.format(n=due.days)


def prolong_retention(study: Study, days: int, *, actor: str, reason: str) -> None:
    """Keep the data for `days` more, for a reason, or raise `Refused`."""
    errors = []
    if not 1 <= days <= MAX_DAYS_PER_PROLONGATION:
        errors.append(
            _("Enter a number of days, maximum {most}.").format(most=MAX_DAYS_PER_PROLONGATION)
        )
    if not reason.strip():
        errors.append(_("Enter the reason why the data must be kept longer."))
    if errors:
        raise Refused(errors)
    with transaction.atomic():
        row = slots.lock_study(study)
        has_retention = participant_state.design_of(row).ethics.retention_days
        is_all_done = row.closed_at and all(due.done_at for due in deletion_dates(row))
        if not has_retention or is_all_done:
            raise Refused([_("No data are due for deletion.")])
        row.extra_retention_days += days
        row.retention = {k: v for k, v in row.retention.items() if k in (IDENTITIES, DATA)}
        row.save(update_fields=["extra_retention_days", "retention"])
        event_reason = f"{days} days: {reason.strip()}"
        study_events.record_event(row, "retention:prolonged", actor=actor, reason=event_reason)
    study.refresh_from_db()


def run_retention() -> int:
    """Give notices, and delete some of the due data. Return the number of deletions.

    The daily job (webapp.housekeeping) calls it until it returns 0.
    """
    closed = Study.objects.filter(closed_at__isnull=False, design__has_key="ethics")
    for study in closed.order_by("pk"):
        for due in deletion_dates(study):
            if due.done_at:
                continue
            _give_notice(study, due)
            is_due = due.at <= timezone.now() and _was_announced(study, due)
            if is_due and (deleted := _delete_some(study, due)):
                return deleted
    return 0


def _give_notice(study: Study, due: DeletionDate) -> None:
    """Give the latest notice of NOTICE_DAYS that is due, once."""
    due_days = [days for days in NOTICE_DAYS if due.at - timezone.now() <= timedelta(days=days)]
    if not due_days:
        return
    key = f"{due.data_kind}_{min(due_days)}"
    with transaction.atomic():
        row = slots.lock_study(study)
        if key not in row.retention:
            row.retention = {**row.retention, key: timezone.now().isoformat()}
            row.save(update_fields=["retention"])
            event_kind = f"retention:{due.data_kind}"
            study_events.record_event(
                row, event_kind, actor=study_events.CLOCK, reason=f"in {due.days} days"
            )
        study.retention = row.retention


def _was_announced(study: Study, due: DeletionDate) -> bool:
    """Return whether the last notice was visible for LAST_NOTICE_DAYS, or the whole period."""
    notified_at = study.retention.get(f"{due.data_kind}_{LAST_NOTICE_DAYS}")
    ethics = participant_state.design_of(study).ethics
    total_days = ethics.identity_days if due.data_kind == IDENTITIES else ethics.retention_days
    min_period = timedelta(days=min(LAST_NOTICE_DAYS, total_days + study.extra_retention_days))
    return bool(notified_at) and timezone.now() - datetime.fromisoformat(notified_at) >= min_period


def _delete_some(study: Study, due: DeletionDate) -> int:
    """Delete some of the due data. Return the number of deletions, 1 if nothing was left."""
    delete = _delete_identities if due.data_kind == IDENTITIES else _delete_one_participant
    if deleted := delete(study):
        return deleted
    unfinished = Erasure.objects.filter(participant__study=study, done_at=None)
    if due.data_kind == DATA and unfinished.exists():
        return 0  # the sweeper continues them
    with transaction.atomic():
        row = slots.lock_study(study)
        if due.data_kind == DATA:
            Participant.objects.filter(study=study).update(name_digest="")
        row.retention = {**row.retention, due.data_kind: timezone.now().isoformat()}
        row.save(update_fields=["retention"])
        study_events.record_event(
            row, f"retention:{due.data_kind}_deleted", actor=study_events.CLOCK
        )
    return 1


def _delete_identities(study: Study) -> int:
    """Delete all outside names and payments of the study. Return their number."""
    shredding.overwrite_deleted_rows()
    with transaction.atomic():
        deleted = Identity.objects.filter(participant__study=study).delete()[0]
        deleted += Payment.objects.filter(participant__study=study).delete()[0]
        Erasure.objects.filter(participant__study=study).update(keeps_owed=False)
        if deleted:
            shredding.record_shredding()
    if deleted:
        shredding.shred_recorded()
    return deleted


def _delete_one_participant(study: Study) -> int:
    """Delete one participant, or the unused links. Return the number of deletions."""
    unused = Participant.objects.filter(study=study, consented_at=None)
    if unused.exists():
        return unused.delete()[0]
    # Those whose data are not being erased, or whose erasure keeps payments.
    people = Participant.objects.filter(study=study).exclude(erasure__keeps_owed=False)
    person = people.select_related("study").first()
    if person is None:
        return _delete_reasons(study)
    participant_erasure.erase_participant(
        person, actor=study_events.CLOCK, reason="end of retention", keeps_owed=False
    )
    return 1


def _delete_reasons(study: Study) -> int:
    """Delete the reasons of audit events about games and people, which may name people."""
    rows = AuditEvent.objects.filter(study=study).exclude(reason="")
    rows = rows.exclude(what__startswith="retention:").exclude(participant=None, slot=None)
    return rows.update(reason="")
