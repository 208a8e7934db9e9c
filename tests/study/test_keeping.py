"""Tests of the audit log, of deactivated researchers, session expiry and housekeeping."""

from __future__ import annotations

import time
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from tests.study import world
from tests.study.desk import PASSWORD, sign_in
from webapp import housekeeping
from webapp.housekeeping import Housekeeping
from webapp.play import visitors
from webapp.study.models import AuditLine, Invitation
from webapp.study.researcher.access import IDLE_LIMIT_S, LAST_USE_KEY
from webapp.study.sessions.participant_state import RATERS_KEY

pytestmark = pytest.mark.django_db


def audit_lines() -> list[tuple[str, str, str]]:
    return list(AuditLine.objects.order_by("pk").values_list("who", "what", "about"))


def test_sign_ins_and_exports_are_audited(caplog: pytest.LogCaptureFixture) -> None:
    campaign = world.create_campaign(world.ended_game("1"))
    campaign.owner.set_password(PASSWORD)
    campaign.owner.save()
    name = campaign.owner.username
    ada = Client(REMOTE_ADDR="192.0.2.7")
    with caplog.at_level("INFO", "fabula.audit"):
        ada.post("/study/sign-in", {"username": name, "password": "wrong"})
        ada.post("/study/sign-in", {"username": name, "password": PASSWORD})
        for file in ("ratings_long.csv", "all.zip", "nothing.csv"):
            ada.get(f"/study/{campaign.code}/export/{file}")
        ada.get(f"/study/studies/{campaign.study.code}/people/links.txt")
        ada.post("/study/sign-out")
    assert audit_lines() == [
        (name, "sign_in_failed", ""),
        (name, "sign_in", ""),
        (name, "export", f"{campaign.code} ratings_long.csv"),
        (name, "export", f"{campaign.code} all.zip"),
        (name, "export", f"{campaign.study.code} links.txt"),
        (name, "sign_out", ""),
    ]
    assert set(AuditLine.objects.values_list("address", flat=True)) == {"192.0.2.7"}
    assert f"{name} (owner) export {campaign.code} all.zip from 192.0.2.7" in caplog.text
    output = StringIO()
    call_command("audit", stdout=output)
    assert len(output.getvalue().splitlines()) == 6


def test_first_researcher_can_deactivate_and_reactivate_others() -> None:
    ada, eve, bob = sign_in("ada"), sign_in("eve"), sign_in("bob")
    users = {user.username: user.pk for user in User.objects.all()}
    eve.post("/study/researchers/invite")
    invitation = Invitation.objects.get()

    def post(client: Client, name: str, active: str) -> int:
        url = f"/study/researchers/{users[name]}/activity"
        return client.post(url, {"active": active}).status_code

    assert post(bob, "eve", "0") == 403, "only the first researcher may"
    assert post(ada, "ada", "0") == 403, "nobody may deactivate themselves"
    assert b">Deactivate<" not in bob.get("/study/researchers").content
    assert b">Deactivate<" in ada.get("/study/researchers").content
    assert post(ada, "eve", "0") == 302
    assert eve.get("/study/").status_code == 302, "signed out at once"
    response = eve.post("/study/sign-in", {"username": "eve", "password": PASSWORD})
    assert response.status_code != 302
    assert Client().get(f"/study/invited/{invitation.key}/").status_code == 404
    assert bob.get("/study/").status_code == 200
    assert b"deactivated" in bob.get("/study/researchers").content
    assert post(ada, "eve", "1") == 302
    assert eve.post("/study/sign-in", {"username": "eve", "password": PASSWORD}).status_code == 302
    assert ("ada", "deactivate", "eve") in audit_lines()
    assert ("ada", "activate", "eve") in audit_lines()


def test_command_can_deactivate_any_researcher() -> None:
    ada = sign_in("ada")
    output = StringIO()
    call_command("researchers", deactivate="ada", stdout=output)
    assert output.getvalue().startswith("ada\tdeactivated\t")
    assert ada.get("/study/").status_code == 302
    call_command("researchers", activate="ada", stdout=StringIO())
    assert sign_in("ada").get("/study/").status_code == 200
    with pytest.raises(CommandError, match="no researcher 'eve'"):
        call_command("researchers", deactivate="eve")


def test_idle_limit_ends_only_the_researchers_part_of_a_session() -> None:
    ada = sign_in("ada")
    assert ada.get("/study/").status_code == 200

    def last_used(ago: int) -> None:
        session = ada.session
        session[LAST_USE_KEY] = int(time.time()) - ago
        session[visitors.VISITOR_KEY], session[RATERS_KEY] = "f" * 32, {"campaign": "rater"}
        session.save()

    last_used(IDLE_LIMIT_S - 60)
    assert ada.get("/study/").status_code == 200
    assert time.time() - ada.session[LAST_USE_KEY] < 60, "the last use is updated"
    last_used(IDLE_LIMIT_S - 60)
    assert ada.get("/study/", headers={"HX-Request": "true"}).status_code == 200
    assert time.time() - ada.session[LAST_USE_KEY] > 60, "polling does not count as use"
    last_used(IDLE_LIMIT_S + 60)
    response = ada.get("/study/")
    assert response["Location"].startswith("/study/sign-in")
    assert ada.get("/study/").status_code == 302
    assert ada.session[visitors.VISITOR_KEY] == "f" * 32
    assert ada.session[RATERS_KEY] == {"campaign": "rater"}
    ada.post("/study/sign-in", {"username": "ada", "password": PASSWORD})
    assert ada.get("/study/").status_code == 200


def test_session_with_a_future_last_use_expires() -> None:
    ada = sign_in("ada")
    session = ada.session
    session[LAST_USE_KEY] = int(time.time()) + 30 * 86_400
    session.save()
    assert ada.get("/study/")["Location"].startswith("/study/sign-in")


def test_expired_rows_are_deleted_once_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "BATCH_SIZE", 2)
    now = timezone.now()
    day = timedelta(days=1)
    for number, ends in enumerate([now - day, now - day, now - 30 * day, now + day]):
        Session.objects.create(session_key=str(number), session_data="", expire_date=ends)
    for name, at in (("ada", now - 400 * day), ("eve", now - 300 * day)):
        line = AuditLine.objects.create(who=name, what="sign_in", address="192.0.2.7")
        AuditLine.objects.filter(pk=line.pk).update(at=at)
    work = Housekeeping()
    work.step()
    assert Session.objects.count() == 2, "rows are deleted in small batches"
    for _ in range(2 * len(housekeeping.DAILY_JOBS)):
        work.step()
    assert list(Session.objects.values_list("session_key", flat=True)) == ["3"]
    assert [name for name, *_rest in audit_lines()] == ["eve"]
    Session.objects.create(session_key="4", session_data="", expire_date=now - day)
    work.step()
    assert Session.objects.count() == 2, "the job runs once a day"
    monkeypatch.setattr(time, "monotonic", lambda: 1e12)
    work.step()
    assert Session.objects.count() == 1
