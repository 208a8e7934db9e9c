"""Nobody without a role reaches a campaign or a study.

Not by any address, not by any method.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, reverse

from tests.study import world
from tests.study.desk import sign_in
from webapp.study.models import Analysis, Campaign, Invitation, Participant, Study
from webapp.study.planning import ready, studies
from webapp.study.rating import campaigns
from webapp.study.researcher.urls import urlpatterns

pytestmark = pytest.mark.django_db

OPEN_TO_ALL = {"sign_in", "sign_out", "enrol"}  # what lets people in and out
VALUES = {
    "name": "ratings_long.csv",
    "invitation": 1,
    "user": 1,
    "index": 1,
    "pseudonym": "R001",
    "key": "individuality",
    "form": "md",
    "part": "table",
    "stage": 2,
    "number": 1,
    "about": "people/R001",
    "token": "first",
    "path": "take/as/preview/",
    "room": "lab",
}
OF_STUDIES = "studies/<str:code>"
OF_GAMES = "games/<str:code>"  # those that a researcher may use, whoever played them


def route_url(route: URLPattern, code: str) -> str:
    """The address of a route, with values that exist where it needs any."""
    names = route.pattern.converters or route.pattern.regex.groupindex
    values = {**VALUES, "code": code}
    return reverse(f"study:{route.name}", kwargs={name: values[name] for name in names})


def routes(of_campaign: bool) -> Iterator[URLPattern]:
    for route in urlpatterns:
        if route.name in OPEN_TO_ALL or route in study_routes():
            continue
        if ("code" in str(route.pattern)) == of_campaign:
            yield route


def study_routes() -> list[URLPattern]:
    return [route for route in urlpatterns if str(route.pattern).startswith(OF_STUDIES)]


@pytest.fixture
def campaign() -> Campaign:
    made = world.create_campaign(world.ended_game("1"), world.ended_game("2"))
    world.add_rater(made)
    Analysis.objects.create(campaign=made)
    return made


def stored_rows(campaign: Campaign) -> object:
    tables = (Campaign.objects, campaign.units, campaign.raters, campaign.chosen)
    return [list(table.order_by("pk").values()) for table in tables]


def test_route_lists_are_not_empty() -> None:
    assert len(list(routes(True))) >= 20
    assert len(list(routes(False))) >= 5


def test_other_researcher_cannot_reach_a_campaign(campaign: Campaign) -> None:
    eve, before = sign_in("eve"), stored_rows(campaign)
    for route in routes(True):
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
    made = studies.create(
        world.create_researcher(), "Ada’s own study", design=ready.get("humanized").design
    )
    Participant.objects.create(study=made, pseudonym="R001", invited=True)
    return made


def test_other_researcher_cannot_reach_a_study(study: Study) -> None:
    eve, before = sign_in("eve"), list(Study.objects.values())
    assert len(study_routes()) >= 15
    for route in study_routes():
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
    ada, pages = sign_in("ada"), {}
    for route in study_routes():
        response = ada.get(route_url(route, study.code))
        pages[route.name] = response.status_code
        if response.status_code == 200:
            assert "no-store" in response["Cache-Control"], route.name
    shown = {str(name).removeprefix("study_") for name, status in pages.items() if status == 200}
    assert shown == {
        "setup", "factors", "stages", "stage", "part", "people", "link_list", "monitor", "file",
        "questions", "rehearsal", "data", "export", "payments", "ethics", "ethics_file",
        "results", "team", "open", "preview_page", "preview_phone",
    }  # fmt: skip
    # Posts only; a part leads to its page; people, games and batches that there are none of.
    assert set(pages.values()) == {200, 405, 302, 404}
    missing = {name for name, status in pages.items() if status == 404}
    assert missing == {
        "study_batch_file", "study_payment", "study_monitor_person", "study_monitor_table",
        "study_judges",
    }  # fmt: skip


def normalized_html(page: HttpResponse, asked: str) -> str:
    """A page without its own address, and without the token of its forms, which is always new."""
    text = re.sub(r'(name="csrfmiddlewaretoken"\s+value=)"\w+"', r"\1", page.content.decode())
    return text.replace(asked, "")


def test_missing_and_foreign_campaigns_look_the_same(campaign: Campaign) -> None:
    eve = sign_in("eve")
    nothing, somebodys = "/study/nothing23456/setup", f"/study/{campaign.code}/setup"
    never, others = eve.get(nothing), eve.get(somebodys)
    assert never.status_code == others.status_code == 404
    assert normalized_html(never, nothing) == normalized_html(others, somebodys)


def test_signed_out_visitor_is_redirected_to_sign_in(campaign: Campaign) -> None:
    before = stored_rows(campaign)
    for route in (*routes(True), *routes(False)):
        address, client = route_url(route, campaign.code), Client()
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
    ada, pages = sign_in("ada"), {}
    campaigns.draw_units(campaign)
    for route in routes(True):
        if str(route.pattern).startswith(OF_GAMES):
            continue  # those of a campaign
        response = ada.get(route_url(route, campaign.code))
        pages[route.name] = response.status_code
        if response.status_code == 200:
            assert "no-store" in response["Cache-Control"], route.name
    shown = {name for name, status in pages.items() if status == 200}
    assert shown == {
        "setup", "games", "instrument", "units", "unit", "raters", "payments",
        "progress", "results", "exports", "export", "judges",
    }  # fmt: skip
    # Posts only; parts lead to their pages; what there are no results for yet.
    assert set(pages.values()) == {200, 405, 302, 404}
    assert {n for n, status in pages.items() if status == 404} == {"figure", "tables"}


def test_posts_require_the_csrf_token(campaign: Campaign) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(campaign.owner)
    before = stored_rows(campaign)
    for name in ("copy", "delete", "setup", "state", "games"):
        assert client.post(reverse(f"study:{name}", args=[campaign.code])).status_code == 403
    assert stored_rows(campaign) == before
