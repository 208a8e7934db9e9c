"""Tests of sharing a study on a phone: the owner adds an analyst, who sees results only."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.page_checks import check_accessibility, check_width
from tests.live import Stack

pytestmark = pytest.mark.browser

CREATE_STUDY = """
import json
from django.contrib.auth.models import User
from tests.study.desk import sign_in
from webapp.study.planning import ready, studies
owners, analysts = (sign_in(name).session.session_key for name in ("olga-owner", "ann-analyst"))
owner = User.objects.get(username="olga-owner")
study = studies.create(owner, "Shared study", design=ready.get("humanized").design)
print(json.dumps([study.code, owners, analysts]))
"""


def test_owner_shares_a_study_and_analyst_leaves_it(stack: Stack, phone: BrowserContext) -> None:
    code, owner_session, analyst_session = json.loads(stack.shell(CREATE_STUDY).splitlines()[-1])
    cookie = f"fabula_session_{stack.url.rsplit(':', 1)[1]}"
    page = phone.new_page()
    phone.add_cookies([{"name": cookie, "value": owner_session, "url": stack.url}])
    page.goto(f"{stack.url}/study/studies/{code}/setup")
    page.locator(".tabs").get_by_role("link", name="Team").click()
    page.get_by_label("Name of the researcher").fill("nobody-here")
    page.get_by_role("button", name="Share").click()
    expect(page.locator("main")).to_contain_text("Unknown name.")
    page.get_by_label("Name of the researcher").fill("ann-analyst")
    page.get_by_label("Role", exact=True).select_option("analyst")
    page.get_by_role("button", name="Share").click()
    expect(page.locator(".notices")).to_contain_text(
        "ann-analyst now has the role analyst in this study."
    )
    expect(page.locator("main")).to_contain_text("olga-owner (owner)")
    check_accessibility(page)
    check_width(page)

    phone.add_cookies([{"name": cookie, "value": analyst_session, "url": stack.url}])
    page.goto(f"{stack.url}/study/")
    expect(page.locator("main")).to_contain_text("Shared by olga-owner. Your role is analyst.")
    page.get_by_role("link", name="Shared study").click()
    tabs = page.locator(".tabs a")
    expect(tabs).to_have_text(["Results", "Data", "Team"])
    page.goto(f"{stack.url}/study/studies/{code}/payments")
    expect(page.locator("h1")).to_have_text("Your role does not allow this")
    check_accessibility(page)
    page.get_by_role("link", name="See who has which role").click()
    check_width(page)
    check_accessibility(page)
    page.get_by_text("Leave the study", exact=True).click()
    page.get_by_role("button", name="Yes, leave the study").click()
    expect(page.locator(".notices")).to_contain_text("You have left “Shared study”.")
