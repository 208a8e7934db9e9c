"""Tests of a study in browsers: three people by one link, one of whom disappears."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.table import Person
from tests.live import Stack, wait_until

pytestmark = pytest.mark.browser

DESIGN = {
    "table": {"people": 3, "limits": {"statement": 90, "vote": 90, "night": 90, "poll": 90}},
    "assignment": {"games": 2},
    "waiting": {"ready": 120},
    "dropout": {"policy": "stand_in", "grace": 10},
    "stages": [
        {"kind": "consent", "text": "We watch how people *talk*. Ask ada@example.org."},
        {"kind": "game"},
        {"kind": "questionnaire", "instruments": ["who-is-human"], "each_game": True},
        {"kind": "debriefing", "text": "We looked for who talks like a person."},
    ],
    "exits": {"completed": {"code_kind": "same", "code": "DONE42"}},
}
OPEN_STUDY = f"""
from django.contrib.auth.models import User
from webapp.study.models import Study
from webapp.study.planning import studies
mary, _new = User.objects.get_or_create(username="mary")
study = studies.create(mary, "Who talks", design={DESIGN!r})
studies.open(study)
for condition in study.conditions.all():
    condition.table["pace"] = "none"
    condition.save()
print(study.key)
"""
READ_STUDY = """
import json
from webapp.study.models import *
study = Study.objects.get(key={key!r})
print(json.dumps({{
    "exits": [p.exit for p in study.participants.all()],
    "states": [s.state for s in study.slots.order_by("index")],
    "deviations": [s.deviations for s in study.slots.order_by("index")],
    "guesses": [[r.participant.pseudonym, r.about_seat, r.choice, r.state]
                for r in Response.objects.filter(participant__study=study, item="kind")],
    "people": [[s.participant.pseudonym, s.seat] for s in Seating.objects.filter(
        slot__study=study, state="seated")],
}}))
"""


def test_three_people_play_and_a_lost_participant_returns(stack: Stack, chromium: Browser) -> None:
    key = stack.shell(OPEN_STUDY).split()[-1]
    people = [_join_study(stack, chromium, key) for _ in range(3)]
    for person in people:
        expect(person.page.locator("button[value=ready]")).to_be_visible(timeout=60_000)
    for person in people:
        person.page.locator("button[value=ready]").click()
    for person in people:
        expect(person.page.locator("#transcript")).to_be_visible(timeout=60_000)
    *remaining, last_person = people
    lost_context = last_person.page.context
    personal_link = _personal_link(stack, key)
    lost_context.close()  # the browser closes, with its session
    _play(remaining)
    for person in remaining:
        person.page.get_by_role("link", name="Continue", exact=True).click()
        _answer_questionnaire(person.page)
        expect(person.page.locator("main")).to_contain_text("who talks like a person")
        person.page.locator("main button.button-main").click()
        expect(person.page.locator("#code")).to_have_value("DONE42")
        assert not person.errors, person.errors
    new_page = chromium.new_context().new_page()
    new_page.goto(stack.url + personal_link)
    new_page.locator("main button.button-main").click()  # "this is me"
    expect(new_page.locator("h1")).to_have_text("Your impressions")
    study = _read_study(stack, key)
    assert sorted(study["exits"]) == ["", "completed", "completed"]
    assert study["deviations"][0].get("stand_ins"), study
    seats = dict(study["people"])
    for pseudonym in seats:
        rated_seats = {
            seat for name, seat, _choice, state in study["guesses"] if name == pseudonym and state
        }
        assert len(rated_seats) in (0, 7)  # all others, or none yet
        assert seats[pseudonym] not in rated_seats


def _join_study(stack: Stack, chromium: Browser, key: str) -> Person:
    """Join by the shared link, up to the waiting room."""
    person = Person(chromium.new_context().new_page())
    person.page.goto(f"{stack.url}/take/{key}/")
    expect(person.page.locator(".consent-text em")).to_have_text("talk")
    person.page.get_by_role("button", name="I agree").click()
    expect(person.page.locator("h1")).to_have_text("Waiting room")
    return person


def _personal_link(stack: Stack, key: str) -> str:
    """Return the personal link of the last participant."""
    code = f"""
from webapp.study.models import Participant
print(Participant.objects.filter(study__key={key!r}).last().key)
"""
    return f"/take/as/{stack.shell(code).split()[-1]}/"


def _play(people: list[Person]) -> None:
    """Answer all questions of the table until everybody sees the end."""

    def is_over() -> bool:
        for person in people:
            person.answer_once()
        return all(_continue_link(person.page).is_visible() for person in people)

    wait_until(is_over, "the game ends with a stand-in", 400, every=0.1)


def _continue_link(page: Page) -> Locator:
    return page.get_by_role("link", name="Continue", exact=True)


def _answer_questionnaire(page: Page) -> None:
    """Answer that every other seat was an agent, and submit."""
    expect(page.locator("h1")).to_contain_text("Your impressions")
    for name in ("A computer player", "5"):
        for radio in page.locator("main").get_by_role("radio", name=name).all():
            radio.check(force=True)
    page.locator("main button.button-main").click()


def _read_study(stack: Stack, key: str) -> Any:
    return json.loads(stack.shell(READ_STUDY.format(key=key)))
