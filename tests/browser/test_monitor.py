"""Tests of the monitor in a browser: updates arrive while a researcher types."""

from __future__ import annotations

import json

from playwright.sync_api import Browser, expect

from tests.browser.page_checks import check_accessibility
from tests.live import Stack

SEED = """
import json
from tests.study import studies
from tests.study.desk import sign_in
from webapp.play.live import notifier
with notifier.diverted(lambda game, opened: None):
    study = studies.create_study(stages=[{"kind": "consent"}, {"kind": "background", "minutes": 30},
                                  {"kind": "game"}], table={"people": 2, "pace": "natural"})
    studies.confirm_all(studies.queue(study, 2))
    studies.enrol(study, 3)
print(json.dumps([study.code, sign_in("ada").session.session_key]))
"""
ASK = """
from webapp.study.models import Participant
from webapp.study.sessions import messages
person = Participant.objects.get(study__code="{code}", pseudonym="P004")
messages.request_help(person, "Is it my turn?")
"""


TABS = ("setup", "people", "results", "payments", "ethics", "data", "rehearsal")


def test_typed_text_survives_monitor_updates(stack: Stack, chromium: Browser) -> None:
    code, session = json.loads(stack.shell(SEED).splitlines()[-1])
    port = stack.url.rsplit(":", 1)[1]
    context = chromium.new_context(viewport={"width": 390, "height": 800})
    context.add_cookies([{"name": f"fabula_session_{port}", "value": session, "url": stack.url}])
    page = context.new_page()
    for path in (*(f"studies/{code}/{tab}" for tab in TABS), "games", ""):
        page.goto(f"{stack.url}/study/{path}")
        check_accessibility(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
    page.goto(f"{stack.url}/study/studies/{code}/monitor")
    check_accessibility(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_text("Send a message to everyone").first.click()
    message_field = page.locator("#id_tell_all-text")
    message_field.fill("The game begins again at")
    recipient = page.locator("#to-P005")
    stack.shell(ASK.format(code=code))
    expect(page.locator("#monitor-calls")).to_contain_text("Is it my turn?")
    expect(page).to_have_title("(1) Monitor of A study – Fabula")
    expect(message_field).to_have_value("The game begins again at")
    expect(message_field).to_be_focused()
    expect(recipient).to_be_visible()
    page.locator("[id^=call-]").click()
    expect(page.locator("#monitor-thread")).to_contain_text("Is it my turn?")
    check_accessibility(page)
    page.locator("#id_tell-text").fill("Not yet: wait for the lamp.")
    page.locator("#act-tell button").click()
    expect(page.locator("#monitor-thread")).to_contain_text("wait for the lamp")
