"""Tests that the list of games shows a researcher all games they may use and no others."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse

from tests.study import taking
from tests.study.desk import sign_in
from tests.study.world import create_campaign, ended_game
from webapp.play.models import Table
from webapp.study.design.refusals import Refused
from webapp.study.models import AuditLine, Study
from webapp.study.rating import campaigns

pytestmark = pytest.mark.django_db


def get_list(client: Client, query: str = "") -> str:
    return client.get(reverse("study:all_games") + query).content.decode()


def test_game_list_filters_replays_and_exports_permitted_games() -> None:
    ada = sign_in()
    agents = ended_game("1")
    people = ended_game("2", names={2: "Ann"})
    silent = ended_game("3", names={2: "Ann"})
    Table.objects.filter(game=silent).update(research=False)
    page = get_list(ada)
    assert agents.code in page
    assert people.code in page
    assert silent.code not in page
    assert "2 finished games" in ada.get(reverse("study:campaigns")).content.decode()
    assert people.code not in get_list(ada, "?seats=agents")
    response = ada.post(reverse("study:look_back", args=[agents.code]), follow=True)
    assert response.status_code == 200
    assert response.redirect_chain[-1][0] == reverse("replay", args=[agents.code])
    table = reverse("table", args=[agents.code])
    for address in (table, f"{table}transcript.txt"):
        assert ada.get(address).status_code == 403, "replays give no access to the table"
    assert ada.post(f"{table}again").status_code == 403
    assert ada.post(f"{table}act", {"act": "chat", "text": "Hello"}).status_code == 403
    text = ada.get(reverse("study:game_lines", args=[agents.code])).content.decode()
    assert json.loads(text.splitlines()[-1])["kind"] == "game_over"
    assert (
        "Everyone’s roles"
        in ada.get(reverse("study:game_text", args=[agents.code])).content.decode()
    )
    assert AuditLine.objects.filter(what="export", about=f"game {agents.code}.txt").exists()
    for url_name in ("game_text", "game_lines"):
        assert ada.get(reverse(f"study:{url_name}", args=[silent.code])).status_code == 404
    assert ada.post(reverse("study:look_back", args=[silent.code])).status_code == 404
    ada.post(reverse("study:sign_out"))
    assert ada.get(reverse("replay", args=[agents.code])).status_code == 403


def test_study_games_are_listed_for_its_owner_only_after_closing() -> None:
    game = ended_game("1", names={2: "Ann"}, blind=True)
    study = taking.create_study({"kind": "game"})
    taking.add_played_game(taking.add_participant(study), game, 2)
    ada, eve = sign_in("ada"), sign_in("eve")
    assert study.owner.username == "ada"
    assert game.code not in get_list(ada)
    with pytest.raises(Refused, match="a study that is still running"):
        campaigns.change(create_campaign(), games=[(game, "a")])
    Study.objects.update(state=Study.CLOSED)
    assert game.code in get_list(ada)
    assert study.name in get_list(ada)
    assert game.code not in get_list(eve)
    assert eve.get(reverse("study:game_text", args=[game.code])).status_code == 404


def test_empty_pages_explain_the_first_steps() -> None:
    page = sign_in().get(reverse("study:campaigns")).content.decode()
    assert "choose a ready-made one" in page
    assert "manage.py simulate" in page
    assert "manage.py simulate" in get_list(sign_in())
