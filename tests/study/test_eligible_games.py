"""Tests that games enter a campaign only if their people were informed or there were none."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks

from game import game_actions
from game.models import Game, Player
from tests.game.table import finish
from tests.study import world
from tests.study.desk import sign_in
from tests.study.forms import campaign_form_data, post_setup
from tests.study.pages import page_url
from tests.study.world import add_rater, create_campaign, ended_game, rate_unit, store_situations
from tests.webapp.tables import host_table, invitation_path, join_table, post_act
from webapp.play import readings
from webapp.play.models import Table
from webapp.study import tasks
from webapp.study.data import campaign_export as data
from webapp.study.design.refusals import Refused
from webapp.study.games import situations
from webapp.study.games.eligible_games import finished_games, usable_games
from webapp.study.models import Campaign, CampaignGame
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
    with pytest.raises(Refused, match="did not allow") as error:
        campaigns.change(campaign, games=[(agents, "a"), (people, "b"), (silent, "c")])
    assert silent.code in str(error.value)
    assert campaign.chosen_games.count() == 2
    Table.objects.filter(game=silent).delete()  # An old game without a table.
    with pytest.raises(Refused, match="did not allow"):
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
    game = host_table(host, guests=1, **({"research": "on"} if agrees else {}))
    assert Table.objects.get(game=game).research == agrees
    pages = [Client().get(invitation_path(game)), host.get(f"/games/{game.code}/")]
    guest = join_table(game)
    pages.append(guest.get(f"/games/{game.code}/"))
    post_act(host, game, "start")
    pages += [client.get(f"/games/{game.code}/") for client in (host, guest)]
    assert [NOTICE in page.content.decode() for page in pages] == [agrees] * 5
    finish(game)
    next_code = host.post(f"/games/{game.code}/again")["Location"].strip("/").split("/")[-1]
    assert Table.objects.get(game__code=next_code).research == agrees
    assert (game in finished_games(usable_games(0))) == agrees


@pytest.mark.parametrize("when", ["gathering", "running", "over"])
def test_host_can_turn_research_off_at_any_time(when: str) -> None:
    host = Client()
    game = host_table(host, guests=1, research="on")
    guest = join_table(game)
    if when != "gathering":
        post_act(host, game, "start")
    if when == "over":
        finish(game)
        assert game in finished_games(usable_games(0))
    assert 'value="research_off"' in host.get(f"/games/{game.code}/").content.decode()
    assert 'value="research_off"' not in guest.get(f"/games/{game.code}/").content.decode()
    assert post_act(guest, game, "research_off") == 403
    assert post_act(host, game, "research_off") == 200
    assert post_act(host, game, "research_off") == 409, "research is already off"
    for client in (host, guest):
        page = client.get(f"/games/{game.code}/").content.decode()
        assert NOTICE not in page
        assert 'value="research_on"' not in page, "guests joined under other terms"
    if when == "gathering":
        post_act(host, game, "start")
    if when != "over":
        finish(game)
    assert game not in finished_games(usable_games(0))
    assert post_act(host, game, "research_on") == 409
    next_code = host.post(f"/games/{game.code}/again")["Location"].strip("/").split("/")[-1]
    assert not Table.objects.get(game__code=next_code).research


def test_research_can_be_turned_on_only_before_guests_join() -> None:
    host = Client()
    game = host_table(host, guests=1)
    assert 'value="research_on"' in host.get(f"/games/{game.code}/").content.decode()
    assert post_act(host, game, "research_on") == 200
    assert NOTICE in Client().get(invitation_path(game)).content.decode()
    assert post_act(host, game, "research_on") == 409, "research is already on"
    post_act(host, game, "research_off")
    guest = join_table(game)
    assert post_act(host, game, "research_on") == 409
    post_act(guest, game, "leave")
    assert post_act(host, game, "research_on") == 200
    post_act(host, game, "research_off")
    post_act(host, game, "start")
    assert post_act(host, game, "research_on") == 409
    assert not Table.objects.get(game=game).research


def test_join_by_a_page_without_research_notice_is_rejected() -> None:
    """The invitation was opened before the host allowed research."""
    host, guest = Client(), Client()
    game = host_table(host, guests=1)
    form = {"name": "Zoë", **notice_field(guest.get(invitation_path(game)))}
    post_act(host, game, "research_on")
    response = guest.post(invitation_path(game), form)
    assert response.status_code == 409
    page = response.content.decode()
    assert NOTICE in page
    assert 'value="Zoë"' in page
    assert "has changed" in page
    assert game.players.filter(kind=Player.PERSON).count() == 1
    assert (
        guest.post(invitation_path(game), {"name": "Zoë", **notice_field(response)}).status_code
        == 302
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
    game_actions.reveal(blind.pk)
    for name in files:
        assert {row[0] for row in exported_kinds(campaign, name, blind)} == {"person", "agent"}
        assert {row[3] for row in exported_kinds(campaign, name, blind)} == {"timeout"}


def test_speaker_choice_needs_a_revealed_blind_table() -> None:
    blind = ended_game("5", names={2: "Beta", 5: "Epsilon"}, blind=True)
    campaign = create_campaign(blind)
    with pytest.raises(Refused, match="not been revealed"):
        campaigns.open(campaign)
    game_actions.reveal(blind.pk)
    blind.refresh_from_db()
    store_situations(blind)
    campaigns.open(campaign)
    assert not campaign.units.filter(seat__in=(2, 5)).exists()
    alone = ended_game("7", blind=True)
    assert not alone.players.filter(kind=Player.PERSON).exists()
    campaigns.open(create_campaign(alone))


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect the games queued for analysis. A page that analyses one itself fails."""
    games: list[int] = []

    def queue(_task: str, game: int) -> bool:
        games.append(game)
        return True

    monkeypatch.setattr(readings, "send", queue)

    def never(game: Game) -> None:
        raise AssertionError("a page read a game for its meaning")

    monkeypatch.setattr(situations, "find_situations", never)
    return games


def test_games_are_analysed_by_a_worker_before_they_count(
    queued: list[int],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ada: Client,
    campaign: Campaign,
) -> None:
    game = world.ended_game()
    with django_capture_on_commit_callbacks(execute=True):
        campaigns.change(campaign, games={game: ""})
    page = ada.get(page_url("setup", campaign)).content.decode()
    plan_section = re.search(r'<section id="plan"[^>]*>', page)
    assert plan_section
    assert 'hx-trigger="load delay:1s"' in plan_section[0]
    assert "1 game is still being analysed" in page
    rejected = post_setup(ada, campaign, do="open")
    assert "1 game is still being analysed" in rejected.content.decode()
    assert ada.post(page_url("draw", campaign), follow=True).status_code == 200
    assert queued == [game.pk]  # The first request queues it.
    monkeypatch.undo()
    tasks.situations(game.pk)
    page = ada.post(page_url("plan", campaign), campaign_form_data(campaign)).content.decode()
    assert "load delay" not in page
    assert "still being analysed" not in page
    game.version += 1  # For example, a text was removed.
    game.save()
    assert (
        "still being analysed"
        in ada.post(page_url("plan", campaign), campaign_form_data(campaign)).content.decode()
    )


def test_games_are_filtered_added_renamed_and_removed(ada: Client, campaign: Campaign) -> None:
    house_game = world.ended_game("1")
    full_game = world.ended_game("2", recipe={"backend": "house", "method": "full"})
    people_game = world.ended_game("3", names={2: "Bo"})
    running = Game.objects.create(
        ruleset="one-night",
        seed="x",
        created_at=house_game.created_at,
        phase_at=house_game.phase_at,
    )
    page = ada.get(page_url("games", campaign)).content.decode()
    assert all(game.code in page for game in (house_game, full_game, people_game))
    assert running.code not in page
    assert "7 house baseline, 1 people" in page
    for query, expected in [
        ("seats=people", [people_game]),
        ("seats=agents", [house_game, full_game]),
        ("made=full", [full_game]),
        ("made=house+baseline", [house_game, people_game]),
        ("ruleset=one-night&since=2001-01-01", [house_game, full_game, people_game]),
        ("since=2999-01-01", []),
        ("chosen=yes", []),
        ("ruleset=nonsense&page=99", [house_game, full_game, people_game]),
    ]:
        page = ada.get(f"{page_url('games', campaign)}?{query}").content.decode()
        assert {g for g in (house_game, full_game, people_game) if g.code in page} == set(
            expected
        ), query

    def post(**fields: Any) -> str:
        return ada.post(page_url("games", campaign), fields, follow=True).content.decode()

    def chosen() -> dict[Game, str]:
        return {row.game: row.condition for row in CampaignGame.objects.select_related("game")}

    assert "1 game added." in post(do="add", game=[full_game.code])
    assert chosen() == {full_game: "house full"}
    post(do="add_all", query="seats=agents", condition="  no   plan ")
    post(do="add_all", query="")
    expected_conditions = {
        full_game: "house full",
        house_game: "no plan",
        people_game: "house baseline + people",
    }
    assert chosen() == expected_conditions
    assert "is not chosen yet" in post(do="add", game=[running.code, full_game.code])
    assert "10000 characters" in post(do="rename", old="no plan", condition="x" * 10_000)
    assert "Enter a name for each condition" in post(do="rename", old="no plan", condition=" ")
    assert chosen() == expected_conditions
    post(do="rename", old="house baseline + people", condition="no plan")
    post(do=f"remove:{full_game.code}")
    assert chosen() == {house_game: "no plan", people_game: "no plan"}
    post(do="drop", old="no plan")
    post(do="nonsense")
    assert chosen() == {}
