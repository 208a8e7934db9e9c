"""Tests that games enter a campaign only if their people were informed or there were none."""

from __future__ import annotations

import csv
import io
import re

import pytest
from django.http import HttpResponse
from django.test import Client

from game import host_actions
from game.models import Game, Player
from tests.game.table import finish
from tests.study.desk import sign_in
from tests.study.world import add_rater, create_campaign, ended_game, rate_unit, store_situations
from tests.webapp.test_invitations import act, invitation, join, set_table
from webapp.play.models import Table
from webapp.study import data
from webapp.study.games.eligible_games import finished_games, usable_games
from webapp.study.models import Campaign
from webapp.study.rating import campaigns

pytestmark = pytest.mark.django_db
NOTICE = "This table may be used in research"


def forbid_research(game: Game) -> Game:
    """Withdraw the research permission of the game's table."""
    Table.objects.filter(game=game).update(research=False)
    return game


def test_only_permitted_or_agent_only_games_can_enter_a_campaign() -> None:
    agents = forbid_research(ended_game("1"))
    people = ended_game("2", names={2: "Ann"})
    silent = forbid_research(ended_game("3", names={2: "Ann"}))
    campaign = create_campaign()
    campaigns.change(campaign, games=[(agents, "a"), (people, "b")])
    assert {agents, people} <= set(finished_games(usable_games(0)))
    assert silent not in finished_games(usable_games(0))
    with pytest.raises(campaigns.Refused, match="did not allow") as error:
        campaigns.change(campaign, games=[(agents, "a"), (people, "b"), (silent, "c")])
    assert silent.code in str(error.value)
    assert campaign.chosen_games.count() == 2
    Table.objects.filter(game=silent).delete()  # An old game without a table.
    with pytest.raises(campaigns.Refused, match="did not allow"):
        campaigns.change(campaign, games=[(silent, "c")])


def test_chosen_game_stays_and_is_copied_after_permission_ends() -> None:
    silent = ended_game("3", names={2: "Ann"})
    campaign = create_campaign(silent)
    campaigns.draw_units(campaign)
    units = list(campaign.units.values_list("pk", flat=True))
    forbid_research(silent)
    campaigns.change(campaign, games=[(silent, "another name")])
    assert list(campaign.units.values_list("pk", flat=True)) == units
    assert campaigns.draw_units(campaigns.copy(campaign))
    campaigns.open(campaign)
    campaign.refresh_from_db()
    assert campaign.state == Campaign.OPEN


def test_game_picker_omits_games_without_permission() -> None:
    ada = sign_in()
    campaign = create_campaign(ended_game("1"))
    silent = forbid_research(ended_game("2", names={2: "Ann"}))
    people = ended_game("4", names={2: "Ann"})
    address = f"/study/{campaign.code}/games"
    page = ada.get(address).content.decode()
    assert people.code in page
    assert silent.code not in page
    ada.post(address, {"do": "add", "game": [silent.code]})
    ada.post(address, {"do": "add_all"})
    assert {row.game_id for row in campaign.chosen_games.all()} & {silent.pk, people.pk} == {
        people.pk
    }


@pytest.mark.parametrize("agrees", [True, False])
def test_players_are_informed_only_if_host_allows_research(agrees: bool) -> None:
    host = Client()
    game = set_table(host, guests=1, **({"research": "on"} if agrees else {}))
    assert Table.objects.get(game=game).research == agrees
    pages = [Client().get(invitation(game)), host.get(f"/games/{game.code}/")]
    guest = join(game)
    pages.append(guest.get(f"/games/{game.code}/"))
    act(host, game, "start")
    pages += [client.get(f"/games/{game.code}/") for client in (host, guest)]
    assert [NOTICE in page.content.decode() for page in pages] == [agrees] * 5
    finish(game)
    next_code = host.post(f"/games/{game.code}/again")["Location"].strip("/").split("/")[-1]
    assert Table.objects.get(game__code=next_code).research == agrees
    assert (game in finished_games(usable_games(0))) == agrees


@pytest.mark.parametrize("when", ["gathering", "running", "over"])
def test_host_can_turn_research_off_at_any_time(when: str) -> None:
    host = Client()
    game = set_table(host, guests=1, research="on")
    guest = join(game)
    if when != "gathering":
        act(host, game, "start")
    if when == "over":
        finish(game)
        assert game in finished_games(usable_games(0))
    assert 'value="research_off"' in host.get(f"/games/{game.code}/").content.decode()
    assert 'value="research_off"' not in guest.get(f"/games/{game.code}/").content.decode()
    assert act(guest, game, "research_off") == 403
    assert act(host, game, "research_off") == 200
    assert act(host, game, "research_off") == 409, "research is already off"
    for client in (host, guest):
        page = client.get(f"/games/{game.code}/").content.decode()
        assert NOTICE not in page
        assert 'value="research_on"' not in page, "guests joined under other terms"
    if when == "gathering":
        act(host, game, "start")
    if when != "over":
        finish(game)
    assert game not in finished_games(usable_games(0))
    assert act(host, game, "research_on") == 409
    next_code = host.post(f"/games/{game.code}/again")["Location"].strip("/").split("/")[-1]
    assert not Table.objects.get(game__code=next_code).research


def test_research_can_be_turned_on_only_before_guests_join() -> None:
    host = Client()
    game = set_table(host, guests=1)
    assert 'value="research_on"' in host.get(f"/games/{game.code}/").content.decode()
    assert act(host, game, "research_on") == 200
    assert NOTICE in Client().get(invitation(game)).content.decode()
    assert act(host, game, "research_on") == 409, "research is already on"
    act(host, game, "research_off")
    guest = join(game)
    assert act(host, game, "research_on") == 409
    act(guest, game, "leave")
    assert act(host, game, "research_on") == 200
    act(host, game, "research_off")
    act(host, game, "start")
    assert act(host, game, "research_on") == 409
    assert not Table.objects.get(game=game).research


def test_join_by_a_page_without_research_notice_is_rejected() -> None:
    """The invitation was opened before the host allowed research."""
    host, guest = Client(), Client()
    game = set_table(host, guests=1)
    form = {"name": "Zoë", **notice_field(guest.get(invitation(game)))}
    act(host, game, "research_on")
    response = guest.post(invitation(game), form)
    assert response.status_code == 409
    page = response.content.decode()
    assert NOTICE in page
    assert 'value="Zoë"' in page
    assert "has changed" in page
    assert game.players.filter(kind=Player.PERSON).count() == 1
    assert (
        guest.post(invitation(game), {"name": "Zoë", **notice_field(response)}).status_code == 302
    )


def notice_field(page: HttpResponse) -> dict[str, str]:
    """Return the form field that states whether the notice was shown."""
    match = re.search(r'name="told"\s+value="(\w*)"', page.content.decode())
    return {"told": match[1]} if match else {}


def test_play_now_grants_no_research_permission() -> None:
    client = Client()
    client.post("/play", {"backend": "house"})
    assert not Table.objects.get().research


KINDS = ("speaker_kind", "model_id", "method", "labels")


def exported_kinds(campaign: Campaign, name: str, game: Game) -> list[tuple[str, ...]]:
    rows = csv.DictReader(io.StringIO(data.build_file(campaign, name).decode()))
    return [tuple(row[k] for k in KINDS) for row in rows if row["game_id"] == game.code]


def test_export_hides_kinds_of_a_blind_table_until_reveal() -> None:
    blind = ended_game("5", names={2: "Beta", 5: "Epsilon"}, blind=True, label="timeout")
    open_ = ended_game("6", names={2: "Ann"})
    campaign = create_campaign(blind, open_, choice={"pick": "all", "speakers": "all"})
    campaigns.draw_units(campaign)
    rater = add_rater(campaign)
    for unit in campaign.units.all():
        rate_unit(rater, unit, 3)
    files = ("items.csv", "transcripts.csv", "ratings_long.csv", "ratings_wide.csv")
    for name in files:
        assert set(exported_kinds(campaign, name, blind)) == {("", "", "", "")}
        assert {row[0] for row in exported_kinds(campaign, name, open_)} == {"person", "agent"}
    assert b'"timeout"' not in data.build_file(campaign, "transcripts.jsonl")
    host_actions.reveal(blind.pk)
    for name in files:
        assert {row[0] for row in exported_kinds(campaign, name, blind)} == {"person", "agent"}
        assert {row[3] for row in exported_kinds(campaign, name, blind)} == {"timeout"}


def test_speaker_choice_needs_a_revealed_blind_table() -> None:
    blind = ended_game("5", names={2: "Beta", 5: "Epsilon"}, blind=True)
    campaign = create_campaign(blind)
    with pytest.raises(campaigns.Refused, match="not been revealed"):
        campaigns.open(campaign)
    host_actions.reveal(blind.pk)
    blind.refresh_from_db()
    store_situations(blind)
    campaigns.open(campaign)
    assert not campaign.units.filter(seat__in=(2, 5)).exists()
    alone = ended_game("7", blind=True)
    assert not alone.players.filter(kind=Player.PERSON).exists()
    campaigns.open(create_campaign(alone))
