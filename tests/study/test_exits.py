"""Tests of raters' exits with their pages, codes and links, of the quiz and of breaks."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import StateApps
from django.test import Client
from django.utils import timezone

from tests.study import rating
from tests.upgrade import database
from webapp.study import timed_steps
from webapp.study.design import rating_design
from webapp.study.design.exits import RATER_EXITS
from webapp.study.design.refusals import Refused
from webapp.study.models import Assignment, Campaign, Identity, Participant, Rater, Rating
from webapp.study.rater import navigation
from webapp.study.rating import campaigns, rating_plan, rating_rows

pytestmark = pytest.mark.django_db

ALL = {kind: {"code": f"CODE-{kind}", "url": f"https://example.org/{kind}"} for kind in RATER_EXITS}
QUIZ = {
    "tries": 2,
    "questions": [
        {"text": "May players lie?", "options": ["Yes", "No"], "right": 0},
        {"text": "Who rates?", "options": ["They", "Nobody", "You"], "right": 2},
    ],
}


def open_campaign(**settings: Any) -> Campaign:
    return rating.open_campaign("1", **{"units_per_rater": 3, "exits": ALL, **settings})


def rater_url(rater: Rater, page: str = "") -> str:
    return f"/rate/as/{rater.key}/{page}"


def leave_url(rater: Rater) -> str:
    assert rater.participant
    return f"/take/as/{rater.participant.key}/leave"


def check_exit_page(client: Client, address: str, kind: str) -> str:
    """Check that the page has the code and link of that exit only. Returns: the page."""
    page = client.get(address, follow=True).content.decode()
    assert f'value="CODE-{kind}"' in page, page
    assert f'href="https://example.org/{kind}"' in page
    assert page.count("CODE-") == 1
    return page


def test_full_campaign_is_announced_before_consent() -> None:
    campaign = open_campaign(units_per_rater=24, raters_per_unit=1)
    waiting_client = rating.visit(campaign)
    rating.consent(waiting_client, campaign)
    waiting_rater = Rater.objects.get()
    client, rater = rating.enrol(campaign)
    waiting_client.post(rater_url(waiting_rater, "example"))
    page = waiting_client.get(rater_url(waiting_rater)).content.decode()
    assert "Stop waiting" in page, "other raters are still active"
    for assignment in rating.pages_of(rater):
        rating.rate_page(client, assignment)
    first = f"/take/{campaign.study.key}/"
    assert "All places are taken" in rating.visit(campaign).get(first).content.decode()
    check_exit_page(waiting_client, rater_url(waiting_rater), "full")
    waiting_rater.refresh_from_db()
    assert waiting_rater.left_as == Rater.FULL


def test_rater_who_stops_waiting_gets_the_full_code() -> None:
    campaign = open_campaign(units_per_rater=24, raters_per_unit=1)
    rating.enrol(campaign)
    client = rating.visit(campaign)
    rating.consent(client, campaign)
    rater = Rater.objects.latest("pk")
    client.post(rater_url(rater, "example"))
    client.post(rater_url(rater, "waited"))
    check_exit_page(client, rater_url(rater), "full")
    assert Rater.objects.latest("pk").left_as == Rater.FULL


@pytest.mark.parametrize("rated_count", [0, 1, 3])
def test_leaving_rater_keeps_ratings_and_frees_remaining_pages(
    rated_count: int, django_capture_on_commit_callbacks: Any
) -> None:
    campaign = open_campaign()
    client, rater = rating.enrol(campaign)
    pages = rating.pages_of(rater)
    for assignment in pages[:rated_count]:
        rating.rate_page(client, assignment, 4)
    for page in (rating.page_url(pages[0]), rater_url(rater, "all"), rater_url(rater, "example")):
        assert leave_url(rater) in client.get(page, follow=True).content.decode(), page
    assert "erase" in client.get(leave_url(rater)).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(leave_url(rater), {"do": "keep"})
    check_exit_page(client, rater_url(rater), "left")
    rater.refresh_from_db()
    assert (rater.left_as, rater.left_at is None) == (Rater.WITHDRAWN, False)
    states = rater.assignments.values_list("state", flat=True)
    assert sorted(states) == sorted(["answered"] * rated_count + ["timed_out"] * (3 - rated_count))
    values = {row.value for row in rating_rows.read_rating_rows(campaign) if row.value is not None}
    assert values == ({4} if rated_count else set())
    late = rating.rate_page(client, pages[2], 1)
    assert (late.status_code, late.json()["finished"]) == (409, True), "no more ratings accepted"
    for page in (rating.page_url(pages[0]), rater_url(rater, "all"), rater_url(rater, "example")):
        assert client.get(page)["Location"] == rater_url(rater)


@pytest.mark.parametrize("has_submitted", [False, True], ids=["on the way", "after handing in"])
def test_erased_rater_still_gets_an_exit_code(has_submitted: bool) -> None:
    campaign = open_campaign()
    client, rater = rating.enrol(campaign, PROLIFIC_PID="5f1e")
    for page in rating.pages_of(rater):
        rating.rate_page(client, page)
    if has_submitted:
        client.post(rater_url(rater, "all"))
    link = leave_url(rater)
    assert link in client.get(rater_url(rater), follow=True).content.decode()
    client.post(link, {"do": "erase"})
    check_exit_page(client, link.removesuffix("leave"), "completed" if has_submitted else "left")
    assert not Rating.objects.exists()
    assert not Identity.objects.exists()
    row = Rater.objects.get()
    assert (row.left_as, row.consented_at, row.exclusion_reason) == ("", None, "erased")


@pytest.mark.parametrize("access", ["page", "own link", "statement"])
def test_timed_out_rater_is_informed_and_ratings_count(access: str) -> None:
    campaign = open_campaign(time_limit=30)
    assert "within 30 minutes" in Client().get(f"/take/{campaign.study.key}/").content.decode()
    client, rater = rating.enrol(campaign)
    first, second, _third = rating.pages_of(rater)
    rating.rate_page(client, first)
    Participant.objects.update(due_at=timezone.now() - timedelta(minutes=1))
    if access == "statement":
        assert rating.rate_page(client, second).status_code == 409
    elif access == "page":
        assert client.get(rating.page_url(second))["Location"] == rater_url(rater)
    check_exit_page(client, rater_url(rater), "timed_out")
    rater.refresh_from_db()
    assert rater.left_as == Rater.TIMED_OUT
    states = [a.state for a in rater.assignments.all()]
    assert states == [Assignment.ANSWERED, Assignment.TIMED_OUT, Assignment.TIMED_OUT]


def test_finished_rater_is_not_timed_out() -> None:
    campaign = open_campaign(time_limit=30)
    client, rater = rating.enrol(campaign)
    for page in rating.pages_of(rater):
        rating.rate_page(client, page)
    client.post(rater_url(rater, "all"))
    timed_steps.run_due_steps()
    check_exit_page(client, rater_url(rater), "completed")
    assert Rater.objects.get().left_as == "", "no exit is stored"


def test_closing_campaign_times_out_raters_without_pages() -> None:
    campaign = open_campaign()
    client = rating.visit(campaign)
    rating.consent(client, campaign)
    rater = Rater.objects.get()
    client.post(rater_url(rater, "example"))
    campaigns.close(campaign)
    check_exit_page(client, rater_url(rater), "timed_out")


def test_exit_links_are_checked() -> None:
    campaign = open_campaign()
    for wrong in ({"nowhere": {}}, {"full": {"code": 7}}, {"full": {"url": "javascript:x"}}, []):
        with pytest.raises(Refused):
            campaigns.change(campaign, exits=wrong)
    assert campaign.exits == ALL
    campaigns.change(campaign, exits={"full": {"code": " F ", "url": ""}, "declined": {}})
    assert campaign.exits == {"full": {"code": "F", "url": ""}}


def test_plan_notes_a_time_limit_below_the_expected_duration() -> None:
    campaign = open_campaign(time_limit=1)
    assert "Raters have 1 minute " in rating_plan.build_plan(campaign)["notes"][0]
    campaigns.change(campaign, time_limit=600)
    assert "Raters have" not in " ".join(rating_plan.build_plan(campaign)["notes"])


def migrate(target: tuple[str, str]) -> StateApps:
    """Migrate to `target`, without squashed migrations. Return the models of that time."""
    executor = MigrationExecutor(connection)
    executor.loader = MigrationLoader(connection, replace_migrations=False)
    return executor.migrate([target]).apps


@pytest.mark.django_db(transaction=True)
def test_migration_converts_old_codes_to_exits(tmp_path: Path) -> None:
    before, after = ("study", "0006_tracks"), ("study", "0007_ways")
    codes = {"complete_code": "C1", "screen_out_url": "https://example.org/out"}
    with database.opened(tmp_path / "then.sqlite3"):
        old_apps = migrate(before)
        ada = old_apps.get_model("auth", "User").objects.create(username="ada")
        old = old_apps.get_model("study", "Campaign").objects
        row = old.create(owner=ada, name="Old", seed="s", instrument={}, consent="", **codes)
        new_apps = migrate(after)
        assert new_apps.get_model("study", "Campaign").objects.get(pk=row.pk).exits == {
            "complete": {"code": "C1"},
            "screened_out": {"url": "https://example.org/out"},
        }


# -- quiz


def reach_quiz(campaign: Campaign) -> tuple[Client, Rater]:
    client = rating.visit(campaign)
    rating.consent(client, campaign)
    rater = Rater.objects.latest("pk")
    assert client.post(rater_url(rater, "example"))["Location"] == rater_url(rater, "quiz")
    return client, rater


def test_quiz_must_be_passed_before_the_first_page() -> None:
    client, rater = reach_quiz(open_campaign(quiz=QUIZ))
    page = client.get(rater_url(rater, "quiz")).content.decode()
    assert "May players lie?" in page
    assert client.get(rater_url(rater))["Location"] == rater_url(rater, "example"), "quiz is first"
    response = client.post(rater_url(rater, "quiz"), {"q0": "0", "tried": "0"})
    assert "not count as a try" in response.content.decode()
    response = client.post(rater_url(rater, "quiz"), {"q0": "1", "q1": "2", "tried": "0"})
    assert response.status_code == 422
    assert "one more try" in response.content.decode()
    assert response.content.decode().count("not correct yet") == 1
    repeated = client.post(rater_url(rater, "quiz"), {"q0": "1", "q1": "2", "tried": "0"})
    assert repeated.status_code == 422, "a repeated request is one try"
    assert client.post(rater_url(rater, "quiz"), {"q0": "0", "q1": "2", "tried": "1"})["Location"]
    assert client.get(rater_url(rater))["Location"] == rating.page_url(rating.pages_of(rater)[0])
    assert client.get(rater_url(rater, "quiz"))["Location"] == rater_url(rater)


def test_quiz_answer_with_thousands_of_digits_counts_as_missing() -> None:
    client, rater = reach_quiz(open_campaign(quiz=QUIZ))
    response = client.post(rater_url(rater, "quiz"), {"q0": "1" * 5000, "q1": "2", "tried": "0"})
    assert response.status_code == 422
    assert "not count as a try" in response.content.decode()


def test_rater_failing_the_quiz_too_often_is_screened_out() -> None:
    client, rater = reach_quiz(open_campaign(quiz=QUIZ))
    for tried in ("0", "1"):
        client.post(rater_url(rater, "quiz"), {"q0": "1", "q1": "0", "tried": tried})
    check_exit_page(client, rater_url(rater), "quiz_failed")
    client.post(rater_url(rater, "quiz"), {"q0": "0", "q1": "2", "tried": "2"})
    client.post(rater_url(rater, "example"))
    rater.refresh_from_db()
    assert (rater.trained_at, rater.screened_out_at is None) == (None, False)
    assert not Assignment.objects.exists()


def test_quiz_is_parsed_from_and_formatted_as_plain_text() -> None:
    written = "May players lie?\n+ Yes\n- No\n\n\nWho rates?\n- They\n- Nobody\n+ You\n"
    assert rating_design.parse_questions(written) == QUIZ["questions"]
    assert (
        rating_design.parse_questions(rating_design.format_questions(QUIZ["questions"]))
        == QUIZ["questions"]
    )
    assert rating_design.parse_questions("  \n ") == []
    for wrong in ("Why?\n+ a\n+ b", "Why?\n- a\n- b", "Why?\n+ a", "- a\n+ b", "Why?\na\n+ b"):
        with pytest.raises(Refused, match="question 1"):
            rating_design.parse_questions(wrong)


# -- breaks


def test_break_follows_the_set_number_of_pages_and_can_be_skipped() -> None:
    client, rater = rating.enrol(open_campaign(break_after=2))
    first, second, third = rating.pages_of(rater)
    pause = f"{rating.page_url(second)}break"
    assert pause not in client.get(rating.page_url(first)).content.decode()
    assert f'data-to="{pause}"' in client.get(rating.page_url(second)).content.decode()
    values = {f"{name}": "3" for name in rating.uniform_values(second)}
    assert client.post(rating.page_url(second), {**values, "do": "next"})["Location"] == pause
    page = client.get(pause).content.decode()
    assert "finished 2 of 3 pages" in page
    assert rating.page_url(third) in page
    assert client.get(f"{rating.page_url(third)}break")["Location"] == rater_url(rater)


def test_leaving_during_submission_prevents_completion(
    django_capture_on_commit_callbacks: Any,
) -> None:
    """Leaving gives the open pages to others, so no page is missing afterwards."""
    client, rater = rating.enrol(open_campaign())
    rating.rate_page(client, rating.pages_of(rater)[0])
    handing_in = Rater.objects.select_related("campaign", "participant").get(pk=rater.pk)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(leave_url(rater), {"do": "keep"})
    assert navigation.submit_all(handing_in) is False  # The request passed its checks earlier.
    check_exit_page(client, rater_url(rater), "left")
    rater.refresh_from_db()
    assert rater.finished_at is None
