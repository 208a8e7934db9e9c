"""People at tables of built-in players: a seat with a chosen role, or an invited guest."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from playwright.sync_api import BrowserContext, Page, expect

from game.engine import rulesets
from game.engine.seeded_random import SeededRandom
from tests.browser.page_checks import check_accessibility
from tests.browser.table import Person
from tests.live import Stack
from webapp.middleware import browser_cookie_name

LIMIT_S = 30  # The time for a statement, too short for a warning of the last seconds.
NIGHT_S = 20  # With several people every night takes its full time.


RULESET = rulesets.get("sheriff")
OPEN_TABLE = """
import uuid
from django.contrib.sessions.backends.db import SessionStore
from webapp.play.tables.opening import TableOptions, open_table
from webapp.play.visitors import VISITOR_KEY
session = SessionStore()
session[VISITOR_KEY] = {visitor!r}
session.save()
game = open_table(uuid.UUID({visitor!r}), TableOptions(
    ruleset={ruleset!r}, pace={pace!r}, seed={seed!r}, settings={rules!r}))
print(session.session_key, game.code)
"""


def seed_for(role: str, deck: Sequence[str]) -> str:
    """Return a seed that deals `role` to the person's seat."""
    for number in range(200):
        random_source = SeededRandom(seed := f"browser/{number}")
        seat = random_source.shuffled("who sits where", range(len(deck)))[0]
        if random_source.shuffled("deal", deck)[seat] == role:
            return seed
    raise AssertionError(role)


def sit_as(
    stack: Stack,
    context: BrowserContext,
    role: str,
    rules: dict[str, Any],
    ruleset: str = RULESET.name,
    pace: str = "instant",
) -> Person:
    """Return a person with that role at a table of built-in players."""
    seed = seed_for(role, rulesets.get(ruleset).deck)
    visitor = uuid.uuid4().hex
    code_to_run = OPEN_TABLE.format(
        visitor=visitor, seed=seed, rules=rules, ruleset=ruleset, pace=pace
    )
    key, code = stack.shell(code_to_run).split()
    name = browser_cookie_name(settings.SESSION_COOKIE_NAME, stack.url)
    context.add_cookies([{"name": name, "value": key, "url": stack.url}])
    person = Person(context.new_page())
    person.page.goto(f"{stack.url}/games/{code}/")
    expect(person.page.locator("#sound")).to_be_visible()  # the scripts have started
    return person


def open_choice(page: Page) -> str:
    """Return the kind of choice that the page asks for, "" for none."""
    form = page.locator("#choice:not(.choice-guess):not(:has(.choice-in))")
    match = re.search(r"choice-(\w+)$", form.get_attribute("class") or "") if form.count() else None
    return match[1] if match else ""


def open_table_for_guest(page: Page, url: str) -> str:
    """Open a table for the host and one guest by the form. Return the invitation."""
    page.goto(f"{url}/tables/new")
    page.locator("input[name=guests]").fill("1")
    page.locator("input[name=pace][value=instant]").check(force=True)
    page.locator("#advanced > summary").click()
    page.locator("input[name=statement_seconds]").fill(str(LIMIT_S))
    page.locator("input[name=night_seconds]").fill(str(NIGHT_S))
    page.locator("button:has-text('Open the table')").click()
    invitation = page.locator("#invitation")
    expect(invitation).to_be_visible()
    check_accessibility(page)
    return invitation.input_value()


def sit_down(page: Page, invitation: str, name: str) -> None:
    page.goto(invitation)
    check_accessibility(page)
    page.locator("#name").fill(name)
    page.locator("button:has-text('Sit down')").click()
    expect(page.locator("#lobby")).to_contain_text(name)
    check_accessibility(page)
