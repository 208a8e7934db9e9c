"""Tests of data retention: notices, deletion of identities and data, and extensions."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from game.models import Utterance
from tests.study import studies
from tests.study.desk import sign_in
from tests.study.personal_data import (
    LABEL,
    OWN_STATEMENT,
    add_personal_data,
    dump_database,
    run_erasures_later,
)
from webapp.housekeeping import DAILY_JOBS
from webapp.study.ethics import retention
from webapp.study.models import AuditEvent, Identity, Participant, Payment, Response, Study
from webapp.study.planning import studies as rules
from webapp.study.sessions import lifecycle

pytestmark = pytest.mark.django_db(transaction=True)
ETHICS = {"retention_days": 90, "identity_days": 40, "contact": "ada@example.org"}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """Replace the time of retention by the element of the list."""
    now = [timezone.now()]
    monkeypatch.setattr("webapp.study.ethics.retention.timezone.now", lambda: now[0])
    return now


def create_closed_study(**ethics: object) -> Study:
    """Create a closed study of two participants, one with an identity and owed pay."""
    study = studies.create_study(
        table={"people": 2}, ethics={**ETHICS, **ethics}, currency="GBP",
        exits={"completed": {"pay": "3.00"}},
    )  # fmt: skip
    people = studies.seat(study, 2)
    slot = studies.finish_game(people[0])
    Utterance.objects.filter(game=slot.game, seat=studies.seating_of(people[0]).seat).update(
        text=OWN_STATEMENT
    )
    add_personal_data(people[0])
    for person in people:
        lifecycle.advance(person, studies.reload(person).step)
    Participant.objects.create(study=study, pseudonym="P003", invited=True)
    rules.close(study, "ada")
    return study


def run_retention_on_day(clock: list[datetime], study: Study, number: float) -> None:
    """Run the daily job to its end that many days after the study closed."""
    study.refresh_from_db()
    assert study.closed_at
    clock[0] = study.closed_at + timedelta(days=number, hours=1)
    for _ in range(30):
        if not retention.run_retention():
            return
    raise AssertionError("the job has no end")


def recorded_steps(study: Study) -> list[str]:
    rows = AuditEvent.objects.filter(study=study, what__startswith="retention:")
    return [row.what.removeprefix("retention:") for row in rows]


def test_identities_are_deleted_first_then_all_data_but_the_design(clock: list[datetime]) -> None:
    assert retention.run_retention in DAILY_JOBS
    study = create_closed_study()
    design = study.design
    run_retention_on_day(clock, study, 5)
    assert recorded_steps(study) == []
    run_retention_on_day(clock, study, 11)  # 30 days before the identities are deleted.
    run_retention_on_day(clock, study, 34)
    assert recorded_steps(study) == ["identities", "identities"]
    assert Identity.objects.exists()
    run_retention_on_day(clock, study, 41)
    assert not Identity.objects.exists()
    assert not Payment.objects.exists()
    assert Response.objects.exists(), "other data have a later date"
    assert OWN_STATEMENT in dump_database()
    run_retention_on_day(clock, study, 84)
    run_retention_on_day(clock, study, 91)
    run_erasures_later()
    run_retention_on_day(clock, study, 92)
    after = dump_database()
    assert not [word for word in (LABEL, OWN_STATEMENT) if word in after]
    assert not Response.objects.exists()
    assert not Participant.objects.filter(consented_at=None).exists(), "unused links are deleted"
    study.refresh_from_db()
    assert study.design == design
    assert study.participants.count() == 2
    assert study.slots.filter(game__isnull=False).exists()
    assert recorded_steps(study)[-1] == "data_deleted"
    run_retention_on_day(clock, study, 200)
    assert recorded_steps(study).count("data_deleted") == 1


def test_nothing_is_deleted_before_a_notice_of_one_week(clock: list[datetime]) -> None:
    study = create_closed_study()
    run_retention_on_day(clock, study, 300)  # The program did not run in between.
    assert Identity.objects.exists()
    assert "identities" in recorded_steps(study)
    run_retention_on_day(clock, study, 306)
    assert Identity.objects.exists()
    run_retention_on_day(clock, study, 308)
    assert not Identity.objects.exists()


def test_researcher_is_notified_and_can_prolong_with_a_reason(clock: list[datetime]) -> None:
    study = create_closed_study(identity_days=0)
    ada = sign_in("ada")
    clock[0] = study.closed_at + timedelta(days=70)  # type: ignore[operator]
    page = f"/study/studies/{study.code}/ethics"
    notice = "All personal data of this study will be deleted in 20 days."
    assert notice in ada.get(page).content.decode()
    assert notice in ada.get("/study/").content.decode()
    assert ada.post(f"{page}/prolong", {"days": "60", "reason": " "}).status_code == 422
    assert ada.post(f"{page}/prolong", {"days": "0", "reason": "review"}).status_code == 422
    assert ada.post(f"{page}/prolong", {"days": "60", "reason": "a review"}).status_code == 302
    row = AuditEvent.objects.get(what="retention:prolonged")
    assert (row.actor, row.reason) == ("ada", "60 days: a review")
    assert notice not in ada.get(page).content.decode()
    run_retention_on_day(clock, study, 140)
    assert Response.objects.exists()
    run_retention_on_day(clock, study, 144)
    run_retention_on_day(clock, study, 152)
    assert not Response.objects.exists()
    assert ada.post(f"{page}/prolong", {"days": "6", "reason": "late"}).status_code in (302, 422)


def test_reopened_study_keeps_its_data(clock: list[datetime]) -> None:
    study = create_closed_study()
    clock[0] = timezone.now() + timedelta(days=85)
    retention.run_retention()
    rules.resume(study, "ada")
    clock[0] += timedelta(days=300)
    assert retention.run_retention() == 0
    assert Identity.objects.exists()
    assert retention.deletion_dates(study) == []
    study.refresh_from_db()
    assert study.retention == {}
