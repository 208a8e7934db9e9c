"""Tests that the next speaker understands a statement in the person's own words."""

from __future__ import annotations

import re
import uuid

from django.conf import settings
from playwright.sync_api import Browser, expect

from tests.agents.hearing import SAID, answers
from tests.browser.table import Person
from tests.live import Stack
from webapp.middleware import browser_cookie_name

# Seed -> acts in rounds one and two. The person has Alpha's seat, and Beta is no written character.
# tests/agents/test_listening.py tests every act.
ACTS_BY_SEED = {
    "browser/1072": ("defend", "accuse"),
    "browser/61": ("deny", "question"),
}
OPEN_TABLE = """
import uuid
from webapp.play.tables.opening import TableOptions, open_table
options = TableOptions(pace="instant", seed={seed!r})
print(open_table(uuid.UUID({visitor!r}), options).code)
"""
CREATE_SESSION = """
import uuid
from django.contrib.sessions.backends.db import SessionStore
from webapp.play.visitors import KEY
session = SessionStore()
session[KEY] = {visitor!r}
session.save()
print(session.session_key)
"""


def test_typed_statement_is_understood_and_answered(stack: Stack, chromium: Browser) -> None:
    visitor = uuid.uuid4().hex
    tables = "".join(OPEN_TABLE.format(visitor=visitor, seed=seed) for seed in ACTS_BY_SEED)
    key, *codes = stack.shell(CREATE_SESSION.format(visitor=visitor) + tables).split()
    name = browser_cookie_name(settings.SESSION_COOKIE_NAME, stack.url)
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        context.add_cookies([{"name": name, "value": key, "url": stack.url}])
        for code, acts in zip(codes, ACTS_BY_SEED.values(), strict=True):
            person = Person(context.new_page())
            person.page.goto(f"{stack.url}/games/{code}/")
            for act in acts:
                check_understood(person, act)
            assert not person.errors
            person.page.close()


def check_understood(person: Person, act: str) -> None:
    """Make a statement that is `act`, and look for a fitting answer in Beta's next one."""
    page = person.page
    example = next(c for c in SAID if c.act == act)
    names = [name.strip() for name in page.locator("#seats .seat-name").all_inner_texts()]
    beta, gamma, delta = names[1:4]
    names_in_wording = {"n": beta.lower(), "o": gamma.lower(), "p": delta.lower()}
    statement = example.wordings[len(act) % 3].format(**names_in_wording)
    send = page.locator("#say-send")
    expect(send.or_(page.locator("#choose-send"))).to_be_visible(timeout=60_000)
    if not send.is_visible():
        person.choose()
    expect(send).to_be_visible(timeout=60_000)
    before = page.locator("#transcript > li").count()
    person.say(statement)
    expect(page.locator("#transcript > li").nth(before + 1)).to_be_visible(timeout=60_000)
    own_line, reply = (
        page.locator("#transcript > li").nth(before + i).inner_text() for i in (0, 1)
    )
    assert statement in own_line
    assert beta in reply
    text = re.sub(r"\s+", " ", reply)
    assert answers(text, example.kinds, {"x": "Alpha"}), f"{statement} -> {text}"
