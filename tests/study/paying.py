"""Studies that pay, for tests: people who are owed something, batches, the platform's own list."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from tests.study import taking
from webapp.study.models import Identity, Participant, PaymentBatch, Study
from webapp.study.payments import batches
from webapp.study.sessions import lifecycle

AT_PROLIFIC = "66aa00000000000000000001"  # a study of theirs
EXITS = {
    "completed": {"pay": "4.50", "code_kind": "same", "code": "C0DE"},
    "left": {"pay": "0.75"},
}
GUESSES = {"kind": "questionnaire", "instruments": ["who-is-human"]}
BONUSES = [
    {"rule": "won", "amount": "0.50"},
    {"rule": "survived", "amount": "0.25"},
    {"rule": "guessed_human", "amount": "0.10", "most": "0.30"},
]
HEAD = "Submission id,Participant id,Status,Started at,Completed at,Time taken,Completion code"


def create_study(*stages: dict[str, Any], **design: Any) -> Study:
    given = {"currency": "GBP", "exits": EXITS, **design}
    return taking.create_study(*(stages or ({"kind": "game"},)), **given)


def prolific_id(number: int) -> str:
    return f"{number:024x}"


def add_exited(
    of: Study, *, kind: str = "left", at: str = AT_PROLIFIC, label: str = ""
) -> Participant:
    """Somebody whom Prolific sent, and who has gone out that way."""
    person = taking.add_participant(of)
    name = label or prolific_id(person.pk)
    Identity.objects.create(participant=person, label=name, study=at, session=f"s{person.pk}")
    lifecycle.leave_by(person, kind)  # type: ignore[arg-type]
    person.refresh_from_db()
    return person


def create_batch(of: Study, at: str = AT_PROLIFIC) -> PaymentBatch:
    return batches.create_batch(of, at, actor="ada").batch


def url_of(of: Study, name: str = "study_payments", *more: Any) -> str:
    return reverse(f"study:{name}", args=[of.code, *more])


def submission_list(*rows: str, head: str = HEAD) -> bytes:
    """The platform's list of submissions, as it is downloaded there."""
    return "\n".join([head, *rows]).encode()


def submission_row(
    person: Participant, status: str = "APPROVED", code: str = "C0DE", *, who: str = ""
) -> str:
    """A person's row of it. who: another one's id."""
    return f"s{person.pk},{who or prolific_id(person.pk)},{status},,,900,{code}"
