"""Estimates a planned test's power and cost with simulated raters.

They rate the campaign once with the stated effect and once without, in each run. The statistics of
the results page analyze the ratings.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from statistics import mean, median
from typing import Any

from django.utils.translation import gettext as _

from webapp.statistics.rating_results import reported_comparison
from webapp.study import analysis
from webapp.study.design.refusals import Refused
from webapp.study.models import Analysis, Campaign, Stimulus, Unit
from webapp.study.rating import campaigns, situation_cache, unit_candidates
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

METHOD = "the services of the raters' pages, on a copy of the campaign"


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
        "through": METHOD,
        "assumed": {"raters": options.raters, **options.describe()},
        **power_figures(test, options, comparisons_by_effect),
        **_summarize_effort(campaign, run_totals, options),
        "seconds": round(time.monotonic() - began, 1),
    }


def _open_campaign(campaign: Campaign) -> None:
    """Draw missing units and open the campaign. Answers of other systems are placeholders."""
    for game in unit_candidates.games_without_situations(campaign):
        situation_cache.store_situations(game)
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
