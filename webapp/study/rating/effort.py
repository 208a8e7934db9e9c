"""Estimates how much raters have to do, for the plan and the consent page."""

import json
import math
from collections.abc import Sequence
from functools import lru_cache

from django.db.models import Count, Sum

from game.engine.text_checks import count_words
from webapp.study.design.instruments import Instrument
from webapp.study.games.public_talk import talk_of
from webapp.study.models import Campaign, Unit

WORDS_PER_MINUTE = 230  # assumed reading speed of a rater
SECONDS_PER_VALUE = 6
SECONDS_PER_QUIZ_QUESTION = 20
START_MINUTES = 2  # minutes for consent and the worked example
SAMPLE_SIZE = 100  # the mean number of words is computed from about this many units

# Settings that the estimate depends on. It depends on the units as well.
_INPUT_SETTINGS = (
    "instrument", "rival", "context", "units_per_rater", "repeats", "attention", "quiz",
)  # fmt: skip


def estimate_minutes(campaign: Campaign, rated_units: Sequence[Unit]) -> int:
    """Return the minutes for one rater's share of the `rated_units`, 0 if there are none."""
    if not rated_units:
        return 0
    values_per_unit = count_values(campaign, rated_units) / len(rated_units)
    known_count = campaign.units.exclude(use="").count()  # every rater gets all of them
    unit_count = campaign.units_per_rater + campaign.repeats + known_count
    reading_seconds = 60 * _mean_words(campaign, rated_units) / WORDS_PER_MINUTE
    seconds = unit_count * (reading_seconds + values_per_unit * SECONDS_PER_VALUE)
    seconds += campaign.attention * values_per_unit * SECONDS_PER_VALUE
    seconds += len(campaign.quiz.get("questions", ())) * SECONDS_PER_QUIZ_QUESTION
    return START_MINUTES + math.ceil(seconds / 60)


def count_values(campaign: Campaign, rated_units: Sequence[Unit]) -> int:
    """Return the number of values that one rating of each unit gives."""
    instrument = Instrument.from_json(campaign.instrument)
    return sum(
        len(instrument.dimensions_in(list(u.situations))) * _item_count(campaign, u)
        for u in rated_units
    )


def _item_count(campaign: Campaign, unit: Unit) -> int:
    if unit.kind == Unit.RANKING:
        assert unit.game is not None
        return len(talk_of(unit.game).names)
    return campaign.answer_count


def _mean_words(campaign: Campaign, rated_units: Sequence[Unit]) -> float:
    """Return the mean number of words on a unit's page, from a sample of the units."""
    sample = rated_units[:: max(1, len(rated_units) // SAMPLE_SIZE)]
    total = 0
    for unit in sample:
        assert unit.game is not None
        talk = talk_of(unit.game)
        turns = talk.spoken
        if unit.kind == Unit.UTTERANCE:
            rated_turn = talk.turn_at(unit.position)
            rated_turns = (rated_turn,) * campaign.answer_count
            turns = (*talk.before(unit.position, campaign.context), *rated_turns)
        total += sum(count_words(turn.text) for turn in turns)
    return total / len(sample)


def raters_needed(campaign: Campaign, unit_count: int) -> int:
    """Return the number of raters who fill the quotas of so many units, 0 for no unit."""
    if not unit_count:
        return 0
    units_each = min(campaign.units_per_rater, unit_count)
    ratings = unit_count * campaign.raters_per_unit
    # A unit needs different raters.
    return max(campaign.raters_per_unit, math.ceil(ratings / units_each))


def announced_minutes(campaign: Campaign) -> int:
    """Return the minutes that the consent page announces to raters.

    The units must be drawn. The value is cached for the same settings and units.
    """
    unit_key = campaign.rated_units.aggregate(count=Count("pk"), sum=Sum("pk"))
    known_ids = list(campaign.units.exclude(use="").order_by("pk").values_list("pk", flat=True))
    settings = json.dumps([known_ids, *(getattr(campaign, name) for name in _INPUT_SETTINGS)])
    return _cached_minutes(campaign.pk, settings, unit_key["count"], unit_key["sum"])


def forget_minutes() -> None:
    """Clear the cache of `announced_minutes`, for units that were rolled back."""
    _cached_minutes.cache_clear()


@lru_cache(maxsize=64)
def _cached_minutes(campaign_id: int, settings: str, unit_count: int, unit_id_sum: int) -> int:
    """Return the estimate. All arguments except the first are only keys of the cache."""
    campaign = Campaign.objects.get(pk=campaign_id)
    units = campaign.rated_units.select_related("game").order_by("index")
    return estimate_minutes(campaign, list(units))
