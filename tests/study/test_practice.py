"""Tests of the practice table: opened once, ended with its stage and no study data."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from game.models import Game, Player
from tests.study.stage_factories import add_participant, create_study, get_page, post_step
from webapp.play.live import push
from webapp.play.models import Membership, Table
from webapp.study.games.eligible_games import finished_games, usable_games
from webapp.study.models import Participant, Study
from webapp.study.sessions import lifecycle, participant_state, study_events

pytestmark = pytest.mark.django_db(transaction=True)
PRACTICE, GAME = {"kind": "practice", "minutes": 2}, {"kind": "game"}


@pytest.fixture
def practice_study() -> Study:
    table = {"ruleset": "sheriff", "settings": {"election": False, "poll_people": True}}
    return create_study(PRACTICE, GAME, table=table)


@pytest.fixture
def participant(practice_study: Study) -> Participant:
    return add_participant(practice_study, "practice")


def sit_down(client: Client, participant: Participant) -> Game:
    response = post_step(client, participant, "table")
    assert response.status_code == 302
    participant.refresh_from_db()
    assert participant.practice
    assert response["Location"] == f"/games/{participant.practice.code}/"
    return participant.practice


def test_practice_table_uses_study_rules_and_has_no_host(
    client: Client, participant: Participant
) -> None:
    assert "for 2 minutes" in get_page(client, participant).content.decode()
    game = sit_down(client, participant)
    assert (game.ruleset, game.pace, game.blind) == ("sheriff", "brisk", False)
    assert game.settings["election"] is False
    assert game.settings["poll_people"] is False, "practice has no questions of the study"
    assert game.started_at
    assert [p.kind for p in game.players.all()].count(Player.PERSON) == 1
    table = Table.objects.get(game=game)
    assert table.onward == f"/take/go/{participant.study.key}/"
    assert not table.research
    assert not Membership.objects.filter(game=game, host=True).exists()
    assert client.get(f"/games/{game.code}/").status_code == 200


def test_practice_table_is_opened_once(client: Client, participant: Participant) -> None:
    game = sit_down(client, participant)
    assert sit_down(client, participant) == game
    assert "Back to the game" in get_page(client, participant).content.decode()
    other_client = Client()
    assert sit_down(other_client, participant) == game, "another device opens the same table"
    assert other_client.get(f"/games/{game.code}/").status_code == 200
    assert Game.objects.count() == 1


def test_practice_time_starts_with_the_table_and_ends_it(
    client: Client, participant: Participant
) -> None:
    assert participant.due_at is None, "the timer does not run while reading"
    game = sit_down(client, participant)
    assert participant.due_at
    assert timedelta(seconds=90) < participant.due_at - timezone.now() <= timedelta(minutes=2)
    lifecycle.advance(participant, participant.step, actor=study_events.CLOCK)
    game.refresh_from_db()
    assert game.ended_at
    assert game.called_off
    participant.refresh_from_db()
    assert participant_state.current_step(participant).kind == "waiting"


def test_practice_bar_leads_on_and_shows_the_deadline(
    client: Client, participant: Participant
) -> None:
    game = sit_down(client, participant)
    page = client.get(f"/games/{game.code}/").content.decode()
    bar = page[page.index('<nav class="progress-bar"') :]
    bar = bar[: bar.index("</nav>")]
    assert "Practice game, about 2 minutes" in bar
    assert participant.due_at
    assert participant.due_at.strftime("%Y-%m-%dT%H:%M:%S") in bar
    assert "Stop watching and continue" in bar
    hidden = dict(re.findall(r'type="hidden"\s+name="(\w+)"\s+value="([^"]*)"', bar))
    address = re.findall(r'action="([^"]+)"', bar)[0]
    assert client.post(address, hidden).status_code == 302
    participant.refresh_from_db()
    assert (participant_state.current_step(participant).kind, participant.exit) == ("waiting", "")


def test_each_pushed_part_has_an_element_on_the_page(
    client: Client, participant: Participant
) -> None:
    page = client.get(f"/games/{sit_down(client, participant).code}/").content.decode()
    for part in {*push.PART_FIELDS, "seat-1"} - {"amended"}:  # `amended` contains log lines.
        assert f'id="{part}"' in page, part


def test_participant_can_leave_practice_at_any_time(
    client: Client, participant: Participant
) -> None:
    game = sit_down(client, participant)
    post_step(client, participant, "on")
    game.refresh_from_db()
    assert game.called_off
    participant.refresh_from_db()
    assert participant_state.current_step(participant).kind == "waiting"


def test_leaving_the_study_ends_the_practice_table(
    client: Client, participant: Participant
) -> None:
    game = sit_down(client, participant)
    lifecycle.leave_by(participant, "left")
    game.refresh_from_db()
    assert game.ended_at
    assert get_page(client, participant).status_code == 200


def test_late_request_opens_no_practice_table(client: Client, participant: Participant) -> None:
    late = {"step": participant.step, "do": "table"}
    post_step(client, participant, "on")
    client.post(f"/take/as/{participant.key}/", late)
    assert not Game.objects.exists()


def test_practice_game_is_not_study_data(client: Client, participant: Participant) -> None:
    game = sit_down(client, participant)
    Game.objects.filter(pk=game.pk).update(ended_at=timezone.now())
    assert not finished_games(usable_games(0)).exists()
    assert not participant.study.slots.exists()


def test_finished_practice_game_lets_the_participant_continue(
    client: Client, participant: Participant
) -> None:
    game = sit_down(client, participant)
    Game.objects.filter(pk=game.pk).update(ended_at=timezone.now())
    page = get_page(client, participant).content.decode()
    assert "Now you know how the game works." in page
    assert "Back to the game" not in page
