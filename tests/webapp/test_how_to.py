"""Tests of the deck sheet and the how-to pages, which are built from the ruleset."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.test import Client

from game.engine import rulesets
from game.engine.declarations import Role
from game.engine.rulesets.one_night import OneNight
from tests.webapp.tables import host_table

pytestmark = pytest.mark.django_db


class GuardedRuleset(OneNight):
    """A ruleset with a deck of nine and a role of its own."""

    name = "guarded"
    deck = (*OneNight.deck, "guard")
    roles = (*OneNight.roles, Role("guard", "Guard", "village", "Guards somebody every night."))


@pytest.fixture
def guarded_ruleset(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(rulesets, "_RULESETS", {**rulesets._RULESETS, "guarded": GuardedRuleset()})
    return "guarded"


def test_how_to_page_shows_every_card_and_team(client: Client, guarded_ruleset: str) -> None:
    page = client.get(f"/how-to-play/{guarded_ruleset}/").content.decode()
    cards = re.search(r"how-cards.*?</svg>\s*<h2>", page, re.S)
    assert cards
    assert cards[0].count('class="how-card"') == 9
    assert cards[0].count("#role-guard") == 1
    assert cards[0].count("#role-mason") == 2
    assert "9 players get one card each." in page
    for team in GuardedRuleset.teams:
        assert team.wins in page
    assert client.get("/how-to-play/nothing/").status_code == 404
    front = client.get("/").content.decode()
    assert 'href="/how-to-play/"' in front
    assert client.get("/how-to-play/").headers["Location"] == "/how-to-play/one-night/"
    assert "Werewolf" in front[front.index("ruleset-roles") :], "the roles of the ruleset"


def test_table_page_shows_the_deck_and_the_players_role(client: Client) -> None:
    game = host_table(client, guests="0")
    page = client.get(f"/games/{game.code}/").content.decode()
    deck = page.split('id="deck-sheet"')[1].split("</details>")[0]
    ruleset = rulesets.get("one-night")
    assert deck.count("icon-role") == len(ruleset.deck) + len(ruleset.roles)
    for team in ruleset.teams:
        assert team.wins in deck
    assert deck.count('class="is-mine"') == 1
    role_text = re.search(r'class="me-does">([^<]+)<', page)
    assert role_text
    assert role_text[1] in {role.does for role in ruleset.roles}
    assert 'id="rules"' in page
    watcher = Client()
    watched_game = host_table(watcher, mode="watch", guests="0")
    assert 'id="deck-sheet"' in watcher.get(f"/games/{watched_game.code}/").content.decode()


def icon_names(page: str) -> set[str]:
    """Return the sprite icons that a page shows."""
    return set(re.findall(r"icons/sprite\.svg#([\w-]+)", page))


def test_role_without_a_picture_gets_the_general_icon(
    client: Client, guarded_ruleset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sprite = Path(str(finders.find("icons/sprite.svg"))).read_text()
    sprite_ids = set(re.findall(r'id="([\w-]+)"', sprite))
    weaver = Role("weaver", "Weaver", "village", "Weaves.")
    monkeypatch.setattr(GuardedRuleset, "deck", (*GuardedRuleset.deck, "weaver"))
    monkeypatch.setattr(GuardedRuleset, "roles", (*GuardedRuleset.roles, weaver))
    assert "role-weaver" not in sprite_ids
    for address in (f"/how-to-play/{guarded_ruleset}/", f"/rules/{guarded_ruleset}/", "/"):
        names = icon_names(client.get(address).content.decode())
        assert {"role", "role-guard"} <= names, address
        assert names <= sprite_ids, address
    assert icon_names(render_to_string("play/role_icon.html", {"role_key": "weaver"})) == {"role"}
