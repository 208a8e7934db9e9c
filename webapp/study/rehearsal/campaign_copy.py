"""A copy of a campaign for a scratch database: settings, units and games, but no ratings.

The copy is a file of rows that another process loads, because a process has one database. It has no
identities of the researcher and the raters, and no text of requests to models.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from pathlib import Path

from django.contrib.auth.models import User
from django.core import serializers
from django.db import transaction
from django.db.models import Model

from game.models import Answer, Event, Game, Player, Utterance, Vote, Window
from webapp.play.models import LLMCall, Table
from webapp.study.models import Campaign, CampaignGame, Situations, Stimulus, Unit

OWNER_NAME = "rehearsal"  # replaces the researcher's user name
MAX_BATCH_ROWS = 2000  # of one INSERT
_GAME_MODELS = (Player, Event, Window, Utterance, Vote, Table, Situations)


def write_campaign(campaign: Campaign, file: Path) -> None:
    """Write the rows of the copy to `file`, one JSON object in each line."""
    # In one transaction, so that the rows are consistent.
    with transaction.atomic(), file.open("w") as handle:
        serializers.serialize("jsonl", _rows(campaign), stream=handle)


def _rows(campaign: Campaign) -> Iterator[Model]:
    """Yield the rows in an order in which their foreign keys exist."""
    yield User(pk=campaign.study.owner_id, username=OWNER_NAME)
    yield campaign.study
    campaign_row = copy(campaign)
    campaign_row.games_of = None  # its study is not copied, and no more games join the copy
    yield campaign_row
    campaign_games = CampaignGame.objects.filter(campaign=campaign)
    games = list(campaign_games.values_list("game", flat=True))
    yield from Game.objects.filter(pk__in=games)
    for model in _GAME_MODELS:
        for row in model._default_manager.filter(game__in=games).order_by("pk").iterator():
            if isinstance(row, Table):
                row.successor = None  # a game that may not be in the campaign
            yield row
    yield from Answer.objects.filter(window__game__in=games).iterator()
    yield from _calls_without_text(games)
    yield from campaign_games
    units = Unit.objects.filter(campaign=campaign)
    yield from units.iterator()
    yield from Stimulus.objects.filter(unit__in=units).order_by("pk").iterator()


def _calls_without_text(games: list[int]) -> Iterator[LLMCall]:
    """Yield the requests to models, with the model's name but without prompts and replies."""
    for call in LLMCall.objects.filter(game__in=games).order_by("pk").iterator():
        model = (call.exchange or {}).get("model", "")
        call.brief, call.reply, call.exchange = {}, None, {"model": model}
        yield call


def load_campaign(file: Path) -> Campaign:
    """Load the rows of `file` into this process's empty database. Return the campaign.

    Consecutive rows of one model are inserted together.
    """
    batch: list[Model] = []
    with transaction.atomic(), file.open() as handle:
        for deserialized in serializers.deserialize("jsonl", handle):
            row = deserialized.object
            if batch and (type(row) is not type(batch[0]) or len(batch) == MAX_BATCH_ROWS):
                type(batch[0])._default_manager.bulk_create(batch)
                batch = []
            batch.append(row)
        type(batch[0])._default_manager.bulk_create(batch)
    return Campaign.objects.get()
