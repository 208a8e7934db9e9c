"""Repeated rehearsals of a campaign: the power of the planned test, and the cost.

`rehearse` copies the campaign and starts this module as a process whose database is the copy.
There, simulated raters (`simulated_raters`) rate the campaign once with the stated effect and once
without, and the statistics of the results page analyze the ratings.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from webapp.study.design.refusals import Refused
from webapp.study.rehearsal import process
from webapp.study.rehearsal.process import Assumptions

if TYPE_CHECKING:
    from webapp.study.models import Campaign
    from webapp.study.rehearsal.simulated_raters import CrowdTotals

# Functions import models locally: `main` runs this module as a program, and models can be imported
# only after django.setup().

ROWS_FILE = "rows.jsonl"
METHOD = "the services of the raters' pages, on a copy of the campaign"
Z_95 = 1.959963984540054  # quantile of a 95 % interval


@dataclass(frozen=True, kw_only=True)
class CampaignRunOptions(Assumptions):
    """Options of a campaign's rehearsal. The favored condition of `effect` is `between[1]`.

    Attributes:
        item: item of the test, "" for the first.
        between: the two conditions of the test, () for the first two by name.
        pay: amount for each rater who finishes, None if unknown.
    """

    raters: int
    effect: float = 0.6
    runs: int = 20
    item: str = ""
    between: tuple[str, ...] = ()
    alpha: float = 0.05
    pay: float | None = None


def rehearse(
    campaign: Campaign, options: CampaignRunOptions, on_progress: Callable[[str], None]
) -> dict[str, Any]:
    """Rehearse a copy of `campaign` in a separate process.

    The campaign's own rows are only read.

    Args:
        on_progress: Called with each line that reports the progress.

    Raises:
        Refused: The campaign could not be opened, or the test does not fit it.
    """
    from webapp.study.rating import campaigns
    from webapp.study.rehearsal import scratch

    def write_rows(folder: Path) -> None:
        scratch.write_campaign(campaign, folder / ROWS_FILE)

    result = process.run_in_process(__name__, options, write_rows, _build_environment, on_progress)
    campaign_data = {"campaign": campaign.code, "config_hash": campaigns.config_hash(campaign)}
    return {**campaign_data, **result}


def _build_environment(folder: Path) -> dict[str, str]:
    database = {"DATABASE_URL": f"sqlite:///{folder / 'scratch.sqlite3'}"}
    settings = {"FABULA_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    return {**os.environ, **database, **settings}


def main(folder: Path) -> None:
    """Rehearse the rows in `folder`. Runs in the separate process, whose database they become."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from webapp.study.rehearsal import scratch

    call_command("migrate", interactive=False, verbosity=0)
    with connection.cursor() as cursor:  # a power cut may lose this database without harm
        cursor.execute("PRAGMA synchronous=OFF")
    options = CampaignRunOptions(**process.read_options(folder))
    process.write_result(
        folder, lambda: rehearse_in_process(scratch.load_campaign(folder / ROWS_FILE), options)
    )


def rehearse_in_process(campaign: Campaign, options: CampaignRunOptions) -> dict[str, Any]:
    """Rehearse `campaign` in this process's database, which must be a scratch one.

    Deletes all its ratings.

    Raises:
        Refused: See `rehearse`.
    """
    from webapp.study.rehearsal.simulated_raters import Survey

    began = time.monotonic()
    _open_campaign(campaign)
    item, a, b = _choose_test(campaign, options)
    survey = Survey(campaign)
    tests: dict[float, list[dict[str, Any]]] = {options.effect: [], 0.0: []}
    run_totals: list[CrowdTotals] = []
    for run in range(options.runs):
        for effect, test_results in tests.items():
            run_totals.append(_simulate_run(survey, options, run, effect, b))
            test_results.append(_compare_conditions(campaign, item, a, b))
        process.report_progress(f"run {run + 1} of {options.runs}")
    _check_results_page(campaign, item, a, b, tests[0.0][-1])
    return {
        "runs": options.runs,
        "through": METHOD,
        "assumed": _describe_assumptions(options),
        "test": {"item": item, "a": a, "b": b, "alpha": options.alpha, **describe_test(tests)},
        "power": rejection_rate(tests[options.effect], options.alpha),
        "type_i_error": rejection_rate(tests[0.0], options.alpha),
        "difference": mean_difference(tests[options.effect]),
        **_summarize_effort(campaign, run_totals, options),
        "seconds": round(time.monotonic() - began, 1),
    }


def _open_campaign(campaign: Campaign) -> None:
    """Open the campaign. Draw missing units, with placeholders for the other system's answers."""
    from webapp.study.models import Campaign as CampaignModel
    from webapp.study.models import Stimulus
    from webapp.study.rating import campaigns, situation_cache, unit_candidates

    for game in unit_candidates.games_without_situations(campaign):
        situation_cache.store_situations(game)
    if campaign.state != CampaignModel.OPEN or not campaign.units.exists():
        if campaign.rival is not None:
            campaigns.draw_units(campaign)
        missing = Stimulus.objects.filter(unit__campaign=campaign).exclude(state="idle")
        missing.update(state="idle", text="…", failure="")
        campaigns.open(campaign)


def _choose_test(campaign: Campaign, options: CampaignRunOptions) -> tuple[str, str, str]:
    """Return the item and the two conditions of the test: chosen, planned or first.

    Raises:
        Refused: There is no such item, or there are no such two conditions.
    """
    from webapp.study.models import Stimulus, Unit

    items = [d["key"] for d in campaign.instrument["dimensions"]]
    if options.item and options.item not in items:
        raise Refused([f"There is no item “{options.item}”; there are: {', '.join(items)}."])
    rows = Stimulus.objects.filter(unit__campaign=campaign, unit__withdrawn=False)
    rows = rows.exclude(unit__kind=Unit.ATTENTION)
    conditions = sorted(set(rows.values_list("condition", flat=True)))
    planned = campaign.planned_analysis.get("tests", ())
    if planned and not (options.item or options.between):
        return planned[0]["item"], planned[0]["a"], planned[0]["b"]
    between = list(options.between or conditions[:2])
    if len(between) != 2 or not set(between) <= set(conditions) or between[0] == between[1]:
        raise Refused([f"Choose two conditions of these: {', '.join(conditions)}."])
    return options.item or items[0], between[0], between[1]


def _simulate_run(
    survey: Any, options: CampaignRunOptions, run: int, effect: float, favored: str
) -> CrowdTotals:
    from webapp.study.rehearsal.opinions import Opinions

    # The same deviations with and without the effect, so that the two shares differ only by it.
    seed = f"{options.seed}/{run}"
    opinions = Opinions(seed, favored, effect, options.noise)
    totals: CrowdTotals = survey.simulate_raters(options.raters, options, opinions)
    return totals


def _compare_conditions(campaign: Campaign, item: str, a: str, b: str) -> dict[str, Any]:
    """Return the comparison of record, without a test value if a condition has no rating."""
    from webapp.statistics.rating_results import reported_comparison
    from webapp.study.rating.rating_rows import read_marks

    try:
        return reported_comparison(read_marks(campaign), item, a, b)
    except LookupError:
        return {"test": {"value": None, "why": "nothing_comparable"}}


def _check_results_page(
    campaign: Campaign, item: str, a: str, b: str, last: Mapping[str, Any]
) -> None:
    """Check that the results page shows the p of `last`."""
    from webapp.study import analysis
    from webapp.study.models import Analysis

    analysis.compute_results(campaign)
    row = Analysis.objects.get(campaign=campaign)
    if row.failure:
        raise RuntimeError(f"the results page would show: {row.failure}")
    (dimension_result,) = [d for d in row.data["results"]["dimensions"] if d["key"] == item]
    for comparison in dimension_result["comparisons"]:
        if {comparison["a"], comparison["b"]} == {a, b}:
            page_p, own_p = get_p_value(comparison), get_p_value(last)
            if page_p is not None and not math.isclose(page_p, own_p or 0.0, rel_tol=1e-6):
                raise RuntimeError(f"the results page has p = {page_p}, the rehearsal {own_p}")


def get_p_value(comparison: Mapping[str, Any]) -> float | None:
    """Return the p of a comparison's test, None if the test is undefined."""
    test = comparison["test"]
    return None if test["value"] is None else float(test["p"]["value"])


def rejection_rate(test_results: list[dict[str, Any]], alpha: float) -> dict[str, Any]:
    """Return the share of runs in which the test rejects, with Wilson's 95 % interval.

    A run without a defined test does not reject.
    """
    run_count = len(test_results)
    p_values = [get_p_value(comparison) for comparison in test_results]
    rejections = sum(p is not None and p < alpha for p in p_values)
    share, z2 = rejections / run_count, Z_95 * Z_95
    scale = 1 + z2 / run_count
    centre = (share + z2 / (2 * run_count)) / scale
    variance = share * (1 - share) / run_count + z2 / (4 * run_count * run_count)
    half = Z_95 * math.sqrt(variance) / scale
    low = 0.0 if rejections == 0 else centre - half
    high = 1.0 if rejections == run_count else centre + half
    undefined = sum(p is None for p in p_values)
    share_data = {"value": round(share, 4), "ci": [round(low, 4), round(high, 4)]}
    return {**share_data, "rejected": rejections, "of": run_count, "undefined": undefined}


def describe_test(tests: Mapping[float, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the kind of test and its number of observations."""
    defined = [
        comparison
        for test_results in tests.values()
        for comparison in test_results
        if comparison["test"]["value"] is not None
    ]
    if not defined:
        return {"name": None, "design": None, "by": None, "n": None}
    last = defined[-1]
    n = round(mean(comparison["n"] for comparison in defined), 1)
    name = last["test"]["name"]
    return {"name": name, "design": last["design"], "by": last["by"], "n": n}


def mean_difference(test_results: list[dict[str, Any]]) -> float | None:
    """Return the observed mean difference, in steps of the item's own scale."""
    differences = [
        comparison["difference"]["value"]
        for comparison in test_results
        if comparison.get("difference", {}).get("value") is not None
    ]
    return round(mean(differences), 3) if differences else None


def _describe_assumptions(options: CampaignRunOptions) -> dict[str, Any]:
    from webapp.study.rehearsal.opinions import SPREAD

    option_names = ("raters", "effect", "noise", "careless", "dropout", "seed")
    spread = {part: sd for part, sd in SPREAD.items() if part != "rest"}
    return {**{name: getattr(options, name) for name in option_names}, "spread": spread}


def _summarize_effort(
    campaign: Campaign, run_totals: list[CrowdTotals], options: CampaignRunOptions
) -> dict[str, Any]:
    """Return counts, minutes and cost as means over all runs, with the effect and without."""
    units = campaign.units.filter(withdrawn=False).exclude(kind="attention").count()
    ends = sorted({end for totals in run_totals for end in totals.ends})
    finished = mean(totals.ends["finished"] for totals in run_totals)
    finished_minutes = [m for totals in run_totals for m in totals.minutes]

    def average(field: str, digits: int) -> float:
        return float(round(mean(getattr(totals, field) for totals in run_totals), digits))

    return {
        "raters": {
            "came": options.raters,
            **{end: round(mean(totals.ends[end] for totals in run_totals), 2) for end in ends},
            "drawn_to_leave": average("drawn_to_leave", 2),
            "excluded": average("excluded", 2),
            "careless": average("careless", 2),
            "careless_excluded": average("careless_excluded", 2),
        },
        "answers": {
            "wanted": units * campaign.raters_per_unit,
            "given": average("answered", 1),
        },
        "minutes": {
            "a_rater": round(median(finished_minutes), 1) if finished_minutes else None,
            "in_all": average("in_all", 1),
            "hours_until_done": average("hours", 1),
        },
        "cost": None if options.pay is None else {
            "a_rater": options.pay, "in_all": round(options.pay * finished, 2),
        },
    }  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]))
