"""Participants of studies for tests: at a stage, after a game, in their own browser."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone

from game.models import Game, Player
from tests.study import world
from webapp.play import visitors
from webapp.study.design.stages import Design
from webapp.study.models import Condition, Participant, Seating, Slot, Study
from webapp.study.sessions import lifecycle, participant_state


def create_study(*stages: dict[str, Any], seed: str = "s", **design: Any) -> Study:
    """Create an open study of these stages after consent."""
    owner = User.objects.filter(username="ada").first() or world.create_researcher()
    data = Design.from_json({"stages": [{"kind": "consent"}, *stages], **design}).to_json()
    return Study.objects.create(owner=owner, name="A study", seed=seed, design=data, state="open")


def add_participant(study: Study, kind: str = "") -> Participant:
    """Add a participant at the first stage, or at the first of that kind."""
    number = study.participants.count() + 1
    participant = Participant(
        study=study, pseudonym=f"P{number:03}", consented_at=timezone.now(), visitor=uuid.uuid4()
    )
    with transaction.atomic():  # A concurrent sweeper must not see the steps in between.
        lifecycle.begin_participation(participant)
        while kind and participant_state.current_step(participant).kind != kind:
            assert lifecycle.advance(participant, participant.step)
            participant.refresh_from_db()
    return participant


def add_played_game(participant: Participant, game: Game, seat: int = 1, number: int = 1) -> Slot:
    """Record that the participant played the game as their `number`th one."""
    study = participant.study
    index = study.slots.count() + 1
    condition, _created = Condition.objects.get_or_create(
        study=study, index=1, defaults={"name": "one", "table": {}}
    )
    slot, _created = Slot.objects.get_or_create(
        game=game,
        defaults={
            "study": study, "block": 1, "index": index, "condition": condition, "deal": "d",
            "seats": [seat], "state": Slot.DONE,
        },
    )  # fmt: skip
    player = Player.objects.get(game=game, seat=seat)
    Seating.objects.create(
        slot=slot,
        participant=participant,
        round=number,
        seat=seat,
        player=player,
        state=Seating.SEATED,
    )
    return slot


def browser_of(participant: Participant) -> Client:
    """Return the participant's browser."""
    client = Client()
    session = client.session
    assert participant.visitor
    session[visitors.VISITOR_KEY] = participant.visitor.hex
    session["participants"] = {participant.study.key: participant.key}
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    return client
