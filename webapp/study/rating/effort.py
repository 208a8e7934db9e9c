"""Estimate a rater's time, for the plan and the consent page."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from django.db.models import Count, QuerySet, Sum

from game.engine.text_checks import count_words
from game.models import Game
from webapp.study.design.instruments import Instrument
from webapp.study.games.public_talk import talk_of
from webapp.study.models import Campaign, Unit

WORDS_A_MINUTE = 230  # reading speed
SECONDS_A_VALUE = 6
SECONDS_A_QUESTION = 20  # of the quiz
START_MINUTES = 2  # for consent and the worked example
SAMPLE_UNITS = 100  # from which the mean number of words is estimated

# Settings that the estimate depends on, beside the units.
_INPUT_SETTINGS = (
    "instrument", "rival", "context", "units_per_rater", "repeats", "attention", "quiz",
)  # fmt: skip


class RateableUnit(Protocol):
    """An item to rate: a row of `Unit`, or a unit before it is stored."""

    @property
    def kind(self) -> str: ...
    @property
    def game(self) -> Game | None: ...
    @property
    def position(self) -> int: ...
    @property
    def situations(self) -> Sequence[str]: ...


def minutes(campaign: Campaign, rated: Sequence[RateableUnit]) -> int:
    """Return the minutes for one rater's share of `rated`, 0 if nothing is rated."""
    if not rated:
        return 0
    values_a_unit = count_values(campaign, rated) / len(rated)
    known_count = campaign.units.exclude(use="").count()  # assigned to every rater
    unit_count = campaign.units_per_rater + campaign.repeats + known_count
    seconds = unit_count * (
        60 * _mean_words(campaign, rated) / WORDS_A_MINUTE + values_a_unit * SECONDS_A_VALUE
    )
    seconds += campaign.attention * values_a_unit * SECONDS_A_VALUE
    seconds += len(campaign.quiz.get("questions", ())) * SECONDS_A_QUESTION
    return START_MINUTES + math.ceil(seconds / 60)


def count_values(campaign: Campaign, rated: Sequence[RateableUnit]) -> int:
    """Return the number of values if each unit is rated once."""
    instrument = Instrument.from_json(campaign.instrument)
    return sum(
        len(instrument.dimensions_in(list(u.situations))) * _item_count(campaign, u) for u in rated
    )


def _item_count(campaign: Campaign, unit: RateableUnit) -> int:
    """Return the number of items that are rated on a unit's page."""
    if unit.kind == Unit.RANKING:
        assert unit.game is not None
        return len(talk_of(unit.game).names)
    return campaign.answer_count


def _mean_words(campaign: Campaign, rated: Sequence[RateableUnit]) -> float:
    """Return the mean number of words on a unit's page, from SAMPLE_UNITS units."""
    sample = rated[:: max(1, len(rated) // SAMPLE_UNITS)]
    total = 0
    for unit in sample:
        assert unit.game is not None
        talk = talk_of(unit.game)
        lines = talk.spoken
        if unit.kind == Unit.UTTERANCE:
            line = talk.at(unit.position)
            answers = (line,) * campaign.answer_count
            lines = (*talk.before(unit.position, campaign.context), *answers)
        total += sum(count_words(line.text) for line in lines)
    return total / len(sample)


def announced_minutes(campaign: Campaign) -> int:
    """Return the minutes that the consent page announces to raters.

    The units must be drawn. The value is cached for the same settings and units.
    """
    rows = _rated_units(campaign).aggregate(count=Count("pk"), sum=Sum("pk"))
    known_ids = list(campaign.units.exclude(use="").order_by("pk").values_list("pk", flat=True))
    settings = json.dumps([known_ids, *(getattr(campaign, name) for name in _INPUT_SETTINGS)])
    return _cached_minutes(campaign.pk, settings, rows["count"], rows["sum"])


def forget_minutes() -> None:
    """Clear the cache of `announced_minutes`, after the units in it were rolled back."""
    _cached_minutes.cache_clear()


@lru_cache(maxsize=64)
def _cached_minutes(campaign: int, settings: str, count: int, total: int) -> int:
    campaign_row = Campaign.objects.get(pk=campaign)
    return minutes(
        campaign_row, list(_rated_units(campaign_row).select_related("game").order_by("index"))
    )


def _rated_units(campaign: Campaign) -> QuerySet[Unit]:
    return campaign.units.filter(withdrawn=False).exclude(kind=Unit.ATTENTION)
