"""Studies that pay, for tests: owed payments, batches and the platform's submission list."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from tests.study import taking
from webapp.study.models import Identity, Participant, PaymentBatch, Study
from webapp.study.payments import batches
from webapp.study.sessions import lifecycle

AT_PROLIFIC = "66aa00000000000000000001"  # A study at Prolific.
EXITS = {"completed": {"pay": "4.50", "code_kind": "same", "code": "C0DE"}, "left": {"pay": "0.75"}}
GUESSES = {"kind": "questionnaire", "instruments": ["who-is-human"]}
BONUSES = [
    {"rule": "won", "amount": "0.50"},
    {"rule": "survived", "amount": "0.25"},
    {"rule": "guessed_human", "amount": "0.10", "most": "0.30"},
]
HEAD = "Submission id,Participant id,Status,Started at,Completed at,Time taken,Completion code"


def create_study(*stages: dict[str, Any], **design: Any) -> Study:
    settings = {"currency": "GBP", "exits": EXITS, **design}
    return taking.create_study(*(stages or ({"kind": "game"},)), **settings)


def prolific_id(number: int) -> str:
    return f"{number:024x}"


def add_exited(
    study: Study, *, kind: str = "left", at: str = AT_PROLIFIC, label: str = ""
) -> Participant:
    """Add a participant from Prolific who left by that exit."""
    person = taking.add_participant(study)
    name = label or prolific_id(person.pk)
    Identity.objects.create(participant=person, label=name, study=at, session=f"s{person.pk}")
    lifecycle.leave_by(person, kind)  # type: ignore[arg-type]
    person.refresh_from_db()
    return person


def add_batch(study: Study, at: str = AT_PROLIFIC) -> PaymentBatch:
    return batches.create_batch(study, at, actor="ada")[0]


def url_of(study: Study, name: str = "study_payments", *more: Any) -> str:
    return reverse(f"study:{name}", args=[study.code, *more])


def submission_list(*rows: str, head: str = HEAD) -> bytes:
    """Return the platform's submission list as it is downloaded."""
    return "\n".join([head, *rows]).encode()


def submission_row(
    person: Participant, status: str = "APPROVED", code: str = "C0DE", *, identity: str = ""
) -> str:
    """Return a participant's row of the list, under another ID if `identity` is set."""
    return f"s{person.pk},{identity or prolific_id(person.pk)},{status},,,900,{code}"
