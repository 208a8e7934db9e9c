"""A slot's game: how its table stands, and where its people go when it has ended."""

from __future__ import annotations

import pytest
from django.test import Client

from game import host_actions, selectors
from game.engine import rulesets
from game.models import Game, Player
from game.signals import game_changed
from tests.study import studies
from webapp.play import presence
from webapp.play.models import Membership, Table
from webapp.study import timed_steps
from webapp.study.models import Happening, Participant, Seating, Slot, Study
from webapp.study.sessions import lifecycle, slot_games, slots

pytestmark = pytest.mark.django_db(transaction=True)

ONE = {"people": 1}


@pytest.fixture
def deaf() -> object:
    """The process that hears of the game's end does not live to act on it."""
    game_changed.disconnect(dispatch_uid="study")
    yield
    game_changed.connect(slot_games.on_game_changed, dispatch_uid="study")


def test_the_table_stands_as_the_condition_says() -> None:
    table = {
        "ruleset": "sheriff",
        "people": 2,
        "method": "baseline",
        "limits": {"vote": 45},
        "casting": {"1": {"persona": "profile:profile-1"}},
        "people_seats": [3, 5],
    }
    study = studies.study(table=table)
    people = studies.seated(study, 2)
    game = studies.game_of(people[0])
    slot = studies.seat_of(people[0]).slot
    found = Table.objects.get(game=game)
    assert (game.ruleset, game.seed, game.blind) == ("sheriff", slot.deal, True)
    assert game.limits["vote"] == 45
    assert game.limits["statement"] == 180
    assert (found.research, found.onward) == (True, f"/take/go/{study.key}/")
    assert (found.spectators, found.faces, found.personas) == (False, "hidden", False)
    assert sorted(game.players.filter(kind=Player.PERSON).values_list("seat", flat=True)) == [3, 5]
    made = {p.recipe["method"] for p in game.players.filter(kind=Player.AGENT)}
    assert made == {"baseline"}
    assert [p.name for p in game.players.all()] == list(rulesets.get("sheriff").table_names)


def test_each_sits_in_their_own_seat_and_nobody_is_host() -> None:
    study = studies.study()
    for person in studies.seated(study):
        row = Membership.objects.get(visitor=person.visitor)
        assert row.player == studies.seat_of(person).player
        assert row.player.seat == studies.seat_of(person).seat
        assert not row.host


def test_a_participants_browser_sees_the_table_and_no_other_does() -> None:
    person = studies.seated(studies.study(table=ONE), 1)[0]
    client, stranger = Client(), Client()
    session = client.session
    session["visitor"] = person.visitor.hex
    session.save()
    address = f"/games/{studies.game_of(person).code}/"
    assert client.get(address).status_code == 200
    assert stranger.get(address).status_code == 403


def test_a_blind_table_keeps_an_even_pace_whatever_the_design_says() -> None:
    person = studies.seated(studies.study(table={"people": 1, "pace": "brisk"}), 1)[0]
    assert studies.game_of(person).pace == "even"
    open_table = {"people": 1, "pace": "brisk", "blind": False}
    person = studies.seated(studies.study(table=open_table), 1)[0]
    assert studies.game_of(person).pace == "brisk"


def test_extra_time_holds_for_the_whole_table() -> None:
    study = studies.study()
    people = studies.come(study, 3)
    Participant.objects.filter(pk=people[1].pk).update(extra_time=150)
    studies.all_ready(people)
    assert studies.game_of(people[0]).limits["statement"] == 270
    assert studies.seat_of(people[0]).slot.deviations == {"extra_time": 150}


def test_a_game_that_is_over_counts_and_its_people_go_on() -> None:
    study = studies.study()
    people = studies.seated(study)
    slot = studies.play(people[0])
    assert slot.state == Slot.DONE
    assert slot.ended_at
    assert {studies.kind(p) for p in people} == {"debriefing"}
    assert {studies.seat_of(p).state for p in people} == {Seating.SEATED}
    assert list(Happening.objects.values_list("what", flat=True)) == ["began", "done"]


def test_a_game_that_is_called_off_is_void_and_its_people_wait_on() -> None:
    study = studies.study(waiting={"least": 30})
    people = studies.come(study, 3, ago=100)
    assert {studies.state(p) for p in people} == {"asked"}
    studies.all_ready(people)
    assert {studies.fresh(p).waited for p in people} <= {100, 101}
    first = studies.seat_of(people[0]).slot
    host_actions.call_off(studies.game_of(people[0]).pk)
    first.refresh_from_db()
    assert (first.state, first.void_reason) == (Slot.VOID, "called off")
    assert [studies.state(p) for p in people] == ["asked"] * 3
    second = studies.seat_of(people[0]).slot
    assert second.deal != first.deal  # which they have seen
    told = studies.seating.waiting_status(studies.fresh(people[0]))
    assert told.waited_s >= 100  # the time counts on
    studies.all_ready(people)
    assert studies.play(people[0]).state == Slot.DONE
    lifecycle.advance(studies.fresh(people[0]), 3)
    visits = studies.fresh(people[0]).visits
    assert [(v["step"], v["by"]) for v in visits] == [
        *[("waiting-1", "clock"), ("game-2", "clock")] * 2,
        ("debriefing-3", "participant"),
    ]
    times = [moment for v in visits for moment in (v["came"], v["went"])]
    assert times == sorted(times)


def test_a_second_process_that_saw_the_game_end_moves_nobody_who_waits_again() -> None:
    study = studies.study()
    people = studies.seated(study)
    seen_by_both = [studies.seat_of(person) for person in people]
    host_actions.call_off(studies.game_of(people[0]).pk)
    steps = [studies.fresh(person).step for person in people]
    for seating in seen_by_both:
        slot_games.sync_step(seating)
    assert [studies.fresh(person).step for person in people] == steps


def test_where_nobody_is_seated_any_more_they_are_paid_for_what_broke() -> None:
    study = studies.study()
    people = studies.seated(study)
    Study.objects.update(state=Study.PAUSED)
    host_actions.call_off(studies.game_of(people[0]).pk)
    assert {studies.kind(p) for p in people} == {"technical"}


def test_a_slot_made_void_by_the_researcher_ends_its_game() -> None:
    study = studies.study()
    people = studies.seated(study)
    game = studies.game_of(people[0])
    slots.void_slot(studies.seat_of(people[0]).slot, "a mistake of ours", actor="ada")
    timed_steps.run_due_steps()
    game.refresh_from_db()
    assert game.called_off
    assert [studies.state(p) for p in people] == ["asked"] * 3


def test_the_clock_finds_what_nobody_heard(deaf: object) -> None:
    study = studies.study()
    people = studies.seated(study)
    slot = studies.play(people[0])
    assert slot.state == Slot.PLAYING
    for _ in range(2):
        timed_steps.run_due_steps()
        slot.refresh_from_db()
        assert slot.state == Slot.DONE
        assert {studies.kind(p) for p in people} == {"debriefing"}
    assert Happening.objects.filter(what="done").count() == 1


def test_who_was_seated_as_the_process_ended_still_comes_to_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = studies.study()
    people = studies.come(study, 3)
    with monkeypatch.context() as patch:
        patch.setattr(studies.seating, "_move_to_game", lambda people: None)
        studies.all_ready(people)
    assert {studies.kind(p) for p in people} == {"waiting"}
    told = studies.seating.waiting_status(studies.fresh(people[0]))
    assert (told.state, told.game) == ("begins", studies.game_of(people[0]).code)
    timed_steps.run_due_steps()
    assert {studies.kind(p) for p in people} == {"game"}


def test_a_game_that_cannot_begin_pauses_the_study() -> None:
    study = studies.study(table={"people": 1, "settings": {"no_such": 1}})
    person = studies.come(study)[0]
    studies.all_ready([person])
    study.refresh_from_db()
    assert study.state == Study.PAUSED
    assert "no_such" in Happening.objects.get(what="paused").reason
    assert studies.state(person) == "waiting"
    assert not Game.objects.exists()


def test_games_of_a_study_do_not_pause_for_want_of_spectators() -> None:
    person = studies.seated(studies.study(table=ONE), 1)[0]
    game = studies.game_of(person)
    Player.objects.filter(game=game).update(left_at=game.started_at)
    Table.objects.update(looked_at=game.started_at.replace(year=2000))
    assert presence.pause_unwatched() == 0


def test_other_games_are_none_of_its_business() -> None:
    from tests.game.table import finish, new_game

    finish(new_game(1))
    assert not Happening.objects.exists()


def test_people_are_asked_as_people() -> None:
    study = studies.study()
    people = studies.seated(study)
    game = studies.game_of(people[0])
    sitting = {p.seat for p in selectors.cached_game(game).players if p.by_person}
    assert sitting == {studies.seat_of(p).seat for p in people}
