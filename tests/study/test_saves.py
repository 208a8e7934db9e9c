"""Ratings are taken strictly, and what was stated last is what is stored."""

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
def _no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views.request_limit, "most", 10**6)


@pytest.fixture
def campaign() -> Campaign:
    made = rating.opened("1", units_per_rater=3, repeats=0)
    made.units.update(situations=[])  # the same questions for every unit
    return made


@pytest.fixture
def at_work(campaign: Campaign) -> tuple[Client, Rater, Assignment]:
    client, rater = rating.enrolled(campaign)
    return client, rater, rating.way(rater)[0]


At = tuple[Client, Rater, Assignment]


def said(values: Any, revision: Any = 0, **more: Any) -> dict[str, Any]:
    return {"values": values, "skip": None, "revision": revision, **more}


def test_a_value_is_stored_and_the_page_shows_it(at_work: At) -> None:
    client, _, first = at_work
    answer = rating.state(client, first, said({"a/naturalness": 4}, active_ms=1500))
    assert (answer.status_code, answer.json()["revision"]) == (200, 1)
    assert rating.stored(first) == ({"a/naturalness": 4}, "")
    page = client.get(rating.item(first)).content.decode()
    assert re.search(r'name="a/naturalness"\s+value="4"\s+checked', page)
    assert 'data-revision="1"' in page
    first.refresh_from_db()
    assert (first.state, first.submitted_at, first.active_ms) == (Assignment.OPEN, None, 1500)
    assert first.shown_at
    assert first.first_answer_at


def test_with_the_last_value_the_page_is_answered_and_can_still_be_changed(at_work: At) -> None:
    client, _, first = at_work
    assert rating.rate(client, first, 2).json()["complete"]
    first.refresh_from_db()
    assert (first.state, first.revision) == (Assignment.ANSWERED, 1)
    submitted = first.submitted_at
    assert rating.rate(client, first, 5).status_code == 200
    first.refresh_from_db()
    assert set(rating.stored(first)[0].values()) == {5}
    assert first.submitted_at
    assert submitted
    assert first.submitted_at > submitted


VALUES: list[Any] = [
    0, 6, -1, 1.0, 5.0, "5.0e0", "5", "five", True, False, None, [3], {"v": 3}, 10**30, "٣", "",
]  # fmt: skip


def test_what_is_no_value_of_the_scale_is_refused_and_nothing_is_stored(at_work: At) -> None:
    client, _, first = at_work
    rating.state(client, first, said({"a/naturalness": 3}))
    for value in VALUES:
        answer = rating.state(client, first, said({"a/interest": 2, "a/naturalness": value}, 1))
        assert answer.status_code == 422, value
        assert "whole number from 1 to 5" in answer.json()["error"]
        assert rating.stored(first)[0] == {"a/naturalness": 3}
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


def test_what_can_not_be_read_is_refused_in_a_sentence(at_work: At) -> None:
    client, _, first = at_work
    for body in BODIES:
        answer = rating.state(client, first, body)
        assert answer.status_code == 422, body[:60]
        assert len(answer.json()["error"]) > 20
    assert rating.stored(first) == ({}, "")


def test_a_plain_form_is_read_as_strictly(at_work: At) -> None:
    client, _, first = at_work
    for value in ("0", "6", "5.0e0", "5.0", "05", "+3", "٣", " 3", "", "3;"):
        answer = client.post(rating.item(first), {"a/naturalness": value, "do": "next"})
        assert answer.status_code == 422, value
        assert "whole number from 1 to 5" in answer.content.decode()
    assert rating.stored(first) == ({}, "")


def test_a_plain_form_stores_and_leads_on(at_work: At) -> None:
    client, rater, first = at_work
    way = rating.way(rater)
    answer = client.post(rating.item(first), {"a/naturalness": "3", "do": "next"})
    assert (answer.status_code, answer["Location"]) == (302, rating.item(way[1]))
    answer = client.post(rating.item(way[1]), {"do": "back"})
    assert answer["Location"] == rating.item(first)
    skip = {"do": "skip", "reason": "I don’t understand the words", "reason_text": "  "}
    answer = client.post(rating.item(way[1]), skip)
    assert answer["Location"] == rating.item(way[2])
    assert rating.stored(way[1]) == ({}, "I don’t understand the words")
    answer = client.post(rating.item(way[2]), {"do": "skip", "reason_text": "Mine."})
    assert answer["Location"] == f"/rate/as/{rater.key}/all"
    assert rating.stored(way[2]) == ({}, "Mine.")


def test_the_back_button_and_a_second_press_state_the_same_again(at_work: At) -> None:
    client, _, first = at_work
    form = {**dict.fromkeys(build_fields(first), "2"), "do": "next"}
    answers = [client.post(rating.item(first), form) for _ in range(3)]
    assert {a.status_code for a in answers} == {302}
    first.refresh_from_db()
    assert first.revision == 1
    assert Rating.objects.count() == len(build_fields(first))


def test_a_statement_on_an_older_revision_is_told_what_is_stored(at_work: At) -> None:
    client, _, first = at_work
    rating.state(client, first, said({"a/naturalness": 3}))
    answer = rating.state(client, first, said({"a/naturalness": 1}))
    assert answer.status_code == 409
    found = answer.json()
    assert (found["revision"], found["values"], found["skip"]) == (1, {"a/naturalness": 3}, None)
    assert "finished" not in found
    assert rating.stored(first)[0] == {"a/naturalness": 3}


def test_left_out_with_a_reason_and_rated_after_all(at_work: At) -> None:
    client, _, first = at_work
    rating.state(client, first, said({"a/naturalness": 3}))
    answer = rating.state(client, first, {"values": {}, "skip": "unclear to me", "revision": 1})
    assert answer.json()["complete"]
    first.refresh_from_db()
    assert (first.state, first.skip_reason) == (Assignment.SKIPPED, "unclear to me")
    assert rating.stored(first) == ({}, "unclear to me")
    assert rating.rate(client, first, 4).status_code == 200
    first.refresh_from_db()
    assert (first.state, first.skip_reason) == (Assignment.ANSWERED, "")


def test_somebody_elses_page_is_not_there(at_work: At, campaign: Campaign) -> None:
    _, _, first = at_work
    other, _ = rating.enrolled(campaign)
    for client in (other, Client()):
        assert client.get(rating.item(first)).status_code == 404
        assert rating.rate(client, first).status_code == 404
        assert client.post(rating.item(first), {"a/naturalness": "3"}).status_code == 404
        assert client.post(f"{rating.item(first)}seen").status_code == 404
    assert rating.stored(first) == ({}, "")


def test_after_handing_in_nothing_changes(at_work: At) -> None:
    client, rater, first = at_work
    for assignment in rating.way(rater):
        rating.rate(client, assignment, 3)
    for _ in range(2):  # pressed twice
        answer = client.post(f"/rate/as/{rater.key}/all", follow=True)
        assert "Everything is saved" in answer.content.decode()
    answer = rating.rate(client, first, 1)
    assert (answer.status_code, answer.json()["finished"]) == (409, True)
    assert client.post(rating.item(first), {"a/naturalness": "1"}).status_code == 409
    assert set(rating.stored(first)[0].values()) == {3}
    for address in (rating.item(first), f"/rate/as/{rater.key}/all"):  # the back button
        assert client.get(address)["Location"] == f"/rate/as/{rater.key}/"


def test_handing_in_too_early_names_what_is_missing(at_work: At) -> None:
    client, rater, first = at_work
    way = rating.way(rater)
    for assignment in way[1:]:
        rating.rate(client, assignment, 3)
    rating.state(client, first, said({"a/naturalness": 3}))
    answer = client.post(f"/rate/as/{rater.key}/all")
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Individuality, Interest" in page
    rater.refresh_from_db()
    assert rater.finished_at is None


def test_after_erasure_a_page_says_that_it_is_gone(at_work: At) -> None:
    client, rater, first = at_work
    rating.rate(client, first)
    link = f"/rate/as/{rater.key}/"
    assert rater.participant
    participant_erasure.erase_participant(rater.participant, actor="ada")
    body = said({"a/naturalness": 3}, 1)
    answer = rating.state(client, first, body)
    assert (answer.status_code, "deleted" in answer.json()["error"]) == (410, True)
    assert client.get(rating.item(first)).status_code == 410
    assert client.get(link).status_code == 410
    assert Rating.objects.count() == 0


def test_too_many_at_once_are_asked_to_wait(at_work: At, monkeypatch: pytest.MonkeyPatch) -> None:
    client, _, first = at_work
    monkeypatch.setattr(views.request_limit, "most", 5)
    statuses = [rating.rate(client, first, 1 + n % 5).status_code for n in range(8)]
    assert statuses[-1] == 429


def test_a_sheet_and_its_fields_agree_on_what_stands_where() -> None:
    rival = {"backend": "house", "method": "full"}
    campaign = rating.opened("1", units_per_rater=6, rival=rival, rival_condition="rival")
    for assignment in assigning.rater_pages(rating.begun(campaign)):
        sheet = RatingForm(assignment)
        known = {side.slot: side.stimulus for side in sheet.sides}
        assert set(known) == {"a", "b"}
        assert {f.slot: f.stimulus for f in sheet.fields.values()} == known


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
    """A page as statements.js keeps it: what the server has, and what was said since."""

    def __init__(self, client: Client, assignment: Assignment, sent: list[Any]) -> None:
        self.client, self.assignment, self.sent = client, assignment, sent
        self.load()

    def load(self) -> None:
        page = self.client.get(rating.item(self.assignment)).content.decode()
        found = re.findall(r'name="(a/[a-z]+)"\s+value="(\d)"\s+checked', page)
        self.values = {name: int(value) for name, value in found}
        self.revision = int(re.search(r'data-revision="(\d+)"', page)[1])  # type: ignore[index]
        skip = re.search(r'data-skip="([^"]*)"', page)[1]  # type: ignore[index]
        self.skip = skip or None

    def say(self, change: dict[str, int], skip: str | None = None, lost: bool = False) -> None:
        for _ in range(3):
            values = {} if skip else {**({} if self.skip else self.values), **change}
            body = {"values": values, "skip": skip, "revision": self.revision}
            self.sent.append(body)
            answer = rating.state(self.client, self.assignment, body)
            if lost:  # stored, but the page never hears of it: it will say it again
                lost = False
                continue
            found = answer.json()
            self.values, self.skip = found["values"], found["skip"]
            self.revision = found["revision"]
            if answer.status_code == 200:
                return
        raise AssertionError("never stored")


@settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
def test_whatever_happens_in_between_the_last_statement_stands(
    campaign: Campaign, steps: list[tuple[str, str, int]]
) -> None:
    # An address of its own for each example: one may enrol forty raters an hour.
    client, rater = rating.enrolled(campaign, Client(REMOTE_ADDR=f"192.0.2.{next(ADDRESSES)}"))
    assignment = rating.way(rater)[0]
    assert tuple(build_fields(assignment)) == NAMES
    sent: list[Any] = []
    here, there = Tab(client, assignment, sent), Tab(client, assignment, sent)
    values: dict[str, int] = {}
    skip = ""
    for what, name, value in steps:
        if what in ("choose", "second tab", "lost reply"):
            tab = there if what == "second tab" else here
            tab.say({name: value}, lost=what == "lost reply")
            values, skip = {**values, name: value}, ""
        elif what == "leave out":
            here.say({}, name)
            values, skip = {}, name
        elif what == "submit":
            values, skip = {**values, name: value}, ""
            form = {**values, "do": "next"}
            assert client.post(rating.item(assignment), form).status_code == 302
            here.load()
        elif what == "reload":
            here.load()
            assert (here.values, here.skip or "") == (values, skip)
        elif sent:
            body = sent[value % len(sent)]
            is_stored = (body["values"], body["skip"] or "") == (values, skip)
            answer = rating.state(client, assignment, body)
            assert answer.status_code == 409 or is_stored, "an old request changes nothing"
        assert rating.stored(assignment) == (values, skip)
    rater.delete()  # its places are free for the next example


@pytest.mark.parametrize(
    ("low", "most", "digits", "ten", "ends"),
    [(1, 5, "15", False, False), (0, 8, "08", False, False), (0, 10, "09", False, True),
     (1, 10, "19", True, True), (1, 13, "19", True, True), (90, 100, "", False, True)],
)  # fmt: skip
def test_the_page_names_the_keys_of_its_scales(
    low: int, most: int, digits: str, ten: bool, ends: bool
) -> None:
    """Every value has a key: a digit, 0 for 10, and from both ends step by step."""
    own = instruments.get("guarded").to_json()
    for dimension in own["dimensions"]:
        dimension["min"], dimension["max"] = low, most
    own["key"], own["example"] = "own", dict.fromkeys(("speaker", "text"), "Beta")
    own["example"]["values"] = {d["key"]: low for d in own["dimensions"]}
    client, rater = rating.enrolled(rating.opened("1", instrument=own))
    page = client.get(rating.item(rating.way(rater)[0])).content.decode()
    told = f"<kbd>{digits[0]}</kbd>–<kbd>{digits[1]}</kbd>" if digits else "answer the question"
    assert (told in page) == bool(digits)
    assert ("<kbd>0</kbd> for 10" in page) == ten
    assert ("<kbd>Home</kbd> <kbd>End</kbd>" in page) == ends
