"""Studies for tests: opened, with participants who stand in the waiting room."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from game.models import Game
from tests.game.table import finish
from webapp.study.design.stages import Design
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.sessions import lifecycle, participant_steps, seating, slot_matching, slots
from webapp.study.sessions.participant_steps import WAITING

TABLE = {"people": 3, "pace": "none"}
TIMED = [{"kind": "consent"}, {"kind": "game"}, {"kind": "debriefing", "minutes": 3}]
WITH_RULES = [{"kind": "consent"}, {"kind": "rules"}, {"kind": "game"}]
STAGES = [{"kind": "consent"}, {"kind": "game"}, {"kind": "debriefing"}]


def create_study(*, table: dict[str, Any] | None = None, seed: str = "s", **design: Any) -> Study:
    """An open study with its slots drawn: three people a game, unless told otherwise."""
    data = {"table": {**TABLE, **(table or {})}, "stages": STAGES, **design}
    owner, _new = User.objects.get_or_create(username="ada")
    made = Study.objects.create(
        owner=owner,
        name="A study",
        seed=seed,
        design=Design.from_json(data).to_json(),
        state=Study.OPEN,
    )
    slots.draw_slots(made)
    return made


def queue(study: Study, number: int = 1, *, ago: float = 0) -> list[Participant]:
    """So many who agree and go to the waiting room, `ago` seconds before now."""
    found = enrol(study, number)
    for person in found:
        while participant_steps.current_step(reload(person)).kind != WAITING:
            lifecycle.advance(person, reload(person).step)
        if ago:
            backdate(person, ago)
        slot_matching.join_queue(reload(person))
    return [reload(person) for person in found]


def enrol(study: Study, number: int) -> list[Participant]:
    """So many who have agreed, and stand at the first step after that."""
    found = []
    for _ in range(number):
        taken = study.participants.count()
        person = Participant(study=study, pseudonym=f"P{taken + 1:03}", visitor=uuid.uuid4())
        person.consented_at = timezone.now()
        lifecycle.begin_participation(person)
        found.append(person)
    return found


def backdate(person: Participant, seconds: float) -> None:
    """They came to where they are so many seconds earlier than they did."""
    row = reload(person)
    Participant.objects.filter(pk=person.pk).update(
        step_at=row.step_at - timedelta(seconds=seconds)
    )


def reload(person: Participant) -> Participant:
    return Participant.objects.select_related("study").get(pk=person.pk)


def stage_of(person: Participant) -> str:
    """The kind of the step they are at, or the way by which they went out."""
    row = reload(person)
    return row.exit or participant_steps.current_step(row).kind


def waiting_state(person: Participant) -> str:
    """What their waiting page says."""
    return seating.waiting_status(reload(person)).state


def confirm_all(people: list[Participant]) -> None:
    for person in people:
        assert seating.confirm_ready(reload(person)), f"{person} was not asked"


def seating_of(person: Participant) -> Seating:
    """The last one they were given."""
    found = person.seatings.select_related("slot__game", "player").last()
    assert found
    return found


def game_of(person: Participant) -> Game:
    game = seating_of(person).slot.game
    assert game
    return game


def finish_game(person: Participant) -> Slot:
    """Their game is played to its end; its slot."""
    slot = seating_of(person).slot
    finish(game_of(person))
    slot.refresh_from_db()
    return slot


def seat(study: Study, number: int = 3) -> list[Participant]:
    """So many who came, said that they are ready and sit at a game that has begun."""
    people = queue(study, number)
    confirm_all(people)
    return people
