"""The statistics of a campaign: asked for by pages (`queueing`), worked out by a worker, kept in a
row."""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.utils import timezone

from webapp.study import instruments
from webapp.study.instruments import Instrument
from webapp.study.judging import concordance
from webapp.study.models import Analysis, Assignment, Campaign, Rater, Stimulus
from webapp.study.statistics import VERSION
from webapp.study.to_ratings import to_ratings
from webapp.study.turn_outcomes import turns

logger = logging.getLogger(__name__)
# instrument -> its figures in `published`, where they have another name
PUBLISHED = {"engagement": "experience"}


def state_of(campaign: Campaign) -> str:
    """SHA-256 (hex) of what the statistics rest on: every change of a rating changes it, of what
    became of the turns, and of the results' layout."""
    given = Assignment.objects.filter(rater__campaign=campaign).order_by("pk")
    given = given.filter(rater__kind=Rater.PERSON)
    raters = Rater.objects.filter(campaign=campaign).order_by("pk")
    games = campaign.chosen.order_by("pk")  # a version changes with every word taken out
    rivals = Stimulus.objects.filter(unit__campaign=campaign, place=2).order_by("pk")
    told: tuple[Any, ...] = (
        VERSION,
        list(given.values_list("pk", "revision", "state", "active_ms", "over_quota")),
        list(raters.values_list("pk", "pseudonym", "excluded")),
        list(games.values_list("game", "game__version")),
        list(rivals.values_list("pk", "state", "failure")),
    )
    told += concordance.state_of(campaign)  # nothing where no model judges
    return hashlib.sha256(repr(told).encode()).hexdigest()


def work_out(campaign: Campaign) -> None:
    """Work the statistics out where they are not those of the present ratings. For workers: loads
    SciPy and Matplotlib."""
    row, _made = Analysis.objects.get_or_create(campaign=campaign)
    state = state_of(campaign)  # before the ratings are read: a change meanwhile is seen later
    if row.rests_on == state and row.done_at:
        return
    try:
        row.data, row.failure = _plain(_worked_out(campaign)), ""
    except Exception as error:
        logger.exception("the analysis of %s failed", campaign.code)
        row.failure = f"{type(error).__name__}: {error}"[:200]
    row.rests_on, row.done_at = state, timezone.now()
    # A rater erased meanwhile took the row along, and the figures must not bring them back.
    kept = Analysis.objects.filter(pk=row.pk)
    kept.update(data=row.data, failure=row.failure, rests_on=row.rests_on, done_at=row.done_at)


def _worked_out(campaign: Campaign) -> dict[str, Any]:
    from webapp.study.reporting import figures
    from webapp.study.reporting.campaign_tables import campaign_tables
    from webapp.study.reporting.result_table import latex, markdown
    from webapp.study.statistics import published, results

    instrument = Instrument.of(campaign.instrument)
    asked = [asdict(d) for d in instrument.dimensions]
    found = results.results(to_ratings(campaign), asked, turns(campaign))
    beside: Any = published.PUBLISHED.get(PUBLISHED.get(instrument.key, instrument.key))
    if beside:
        beside = published.only(beside, as_built_in(instrument))
    tables = campaign_tables(found, beside)
    return {
        "results": found,
        "figures": figures.distributions(found),
        "latex": latex(tables),
        "markdown": markdown(tables),
        "published": beside,
        "judges": concordance.judged(campaign, asked),
    }


def as_built_in(instrument: Instrument) -> set[str]:
    """The items that ask, word by word, what the built-in instrument of that key asks: only beside
    these do published figures stand. A campaign of an earlier time may ask something else."""
    try:
        known = instruments.get(instrument.key).dimensions
    except LookupError:
        return set()
    return {d.key for d in instrument.dimensions if d in known}


def _plain(data: Any) -> Any:
    """JSON that every database takes: no NaN, no tuples, text keys."""
    if isinstance(data, Mapping):
        return {str(k): _plain(v) for k, v in data.items()}
    if isinstance(data, list | tuple):
        return [_plain(v) for v in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data
