"""Data go when the time that the study names is over.

After a notice, names first, and later only with a reason.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from game.models import Utterance
from tests.study import studies
from tests.study.desk import sign_in
from tests.study.test_participant_erasure import (
    LABEL,
    OWN,
    add_personal_data,
    dump_database,
    run_erasures_later,
)
from webapp.housekeeping import JOBS
from webapp.study.ethics import retention
from webapp.study.models import Happening, Identity, Participant, Payment, Response, Study
from webapp.study.planning import studies as rules
from webapp.study.sessions import lifecycle

pytestmark = pytest.mark.django_db(transaction=True)
ETHICS = {"retention_days": 90, "identity_days": 40, "contact": "ada@example.org"}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """The time as retention sees it: set its one element."""
    now = [timezone.now()]
    monkeypatch.setattr("webapp.study.ethics.retention.timezone.now", lambda: now[0])
    return now


def closed(**ethics: object) -> Study:
    """Two people have played and gone; one has a name and is owed pay."""
    made = studies.create_study(
        table={"people": 2}, ethics={**ETHICS, **ethics}, currency="GBP",
        exits={"completed": {"pay": "3.00"}},
    )  # fmt: skip
    people = studies.seat(made, 2)
    slot = studies.finish_game(people[0])
    Utterance.objects.filter(game=slot.game, seat=studies.seating_of(people[0]).seat).update(
        text=OWN
    )
    add_personal_data(people[0])
    for person in people:
        lifecycle.advance(person, studies.reload(person).step)
    Participant.objects.create(study=made, pseudonym="P003", invited=True)
    rules.close(made, "ada")
    return made


def day(clock: list[datetime], study: Study, number: float) -> None:
    """So many days after its end the daily job runs to its end."""
    study.refresh_from_db()
    assert study.closed_at
    clock[0] = study.closed_at + timedelta(days=number, hours=1)
    for _ in range(30):
        if not retention.run_retention():
            return
    raise AssertionError("the job has no end")


def told(study: Study) -> list[str]:
    rows = Happening.objects.filter(study=study, what__startswith="retention:")
    return [row.what.removeprefix("retention:") for row in rows]


def test_identities_are_deleted_first_then_all_data_but_the_design(clock: list[datetime]) -> None:
    assert retention.run_retention in JOBS
    made = closed()
    design = made.design
    day(clock, made, 5)
    assert told(made) == []
    day(clock, made, 11)  # 30 days before the names go
    day(clock, made, 34)
    assert told(made) == ["identities", "identities"]
    assert Identity.objects.exists()
    day(clock, made, 41)
    assert not Identity.objects.exists()
    assert not Payment.objects.exists()
    assert Response.objects.exists(), "the rest has its own date"
    assert OWN in dump_database()
    day(clock, made, 84)
    day(clock, made, 91)
    run_erasures_later()
    day(clock, made, 92)
    after = dump_database()
    assert not [word for word in (LABEL, OWN) if word in after]
    assert not Response.objects.exists()
    assert not Participant.objects.filter(consented_at=None).exists(), "nor links nobody used"
    made.refresh_from_db()
    assert made.design == design
    assert made.participants.count() == 2
    assert made.slots.filter(game__isnull=False).exists()
    assert told(made)[-1] == "data_deleted"
    day(clock, made, 200)
    assert told(made).count("data_deleted") == 1


def test_nothing_is_deleted_before_a_notice_of_one_week(clock: list[datetime]) -> None:
    made = closed()
    day(clock, made, 300)  # no program ran all the time
    assert Identity.objects.exists()
    assert "identities" in told(made)
    day(clock, made, 306)
    assert Identity.objects.exists()
    day(clock, made, 308)
    assert not Identity.objects.exists()


def test_researcher_is_notified_and_can_prolong_with_a_reason(clock: list[datetime]) -> None:
    made, ada = closed(identity_days=0), sign_in("ada")
    clock[0] = made.closed_at + timedelta(days=70)  # type: ignore[operator]
    page = f"/study/studies/{made.code}/ethics"
    notice = "All personal data of this study will be deleted in 20 days."
    assert notice in ada.get(page).content.decode()
    assert notice in ada.get("/study/").content.decode()
    assert ada.post(f"{page}/prolong", {"days": "60", "reason": " "}).status_code == 422
    assert ada.post(f"{page}/prolong", {"days": "0", "reason": "review"}).status_code == 422
    assert ada.post(f"{page}/prolong", {"days": "60", "reason": "a review"}).status_code == 302
    row = Happening.objects.get(what="retention:prolonged")
    assert (row.actor, row.reason) == ("ada", "60 days: a review")
    assert notice not in ada.get(page).content.decode()
    day(clock, made, 140)
    assert Response.objects.exists()
    day(clock, made, 144)
    day(clock, made, 152)
    assert not Response.objects.exists()
    assert ada.post(f"{page}/prolong", {"days": "6", "reason": "late"}).status_code in (302, 422)


def test_reopened_study_keeps_its_data(clock: list[datetime]) -> None:
    made = closed()
    clock[0] = timezone.now() + timedelta(days=85)
    retention.run_retention()
    rules.resume(made, "ada")
    clock[0] += timedelta(days=300)
    assert retention.run_retention() == 0
    assert Identity.objects.exists()
    assert retention.deletion_dates(made) == []
    made.refresh_from_db()
    assert made.retention == {}
