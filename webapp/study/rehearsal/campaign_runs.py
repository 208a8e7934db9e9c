"""Rehearsal of a campaign: the power of the planned test and the cost, on a copy.

`rehearse` copies settings, units and games of the campaign, but no ratings, to a file of rows. A
process (`separate_process`) with an empty database loads them, because a process has one database.
There simulated raters rate the campaign once with the stated effect and once without, in each run,
and the statistics of the results page analyze the ratings. The copy has no identities of the
researcher and the raters, and no text of requests to models.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from pathlib import Path
from statistics import mean, median
from typing import Any

from django.contrib.auth.models import User
from django.core import serializers
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Model
from django.utils.translation import gettext as _

from game.models import Answer, Event, Game, Player, Utterance, Vote, Window
from webapp.play.models import LLMCall, Table
from webapp.statistics.rating_results import reported_comparison
from webapp.study import analysis
from webapp.study.design.refusals import Refused
from webapp.study.games import situations
from webapp.study.models import Analysis, Campaign, CampaignGame, Situations, Stimulus, Unit
from webapp.study.rating import campaigns, unit_candidates
from webapp.study.rating.rating_rows import read_marks
from webapp.study.rehearsal import separate_process
from webapp.study.rehearsal.opinions import Opinions
from webapp.study.rehearsal.power_figures import (
    UNDEFINED_COMPARISON,
    RehearsedTest,
    get_p_value,
    power_figures,
    simulate_comparisons,
)
from webapp.study.rehearsal.rehearsal_options import CampaignRunOptions
from webapp.study.rehearsal.simulated_raters import CrowdTotals, RatingSimulation

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
    return rehearse_campaign(load_campaign(folder), options)


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


def rehearse_campaign(campaign: Campaign, options: CampaignRunOptions) -> dict[str, Any]:
    """Rehearse the campaign of a scratch database. Its ratings are deleted."""
    began = time.monotonic()
    _open_campaign(campaign)
    test = _choose_test(campaign, options)
    simulation = RatingSimulation(campaign)
    run_totals: list[CrowdTotals] = []

    def compare(opinions: Opinions) -> dict[str, Any]:
        run_totals.append(simulation.simulate_raters(options.raters, options, opinions))
        try:
            return reported_comparison(read_marks(campaign), *test)
        except LookupError:  # a condition has no rating
            return UNDEFINED_COMPARISON

    comparisons_by_effect = simulate_comparisons(
        test, options, compare, separate_process.report_progress
    )
    # The ratings of the last simulation are still stored.
    _check_results_page(campaign, test, comparisons_by_effect[0.0][-1])
    return {
        "runs": options.runs,
        "through": "the services of the raters' pages, on a copy of the campaign",
        "assumed": {"raters": options.raters, **options.describe()},
        **power_figures(test, options, comparisons_by_effect),
        **_summarize_effort(campaign, run_totals, options),
        "seconds": round(time.monotonic() - began, 1),
    }


def _open_campaign(campaign: Campaign) -> None:
    """Draw missing units and open the campaign. Answers of other systems are placeholders."""
    for game in unit_candidates.games_without_situations(campaign):
        situations.store_situations(game)
    if campaign.state != Campaign.OPEN or not campaign.units.exists():
        if campaign.rival is not None:
            campaigns.draw_units(campaign)
        missing = Stimulus.objects.filter(unit__campaign=campaign).exclude(state=Stimulus.READY)
        missing.update(state=Stimulus.READY, text="…", failure="")
        campaigns.open(campaign)


def _choose_test(campaign: Campaign, options: CampaignRunOptions) -> RehearsedTest:
    """Return the chosen test, the planned one, or that of the first item, or raise `Refused`."""
    items = [d["key"] for d in campaign.instrument["dimensions"]]
    if options.item and options.item not in items:
        text = _("There is no item “{item}”; there are: {items}.")
        raise Refused([text.format(item=options.item, items=", ".join(items))])
    rows = Stimulus.objects.filter(unit__campaign=campaign, unit__withdrawn=False)
    rows = rows.exclude(unit__kind=Unit.ATTENTION)
    conditions = sorted(set(rows.values_list("condition", flat=True)))
    planned = campaign.planned_analysis.get("tests", ())
    if planned and not (options.item or options.between):
        return RehearsedTest(planned[0]["item"], planned[0]["a"], planned[0]["b"])
    between = list(options.between or conditions[:2])
    if len(between) != 2 or not set(between) <= set(conditions) or between[0] == between[1]:
        text = _("Choose two conditions of these: {conditions}.")
        raise Refused([text.format(conditions=", ".join(conditions))])
    return RehearsedTest(options.item or items[0], *between)


def _check_results_page(
    campaign: Campaign, test: RehearsedTest, comparison: Mapping[str, Any]
) -> None:
    """Check that the results page shows the p of this comparison, or raise RuntimeError."""
    analysis.compute_results(campaign)
    row = Analysis.objects.get(campaign=campaign)
    if row.failure:
        raise RuntimeError(f"the results page would show: {row.failure}")
    (dimension_result,) = [d for d in row.data["results"]["dimensions"] if d["key"] == test.item]
    comparisons = dimension_result["comparisons"]
    page_ps = [get_p_value(c) for c in comparisons if {c["a"], c["b"]} == {test.a, test.b}]
    page_p, own_p = (page_ps[0] if page_ps else None), get_p_value(comparison)
    if page_p is None or own_p is None:
        is_same = page_p is own_p
    else:
        is_same = math.isclose(page_p, own_p, rel_tol=1e-6)
    if not is_same:
        raise RuntimeError(f"the results page has p = {page_p}, the rehearsal {own_p}")


def _summarize_effort(
    campaign: Campaign, run_totals: list[CrowdTotals], options: CampaignRunOptions
) -> dict[str, Any]:
    """Return raters, answers, minutes and cost as means over all runs."""
    units = campaign.rated_units.count()
    ends = sorted({end for totals in run_totals for end in totals.ends})
    finished = mean(totals.ends["finished"] for totals in run_totals)
    finished_minutes = [m for totals in run_totals for m in totals.minutes]

    def average(field: str, digits: int) -> float:
        return float(round(mean(getattr(totals, field) for totals in run_totals), digits))

    return {
        "raters": {
            "came": options.raters,
            **{end: round(mean(totals.ends[end] for totals in run_totals), 2) for end in ends},
            **{
                name: average(name, 2)
                for name in ("drawn_to_leave", "excluded", "careless", "careless_excluded")
            },
        },
        "answers": {"wanted": units * campaign.raters_per_unit, "given": average("answered", 1)},
        "minutes": {
            "a_rater": round(median(finished_minutes), 1) if finished_minutes else None,
            "in_all": average("in_all", 1),
            "hours_until_done": average("hours", 1),
        },
        "cost": None if options.pay is None else {
            "a_rater": options.pay, "in_all": round(options.pay * finished, 2),
        },
    }  # fmt: skip
