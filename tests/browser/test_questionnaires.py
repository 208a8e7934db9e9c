"""Questionnaires of a study in real browsers: by keyboard, without scripts, on a phone."""

from __future__ import annotations

import json
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.live import Stack

SEED = """
from tests.study import taking, world
from tests.study.test_questionnaires import OWN
from webapp.play.live import dispatch
with dispatch.diverted(lambda game, opened: None):
    after = {"kind": "questionnaire",
             "instruments": ["who-is-human", "role-guess", "impressions"]}
    own = OWN | {"unit": "seat", "direction": "drawn", "title": "Each of them"}
    last = {"kind": "interview", "instruments": [own, "interview"]}
    study = taking.create_study({"kind": "game"}, {"kind": "background"}, after, last)
    who = taking.add_participant(study, "background")
    taking.add_played_game(who, world.ended_game("1", blind=True), 2)
    print(who.key)
"""
DESK = """
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
STORED = """
import json
from webapp.study.models import Participant
from webapp.study.sessions import responses
who = Participant.objects.get(key="KEY")
print(json.dumps([[r.instrument, r.item, r.about_seat, r.number, r.text, r.choice, r.state]
                  for r in responses.read_rows(who.study)]))
"""


def came(stack: Stack, context: BrowserContext) -> tuple[Page, str]:
    """A page of somebody who stands at the background stage."""
    key = stack.shell(SEED).splitlines()[-1]
    page = context.new_page()
    page.goto(f"{stack.url}/take/as/{key}/")
    page.get_by_role("button", name="Yes, continue here").click()
    return page, key


def stored(stack: Stack, key: str) -> dict[tuple[str, str, int], list[Any]]:
    rows = json.loads(stack.shell(STORED.replace("KEY", key)).splitlines()[-1])
    return {(instrument, item, seat): rest for instrument, item, seat, *rest in rows}


def check(page: Page) -> None:
    """Axe finds nothing.

    Nothing sticks out at the side at a desk and on a phone, as which it stays.
    """
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert not found, [(v["id"], [n["html"] for n in v["nodes"]]) for v in found]
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, (width, wide)


def answer_all(page: Page) -> None:
    """Choose the last of everything there is to choose from."""
    for group in page.locator("fieldset.form-item").all():
        names = group.locator("input").evaluate_all("all => [...new Set(all.map(i => i.name))]")
        for name in names:
            choice = group.locator(f'label:has(input[name="{name}"]:not([value=""]))').last
            if choice.is_visible():
                choice.click()
    for field in page.locator("input[inputmode=numeric]").all():
        field.fill("20")


def test_every_page_is_accessible_and_goes_in(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(viewport={"width": 390, "height": 800}) as context:
        page, key = came(stack, context)
        for _stage in range(3):
            check(page)
            page.locator("main button[value=done]").click()  # nothing is chosen yet
            expect(page.locator("#errors")).to_be_visible()
            check(page)
            page.locator("#errors a").first.click()
            expect(page.locator(":target")).to_be_in_viewport()
            answer_all(page)
            check(page)
            page.locator("main button[value=done]").click()
            expect(page.locator("#errors")).to_have_count(0)
        rows = stored(stack, key)
        assert {state for *_rest, state in rows.values()} == {"given"}
        assert rows["who-is-human", "kind", 1][2] == "computer"
        assert rows["interview", "logic", 0][0] == 5


def test_by_keyboard_and_without_scripts(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(
        viewport={"width": 390, "height": 800}, java_script_enabled=False
    ) as context:
        page, key = came(stack, context)
        page.locator('input[name="background/experience"]').first.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
        expect(page.locator('input[name="who-is-human/kind/1"]')).to_have_count(2)
        rows = stored(stack, key)
        assert rows["background", "experience", 0][2] == "played"


def test_characters_are_counted_while_one_writes(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        page, _key = came(stack, context)
        answer_all(page)
        page.locator("main button[value=done]").click()
        field, line = page.locator("main textarea").first, page.locator("[data-count]")
        expect(line).to_contain_text("Maximum 1000 characters")
        field.fill("ab😀" * 310)
        expect(line).to_contain_text("70 characters left")
        field.fill("ab😀" * 334)
        expect(line).to_contain_text("2 characters too many")
        page.locator("main button[value=done]").click()
        expect(page.locator("#impressions-comment-error")).to_contain_text("Your text has 1002")
        expect(line).to_contain_text("2 characters too many")


def test_a_researcher_writes_a_question(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        code = stack.shell(DESK).splitlines()[-1]
        page = context.new_page()
        address = f"{stack.url}/study/studies/{code}/setup/stages/2/questions"
        page.goto(f"{address}/2")
        page.get_by_label("User name").fill("ada")
        page.get_by_label("Password").fill("a long enough one")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("button", name="Save questions")).to_be_visible()
        check(page)
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
        check(page)
        page.get_by_role("textbox", name="Options").fill("Nothing\nApples")
        page.get_by_role("button", name="Save questions").click()
        expect(page.get_by_text("The questions were saved.")).to_be_visible()
        expect(page.get_by_role("textbox", name="Options")).to_have_value(
            "nothing | Nothing\napples | Apples"
        )


PAGES = """
from tests.study import test_question_logic as logic
print(logic.add_respondent(logic.FIRST).key)
"""


def test_pages_with_conditions_and_a_slider_on_a_phone(stack: Stack, chromium: Browser) -> None:
    with chromium.new_context(viewport={"width": 390, "height": 800}) as context:
        key = stack.shell(PAGES).splitlines()[-1]
        page = context.new_page()
        page.goto(f"{stack.url}/take/as/{key}/")
        page.get_by_role("button", name="Yes, continue here").click()
        go_on = page.locator("main button[value=done]")
        expect(page.locator(".form-info strong", has_text="this")).to_be_visible()
        check(page)
        go_on.click()
        page.locator("label:has-text('Every day')").click()
        page.locator("input[inputmode=numeric]").fill("30")
        go_on.click()
        expect(page.get_by_text("Which? You said: Every day.")).to_be_visible()
        page.locator(".form-item textarea").fill("Chess, and")
        page.get_by_role("button", name="Back").click()
        expect(page.locator("input[inputmode=numeric]")).to_have_value("30")
        go_on.click()
        expect(page.locator(".form-item textarea")).to_have_value("Chess, and")
        go_on.click()
        slider, number = page.locator("input[type=range]"), page.locator("input[data-slider]")
        check(page)
        go_on.click()  # nobody hands in a place that they did not choose
        expect(page.locator("#errors")).to_be_visible()
        expect(number).to_have_value("")
        slider.focus()
        page.keyboard.press("ArrowRight")
        expect(number).to_have_value("51")
        number.fill("61")
        expect(slider).to_have_value("61")
        page.reload()  # what was typed is kept
        expect(number).to_have_value("61")
        expect(slider).to_have_value("61")
        for name in ("Calm?", "Glad?"):
            page.locator(f"fieldset:has-text('{name}') label.step").last.click()
        go_on.click()
        expect(page.locator("#errors")).to_have_count(0)
        rows = stored(stack, key)
        assert rows["first", "warmth", 0][0] == 61
        assert rows["first", "games-played", 0][1] == "Chess, and"
        assert [rows["first", item, 0][0] for item in ("calm", "glad")] == [5, 5]
