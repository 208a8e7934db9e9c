"""The practice table: one's own, opened once, ended with the stage, no data of the study."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from game.models import Game, Player
from tests.study.stages_world import add_participant, create_study, get_page, post_step
from webapp.play.live import push
from webapp.play.models import Membership, Table
from webapp.study.games.eligible_games import finished_games, usable_games
from webapp.study.models import Participant, Study
from webapp.study.sessions import audit_events, lifecycle, participant_steps

pytestmark = pytest.mark.django_db(transaction=True)
PRACTICE, GAME = {"kind": "practice", "minutes": 2}, {"kind": "game"}


@pytest.fixture
def made() -> Study:
    table = {"ruleset": "sheriff", "settings": {"election": False, "poll_people": True}}
    return create_study(PRACTICE, GAME, table=table)


@pytest.fixture
def who(made: Study) -> Participant:
    return add_participant(made, "practice")


def sit_down(client: Client, who: Participant) -> Game:
    answer = post_step(client, who, "table")
    assert answer.status_code == 302
    who.refresh_from_db()
    assert who.practice
    assert answer["Location"] == f"/games/{who.practice.code}/"
    return who.practice


def test_practice_table_uses_study_rules_and_has_no_host(client: Client, who: Participant) -> None:
    assert "for 2 minutes" in get_page(client, who).content.decode()
    game = sit_down(client, who)
    assert (game.ruleset, game.pace, game.blind) == ("sheriff", "brisk", False)
    assert game.settings["election"] is False
    assert game.settings["poll_people"] is False, "what only the study asks is not practised"
    assert game.started_at
    assert [p.kind for p in game.players.all()].count(Player.PERSON) == 1
    table = Table.objects.get(game=game)
    assert table.onward == f"/take/go/{who.study.key}/"
    assert not table.research
    assert not Membership.objects.filter(game=game, host=True).exists()
    assert client.get(f"/games/{game.code}/").status_code == 200


def test_practice_table_is_opened_once(client: Client, who: Participant) -> None:
    game = sit_down(client, who)
    assert sit_down(client, who) == game
    assert "Back to the game" in get_page(client, who).content.decode()
    elsewhere = Client()
    assert sit_down(elsewhere, who) == game, "another device"
    assert elsewhere.get(f"/games/{game.code}/").status_code == 200
    assert Game.objects.count() == 1


def test_practice_time_starts_with_the_table_and_ends_it(client: Client, who: Participant) -> None:
    assert who.due_at is None, "nobody loses practice by reading"
    game = sit_down(client, who)
    assert who.due_at
    assert timedelta(seconds=90) < who.due_at - timezone.now() <= timedelta(minutes=2)
    lifecycle.advance(who, who.step, actor=audit_events.CLOCK)
    game.refresh_from_db()
    assert game.ended_at
    assert game.called_off
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "waiting"


def test_practice_bar_leads_on_and_shows_the_deadline(client: Client, who: Participant) -> None:
    game = sit_down(client, who)
    page = client.get(f"/games/{game.code}/").content.decode()
    bar = page[page.index('<nav class="way-bar"') :]
    bar = bar[: bar.index("</nav>")]
    assert "Practice game, about 2 minutes" in bar
    assert who.due_at
    assert who.due_at.strftime("%Y-%m-%dT%H:%M:%S") in bar
    assert "Stop watching and continue" in bar
    hidden = dict(re.findall(r'type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', bar))
    address = re.findall(r'action="([^"]+)"', bar)[0]
    assert client.post(address, hidden).status_code == 302
    who.refresh_from_db()
    assert (participant_steps.current_step(who).kind, who.exit) == ("waiting", "")


def test_each_pushed_part_has_an_element_on_the_page(client: Client, who: Participant) -> None:
    page = client.get(f"/games/{sit_down(client, who).code}/").content.decode()
    for part in {*push.PART_FIELDS, "seat-1"} - {"amended"}:  # lines of the log
        assert f'id="{part}"' in page, part


def test_participant_can_leave_practice_at_any_time(client: Client, who: Participant) -> None:
    game = sit_down(client, who)
    post_step(client, who, "on")
    game.refresh_from_db()
    assert game.called_off
    who.refresh_from_db()
    assert participant_steps.current_step(who).kind == "waiting"


def test_leaving_the_study_ends_the_practice_table(client: Client, who: Participant) -> None:
    game = sit_down(client, who)
    lifecycle.leave_by(who, "left")
    game.refresh_from_db()
    assert game.ended_at
    assert get_page(client, who).status_code == 200


def test_late_request_opens_no_practice_table(client: Client, who: Participant) -> None:
    late = {"step": who.step, "do": "table"}
    post_step(client, who, "on")
    client.post(f"/take/as/{who.key}/", late)
    assert not Game.objects.exists()


def test_practice_game_is_not_study_data(client: Client, who: Participant) -> None:
    game = sit_down(client, who)
    Game.objects.filter(pk=game.pk).update(ended_at=timezone.now())
    assert not finished_games(usable_games(0)).exists()
    assert not who.study.slots.exists()


def test_finished_practice_game_lets_the_participant_continue(
    client: Client, who: Participant
) -> None:
    game = sit_down(client, who)
    Game.objects.filter(pk=game.pk).update(ended_at=timezone.now())
    page = get_page(client, who).content.decode()
    assert "Now you know how the game works." in page
    assert "Back to the game" not in page
