"""Personal data of a participant, its delayed erasure, and all rows of the database as text."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from django.apps import apps
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import connection

from game.models import Utterance
from tests.study import studies
from webapp.play import visitors
from webapp.study.ethics import participant_erasure
from webapp.study.models import Erasure, Identity, Participant, Response, Study
from webapp.study.sessions import study_events

STAGES = [
    {"kind": "consent", "text": "You agree."},
    {"kind": "practice"},
    {"kind": "game"},
    {"kind": "questionnaire", "instruments": ["who-is-human"]},
    {"kind": "debriefing"},
]


LABEL = "5e9f-outside-label-of-a-person"
OWN_STATEMENT = "The bells of my own village rang at noon."


def dump_database() -> str:
    """Return all rows of all tables and the decoded sessions."""
    rows = [list(m._default_manager.values_list()) for m in apps.get_models() if m != Session]
    texts = [repr(rows), json.dumps(rows, default=str, ensure_ascii=False)]
    return "\n".join([*texts, *(repr(s.get_decoded()) for s in Session.objects.all())])


def add_personal_data(participant: Participant) -> None:
    """Give the participant an identity, answers, an audit reason, a device and a session."""
    Identity.objects.create(participant=participant, label=LABEL, session=f"s-{LABEL}")
    Response.objects.create(
        participant=participant,
        step="interview-3",
        instrument="interview",
        item="one",
        text=OWN_STATEMENT,
    )
    study_events.record_event(participant, "excluded", actor="ada", reason=f"is {LABEL}")
    Participant.objects.filter(pk=participant.pk).update(device={"sound": "heard-by-" + LABEL})
    session = SessionStore()
    session.update(
        {
            "participants": {participant.study.key: participant.key},
            visitors.LINK_KEY: participant.key,
            "v": "w",
        }
    )
    session.save()


def run_erasures_later(days: float = 2) -> None:
    """Run the sweeper's erasures that many days after they were requested."""
    for row in Erasure.objects.all():
        Erasure.objects.filter(pk=row.pk).update(
            requested_at=row.requested_at - timedelta(days=days)
        )
    job = participant_erasure.PendingErasures()
    for _ in range(Erasure.objects.count() + 1):
        job.step()


def play_game_of_two(**design: object) -> tuple[Study, list[Participant], list[str]]:
    """Let two people finish a game.

    Returns: the study, both people and the first one's statements.
    """
    study = studies.create_study(table={"people": 2}, **{"stages": STAGES, **design})
    people = studies.seat(study, 2)
    slot = studies.finish_game(people[0])
    assert slot.game
    seat = studies.seating_of(people[0]).seat
    Utterance.objects.filter(game=slot.game, seat=seat).update(text=OWN_STATEMENT)
    statements = list(
        Utterance.objects.filter(game=slot.game, seat=seat).values_list("text", flat=True)
    )
    assert statements
    add_personal_data(people[0])
    return study, [studies.reload(p) for p in people], statements


def database_bytes() -> bytes:
    file = Path(str(connection.settings_dict["NAME"]))
    files = (file, file.with_name(file.name + "-wal"))
    return b"".join(f.read_bytes() for f in files if f.exists())
