"""Tests that researchers enrol by invitation and sign in by password."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth import base_user
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from tests.study.desk import PASSWORD, sign_in
from webapp.play import visitors
from webapp.runtime import prepare
from webapp.runtime.launch_settings import LaunchSettings
from webapp.study.models import Invitation
from webapp.study.planning import studies
from webapp.study.researcher import accounts
from webapp.study.researcher.accounts import get_first_invitation

pytestmark = pytest.mark.django_db
ENTERED = {"username": "ada", "password1": PASSWORD, "password2": PASSWORD}


def first_researcher_link() -> str:
    invitation = get_first_invitation()
    assert invitation
    return reverse("study:enrol", args=[invitation.key])


def test_first_researcher_link_is_stable_until_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    launch = LaunchSettings(tmp_path, "127.0.0.1", 0, "")
    assert launch.first_researcher_path == ""
    prepare.write_first_researcher_path()
    link = launch.first_researcher_path
    assert link == first_researcher_link()
    assert (tmp_path / "first_researcher").stat().st_mode & 0o077 == 0
    prepare.write_first_researcher_path()
    assert launch.first_researcher_path == link
    assert Client().post(link, ENTERED).status_code == 302
    prepare.write_first_researcher_path()
    assert launch.first_researcher_path == ""


def test_first_researcher_file_does_not_follow_a_planted_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    target = tmp_path / "elsewhere"

    def plant_link() -> Invitation | None:
        (tmp_path / "first_researcher").symlink_to(target)
        return get_first_invitation()

    monkeypatch.setattr(accounts, "get_first_invitation", plant_link)
    with pytest.raises(FileExistsError):
        prepare.write_first_researcher_path()
    assert not target.exists()


def test_first_researcher_file_is_private_under_any_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "DATA_DIR", tmp_path)
    umask = os.umask(0)
    try:
        prepare.write_first_researcher_path()
    finally:
        os.umask(umask)
    assert (tmp_path / "first_researcher").stat().st_mode & 0o777 == 0o600


def test_sign_in_page_locates_first_link_until_an_account_exists() -> None:
    page = reverse("study:sign_in")
    assert "first_researcher" in Client().get(page).content.decode()
    User.objects.create_user("ada", password="a long enough one")
    assert "first_researcher" not in Client().get(page).content.decode()


def test_inactive_command_account_leaves_first_link_valid() -> None:
    """On a new database `manage.py experiment run` creates an account that cannot sign in."""
    link = first_researcher_link()
    nobody, _new = User.objects.get_or_create(username="manage.py", is_active=False)
    study = studies.create(nobody, "An experiment", seed="s")
    assert first_researcher_link() == link
    assert Client().post(link, ENTERED).status_code == 302
    study.refresh_from_db()
    assert study.owner.username == "ada", "the first researcher owns it"


def test_first_link_enrols_once_and_only_on_submit() -> None:
    link = first_researcher_link()
    client = Client()
    assert b"first researcher" in client.get(link).content
    assert not User.objects.exists()
    response = client.post(link, ENTERED)
    assert (response.status_code, response["Location"]) == (302, "/study/")
    assert client.get("/study/researchers").status_code == 200
    for answer in (Client().get(link), Client().post(link, {**ENTERED, "username": "eve"})):
        assert answer.status_code == 404
        assert b"is not valid" in answer.content
    assert User.objects.count() == 1
    assert get_first_invitation() is None


@pytest.mark.django_db(transaction=True)
def test_password_is_hashed_outside_a_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hashing thread has a low priority and can take long while games run."""
    in_transaction = []

    def hash_password(password: str) -> str:
        in_transaction.append(connection.in_atomic_block)
        return make_password(password)

    monkeypatch.setattr(base_user, "make_password", hash_password)
    assert Client().post(first_researcher_link(), ENTERED).status_code == 302
    assert in_transaction == [False]


def test_pending_first_links_expire_once_first_researcher_enrols() -> None:
    earlier = Invitation.objects.create()
    Client().post(first_researcher_link(), ENTERED)
    later = Invitation.objects.create()
    for invitation in (earlier, later):
        link = reverse("study:enrol", args=[invitation.key])
        assert Client().post(link, {**ENTERED, "username": "eve"}).status_code == 404


@pytest.mark.parametrize(
    "changed",
    [
        {"username": ""},
        {"username": "a b"},
        {"username": "x" * 10_000},
        {"password1": "short", "password2": "short"},
        {"password1": "password1234", "password2": "password1234"},
        {"password2": "another-thing-altogether"},
    ],
)
def test_invalid_enrolment_form_shows_errors_and_keeps_username(changed: dict[str, str]) -> None:
    link = first_researcher_link()
    form_data = {**ENTERED, **changed}
    response = Client().post(link, form_data)
    assert response.status_code == 422
    assert b'class="wrong"' in response.content
    assert (
        f'value="{form_data["username"]}"'.encode() in response.content or not form_data["username"]
    )
    assert PASSWORD.encode() not in response.content
    assert not User.objects.exists()
    assert Client().get(link).status_code == 200


def test_researcher_invitations_work_once_and_can_be_revoked() -> None:
    ada = sign_in("ada")
    ada.post("/study/researchers/invite")
    ada.post("/study/researchers/invite")
    used, unused = Invitation.objects.order_by("pk")
    links = [reverse("study:enrol", args=[i.key]) for i in (used, unused)]
    page = ada.get("/study/researchers").content.decode()
    assert all(link in page for link in links)
    bob = Client()
    assert bob.post(links[0], {**ENTERED, "username": "bob"}).status_code == 302
    assert links[1] not in bob.get("/study/researchers").content.decode()
    bob.post(f"/study/researchers/invite/{unused.pk}/take-back")  # The invitation is not his.
    assert Client().get(links[1]).status_code == 200
    ada.post(f"/study/researchers/invite/{unused.pk}/take-back")
    assert Client().get(links[1]).status_code == 404
    assert len(used.key) >= 22  # of 56 letters: 128 bits


def test_usernames_are_unique_regardless_of_case() -> None:
    sign_in("ada").post("/study/researchers/invite")
    link = reverse("study:enrol", args=[Invitation.objects.get().key])
    assert Client().post(link, {**ENTERED, "username": "ADA"}).status_code == 422
    assert Client().post(link, {**ENTERED, "username": "bob"}).status_code == 302


def test_sign_in_redirects_to_safe_local_targets_and_sign_out_needs_post() -> None:
    sign_in("ada")
    client = Client()
    assert client.get("/study/")["Location"] == "/study/sign-in?next=%2Fstudy%2F"
    wrong = client.post("/study/sign-in", {"username": "ada", "password": "nope"})
    assert wrong.status_code == 422
    assert b'value="ada"' in wrong.content
    form_data = {"username": "ada", "password": PASSWORD}
    for target, location in [
        ("/study/researchers", "/study/researchers"),
        ("https://elsewhere.example/", "/study/"),
        ("//elsewhere.example/", "/study/"),
        ("javascript:alert(1)", "/study/"),
        ("", "/study/"),
    ]:
        response = client.post("/study/sign-in", {**form_data, "next": target})
        assert response["Location"] == location
        assert client.get("/study/researchers").status_code == 200
        assert client.get("/study/sign-out").status_code == 405
        client.post("/study/sign-out")
        assert client.get("/study/researchers").status_code == 302


def test_repeated_failed_sign_ins_are_rate_limited() -> None:
    sign_in("ada")
    client = Client()
    answers = [
        client.post("/study/sign-in", {"username": "Ada", "password": str(n)}).status_code
        for n in range(11)
    ]
    assert answers == [422] * 10 + [429]


def test_browser_keeps_its_seats_across_sign_in_and_sign_out() -> None:
    sign_in("ada")
    client = Client()
    session = client.session
    session[visitors.VISITOR_KEY] = "0" * 32
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    client.post("/study/sign-in", {"username": "ada", "password": PASSWORD})
    assert client.session[visitors.VISITOR_KEY] == "0" * 32
    client.post("/study/sign-out")
    assert client.session[visitors.VISITOR_KEY] == "0" * 32


def test_password_change_signs_out_other_browsers() -> None:
    browser, other_browser = sign_in("ada"), sign_in("ada")
    new = {"new_password1": "another-lamp-lit", "new_password2": "another-lamp-lit"}
    assert browser.post("/study/password", {"old_password": "no", **new}).status_code == 422
    assert browser.post("/study/password", {"old_password": PASSWORD, **new}).status_code == 302
    assert browser.get("/study/researchers").status_code == 200
    assert other_browser.get("/study/researchers").status_code == 302
