"""Studies, slots and participants for tests of single stages."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from game.models import Game, Player
from tests.study import world
from webapp.play import visitors
from webapp.study.design.stages import Design
from webapp.study.models import Campaign, Condition, Participant, Seating, Slot, Study
from webapp.study.planning import studies, study_file
from webapp.study.planning.study_file import DesignFile
from webapp.study.sessions import lifecycle, participant_state, study_campaigns

RATINGS = {"kind": "ratings", "instrument": "engagement", "items": 4}
GAME = {"kind": "game"}


def create_study(*stages: Mapping[str, Any], seed: str = "study", **design: Any) -> Study:
    """Create an open study with these stages after consent and one base condition."""
    owner = User.objects.filter(username="ada").first() or world.create_researcher()
    stages_all = [{"kind": "consent", "text": "You agree."}, *stages]
    parsed = Design.from_json({"stages": stages_all, **design})
    study = Study.objects.create(
        owner=owner, name="Who", seed=seed, state=Study.OPEN, design=parsed.to_json()
    )
    Condition.objects.create(study=study, index=1, name="base", table=parsed.to_json()["table"])
    return study


def add_participant(study: Study, kind: str = "", **more: Any) -> Participant:
    """Add a participant at the first step of that kind, or after consent."""
    number = study.participants.count() + 1
    participant = Participant(
        study=study,
        pseudonym=f"P{number:03d}",
        consented_at=timezone.now(),
        visitor=uuid.uuid4(),
        **more,
    )
    lifecycle.begin_participation(participant)
    while kind and participant_state.current_step(participant).kind != kind:
        assert lifecycle.advance(participant, participant.step)
        participant.refresh_from_db()
    return participant


def add_slot(study: Study, game: Game, state: str = Slot.DONE) -> Slot:
    number = study.slots.count() + 1
    return Slot.objects.create(
        study=study,
        block=number,
        index=number,
        condition=study.conditions.get(index=1),
        deal=game.seed,
        state=state,
        game=game,
    )


def add_seating(
    participant: Participant, slot: Slot, seat: int, state: str = Seating.SEATED
) -> Seating:
    assert slot.game
    player = Player.objects.get(game=slot.game, seat=seat)
    return Seating.objects.create(
        slot=slot, participant=participant, seat=seat, player=player, state=state
    )


def open_in_browser(client: Client, participant: Participant) -> None:
    """Move the participant to this browser unless it has them already."""
    participant.refresh_from_db()
    if visitors.visitor_of(client.session) != participant.visitor:
        client.post(f"/take/as/{participant.key}/", {"change": "1"})
        participant.refresh_from_db()


def get_page(client: Client, participant: Participant, query: str = "") -> HttpResponse:
    open_in_browser(client, participant)
    return client.get(f"/take/as/{participant.key}/{query}")


def post_step(client: Client, participant: Participant, do: str, **more: Any) -> HttpResponse:
    """Press a button of the current page."""
    open_in_browser(client, participant)
    form = {"step": participant.step, "do": do, **more}
    return client.post(f"/take/as/{participant.key}/", form)


def campaign_of(study: Study) -> Campaign:
    return study_campaigns.campaigns_of(study).get()


def recreate_from_file(study: Study) -> Study:
    """Return the study that its own file creates."""
    file = DesignFile(study.name, study_campaigns.design_with_settings(study))
    read = study_file.parse_study_file(study_file.format_study_file(file))
    return studies.create(study.owner, read.name, design=read.design)
