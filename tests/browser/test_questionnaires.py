"""Tests of a study's questionnaires in browsers: by keyboard, without scripts, on a phone."""

from __future__ import annotations

import json
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.live import Stack

# Code for `stack.shell`, which runs it in a process that has the stack's database.
CREATE_PARTICIPANT = """
from tests.study import taking, world
from tests.study.questionnaire_pages import OWN
from webapp.play.live import notifier
with notifier.diverted(lambda game, opened: None):
    after = {"kind": "questionnaire",
             "instruments": ["who-is-human", "role-guess", "impressions"]}
    own = OWN | {"unit": "seat", "direction": "drawn", "title": "Each of them"}
    last = {"kind": "interview", "instruments": [own, "interview"]}
    study = taking.create_study({"kind": "game"}, {"kind": "background"}, after, last)
    who = taking.add_participant(study, "background")
    taking.add_played_game(who, world.ended_game("1", blind=True), 2)
    print(who.key)
"""
CREATE_DRAFT = """
from django.contrib.auth.models import User
from tests.study import taking
study = taking.create_study({"kind": "interview", "instruments": ["who-is-human", "background"]})
study.state = "draft"
study.save()
ada = User.objects.get(username="ada")  # other tests of this stack may have made her
ada.set_password("a long enough one")
ada.save()
print(study.code)
"""
CREATE_PAGED_PARTICIPANT = """
from tests.study.questionnaire_pages import PAGED, add_respondent
print(add_respondent(PAGED).key)
"""
READ_RESPONSES = """
import json
from webapp.study.models import Participant
from webapp.study.sessions import responses
who = Participant.objects.get(key="KEY")
print(json.dumps([[r.instrument, r.item, r.about_seat, r.number, r.text, r.choice, r.state]
                  for r in responses.read_rows(who.study)]))
"""


def open_questionnaire(stack: Stack, context: BrowserContext) -> tuple[Page, str]:
    """Return the page and key of a participant at the background stage."""
    key = stack.shell(CREATE_PARTICIPANT).splitlines()[-1]
    page = context.new_page()
    page.goto(f"{stack.url}/take/as/{key}/")
    page.get_by_role("button", name="Yes, continue here").click()
    return page, key


def read_responses(stack: Stack, key: str) -> dict[tuple[str, str, int], list[Any]]:
    rows = json.loads(stack.shell(READ_RESPONSES.replace("KEY", key)).splitlines()[-1])
    return {(instrument, item, seat): values for instrument, item, seat, *values in rows}


def check_page(page: Page) -> None:
    """Check the page with axe, and its width on a desktop and on a phone.

    Afterwards the viewport has the size of the phone.
    """
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert not violations, [(v["id"], [n["html"] for n in v["nodes"]]) for v in violations]
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, (width, overflow)


def answer_all_questions(page: Page) -> None:
    """Choose the last option of every question."""
    for group in page.locator("fieldset.form-item").all():
        names = group.locator("input").evaluate_all("all => [...new Set(all.map(i => i.name))]")
        for name in names:
            option = group.locator(f'label:has(input[name="{name}"]:not([value=""]))').last
            if option.is_visible():
                option.click()
    for field in page.locator("input[inputmode=numeric]").all():
        field.fill("20")


def test_every_page_is_accessible_and_stores_answers(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(viewport={"width": 390, "height": 800}) as context:
        page, key = open_questionnaire(stack, context)
        for _stage in range(3):
            check_page(page)
            page.locator("main button[value=done]").click()  # without answers
            expect(page.locator("#errors")).to_be_visible()
            check_page(page)
            page.locator("#errors a").first.click()
            expect(page.locator(":target")).to_be_in_viewport()
            answer_all_questions(page)
            check_page(page)
            page.locator("main button[value=done]").click()
            expect(page.locator("#errors")).to_have_count(0)
        rows = read_responses(stack, key)
        assert {state for *_rest, state in rows.values()} == {"given"}
        assert rows["who-is-human", "kind", 1][2] == "computer"
        assert rows["interview", "logic", 0][0] == 5


def test_questionnaire_works_by_keyboard_without_scripts(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(
        viewport={"width": 390, "height": 800}, java_script_enabled=False
    ) as context:
        page, key = open_questionnaire(stack, context)
        page.locator('input[name="background/experience"]').first.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
        expect(page.locator('input[name="who-is-human/kind/1"]')).to_have_count(2)
        rows = read_responses(stack, key)
        assert rows["background", "experience", 0][2] == "played"


def test_characters_are_counted_while_typing(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        page, _key = open_questionnaire(stack, context)
        answer_all_questions(page)
        page.locator("main button[value=done]").click()
        field, counter = page.locator("main textarea").first, page.locator("[data-count]")
        expect(counter).to_contain_text("Maximum 1000 characters")
        field.fill("ab😀" * 310)
        expect(counter).to_contain_text("70 characters left")
        field.fill("ab😀" * 334)
        expect(counter).to_contain_text("2 characters too many")
        page.locator("main button[value=done]").click()
        expect(page.locator("#impressions-comment-error")).to_contain_text("Your text has 1002")
        expect(counter).to_contain_text("2 characters too many")


def test_researcher_writes_a_question(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        code = stack.shell(CREATE_DRAFT).splitlines()[-1]
        page = context.new_page()
        address = f"{stack.url}/study/studies/{code}/setup/stages/2/questions"
        page.goto(f"{address}/2")
        page.get_by_label("User name").fill("ada")
        page.get_by_label("Password").fill("a long enough one")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("button", name="Save questions")).to_be_visible()
        check_page(page)
        page.goto(f"{address}/3")
        page.get_by_label("Title").fill("Odds and ends")
        page.get_by_role("textbox", name="Name").fill("Snack")
        page.get_by_role("textbox", name="Question").fill("What did you eat?")
        expect(page.get_by_label("Maximum length (characters)")).to_be_hidden()
        page.get_by_label("Type of answer").select_option("one")
        expect(page.get_by_label("Lowest value")).to_be_hidden()
        page.get_by_role("textbox", name="Options").fill("Nothing")
        page.get_by_role("button", name="Save questions").click()
        expect(page.get_by_text("Enter at least two options")).to_be_visible()
        check_page(page)
        page.get_by_role("textbox", name="Options").fill("Nothing\nApples")
        page.get_by_role("button", name="Save questions").click()
        expect(page.get_by_text("The questions were saved.")).to_be_visible()
        expect(page.get_by_role("textbox", name="Options")).to_have_value(
            "nothing | Nothing\napples | Apples"
        )


def test_conditional_pages_and_slider_work_on_a_phone(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(viewport={"width": 390, "height": 800}) as context:
        key = stack.shell(CREATE_PAGED_PARTICIPANT).splitlines()[-1]
        page = context.new_page()
        page.goto(f"{stack.url}/take/as/{key}/")
        page.get_by_role("button", name="Yes, continue here").click()
        submit = page.locator("main button[value=done]")
        expect(page.locator(".form-info strong", has_text="this")).to_be_visible()
        check_page(page)
        submit.click()
        page.locator("label:has-text('Every day')").click()
        page.locator("input[inputmode=numeric]").fill("30")
        submit.click()
        expect(page.get_by_text("Which? You said: Every day.")).to_be_visible()
        page.locator(".form-item textarea").fill("Chess, and")
        page.get_by_role("button", name="Back").click()
        expect(page.locator("input[inputmode=numeric]")).to_have_value("30")
        submit.click()
        expect(page.locator(".form-item textarea")).to_have_value("Chess, and")
        submit.click()
        slider, number = page.locator("input[type=range]"), page.locator("input[data-slider]")
        check_page(page)
        submit.click()  # an untouched slider is no answer
        expect(page.locator("#errors")).to_be_visible()
        expect(number).to_have_value("")
        slider.focus()
        page.keyboard.press("ArrowRight")
        expect(number).to_have_value("51")
        number.fill("61")
        expect(slider).to_have_value("61")
        page.reload()  # the typed value is kept
        expect(number).to_have_value("61")
        expect(slider).to_have_value("61")
        expect(page.locator("#saved")).not_to_be_empty()  # sent again, on the new revision
        for name in ("Calm?", "Glad?"):
            page.locator(f"fieldset:has-text('{name}') label.step").last.click()
        submit.click()
        expect(slider).to_have_count(0)  # the next page, so the answers are stored
        rows = read_responses(stack, key)
        assert rows["first", "warmth", 0][0] == 61
        assert rows["first", "games-played", 0][1] == "Chess, and"
        assert [rows["first", item, 0][0] for item in ("calm", "glad")] == [5, 5]
