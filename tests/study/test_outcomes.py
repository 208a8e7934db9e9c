"""The results of a study: every figure again in plain Python from the CSV files of its ZIP."""

from __future__ import annotations

import csv
import io
import statistics
from collections import defaultdict
from typing import Any

import pytest
from scipy import stats

from tests.study import studies
from tests.study.desk import signed_in
from webapp.study.exports.csv_cells import unguarded
from webapp.study.exports.studies import Asked, files
from webapp.study.models import Happening, Participant, Response, Slot, Study, StudyAnalysis
from webapp.study.sessions import places, responses, slots, withdrawal
from webapp.study.sessions.answers import Answer
from webapp.study.study_analysis import state_of, work_out, worked_out

pytestmark = pytest.mark.django_db(transaction=True)

STAGES = [
    {"kind": "consent"},
    {"kind": "game"},
    {"kind": "questionnaire", "instruments": ["who-is-human", "impressions"]},
    {"kind": "debriefing"},
]
FACTORS = [
    {
        "name": "mind",
        "levels": [{"name": "full"}, {"name": "none", "table": {"method": "baseline"}}],
    }
]
Row = dict[str, str]


@pytest.fixture(scope="module")
def told() -> list[tuple[str, ...]]:
    """What each participant says, in the order of their coming: guesses of the others, and how
    much they liked it."""
    return []


def close(study: Study) -> Study:
    study.state = Study.CLOSED
    study.save()
    study.slots.filter(state=Slot.FILLING).update(state=Slot.FREE)
    return study


def made(games: int = 4) -> Study:
    """Two people a game in two conditions; the last game became void. P003 is excluded, P006 took
    their answers back, P007 never handed in."""
    study = studies.study(
        table={"people": 2}, stages=STAGES, factors=FACTORS, assignment={"games": 3}
    )
    for game in range(games):
        people = studies.seated(study, 2)
        studies.play(people[0])
        for person in people:
            say(person, game)
    last = study.slots.filter(state=Slot.DONE).order_by("pk").last()
    assert last
    slots.void(last, "called off", actor="clock")
    Participant.objects.filter(pseudonym="P003").update(excluded=True)
    withdrawal.take_back(Participant.objects.get(pseudonym="P006"))
    return study


def say(person: Participant, game: int) -> None:
    """Guesses that are right for some, and an answer on each scale."""
    seating = studies.seat_of(person)
    row = studies.fresh(person)
    step = places.step_of(row)
    number = int(row.pseudonym[1:])
    said: dict[Any, Answer] = {("impressions", "enjoyed", 0): Answer(number=1 + number % 5)}
    assert seating.slot.game
    for other in seating.slot.game.players.exclude(seat=seating.seat):
        guess = ("person", "computer", "computer")[(other.seat + number) % 3]
        said["who-is-human", "kind", other.seat] = Answer(choice=guess, number=1 + other.seat % 5)
    state = Response.TYPED if row.pseudonym == "P007" else Response.GIVEN
    responses.save(row, step, said, revision=0, slot=seating.slot, state=state)


def rows(study: Study, name: str) -> list[Row]:
    found = csv.DictReader(io.StringIO(files(study)[name].decode(), newline=""))
    return [{k: unguarded(v) for k, v in row.items()} for row in found]


def test_x() -> None:
    study = close(made())
    found = worked_out(study)
    print(found["markdown"])
    print(found["results"]["left_out"], found["results"]["totals"])
    print(found["estimates"])
