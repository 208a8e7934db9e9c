"""The platform that sends people: its own list of submissions, and the longest it allows."""

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
    for most, refused in ((20, True), (240, False)):
        of = create_study({"kind": "game"}, platform={"most_minutes": most}, waiting=waiting)
        told = " ".join(study_plan.build_plan(of).problems)
        assert ("platform’s maximum" in told) == refused, told
    long = {"kind": "questionnaire", "instruments": ["interview"], "minutes": 100}
    of = create_study({"kind": "game"}, long, platform={"most_minutes": 180}, reading_factor=True)
    plan = study_plan.build_plan(of)
    assert not any("platform" in problem for problem in plan.problems)
    assert any("twice the time" in note for note in plan.notes)


@pytest.mark.parametrize(
    "how", ["plain", "bom", "crlf", "semicolons", "tabs", "old names", "quoted"]
)
def test_submission_list_is_parsed_in_each_format(how: str) -> None:
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
    }.get(how, str)
    found = submissions.parse_list(change(data).encode())
    assert found == [submissions.Submission("s1", "p1", submissions.AWAITING, "C0DE")]


@pytest.mark.parametrize(
    ("data", "told"),
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
def test_invalid_submission_list_is_rejected_with_the_reason(data: bytes, told: str) -> None:
    with pytest.raises(Refused, match=told):
        submissions.parse_list(data)


def test_submission_differences_are_reported_and_change_nothing() -> None:
    of = create_study()
    fine, waits, other_code, returned, missing, swapped = (
        add_exited(of, kind="completed") for _each in range(6)
    )
    left, approved = add_exited(of), add_exited(of)
    before = list(Payment.objects.order_by("pk").values())
    data = submission_list(
        submission_row(fine), submission_row(waits, "AWAITING REVIEW", " c0de "),
        submission_row(other_code, "AWAITING REVIEW", "NOCODE"),
        submission_row(returned, "RETURNED", ""),
        submission_row(swapped, identity=prolific_id(999)),
        submission_row(left, "AWAITING REVIEW", "NOCODE"), submission_row(approved, "APPROVED"),
        f"s0,{prolific_id(5)},AWAITING REVIEW,,,60,C0DE", f"s00,{prolific_id(6)},RETURNED,,,1,",
    )  # fmt: skip
    file = SimpleUploadedFile("prolific_export.csv", data)
    answer = sign_in().post(url_of(of, "study_compare"), {"file": file})
    assert answer.status_code == 200
    found = {d["row"].participant: d["row"] for d in answer.context["compared"]["differences"]}
    assert set(found) == {
        p.pseudonym for p in (waits, other_code, returned, missing, swapped, left, approved)
    } | {""}
    assert found[waits.pseudonym].do == "Approve the submission."
    assert found[other_code.pseudonym].what == "No code there."
    assert "as a bonus" in found[returned.pseudonym].do
    assert "does not contain the submission" in found[missing.pseudonym].what
    assert "different participants" in found[swapped.pseudonym].what
    assert "return" in found[left.pseudonym].do
    assert "belongs to no participant" in found[""].what
    assert answer.context["compared"]["agree"] == 2
    assert list(Payment.objects.order_by("pk").values()) == before
    kept = dict(PlatformStatus.objects.values_list("participant", "status"))
    assert kept[returned.pk] == submissions.RETURNED
    assert missing.pk not in kept
    assert payment_decisions.mark_rewards_paid(of, actor="ada") == 2  # fine, swapped
    assert fine.payments.get().status == Payment.PAID


def test_list_of_another_platform_study_reports_no_one_missing() -> None:
    of = create_study()
    here, _there = add_exited(of, kind="completed"), add_exited(of, kind="completed", at="other")
    assert not submissions.compare_list(
        of, submissions.parse_list(submission_list(submission_row(here)))
    ).differences
