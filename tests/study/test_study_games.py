"""Tests of a slot's game: its table, and the participants' progress when it ends."""

from __future__ import annotations

import pytest
from django.test import Client

from game import cached_games, game_actions
from game.engine import rulesets
from game.models import Game, Player
from game.signals import game_changed
from tests.study import studies
from webapp.play import presence
from webapp.play.models import Membership, Table
from webapp.study import timed_steps
from webapp.study.models import AuditEvent, Participant, Seating, Slot, Study
from webapp.study.sessions import lifecycle, slot_games, slots

pytestmark = pytest.mark.django_db(transaction=True)

ONE_PERSON = {"people": 1}


@pytest.fixture
def ignore_game_changes() -> object:
    """Let the process that is notified of the game's end do nothing."""
    game_changed.disconnect(dispatch_uid="study")
    yield
    game_changed.connect(slot_games.on_game_changed, dispatch_uid="study")


def test_table_is_set_up_as_the_condition_says() -> None:
    table = {
        "ruleset": "sheriff",
        "people": 2,
        "method": "baseline",
        "limits": {"vote": 45},
        "casting": {"1": {"persona": "profile:profile-1"}},
        "people_seats": [3, 5],
    }
    study = studies.create_study(table=table)
    people = studies.seat(study, 2)
    game = studies.game_of(people[0])
    slot = studies.seating_of(people[0]).slot
    table_row = Table.objects.get(game=game)
    assert (game.ruleset, game.seed, game.blind) == ("sheriff", slot.deal, True)
    assert game.limits["vote"] == 45
    assert game.limits["statement"] == 180
    assert (table_row.research, table_row.onward) == (True, f"/take/go/{study.key}/")
    assert (table_row.spectators, table_row.faces, table_row.personas) == (False, "hidden", False)
    assert sorted(game.players.filter(kind=Player.PERSON).values_list("seat", flat=True)) == [3, 5]
    methods = {p.recipe["method"] for p in game.players.filter(kind=Player.AGENT)}
    assert methods == {"baseline"}
    assert [p.name for p in game.players.all()] == list(rulesets.get("sheriff").table_names)


def test_participants_get_their_own_seats_and_nobody_is_host() -> None:
    study = studies.create_study()
    for person in studies.seat(study):
        row = Membership.objects.get(visitor=person.visitor)
        assert row.player == studies.seating_of(person).player
        assert row.player.seat == studies.seating_of(person).seat
        assert not row.host


def test_only_the_participants_browser_sees_the_table() -> None:
    person = studies.seat(studies.create_study(table=ONE_PERSON), 1)[0]
    client, stranger = Client(), Client()
    session = client.session
    session["visitor"] = person.visitor.hex
    session.save()
    address = f"/games/{studies.game_of(person).code}/"
    assert client.get(address).status_code == 200
    assert stranger.get(address).status_code == 403


def test_blind_table_uses_even_pace() -> None:
    person = studies.seat(studies.create_study(table={"people": 1, "pace": "brisk"}), 1)[0]
    assert studies.game_of(person).pace == "even"
    open_table = {"people": 1, "pace": "brisk", "blind": False}
    person = studies.seat(studies.create_study(table=open_table), 1)[0]
    assert studies.game_of(person).pace == "brisk"


def test_extra_time_applies_to_the_whole_table() -> None:
    study = studies.create_study()
    people = studies.queue(study, 3)
    Participant.objects.filter(pk=people[1].pk).update(extra_time=150)
    studies.confirm_all(people)
    assert studies.game_of(people[0]).limits["statement"] == 270
    assert studies.seating_of(people[0]).slot.deviations == {"extra_time": 150}


def test_finished_game_counts_and_its_participants_continue() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    slot = studies.finish_game(people[0])
    assert slot.state == Slot.DONE
    assert slot.ended_at
    assert {studies.stage_of(p) for p in people} == {"debriefing"}
    assert {studies.seating_of(p).state for p in people} == {Seating.SEATED}
    assert list(AuditEvent.objects.values_list("what", flat=True)) == ["began", "done"]


def test_called_off_game_is_void_and_its_participants_wait_again() -> None:
    study = studies.create_study(waiting={"least": 30})
    people = studies.queue(study, 3, ago=100)
    assert {studies.waiting_state(p) for p in people} == {"asked"}
    studies.confirm_all(people)
    assert {studies.reload(p).waited_s for p in people} <= {100, 101}
    first = studies.seating_of(people[0]).slot
    game_actions.call_off(studies.game_of(people[0]).pk)
    first.refresh_from_db()
    assert (first.state, first.void_reason) == (Slot.VOID, "called off")
    assert [studies.waiting_state(p) for p in people] == ["asked"] * 3
    second = studies.seating_of(people[0]).slot
    assert second.deal != first.deal  # The participants know the first deal.
    status = studies.seating.waiting_status(studies.reload(people[0]))
    assert status.waited_s >= 100  # The waiting time continues.
    studies.confirm_all(people)
    assert studies.finish_game(people[0]).state == Slot.DONE
    lifecycle.advance(studies.reload(people[0]), 3)
    visits = studies.reload(people[0]).visits
    assert [(v["step"], v["by"]) for v in visits] == [
        *[("waiting-1", "clock"), ("game-2", "clock")] * 2,
        ("debriefing-3", "participant"),
    ]
    times = [moment for v in visits for moment in (v["came"], v["went"])]
    assert times == sorted(times)


def test_late_second_process_moves_no_waiting_participant() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    seen_by_both = [studies.seating_of(person) for person in people]
    game_actions.call_off(studies.game_of(people[0]).pk)
    steps = [studies.reload(person).step for person in people]
    for seating in seen_by_both:
        slot_games.sync_step(seating)
    assert [studies.reload(person).step for person in people] == steps


def test_participants_are_paid_if_no_new_game_is_possible() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    Study.objects.update(state=Study.PAUSED)
    game_actions.call_off(studies.game_of(people[0]).pk)
    assert {studies.stage_of(p) for p in people} == {"technical"}


def test_slot_voided_by_researcher_ends_its_game() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    game = studies.game_of(people[0])
    slots.void_slot(studies.seating_of(people[0]).slot, "a mistake of ours", actor="ada")
    timed_steps.run_due_steps()
    game.refresh_from_db()
    assert game.called_off
    assert [studies.waiting_state(p) for p in people] == ["asked"] * 3


def test_clock_finishes_a_game_whose_end_was_missed(ignore_game_changes: object) -> None:
    study = studies.create_study()
    people = studies.seat(study)
    slot = studies.finish_game(people[0])
    assert slot.state == Slot.PLAYING
    for _ in range(2):
        timed_steps.run_due_steps()
        slot.refresh_from_db()
        assert slot.state == Slot.DONE
        assert {studies.stage_of(p) for p in people} == {"debriefing"}
    assert AuditEvent.objects.filter(what="done").count() == 1


def test_seated_participants_reach_the_table_after_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    study = studies.create_study()
    people = studies.queue(study, 3)
    with monkeypatch.context() as patch:
        patch.setattr(slot_games, "sync_step", lambda _seating: None)
        studies.confirm_all(people)
    assert {studies.stage_of(p) for p in people} == {"waiting"}
    status = studies.seating.waiting_status(studies.reload(people[0]))
    assert status.state == "begins"
    assert studies.game_of(people[0]).code
    timed_steps.run_due_steps()
    assert {studies.stage_of(p) for p in people} == {"game"}


def test_game_that_cannot_start_pauses_the_study() -> None:
    study = studies.create_study(table={"people": 1, "settings": {"no_such": 1}})
    person = studies.queue(study)[0]
    studies.confirm_all([person])
    study.refresh_from_db()
    assert study.state == Study.PAUSED
    assert "no_such" in AuditEvent.objects.get(what="paused").reason
    assert studies.waiting_state(person) == "waiting"
    assert not Game.objects.exists()


def test_study_games_are_not_paused_without_spectators() -> None:
    person = studies.seat(studies.create_study(table=ONE_PERSON), 1)[0]
    game = studies.game_of(person)
    Player.objects.filter(game=game).update(left_at=game.started_at)
    Table.objects.update(looked_at=game.started_at.replace(year=2000))
    assert presence.pause_unwatched() == 0


def test_game_outside_a_study_is_ignored() -> None:
    from tests.game.table import finish, new_game

    finish(new_game(1))
    assert not AuditEvent.objects.exists()


def test_participants_are_cached_as_people() -> None:
    study = studies.create_study()
    people = studies.seat(study)
    game = studies.game_of(people[0])
    sitting = {p.seat for p in cached_games.cached_game(game).players if p.is_person_now}
    assert sitting == {studies.seating_of(p).seat for p in people}
