"""Tests of who can reach campaigns and studies: owners, others, signed-out visitors."""

from __future__ import annotations

import re

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, reverse

from tests.study import world
from tests.study.desk import sign_in
from tests.study.routes import ROUTE_VALUES, route_url
from webapp.play.models import Table
from webapp.study.models import Analysis, Campaign, Invitation, Participant, Room, Study
from webapp.study.planning import ready, studies
from webapp.study.rating import campaigns
from webapp.study.researcher.urls import campaign_patterns, study_patterns, urlpatterns

pytestmark = pytest.mark.django_db

OPEN_TO_ALL = {"sign_in", "sign_out", "enrol"}  # The sign-in pages.
# Routes that need an account, except those of studies and campaigns.
OTHER_ROUTES = [
    route
    for route in urlpatterns
    if isinstance(route, URLPattern) and route.name not in OPEN_TO_ALL
]


def campaign_routes() -> list[URLPattern]:
    """Return the routes of a campaign, and those of a game, which has no such code."""
    game_routes = [route for route in OTHER_ROUTES if "code" in str(route.pattern)]
    return [*campaign_patterns, *game_routes]


def other_routes() -> list[URLPattern]:
    return [route for route in OTHER_ROUTES if "code" not in str(route.pattern)]


@pytest.fixture
def campaign() -> Campaign:
    campaign = world.create_campaign(world.ended_game("1"), world.ended_game("2"))
    world.add_rater(campaign)
    Analysis.objects.create(campaign=campaign)
    return campaign


def stored_rows(campaign: Campaign) -> object:
    tables = (Campaign.objects, campaign.units, campaign.raters, campaign.chosen_games)
    return [list(table.order_by("pk").values()) for table in tables]


def test_route_lists_are_not_empty() -> None:
    assert len(campaign_routes()) >= 20
    assert len(other_routes()) >= 5


def test_other_researcher_cannot_reach_a_campaign(campaign: Campaign) -> None:
    eve = sign_in("eve")
    before = stored_rows(campaign)
    for route in campaign_routes():
        address = route_url(route, campaign.code)
        by_scripts = {"HX-Request": "true"}
        responses = [
            *(method(address) for method in (eve.get, eve.post, eve.put, eve.delete, eve.head)),
            *(method(address, headers=by_scripts) for method in (eve.get, eve.post)),
        ]
        assert [response.status_code for response in responses] == [404] * 7, address
        assert not any(campaign.name.encode() in response.content for response in responses)
    assert stored_rows(campaign) == before
    assert campaign.name.encode() not in eve.get("/study/").content


@pytest.fixture
def study() -> Study:
    study = studies.create(
        world.create_researcher(), "Ada’s own study", design=ready.get("humanized").design
    )
    Participant.objects.create(study=study, pseudonym="R001", invited=True)
    return study


def test_other_researcher_cannot_reach_a_study(study: Study) -> None:
    eve = sign_in("eve")
    before = list(Study.objects.values())
    assert len(study_patterns) >= 15
    for route in study_patterns:
        address = route_url(route, study.code)
        for method in (eve.get, eve.post, eve.put, eve.delete, eve.head):
            response = method(address)  # type: ignore[operator]
            assert response.status_code == 404, (address, method)
            assert study.name not in response.content.decode()
        assert Client().post(address)["Location"].startswith("/study/sign-in?next=")
        part = Client().get(address, headers={"HX-Request": "true"})
        assert (part.status_code, part.content) == (401, b"")
    assert list(Study.objects.values()) == before
    assert study.participants.count() == 1
    assert study.name not in eve.get("/study/").content.decode()


def test_owner_can_open_each_page_of_a_study(study: Study) -> None:
    ada = sign_in("ada")
    pages = {}
    for route in study_patterns:
        response = ada.get(route_url(route, study.code))
        pages[route.name] = response.status_code
        if response.status_code == 200:
            assert "no-store" in response["Cache-Control"], route.name
    visible = {str(name).removeprefix("study_") for name, status in pages.items() if status == 200}
    assert visible == {
        "setup", "factors", "stages", "stage", "part", "people", "link_list", "monitor", "file",
        "questions", "rehearsal", "data", "export", "payments", "ethics", "ethics_file",
        "results", "team", "open", "preview_page", "preview_phone",
    }  # fmt: skip
    # 405: posts only. 302: parts of pages. 404: people, games and batches that do not exist.
    assert set(pages.values()) == {200, 405, 302, 404}
    missing = {name for name, status in pages.items() if status == 404}
    assert missing == {
        "study_batch_file", "study_payment", "study_monitor_person", "study_monitor_table",
        "study_judges",
    }  # fmt: skip


def normalized_html(page: HttpResponse, address: str) -> str:
    """Return the page without its own address and without its form token."""
    text = re.sub(r'(name="csrfmiddlewaretoken"\s+value=)"\w+"', r"\1", page.content.decode())
    return text.replace(address, "")


def test_missing_and_foreign_campaigns_look_the_same(campaign: Campaign) -> None:
    eve = sign_in("eve")
    missing_url, foreign_url = "/study/nothing23456/setup", f"/study/{campaign.code}/setup"
    missing, foreign = eve.get(missing_url), eve.get(foreign_url)
    assert missing.status_code == foreign.status_code == 404
    assert normalized_html(missing, missing_url) == normalized_html(foreign, foreign_url)


@pytest.mark.parametrize("method", ["get", "head", "post", "put", "delete", "options"])
def test_no_method_reveals_a_hidden_room_or_game(method: str) -> None:
    room = Room.objects.create(owner=world.create_researcher(), name=ROUTE_VALUES["room_name"])
    game = world.ended_game(names={1: "Ida"})
    Table.objects.update(research=False)
    request = getattr(sign_in("eve"), method)
    routes = [r for r in OTHER_ROUTES if str(r.pattern).startswith(("rooms/<", "games/<"))]
    assert len(routes) == 7
    for route in routes:
        hidden_url = route_url(route, game.code)
        missing_url = hidden_url.replace(game.code, "nothing23456").replace(room.name, "nowhere")
        hidden, missing = request(hidden_url), request(missing_url)
        assert hidden.status_code == missing.status_code in (404, 405), route.name
        assert normalized_html(hidden, hidden_url) == normalized_html(missing, missing_url)


def test_signed_out_visitor_is_redirected_to_sign_in(campaign: Campaign) -> None:
    before = stored_rows(campaign)
    for route in (*campaign_patterns, *OTHER_ROUTES):
        address = route_url(route, campaign.code)
        client = Client()
        for method in (client.get, client.post):
            response = method(address)
            assert response.status_code == 302, address
            assert response["Location"].startswith("/study/sign-in?next=")
        part = client.get(address, headers={"HX-Request": "true"})
        assert (part.status_code, part["HX-Redirect"]) == (401, "/study/sign-in")
        assert part.content == b""
    assert stored_rows(campaign) == before
    assert Invitation.objects.count() == 0


def test_owner_can_open_each_page_of_a_campaign(campaign: Campaign) -> None:
    ada = sign_in("ada")
    pages = {}
    campaigns.draw_units(campaign)
    for route in campaign_patterns:
        response = ada.get(route_url(route, campaign.code))
        pages[route.name] = response.status_code
        if response.status_code == 200:
            assert "no-store" in response["Cache-Control"], route.name
    visible = {name for name, status in pages.items() if status == 200}
    assert visible == {
        "setup", "games", "instrument", "units", "unit", "raters", "payments",
        "progress", "results", "exports", "export", "judges",
    }  # fmt: skip
    # 405: posts only. 302: parts of pages. 404: missing results.
    assert set(pages.values()) == {200, 405, 302, 404}
    assert {n for n, status in pages.items() if status == 404} == {"figure", "tables"}


def test_posts_require_the_csrf_token(campaign: Campaign) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(campaign.owner)
    before = stored_rows(campaign)
    for name in ("copy", "delete", "setup", "state", "games"):
        assert client.post(reverse(f"study:{name}", args=[campaign.code])).status_code == 403
    assert stored_rows(campaign) == before
