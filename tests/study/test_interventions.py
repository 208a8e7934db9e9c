"""What a researcher does while a study goes on: each act, and who presses too late."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.study import studies
from webapp.study.models import Happening, Participant, Response
from webapp.study.sessions import clock, interventions
from webapp.study.value_checks import Refused

pytestmark = pytest.mark.django_db(transaction=True)
TIMED = [
    {"kind": "consent"},
    {"kind": "questionnaire", "minutes": 5},
    {"kind": "game"},
    {"kind": "debriefing"},
]


def on_record(what: str) -> list[tuple[str, str]]:
    return list(Happening.objects.filter(what=what).values_list("actor", "reason"))


def test_moving_on_hands_in_what_is_typed() -> None:
    study = studies.study(stages=TIMED)
    person = studies.agreed(study, 1)[0]
    Response.objects.create(
        participant=person, step="questionnaire-1", instrument="i", item="x", text="half"
    )
    interventions.move_on(studies.fresh(person), actor="ada", reason="stuck")
    assert studies.kind(person) == "waiting"
    assert Response.objects.get().state == Response.EXPIRED
    assert on_record("moved_on") == [("ada", "stuck")]


def test_who_has_a_page_open_sends_what_is_typed_first() -> None:
    study = studies.study(stages=TIMED)
    person = studies.agreed(study, 1)[0]
    Participant.objects.update(seen_at=timezone.now())
    for _ in range(2):  # two researchers at once
        interventions.move_on(studies.fresh(person), actor="ada")
    assert studies.kind(person) == "questionnaire"
    assert studies.fresh(person).due_at <= timezone.now()
    Participant.objects.update(due_at=timezone.now() - timedelta(seconds=5))
    clock.keep_time()
    assert studies.kind(person) == "waiting"
    assert len(on_record("moved_on")) == 1


def test_nobody_is_moved_past_a_waiting_room_or_out_of_a_game() -> None:
    study = studies.study()
    waits = studies.come(study)[0]
    with pytest.raises(Refused, match="They wait for a game"):
        interventions.move_on(waits, actor="ada")
    plays = studies.seated(studies.study(seed="t"))[0]
    with pytest.raises(Refused, match="They are in a game"):
        interventions.move_on(studies.fresh(plays), actor="ada")
