"""Open studies for tests and their participants in the waiting room."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from game.models import Game
from tests.game.table import finish
from tests.study import world
from webapp.study.design.conditions import merge_tables
from webapp.study.design.stages import Design
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.planning import ready, studies
from webapp.study.sessions import lifecycle, participant_state, seating, slot_matching, slots
from webapp.study.sessions.participant_state import WAITING

AGREE = {"kind": "consent", "text": "Do you agree?"}
MINIMAL_STAGES = [AGREE, {"kind": "game"}]


PEOPLE_FACTOR = {
    "name": "company",
    "levels": [{"name": "one", "table": {"people": 1}}, {"name": "three", "table": {"people": 3}}],
}


TABLE = {"people": 3, "pace": "none"}
TIMED_STAGES = [{"kind": "consent"}, {"kind": "game"}, {"kind": "debriefing", "minutes": 3}]
STAGES_WITH_RULES = [{"kind": "consent"}, {"kind": "rules"}, {"kind": "game"}]
STAGES = [{"kind": "consent"}, {"kind": "game"}, {"kind": "debriefing"}]
UNIQUE_FACTORS = [
    {"name": "wits", "levels": [{"name": "quillfeather", "table": {"method": "full"}},
                                {"name": "brambleshade", "table": {"method": "baseline"}}]}
]  # fmt: skip
UNIQUE_NAMES = ("quillfeather", "brambleshade")
MIND_LEVELS = [{"name": "full"}, {"name": "none", "table": {"method": "baseline"}}]
MIND_FACTORS = [{"name": "mind", "levels": MIND_LEVELS}]


def create_study(*, table: dict[str, Any] | None = None, seed: str = "s", **design: Any) -> Study:
    """Create an open study with slots. By default a game has three participants."""
    data = {"table": {**TABLE, **(table or {})}, "stages": STAGES, **design}
    owner, _new = User.objects.get_or_create(username="ada")
    study = Study.objects.create(
        owner=owner,
        name="A study",
        seed=seed,
        design=Design.from_json(data).to_json(),
        state=Study.OPEN,
    )
    slots.draw_slots(study)
    return study


def queue(study: Study, number: int = 1, *, ago: float = 0) -> list[Participant]:
    """Add participants who joined the waiting room `ago` seconds ago."""
    participants = enrol(study, number)
    for person in participants:
        while participant_state.current_step(reload(person)).kind != WAITING:
            lifecycle.advance(person, reload(person).step)
        if ago:
            backdate(person, ago)
        participant_state.record_presence(reload(person))
        slot_matching.offer_slots(study)
    return [reload(person) for person in participants]


def enrol(study: Study, number: int) -> list[Participant]:
    """Add participants who consented and are at the first step after consent."""
    participants = []
    for _ in range(number):
        count = study.participants.count()
        person = Participant(study=study, pseudonym=f"P{count + 1:03}", visitor=uuid.uuid4())
        person.consented_at = timezone.now()
        lifecycle.begin_participation(person)
        participants.append(person)
    return participants


def backdate(person: Participant, seconds: float) -> None:
    """Make the participant's arrival at the step earlier by that many seconds."""
    row = reload(person)
    Participant.objects.filter(pk=person.pk).update(
        step_at=row.step_at - timedelta(seconds=seconds)
    )


def reload(person: Participant) -> Participant:
    return Participant.objects.select_related("study").get(pk=person.pk)


def stage_of(person: Participant) -> str:
    """Return the kind of the current step, or the exit."""
    row = reload(person)
    return row.exit or participant_state.current_step(row).kind


def waiting_state(person: Participant) -> str:
    """Return the state that the waiting page shows."""
    return seating.waiting_status(reload(person)).state


def confirm_all(people: list[Participant]) -> None:
    for person in people:
        assert seating.confirm_ready(reload(person)), f"{person} was not asked"


def seating_of(person: Participant) -> Seating:
    """Return the participant's latest seating."""
    seating = person.seatings.select_related("slot__game", "player").last()
    assert seating
    return seating


def game_of(person: Participant) -> Game:
    game = seating_of(person).slot.game
    assert game
    return game


def finish_game(person: Participant) -> Slot:
    """Play the participant's game to its end. Returns: its slot."""
    slot = seating_of(person).slot
    finish(game_of(person))
    slot.refresh_from_db()
    return slot


def seat(study: Study, number: int = 3) -> list[Participant]:
    """Add participants who confirmed and sit at a game that has begun."""
    people = queue(study, number)
    confirm_all(people)
    return people


def create_draft(**design: Any) -> Study:
    """Create a draft that could be opened, except for what `design` changes."""
    defaults = {"stages": MINIMAL_STAGES, "waiting": {"least": 30}}
    owner = User.objects.filter(username="ada").first() or world.create_researcher()
    return studies.create(owner, "A study", design=merge_tables(defaults, design))


def create_ready_study(key: str) -> Study:
    """Create a draft with the design of a ready study."""
    return studies.change(create_draft(), design=ready.get(key).design)


def expire_open_offers(study: Study) -> None:
    """Let all open offers expire unanswered."""
    past = timezone.now() - timedelta(seconds=1)
    Seating.objects.filter(slot__study=study, state=Seating.HELD).update(held_until=past)
    seating.expire_offers(study)


def create_busy_study(**design: Any) -> tuple[Study, list[Participant]]:
    """Create a study in which three participants play and two wait."""
    study = create_study(factors=UNIQUE_FACTORS, assignment={"games": 4}, **design)
    return study, [*seat(study), *queue(study, 2, ago=400)]
