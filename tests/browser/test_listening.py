"""A person types in words of their own, and the next to speak shows that it understood."""

from __future__ import annotations

import re
import uuid

from django.conf import settings
from playwright.sync_api import Browser, expect

from tests.agents.hearing import SAID, answers
from tests.browser.table import Person
from tests.live import Stack
from webapp.middleware import browser_name

# Seeds that put the person in Alpha's seat and a computer player that is no written character in
# Beta's; what is said in round one and in round two. tests/agents/test_listening.py has every act.
TOLD = {
    "browser/1072": ("claim", "accuse"),
    "browser/61": ("deny", "question"),
}
OPEN = """
import uuid
from webapp.play.tables.opening import TableOptions, open_table
options = TableOptions(pace="instant", seed={seed!r})
print(open_table(uuid.UUID({visitor!r}), options).code)
"""
COOKIE = """
import uuid
from django.contrib.sessions.backends.db import SessionStore
from webapp.play.visitors import KEY
session = SessionStore()
session[KEY] = {visitor!r}
session.save()
print(session.session_key)
"""


def test_what_is_typed_is_understood_and_answered(stack: Stack, chromium: Browser) -> None:
    visitor = uuid.uuid4().hex
    tables = "".join(OPEN.format(visitor=visitor, seed=seed) for seed in TOLD)
    key, *codes = stack.shell(COOKIE.format(visitor=visitor) + tables).split()
    name = browser_name(settings.SESSION_COOKIE_NAME, stack.url)
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        context.add_cookies([{"name": name, "value": key, "url": stack.url}])
        for code, acts in zip(codes, TOLD.values(), strict=True):
            person = Person(context.new_page())
            person.page.goto(f"{stack.url}/games/{code}/")
            for act in acts:
                hear(person, act)
            assert not person.errors
            person.page.close()


def hear(person: Person, act: str) -> None:
    """Say something that is `act`, and look for a fitting answer in Beta's next words."""
    page = person.page
    case = next(c for c in SAID if c.act == act)
    names = [name.strip() for name in page.locator("#seats .seat-name").all_inner_texts()]
    beta, gamma, delta = names[1:4]
    said = {"n": beta.lower(), "o": gamma.lower(), "p": delta.lower()}
    words = case.wordings[len(act) % 3].format(**said)
    send = page.locator("#say-send")
    expect(send.or_(page.locator("#choose-send"))).to_be_visible(timeout=60_000)
    if not send.is_visible():
        person.choose()
    expect(send).to_be_visible(timeout=60_000)
    before = page.locator("#transcript > li").count()
    person.say(words)
    expect(page.locator("#transcript > li").nth(before + 1)).to_be_visible(timeout=60_000)
    mine, reply = (page.locator("#transcript > li").nth(before + i).inner_text() for i in (0, 1))
    assert words in mine
    assert beta in reply
    text = re.sub(r"\s+", " ", reply)
    assert answers(text, case.kinds, {"x": "Alpha"}), f"{words} -> {text}"
