"""Tests of shared studies: permissions by role, transfer, the record and anonymous exports."""

from __future__ import annotations

import io
import re
import zipfile
from html import unescape
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, resolve, reverse

from tests.study import studies, world
from tests.study.desk import sign_in
from tests.study.pages import post_and_follow
from tests.study.routes import route_url
from webapp.study import permissions
from webapp.study.data import campaign_export as data
from webapp.study.data.studies import ExportOptions, build_files, verification
from webapp.study.models import (
    AuditLine,
    Campaign,
    Identity,
    Message,
    Participant,
    Study,
    StudyRole,
)
from webapp.study.permissions import NEEDED_FOR_DETAIL, NEEDED_PERMISSIONS, ROLES, Permission
from webapp.study.researcher.running.monitor_socket import websocket_urlpatterns
from webapp.study.researcher.urls import campaign_patterns, study_patterns

pytestmark = pytest.mark.django_db

ROLE_OF = {"ada": "owner", "eve": "editor", "mo": "monitor", "ann": "analyst"}
ROUTES = [*study_patterns, *campaign_patterns]
STAGES = [
    {"kind": "consent"},
    {"kind": "game"},
    {"kind": "questionnaire", "instruments": ["interview"]},
    {"kind": "ratings", "instrument": "guarded", "items": 4},
    {"kind": "debriefing"},
]
EMAIL, PHONE, PROLIFIC_ID = "mary@example.org", "+44 20 7946 0958", "5f8c0ffee5f8c0ffee5f8c0f"


@pytest.fixture
def study() -> Study:
    open_study = studies.create_study(stages=STAGES)
    share(open_study)
    Participant.objects.create(study=open_study, pseudonym="R001", invited=True)
    return open_study


@pytest.fixture
def campaign() -> Campaign:
    shared_campaign = world.create_campaign(world.ended_game("1"), world.ended_game("2"))
    world.add_rater(shared_campaign)
    share(shared_campaign.study)
    return shared_campaign


def share(study: Study) -> None:
    for name, role in ROLE_OF.items():
        account, _new = User.objects.get_or_create(username=name)
        if role != "owner":
            study.roles.create(account=account, role=role)


def is_of_campaign(route: URLPattern) -> bool:
    return route in campaign_patterns


def test_each_study_url_has_a_required_permission() -> None:
    names = {route.name for route in (*ROUTES, *websocket_urlpatterns)}
    assert names == set(NEEDED_PERMISSIONS)
    assert {name for name, _detail in NEEDED_FOR_DETAIL} <= names


def test_each_role_has_exactly_its_permissions(study: Study, campaign: Campaign) -> None:
    for name, role in ROLE_OF.items():
        client = sign_in(name)
        for route in ROUTES:
            needed = NEEDED_PERMISSIONS[str(route.name)]
            if needed in ROLES[role] and needed == Permission.OWN:
                continue  # These requests would delete or transfer the study.
            address = route_url(route, campaign.code if is_of_campaign(route) else study.code)
            for method in (client.get, client.post):
                if method == client.post and needed in ROLES[role]:
                    continue
                status = method(address).status_code
                assert (status == 403) == (needed not in ROLES[role]), (role, address, status)


FORBIDDEN_PAGES = {
    "monitor": (
        "study_data", "study_export", "study_results", "exports", "export", "results", "tables",
        "study_take", "study_payments", "payments", "study_setup", "study_cover", "units",
    ),
    "analyst": (
        "study_people", "study_link_list", "study_payments", "study_batch_file", "payments",
        "raters", "study_monitor", "study_monitor_person", "study_ethics", "study_setup", "games",
    ),
    "editor": ("study_delete", "delete", "study_role", "study_hand_over", "study_forget"),
}  # fmt: skip


def test_role_cannot_reach_its_forbidden_pages(study: Study, campaign: Campaign) -> None:
    routes = {route.name: route for route in ROUTES}
    for name, role in ROLE_OF.items():
        client = sign_in(name)
        for url_name in FORBIDDEN_PAGES.get(role, ()):
            route = routes[url_name]
            address = route_url(route, campaign.code if is_of_campaign(route) else study.code)
            assert client.post(address).status_code == 403, (role, url_name)


def test_editor_can_post_and_outsider_finds_nothing(study: Study, campaign: Campaign) -> None:
    outsider, eve = sign_in("zoe"), sign_in("eve")
    for route in ROUTES:
        address = route_url(route, campaign.code if is_of_campaign(route) else study.code)
        assert outsider.get(address).status_code == outsider.post(address).status_code == 404
    assert eve.post(reverse("study:study_setup", args=[study.code]), {"name": "New"}).url
    study.refresh_from_db()
    assert study.name == "New"
    assert not Study.objects.filter(owner__username="zoe").exists()


def test_forbidden_page_names_the_required_roles(study: Study) -> None:
    page = sign_in("mo").get(reverse("study:study_results", args=[study.code]))
    assert page.status_code == 403
    text = unescape(page.content.decode())
    assert "Your role in “A study” is monitor." in text
    assert "Required role: the owner (ada), editors and analysts." in text


def test_opening_and_payment_export_need_extra_permissions(study: Study) -> None:
    state = reverse("study:study_state", args=[study.code])
    assert sign_in("mo").post(state, {"do": "pause"}).status_code == 302
    study.refresh_from_db()
    assert study.state == Study.PAUSED
    assert sign_in("mo").post(state, {"do": "open"}).status_code == 403
    payments = reverse("study:study_export", args=[study.code, "payments.csv"])
    assert sign_in("ann").get(payments).status_code == 403
    assert sign_in("eve").get(payments).status_code == 200


LINK = re.compile(r'<(?:a|form)[^>]*?(?:href|action)="(/study/[^"]+)"|hx-(?:get|post)="([^"]+)"')


def test_pages_link_only_to_permitted_actions(study: Study, campaign: Campaign) -> None:
    for name, role in ROLE_OF.items():
        client = sign_in(name)
        pages = 0
        for route in ROUTES:
            if NEEDED_PERMISSIONS[str(route.name)] not in ROLES[role]:
                continue
            page = client.get(
                route_url(route, campaign.code if is_of_campaign(route) else study.code)
            )
            if page.status_code != 200 or not page["Content-Type"].startswith("text/html"):
                continue
            pages += 1
            for offered in LINK.findall(page.content.decode()):
                match = resolve(urlsplit(unescape(offered[0] or offered[1])).path)
                if match.url_name not in NEEDED_PERMISSIONS:
                    continue
                detail = match.kwargs.get("name", "")
                needed = permissions.needed_permission(str(match.url_name), detail)
                assert needed in ROLES[role], (role, route.name, match.url_name)
        assert pages >= 4, role


def test_study_link_leads_each_role_to_a_permitted_page(study: Study) -> None:
    for name, page in {
        "mo": "study_monitor",
        "ann": "study_results",
        "eve": "study_monitor",
    }.items():
        response = sign_in(name).get(reverse("study:study", args=[study.code]), follow=True)
        assert response.status_code == 200
        assert response.resolver_match.url_name == page


def test_study_list_shows_shared_studies_with_the_role(study: Study) -> None:
    text = " ".join(sign_in("ann").get("/study/").content.decode().split())
    assert "Shared by ada. Your role is analyst." in text
    assert "you are" not in sign_in("ada").get("/study/").content.decode()


# -- team page


def test_roles_are_assigned_changed_and_removed(study: Study) -> None:
    ada, zoe = sign_in("ada"), sign_in("zoe")
    monitor = reverse("study:study_monitor", args=[study.code])
    assert "zoe now has the role monitor" in post_and_follow(
        ada, study, "study_role", account="Zoe", role="monitor"
    )
    assert zoe.get(monitor).status_code == 200
    assert "zoe now has the role analyst" in post_and_follow(
        ada, study, "study_role", account="zoe", role="analyst"
    )
    assert zoe.get(monitor).status_code == 403
    post_and_follow(ada, study, "study_role", account="zoe", do="remove")
    assert zoe.get(monitor).status_code == 404


def test_unknown_account_is_rejected_and_stays_in_the_form(study: Study) -> None:
    ada = sign_in("ada")
    address = reverse("study:study_role", args=[study.code])
    page = ada.post(address, {"account": "nobody", "role": "editor"})
    assert page.status_code == 422
    text = page.content.decode()
    assert 'value="nobody"' in text
    assert "Unknown name." in text
    assert "already owns the study" in post_and_follow(
        ada, study, "study_role", account="ada", role="editor"
    )
    User.objects.filter(username="eve").update(is_active=False)
    assert "Unknown name" in post_and_follow(ada, study, "study_role", account="eve", role="editor")


def test_member_can_leave_and_owner_can_transfer(study: Study) -> None:
    ada, ann = sign_in("ada"), sign_in("ann")
    assert "Transfer the study" in post_and_follow(ada, study, "study_leave")
    assert "You have left" in post_and_follow(ann, study, "study_leave")
    assert ann.get(reverse("study:study_team", args=[study.code])).status_code == 404
    assert "Choose a researcher" in post_and_follow(ada, study, "study_hand_over", account="ann")
    assert "eve now owns" in post_and_follow(ada, study, "study_hand_over", account="eve")
    study.refresh_from_db()
    assert study.owner.username == "eve"
    assert set(study.roles.values_list("account__username", "role")) == {
        ("ada", "editor"), ("mo", "monitor"),
    }  # fmt: skip
    assert ada.post(reverse("study:study_delete", args=[study.code])).status_code == 403


def test_copy_made_by_an_editor_belongs_to_the_editor(study: Study) -> None:
    sign_in("eve").post(reverse("study:study_copy", args=[study.code]))
    copy = Study.objects.get(owner__username="eve")
    assert copy.name == "A study (copy)"
    assert not copy.roles.exists()


def test_editor_sees_no_other_studies_of_the_owner(study: Study) -> None:
    other_campaign = world.create_campaign(world.ended_game("3"), owner=study.owner)
    Campaign.objects.filter(pk=other_campaign.pk).update(name="A secret one")
    stage = reverse("study:study_stage", args=[study.code, 4])
    assert "A secret one" in sign_in("ada").get(stage).content.decode()
    assert "A secret one" not in sign_in("eve").get(stage).content.decode()


# -- record


def test_actions_are_recorded_with_role_and_survive_the_account(study: Study) -> None:
    state = reverse("study:study_state", args=[study.code])
    sign_in("mo").post(state, {"do": "pause"})
    sign_in("ann").get(reverse("study:study_export", args=[study.code, "games.csv"]))
    post_and_follow(sign_in("ada"), study, "study_role", account="mo", role="editor")
    sign_in("mo").post(reverse("study:study_plan", args=[study.code, "table"]))
    sign_in("ann").post(state, {"do": "close"})
    User.objects.filter(username="mo").delete()
    lines = AuditLine.objects.filter(study=study.code).order_by("pk")
    assert [(line.label, line.action) for line in lines] == [
        ("mo (monitor)", "state: pause"),
        ("ann (analyst)", "export: games.csv"),
        ("ada (owner)", "role: mo: editor"),
    ]
    page = sign_in("ada").get(reverse("study:study_team", args=[study.code]))
    assert "mo (monitor)" in page.content.decode()
    assert "mo (monitor)" not in sign_in("eve").get(page.request["PATH_INFO"]).content.decode()


def test_team_posts_require_the_csrf_token(study: Study) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(study.owner)
    before = AuditLine.objects.count()
    for name in ("study_role", "study_hand_over"):
        address = reverse(f"study:{name}", args=[study.code])
        assert client.post(address, {"account": "eve", "role": "monitor"}).status_code == 403
    assert study.roles.get(account__username="eve").role == "editor"
    assert AuditLine.objects.count() == before


def test_editors_may_use_games_of_a_closed_study(study: Study) -> None:
    slot = study.slots.first()
    assert slot
    slot.game, slot.state = world.ended_game("5"), slot.DONE
    slot.save()
    pages = {name: sign_in(name) for name in ROLE_OF}
    for state, expected in {Study.OPEN: set(), Study.CLOSED: {"ada", "eve"}}.items():
        Study.objects.filter(pk=study.pk).update(state=state)
        permitted = {name for name, page in pages.items() if slot.game.code in games_page(page)}
        assert permitted == expected


def games_page(client: Client) -> str:
    return client.get(reverse("study:all_games")).content.decode()


def test_former_editor_is_blinded_again(study: Study) -> None:
    eve = sign_in("eve")
    monitor = reverse("study:study_monitor", args=[study.code])
    eve.post(reverse("study:study_cover", args=[study.code]), {"do": "lift"})
    assert eve.get(monitor).context["lifted"]
    StudyRole.objects.filter(account__username="eve").update(role="monitor")
    assert not eve.get(monitor).context["lifted"]


# -- exports


def test_analyst_study_files_contain_no_identity(study: Study) -> None:
    person = studies.enrol(study, 1)[0]
    Identity.objects.create(participant=person, label=PROLIFIC_ID, session="session-77")
    text = f"I am {PROLIFIC_ID}, write to {EMAIL} or call {PHONE}."
    Message.objects.create(
        study=study, participant=person, kind=Message.HELP, from_participant=True, text=text
    )
    person.exclusion_reason = f"asked by {EMAIL}"
    person.save()
    for name, present in {"ann": False, "eve": True}.items():
        archive = sign_in(name).get(reverse("study:study_export", args=[study.code, "all.zip"]))
        with zipfile.ZipFile(io.BytesIO(archive.content)) as files:
            content = "\n".join(files.read(n).decode() for n in files.namelist())
        assert (EMAIL in content, PHONE in content) == (present, present), name
        assert PROLIFIC_ID not in content
        assert "session-77" not in content
        assert not verification.compare_archive(archive.content).differences
    single = sign_in("ann").get(reverse("study:study_export", args=[study.code, "messages.csv"]))
    assert EMAIL not in single.content.decode()
    assert "[contact taken out]" in single.content.decode()
    assert "messages.csv" in build_files(study, ExportOptions(anonymous=True))


def test_analyst_rating_files_contain_no_identity() -> None:
    game = world.ended_game("1", words={(1, 1): f"{PROLIFIC_ID} is me, {EMAIL}."}, names={1: "Al"})
    campaign = world.create_campaign(game)
    world.add_rater(campaign, label=PROLIFIC_ID)
    share(campaign.study)
    for name, present in {"ann": False, "eve": True}.items():
        client = sign_in(name)
        for file in ("transcripts.csv", "all.zip"):
            content = client.get(reverse("study:export", args=[campaign.code, file])).content
            if file == "all.zip":
                with zipfile.ZipFile(io.BytesIO(content)) as files:
                    content = b"".join(files.read(n) for n in files.namelist())
            assert (EMAIL.encode() in content) == present, (name, file)
            assert (PROLIFIC_ID.encode() in content) == present, (name, file)
    assert EMAIL.encode() not in data.build_zip(campaign, anonymous=True)
