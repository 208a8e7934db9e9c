"""Rehearsal of a campaign: the power of the planned test and the cost, on a copy.

`rehearse` copies settings, units and games of the campaign, but no ratings, to a file of rows. A
process (`separate_process`) with an empty database loads them, because a process has one database.
There `campaign_power` lets simulated raters rate the campaign repeatedly. The copy has no
identities of the researcher and the raters, and no text of requests to models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core import serializers
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Model

from game.models import Answer, Event, Game, Player, Utterance, Vote, Window
from webapp.play.models import LLMCall, Table
from webapp.study.models import Campaign, CampaignGame, Situations, Stimulus, Unit
from webapp.study.rating import campaigns
from webapp.study.rehearsal import campaign_power, separate_process
from webapp.study.rehearsal.rehearsal_options import CampaignRunOptions

ROWS_FILE = "rows.jsonl"
OWNER_NAME = "rehearsal"  # replaces the researcher's user name
MAX_BATCH_ROWS = 2000  # one INSERT has at most this many rows
_GAME_MODELS = (Player, Event, Window, Utterance, Vote, Table, Situations)


def rehearse(
    campaign: Campaign, options: CampaignRunOptions, on_progress: Callable[[str], None]
) -> dict[str, Any]:
    """Rehearse a copy of `campaign` in a separate process, or raise `Refused`."""
    result = separate_process.run_in_process(
        "campaign", options, lambda folder: write_campaign(campaign, folder), on_progress
    )
    campaign_data = {"campaign": campaign.code, "config_hash": campaigns.config_hash(campaign)}
    return {**campaign_data, **result}


def run(folder: Path, options: CampaignRunOptions) -> dict[str, Any]:
    """Rehearse the campaign whose rows are in `folder`, in an empty database."""
    call_command("migrate", interactive=False, verbosity=0)
    with connection.cursor() as cursor:  # faster; a crash may lose this database
        cursor.execute("PRAGMA synchronous=OFF")
    return campaign_power.rehearse_campaign(load_campaign(folder), options)


def write_campaign(campaign: Campaign, folder: Path) -> None:
    """Write the rows of the copy to the folder, one JSON object in each line."""
    # One transaction keeps the rows consistent.
    with transaction.atomic(), (folder / ROWS_FILE).open("w") as handle:
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


def load_campaign(folder: Path) -> Campaign:
    """Load the copy's rows in batches into an empty database. Return the campaign."""
    batch: list[Model] = []
    with transaction.atomic(), (folder / ROWS_FILE).open() as handle:
        for deserialized in serializers.deserialize("jsonl", handle):
            row = deserialized.object
            if batch and (type(row) is not type(batch[0]) or len(batch) == MAX_BATCH_ROWS):
                type(batch[0])._default_manager.bulk_create(batch)
                batch = []
            batch.append(row)
        type(batch[0])._default_manager.bulk_create(batch)
    return Campaign.objects.get()
