"""The deck at the table and the round in pictures are made from the ruleset."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.test import Client

from game.engine import rulesets
from game.engine.roles import Role
from game.engine.rulesets.one_night import OneNight
from tests.webapp.test_invitations import set_table

pytestmark = pytest.mark.django_db


class Guarded(OneNight):
    """Other rules: a deck of nine with a role of its own."""

    name = "guarded"
    deck = (*OneNight.deck, "guard")
    roles = (*OneNight.roles, Role("guard", "Guard", "village", "Guards somebody every night."))


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(rulesets, "_RULESETS", {**rulesets._RULESETS, "guarded": Guarded()})
    return "guarded"


def test_how_to_page_shows_every_card_and_team(client: Client, guarded: str) -> None:
    page = client.get(f"/how-to-play/{guarded}/").content.decode()
    cards = re.search(r"how-cards.*?</svg>\s*<h2>", page, re.S)
    assert cards
    assert cards[0].count('class="how-card"') == 9
    assert cards[0].count("#role-guard") == 1
    assert cards[0].count("#role-mason") == 2
    assert "9 players get one card each." in page
    for team in Guarded.teams:
        assert team.wins in page
    assert client.get("/how-to-play/nothing/").status_code == 404
    front = client.get("/").content.decode()
    assert 'href="/how-to-play/"' in front
    assert client.get("/how-to-play/").headers["Location"] == "/how-to-play/one-night/"
    assert "Werewolf" in front[front.index("ruleset-roles") :], "whose cards are dealt"


def test_table_page_shows_the_deck_and_the_own_role(client: Client) -> None:
    game = set_table(client, guests="0")
    page = client.get(f"/games/{game.code}/").content.decode()
    deck = page.split('id="deck-sheet"')[1].split("</details>")[0]
    ruleset = rulesets.get("one-night")
    assert deck.count("icon-role") == len(ruleset.deck) + len(ruleset.roles)
    for team in ruleset.teams:
        assert team.wins in deck
    assert deck.count('class="is-mine"') == 1
    does = re.search(r'class="me-does">([^<]+)<', page)
    assert does
    assert does[1] in {role.does for role in ruleset.roles}
    assert 'id="rules"' in page
    watched = set_table(other := Client(), mode="watch", guests="0")
    assert 'id="deck-sheet"' in other.get(f"/games/{watched.code}/").content.decode()


def icons(page: str) -> set[str]:
    """The icons of the sprite that a page shows."""
    return set(re.findall(r"icons/sprite\.svg#([\w-]+)", page))


def test_role_without_a_picture_gets_the_general_icon(
    client: Client, guarded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sprite = Path(str(finders.find("icons/sprite.svg"))).read_text()
    drawn = set(re.findall(r'id="([\w-]+)"', sprite))
    weaver = Role("weaver", "Weaver", "village", "Weaves.")
    monkeypatch.setattr(Guarded, "deck", (*Guarded.deck, "weaver"))
    monkeypatch.setattr(Guarded, "roles", (*Guarded.roles, weaver))
    assert "role-weaver" not in drawn
    for address in (f"/how-to-play/{guarded}/", f"/rules/{guarded}/", "/"):
        shown = icons(client.get(address).content.decode())
        assert {"role", "role-guard"} <= shown, address
        assert shown <= drawn, address
    assert icons(render_to_string("play/role_icon.html", {"role_key": "weaver"})) == {"role"}
