"""Tests of the recruitment platform's submission list and maximum duration."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.study.desk import sign_in
from tests.study.paying import (
    add_exited,
    create_study,
    prolific_id,
    submission_list,
    submission_row,
    url_of,
)
from webapp.study.design.refusals import Refused
from webapp.study.models import Payment, PlatformStatus
from webapp.study.payments import payment_decisions, submissions
from webapp.study.planning import study_plan

pytestmark = pytest.mark.django_db


def test_study_exceeding_the_platform_limit_does_not_open() -> None:
    waiting = {"most": 600}
    for limit, is_rejected in ((20, True), (240, False)):
        study = create_study({"kind": "game"}, platform={"most_minutes": limit}, waiting=waiting)
        problems = " ".join(study_plan.build_plan(study).problems)
        assert ("platform’s maximum" in problems) == is_rejected, problems
    long_stage = {"kind": "questionnaire", "instruments": ["interview"], "minutes": 100}
    study = create_study(
        {"kind": "game"}, long_stage, platform={"most_minutes": 180}, reading_factor=True
    )
    plan = study_plan.build_plan(study)
    assert not any("platform" in problem for problem in plan.problems)
    assert any("twice the time" in note for note in plan.notes)


@pytest.mark.parametrize(
    "format_name", ["plain", "bom", "crlf", "semicolons", "tabs", "old names", "quoted"]
)
def test_submission_list_is_parsed_in_each_format(format_name: str) -> None:
    data = "Submission id,Participant id,Status,Completion code\ns1,p1,AWAITING REVIEW,C0DE\n"
    change = {
        "bom": lambda s: "\ufeff" + s,
        "crlf": lambda s: s.replace("\n", "\r\n"),
        "semicolons": lambda s: s.replace(",", ";"),
        "tabs": lambda s: s.replace(",", "\t"),
        "old names": lambda s: s.replace(
            s.split("\n")[0], "session_id,participant_id,status,entered_code"
        ),
        "quoted": lambda s: s.replace("p1", '"p1"') + "\n\n",
    }.get(format_name, str)
    parsed = submissions.parse_list(change(data).encode())
    assert parsed == [submissions.Submission("s1", "p1", submissions.AWAITING, "C0DE")]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", "no column “Submission id”, “Participant id”, “Status”, “Completion code”"),
        (b"Submission id,Status\ns1,APPROVED\n", "no column “Participant id”, “Completion code”"),
        (b"\xff\xfe\x00S", "UTF-8"),
        (
            submission_list("s1,p,APPROVED,,,1,C", "s1,p,APPROVED,,,1,C"),
            "have several rows or none: .?|s1",
        ),
        (submission_list('s1,"p,APPROVED'), "CSV file cannot be read"),
    ],
)
def test_invalid_submission_list_is_rejected_with_the_reason(data: bytes, error: str) -> None:
    with pytest.raises(Refused, match=error):
        submissions.parse_list(data)


def test_submission_differences_are_reported_and_change_nothing() -> None:
    study = create_study()
    fine, waiting, other_code, returned, missing, swapped = (
        add_exited(study, kind="completed") for _each in range(6)
    )
    left, approved = add_exited(study), add_exited(study)
    before = list(Payment.objects.order_by("pk").values())
    data = submission_list(
        submission_row(fine), submission_row(waiting, "AWAITING REVIEW", " c0de "),
        submission_row(other_code, "AWAITING REVIEW", "NOCODE"),
        submission_row(returned, "RETURNED", ""),
        submission_row(swapped, identity=prolific_id(999)),
        submission_row(left, "AWAITING REVIEW", "NOCODE"), submission_row(approved, "APPROVED"),
        f"s0,{prolific_id(5)},AWAITING REVIEW,,,60,C0DE", f"s00,{prolific_id(6)},RETURNED,,,1,",
    )  # fmt: skip
    file = SimpleUploadedFile("prolific_export.csv", data)
    response = sign_in().post(url_of(study, "study_compare"), {"file": file})
    assert response.status_code == 200
    rows = {d.participant: d for d in response.context["comparison"].differences}
    assert set(rows) == {
        p.pseudonym for p in (waiting, other_code, returned, missing, swapped, left, approved)
    } | {""}
    assert rows[waiting.pseudonym].do == "Approve the submission."
    assert rows[other_code.pseudonym].what == "No code there."
    assert "as a bonus" in rows[returned.pseudonym].do
    assert "does not contain the submission" in rows[missing.pseudonym].what
    assert "different participants" in rows[swapped.pseudonym].what
    assert "return" in rows[left.pseudonym].do
    assert "belongs to no participant" in rows[""].what
    assert response.context["comparison"].agreeing_count == 2
    assert list(Payment.objects.order_by("pk").values()) == before
    statuses = dict(PlatformStatus.objects.values_list("participant", "status"))
    assert statuses[returned.pk] == submissions.RETURNED
    assert missing.pk not in statuses
    assert (
        payment_decisions.mark_rewards_paid(study, actor="ada") == 2
    )  # The participants `fine` and `swapped`.
    assert fine.payments.get().status == Payment.PAID


def test_list_of_another_platform_study_reports_no_one_missing() -> None:
    study = create_study()
    participant, _foreign = (
        add_exited(study, kind="completed"),
        add_exited(study, kind="completed", at="other"),
    )
    assert not submissions.compare_list(
        study, submissions.parse_list(submission_list(submission_row(participant)))
    ).differences
