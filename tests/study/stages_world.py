"""Studies, slots and participants made by hand, for tests of single stages."""

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
from webapp.study.models import Condition, Participant, Seating, Slot, Study
from webapp.study.sessions import lifecycle, participant_steps


def create_study(*stages: Mapping[str, Any], seed: str = "study", **design: Any) -> Study:
    """An open study with these stages after consent, and one condition, the base table."""
    owner = User.objects.filter(username="ada").first() or world.create_researcher()
    stages_all = [{"kind": "consent", "text": "You agree."}, *stages]
    made = Design.from_json({"stages": stages_all, **design})
    found = Study.objects.create(
        owner=owner, name="Who", seed=seed, state=Study.OPEN, design=made.to_json()
    )
    Condition.objects.create(study=found, index=1, name="base", table=made.to_json()["table"])
    return found


def add_participant(of: Study, kind: str = "", **more: Any) -> Participant:
    """Somebody who has agreed, at the first step of that kind (without one: after consent)."""
    number = of.participants.count() + 1
    row = Participant(
        study=of,
        pseudonym=f"P{number:03d}",
        consented_at=timezone.now(),
        visitor=uuid.uuid4(),
        **more,
    )
    lifecycle.begin_participation(row)
    while kind and participant_steps.current_step(row).kind != kind:
        assert lifecycle.advance(row, row.step)
        row.refresh_from_db()
    return row


def add_slot(of: Study, game: Game, state: str = Slot.DONE) -> Slot:
    number = of.slots.count() + 1
    return Slot.objects.create(
        study=of,
        block=number,
        index=number,
        condition=of.conditions.get(index=1),
        deal=game.seed,
        state=state,
        game=game,
    )


def add_seating(who: Participant, where: Slot, number: int, state: str = Seating.SEATED) -> Seating:
    assert where.game
    player = Player.objects.get(game=where.game, seat=number)
    return Seating.objects.create(
        slot=where, participant=who, seat=number, player=player, state=state
    )


def open_in_browser(client: Client, who: Participant) -> None:
    """The participant goes on in this browser, where they are not in it yet."""
    who.refresh_from_db()
    if visitors.visitor_of(client.session) != who.visitor:
        client.post(f"/take/as/{who.key}/", {"change": "1"})
        who.refresh_from_db()


def get_page(client: Client, who: Participant, query: str = "") -> HttpResponse:
    open_in_browser(client, who)
    return client.get(f"/take/as/{who.key}/{query}")


def post_step(client: Client, who: Participant, do: str, **more: Any) -> HttpResponse:
    """A button of the page that is due."""
    open_in_browser(client, who)
    form = {"step": who.step, "do": do, **more}
    return client.post(f"/take/as/{who.key}/", form)
