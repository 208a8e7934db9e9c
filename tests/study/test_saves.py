"""Tests that ratings are validated strictly and the last save is stored."""

from __future__ import annotations

import json
import re
from itertools import count
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.study import rating
from webapp.study.design import instruments
from webapp.study.ethics import participant_erasure
from webapp.study.models import Assignment, Campaign, Rater, Rating
from webapp.study.rater import assigning, views
from webapp.study.rater.rating_form import RatingForm
from webapp.study.rating.stimuli import build_fields

pytestmark = pytest.mark.django_db
ADDRESSES = count(1)


@pytest.fixture(autouse=True)
def _remove_request_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views.request_limit, "limit", 10**6)


@pytest.fixture
def campaign() -> Campaign:
    campaign = rating.open_campaign("1", units_per_rater=3, repeats=0)
    campaign.units.update(situations=[])  # All units have the same questions.
    return campaign


@pytest.fixture
def open_page(campaign: Campaign) -> tuple[Client, Rater, Assignment]:
    client, rater = rating.enrol(campaign)
    return client, rater, rating.pages_of(rater)[0]


OpenPage = tuple[Client, Rater, Assignment]


def rating_body(values: Any, revision: Any = 0, **more: Any) -> dict[str, Any]:
    return {"values": values, "skip": None, "revision": revision, **more}


def test_saved_value_is_stored_and_shown_on_the_page(open_page: OpenPage) -> None:
    client, _, first = open_page
    response = rating.post(client, first, rating_body({"a/naturalness": 4}, active_ms=1500))
    assert (response.status_code, response.json()["revision"]) == (200, 1)
    assert rating.stored_rating(first) == ({"a/naturalness": 4}, "")
    page = client.get(rating.page_url(first)).content.decode()
    assert re.search(r'name="a/naturalness"\s+value="4"\s+checked', page)
    assert 'data-revision="1"' in page
    first.refresh_from_db()
    assert (first.state, first.submitted_at, first.active_ms) == (Assignment.OPEN, None, 1500)
    assert first.shown_at
    assert first.first_answer_at


def test_complete_page_is_answered_and_can_still_be_changed(open_page: OpenPage) -> None:
    client, _, first = open_page
    assert rating.rate_page(client, first, 2).json()["complete"]
    first.refresh_from_db()
    assert (first.state, first.revision) == (Assignment.ANSWERED, 1)
    submitted = first.submitted_at
    assert rating.rate_page(client, first, 5).status_code == 200
    first.refresh_from_db()
    assert set(rating.stored_rating(first)[0].values()) == {5}
    assert first.submitted_at
    assert submitted
    assert first.submitted_at > submitted


VALUES: list[Any] = [
    0, 6, -1, 1.0, 5.0, "5.0e0", "5", "five", True, False, None, [3], {"v": 3}, 10**30, "٣", "",
]  # fmt: skip


def test_value_outside_the_scale_is_rejected_and_not_stored(open_page: OpenPage) -> None:
    client, _, first = open_page
    rating.post(client, first, rating_body({"a/naturalness": 3}))
    for value in VALUES:
        response = rating.post(
            client, first, rating_body({"a/interest": 2, "a/naturalness": value}, 1)
        )
        assert response.status_code == 422, value
        assert "whole number from 1 to 5" in response.json()["error"]
        assert rating.stored_rating(first)[0] == {"a/naturalness": 3}
    first.refresh_from_db()
    assert first.revision == 1


BODIES: list[Any] = [
    " ", "{", "5.0e0", "null", "[]", '"a"', "{}", "[" * 100_000, '{"values": {}}',
    json.dumps({"values": [], "skip": None, "revision": 0}),
    json.dumps({"values": {}, "skip": None, "revision": "0"}),
    json.dumps({"values": {}, "skip": None, "revision": -1}),
    json.dumps({"values": {}, "skip": None, "revision": True}),
    json.dumps({"values": {}, "skip": None, "revision": 0, "over_quota": False}),
    json.dumps({"values": {"b/naturalness": 3}, "skip": None, "revision": 0}),
    json.dumps({"values": {"a/closing": 3}, "skip": None, "revision": 0}),
    json.dumps({"values": {"a/nothing": 3}, "skip": None, "revision": 0}),
    json.dumps({"values": {"naturalness": 3}, "skip": None, "revision": 0}),
    json.dumps({"values": {}, "skip": "", "revision": 0}),
    json.dumps({"values": {}, "skip": "x" * 201, "revision": 0}),
    json.dumps({"values": {}, "skip": 3, "revision": 0}),
    json.dumps({"values": {"a/interest": 3}, "skip": "why", "revision": 0}),
    json.dumps({"values": {}, "skip": None, "revision": 0, "active_ms": -5}),
    json.dumps({"values": {}, "skip": None, "revision": 0, "active_ms": 1e3}),
    json.dumps({"values": {}, "skip": None, "revision": 0, "active_ms": 10**12}),
]  # fmt: skip


def test_unreadable_body_is_rejected_with_a_sentence(open_page: OpenPage) -> None:
    client, _, first = open_page
    for body in BODIES:
        response = rating.post(client, first, body)
        assert response.status_code == 422, body[:60]
        assert len(response.json()["error"]) > 20
    assert rating.stored_rating(first) == ({}, "")


def test_plain_form_is_validated_as_strictly(open_page: OpenPage) -> None:
    client, _, first = open_page
    for value in ("0", "6", "5.0e0", "5.0", "05", "+3", "٣", " 3", "", "3;"):
        response = client.post(rating.page_url(first), {"a/naturalness": value, "do": "next"})
        assert response.status_code == 422, value
        assert "whole number from 1 to 5" in response.content.decode()
    assert rating.stored_rating(first) == ({}, "")


def test_plain_form_stores_values_and_leads_to_the_next_page(open_page: OpenPage) -> None:
    client, rater, first = open_page
    pages = rating.pages_of(rater)
    response = client.post(rating.page_url(first), {"a/naturalness": "3", "do": "next"})
    assert (response.status_code, response["Location"]) == (302, rating.page_url(pages[1]))
    response = client.post(rating.page_url(pages[1]), {"do": "back"})
    assert response["Location"] == rating.page_url(first)
    skip = {"do": "skip", "reason": "I don’t understand the words", "reason_text": "  "}
    response = client.post(rating.page_url(pages[1]), skip)
    assert response["Location"] == rating.page_url(pages[2])
    assert rating.stored_rating(pages[1]) == ({}, "I don’t understand the words")
    response = client.post(rating.page_url(pages[2]), {"do": "skip", "reason_text": "Mine."})
    assert response["Location"] == f"/rate/as/{rater.key}/all"
    assert rating.stored_rating(pages[2]) == ({}, "Mine.")


def test_repeated_form_post_stores_nothing_new(open_page: OpenPage) -> None:
    client, _, first = open_page
    form = {**dict.fromkeys(build_fields(first), "2"), "do": "next"}
    answers = [client.post(rating.page_url(first), form) for _ in range(3)]
    assert {a.status_code for a in answers} == {302}
    first.refresh_from_db()
    assert first.revision == 1
    assert Rating.objects.count() == len(build_fields(first))


def test_stale_save_is_rejected_with_the_stored_values(open_page: OpenPage) -> None:
    client, _, first = open_page
    rating.post(client, first, rating_body({"a/naturalness": 3}))
    response = rating.post(client, first, rating_body({"a/naturalness": 1}))
    assert response.status_code == 409
    stored = response.json()
    assert (stored["revision"], stored["values"], stored["skip"]) == (1, {"a/naturalness": 3}, None)
    assert "finished" not in stored
    assert rating.stored_rating(first)[0] == {"a/naturalness": 3}


def test_skipped_page_can_be_rated_later(open_page: OpenPage) -> None:
    client, _, first = open_page
    rating.post(client, first, rating_body({"a/naturalness": 3}))
    response = rating.post(client, first, {"values": {}, "skip": "unclear to me", "revision": 1})
    assert response.json()["complete"]
    first.refresh_from_db()
    assert (first.state, first.skip_reason) == (Assignment.SKIPPED, "unclear to me")
    assert rating.stored_rating(first) == ({}, "unclear to me")
    assert rating.rate_page(client, first, 4).status_code == 200
    first.refresh_from_db()
    assert (first.state, first.skip_reason) == (Assignment.ANSWERED, "")


def test_page_of_another_rater_is_not_found(open_page: OpenPage, campaign: Campaign) -> None:
    _, _, first = open_page
    other_client, _ = rating.enrol(campaign)
    for client in (other_client, Client()):
        assert client.get(rating.page_url(first)).status_code == 404
        assert rating.rate_page(client, first).status_code == 404
        assert client.post(rating.page_url(first), {"a/naturalness": "3"}).status_code == 404
        assert client.post(f"{rating.page_url(first)}seen").status_code == 404
    assert rating.stored_rating(first) == ({}, "")


def test_submitted_ratings_cannot_be_changed(open_page: OpenPage) -> None:
    client, rater, first = open_page
    for assignment in rating.pages_of(rater):
        rating.rate_page(client, assignment, 3)
    for _ in range(2):  # Two clicks.
        response = client.post(f"/rate/as/{rater.key}/all", follow=True)
        assert "Everything is saved" in response.content.decode()
    response = rating.rate_page(client, first, 1)
    assert (response.status_code, response.json()["finished"]) == (409, True)
    assert client.post(rating.page_url(first), {"a/naturalness": "1"}).status_code == 409
    assert set(rating.stored_rating(first)[0].values()) == {3}
    for address in (rating.page_url(first), f"/rate/as/{rater.key}/all"):  # The back button.
        assert client.get(address)["Location"] == f"/rate/as/{rater.key}/"


def test_early_submission_names_the_missing_items(open_page: OpenPage) -> None:
    client, rater, first = open_page
    pages = rating.pages_of(rater)
    for assignment in pages[1:]:
        rating.rate_page(client, assignment, 3)
    rating.post(client, first, rating_body({"a/naturalness": 3}))
    response = client.post(f"/rate/as/{rater.key}/all")
    page = response.content.decode()
    assert response.status_code == 422
    assert "Individuality, Interest" in page
    rater.refresh_from_db()
    assert rater.finished_at is None


def test_page_of_an_erased_rater_is_gone(open_page: OpenPage) -> None:
    client, rater, first = open_page
    rating.rate_page(client, first)
    link = f"/rate/as/{rater.key}/"
    assert rater.participant
    participant_erasure.erase_participant(rater.participant, actor="ada")
    body = rating_body({"a/naturalness": 3}, 1)
    response = rating.post(client, first, body)
    assert (response.status_code, "deleted" in response.json()["error"]) == (410, True)
    assert client.get(rating.page_url(first)).status_code == 410
    assert client.get(link).status_code == 410
    assert Rating.objects.count() == 0


def test_too_many_requests_are_rejected_with_429(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _, first = open_page
    monkeypatch.setattr(views.request_limit, "limit", 5)
    statuses = [rating.rate_page(client, first, 1 + n % 5).status_code for n in range(8)]
    assert statuses[-1] == 429


def test_rating_form_and_its_fields_agree_on_the_sides() -> None:
    rival = {"backend": "house", "method": "full"}
    campaign = rating.open_campaign("1", units_per_rater=6, rival=rival, rival_condition="rival")
    for assignment in assigning.rater_pages(rating.start_rater(campaign)):
        sheet = RatingForm(assignment)
        stimuli_by_slot = {side.slot: side.stimulus for side in sheet.rendered.sides}
        assert set(stimuli_by_slot) == {"a", "b"}
        assert {f.slot: f.stimulus for f in sheet.fields.values()} == stimuli_by_slot


# What a rater does: choose a value, leave the page out, load it anew, let a request come twice or
# late, send the form without scripts, look at it in a second tab that is out of step.
NAMES = ("a/individuality", "a/naturalness", "a/interest")
CHOICE = st.tuples(st.just("choose"), st.sampled_from(NAMES), st.integers(1, 5))
STEPS = st.lists(
    st.one_of(
        CHOICE,
        CHOICE,
        st.tuples(st.just("second tab"), st.sampled_from(NAMES), st.integers(1, 5)),
        st.tuples(st.just("leave out"), st.sampled_from(["dull", "odd"]), st.just(0)),
        st.tuples(st.just("submit"), st.sampled_from(NAMES), st.integers(1, 5)),
        st.tuples(st.just("reload"), st.just(""), st.just(0)),
        st.tuples(st.just("again"), st.just(""), st.integers(0, 30)),
        st.tuples(st.just("lost reply"), st.sampled_from(NAMES), st.integers(1, 5)),
    ),
    max_size=14,
)


class Tab:
    """A page as statements.js keeps it, with the server's values and its own changes."""

    def __init__(self, client: Client, assignment: Assignment, bodies: list[Any]) -> None:
        self.client, self.assignment, self.bodies = client, assignment, bodies
        self.load()

    def load(self) -> None:
        page = self.client.get(rating.page_url(self.assignment)).content.decode()
        checked = re.findall(r'name="(a/[a-z]+)"\s+value="(\d)"\s+checked', page)
        self.values = {name: int(value) for name, value in checked}
        self.revision = int(re.search(r'data-revision="(\d+)"', page)[1])  # type: ignore[index]
        skip = re.search(r'data-skip="([^"]*)"', page)[1]  # type: ignore[index]
        self.skip = skip or None

    def save(self, change: dict[str, int], skip: str | None = None, lost: bool = False) -> None:
        for _ in range(3):
            earlier_values = {} if self.skip else self.values
            values = {} if skip else earlier_values | change
            body = {"values": values, "skip": skip, "revision": self.revision}
            self.bodies.append(body)
            response = rating.post(self.client, self.assignment, body)
            if lost:  # The reply is lost, so the page sends it again.
                lost = False
                continue
            stored = response.json()
            self.values, self.skip = stored["values"], stored["skip"]
            self.revision = stored["revision"]
            if response.status_code == 200:
                return
        raise AssertionError("never stored")


@settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
def test_last_save_is_stored_after_any_sequence_of_actions(
    campaign: Campaign, steps: list[tuple[str, str, int]]
) -> None:
    # Each example has its own address, which may enrol forty raters an hour.
    client, rater = rating.enrol(campaign, Client(REMOTE_ADDR=f"192.0.2.{next(ADDRESSES)}"))
    assignment = rating.pages_of(rater)[0]
    assert tuple(build_fields(assignment)) == NAMES
    bodies: list[Any] = []
    first_tab, second_tab = Tab(client, assignment, bodies), Tab(client, assignment, bodies)
    values: dict[str, int] = {}
    skip = ""
    for action, name, value in steps:
        if action in ("choose", "second tab", "lost reply"):
            tab = second_tab if action == "second tab" else first_tab
            tab.save({name: value}, lost=action == "lost reply")
            values, skip = {**values, name: value}, ""
        elif action == "leave out":
            first_tab.save({}, name)
            values, skip = {}, name
        elif action == "submit":
            values, skip = {**values, name: value}, ""
            form = {**values, "do": "next"}
            assert client.post(rating.page_url(assignment), form).status_code == 302
            first_tab.load()
        elif action == "reload":
            first_tab.load()
            assert (first_tab.values, first_tab.skip or "") == (values, skip)
        elif bodies:
            body = bodies[value % len(bodies)]
            is_stored = (body["values"], body["skip"] or "") == (values, skip)
            response = rating.post(client, assignment, body)
            assert response.status_code == 409 or is_stored, "an old request changed the rating"
        assert rating.stored_rating(assignment) == (values, skip)
    rater.delete()  # This frees the slots for the next example.


@pytest.mark.parametrize(
    ("low", "high", "digits", "ten", "ends"),
    [(1, 5, "15", False, False), (0, 8, "08", False, False), (0, 10, "09", False, True),
     (1, 10, "19", True, True), (1, 13, "19", True, True), (90, 100, "", False, True)],
)  # fmt: skip
def test_page_names_the_keys_of_its_scales(
    low: int, high: int, digits: str, ten: bool, ends: bool
) -> None:
    """Each value has a key: its digit, 0 for 10, or steps from both ends."""
    instrument = instruments.get("guarded").to_json()
    for dimension in instrument["dimensions"]:
        dimension["min"], dimension["max"] = low, high
    instrument["key"], instrument["example"] = "own", dict.fromkeys(("speaker", "text"), "Beta")
    instrument["example"]["values"] = {d["key"]: low for d in instrument["dimensions"]}
    client, rater = rating.enrol(rating.open_campaign("1", instrument=instrument))
    page = client.get(rating.page_url(rating.pages_of(rater)[0])).content.decode()
    key_hint = f"<kbd>{digits[0]}</kbd>–<kbd>{digits[1]}</kbd>" if digits else "answer the question"
    assert (key_hint in page) == bool(digits)
    assert ("<kbd>0</kbd> for 10" in page) == ten
    assert ("<kbd>Home</kbd> <kbd>End</kbd>" in page) == ends
