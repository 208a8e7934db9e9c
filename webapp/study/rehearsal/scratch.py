"""A copy of a campaign in a scratch database: settings, units and games, but no ratings.

The copy is a file of rows that another process loads (`load`), because a process has one database.
The identities of the researcher and the raters, the requests to models, and the other tables are
left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.contrib.auth.models import User
from django.core import serializers
from django.db import transaction
from django.db.models import Model

from game.models import Answer, Event, Game, Player, Utterance, Vote, Window
from webapp.play.models import LLMCall, Table
from webapp.study.models import Campaign, CampaignGame, Situations, Stimulus, Unit

OWNER = "rehearsal"
AT_ONCE = 2000  # rows
_OF_GAMES = (Player, Event, Window, Utterance, Vote, Table, Situations)


def write(campaign: Campaign, file: Path) -> None:
    """Write the rows of `campaign` to `file`, as one state of the database."""
    with transaction.atomic(), file.open("w") as handle:
        serializers.serialize("jsonl", _rows(campaign), stream=handle)


def _rows(campaign: Campaign) -> Iterator[Model]:
    yield User(pk=campaign.study.owner_id, username=OWNER)
    yield campaign.study
    campaign.games_of = None
    yield campaign
    chosen = CampaignGame.objects.filter(campaign=campaign)
    games = list(chosen.values_list("game", flat=True))
    yield from Game.objects.filter(pk__in=games)
    for model in _OF_GAMES:
        for row in model._default_manager.filter(game__in=games).order_by("pk").iterator():
            if isinstance(row, Table):
                row.successor = None
            yield row
    yield from Answer.objects.filter(window__game__in=games).iterator()
    yield from _calls(games)
    yield from chosen
    units = Unit.objects.filter(campaign=campaign)
    yield from units.iterator()
    yield from Stimulus.objects.filter(unit__in=units).order_by("pk").iterator()


def _calls(games: list[int]) -> Iterator[LLMCall]:
    """Yield rows with the models that spoke, without the text of requests and answers."""
    for call in LLMCall.objects.filter(game__in=games).order_by("pk").iterator():
        model = (call.exchange or {}).get("model", "")
        call.brief, call.reply, call.exchange = {}, None, {"model": model}
        yield call


def load(file: Path) -> Campaign:
    """Load the rows of `file` into this process's empty database. Return the campaign."""
    waiting: list[Model] = []
    with transaction.atomic(), file.open() as handle:
        for deserialized in serializers.deserialize("jsonl", handle):
            row = deserialized.object
            if waiting and (type(row) is not type(waiting[0]) or len(waiting) == AT_ONCE):
                type(waiting[0])._default_manager.bulk_create(waiting)
                waiting = []
            waiting.append(row)
        type(waiting[0])._default_manager.bulk_create(waiting)
    return Campaign.objects.get()
