"""Repeated rehearsals of a campaign: the power of the planned test, and the cost.

`rehearse` copies the campaign and starts this module as a process whose database is the copy. That
process has simulated raters rate it (`simulated_raters`), once with the stated effect and once with
none, and puts the ratings through the statistics of the results page.
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

from webapp.study.design.value_checks import Refused
from webapp.study.rehearsal import process
from webapp.study.rehearsal.process import Assumptions

if TYPE_CHECKING:
    from webapp.study.models import Campaign
    from webapp.study.rehearsal.simulated_raters import CrowdTotals

ROWS = "rows.jsonl"
THROUGH = "the services of the raters' pages, on a copy of the campaign"
Z = 1.959963984540054  # quantile of a 95 % interval


@dataclass(frozen=True, kw_only=True)
class CampaignRunOptions(Assumptions):
    """Options of a campaign's rehearsal. The favored condition of `effect` is `between[1]`.

    item and between: the planned test ("" and (): the first item, the first two conditions by
    name). pay: for each rater who finishes, None if unknown.
    """

    raters: int
    effect: float = 0.6
    runs: int = 20
    item: str = ""
    between: tuple[str, ...] = ()
    alpha: float = 0.05
    pay: float | None = None


def rehearse(
    campaign: Campaign, options: CampaignRunOptions, say: Callable[[str], None]
) -> dict[str, Any]:
    """Rehearse a copy of `campaign` in a separate process.

    `say` is called with lines about the progress. The campaign's own rows are only read. Raises
    Refused if it could not be opened, or if the test does not fit it.
    """
    from webapp.study.rating import campaigns
    from webapp.study.rehearsal import scratch

    def write_rows(folder: Path) -> None:
        scratch.write(campaign, folder / ROWS)

    result = process.run_apart(__name__, options, write_rows, _environment, say)
    survey_facts = {"campaign": campaign.code, "config_hash": campaigns.config_hash(campaign)}
    return {**survey_facts, **result}


def _environment(folder: Path) -> dict[str, str]:
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
    options = CampaignRunOptions(**process.read_assumed(folder))
    process.finish(folder, lambda: rehearsed_here(scratch.load(folder / ROWS), options))


def rehearsed_here(campaign: Campaign, options: CampaignRunOptions) -> dict[str, Any]:
    """Rehearse `campaign` in this process's database, which must be a scratch one.

    All its ratings are deleted. Raises Refused.
    """
    from webapp.study.rehearsal.simulated_raters import Survey

    began = time.monotonic()
    _open(campaign)
    item, a, b = _test(campaign, options)
    survey = Survey(campaign)
    tests: dict[float, list[dict[str, Any]]] = {options.effect: [], 0.0: []}
    arrivals: list[CrowdTotals] = []
    for run in range(options.runs):
        for effect, test_results in tests.items():
            arrivals.append(_run(survey, options, run, effect, b))
            test_results.append(_comparison(campaign, item, a, b))
        process.report(f"run {run + 1} of {options.runs}")
    _compare_with_page(campaign, item, a, b, tests[0.0][-1])
    return {
        "runs": options.runs,
        "through": THROUGH,
        "assumed": _assumed(options),
        "test": {"item": item, "a": a, "b": b, "alpha": options.alpha, **describe_test(tests)},
        "power": rejection_rate(tests[options.effect], options.alpha),
        "type_i_error": rejection_rate(tests[0.0], options.alpha),
        "difference": mean_difference(tests[options.effect]),
        **_effort(campaign, arrivals, options),
        "seconds": round(time.monotonic() - began, 1),
    }


def _open(campaign: Campaign) -> None:
    """Draw what is not drawn, with placeholder text for missing answers of the other system."""
    from webapp.study.models import Campaign as Row
    from webapp.study.models import Stimulus
    from webapp.study.rating import campaigns, situation_cache, units

    for game in units.games_without_situations(campaign):
        situation_cache.store_situations(game)
    if campaign.state != Row.OPEN or not campaign.units.exists():
        if campaign.rival is not None:
            campaigns.draw_units(campaign)
        missing = Stimulus.objects.filter(unit__campaign=campaign).exclude(state="idle")
        missing.update(state="idle", text="…", failure="")
        campaigns.open(campaign)


def _test(campaign: Campaign, options: CampaignRunOptions) -> tuple[str, str, str]:
    """Return the item and the two conditions of the planned test. Raises Refused."""
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


def _run(
    survey: Any, options: CampaignRunOptions, run: int, effect: float, favored: str
) -> CrowdTotals:
    from webapp.study.rehearsal.opinions import Opinions

    # The same deviations with and without the effect, so that the two shares differ only by it.
    seed = f"{options.seed}/{run}"
    arrival: CrowdTotals = survey.rate(
        options.raters, options, Opinions(seed, favored, effect, options.noise)
    )
    return arrival


def _comparison(campaign: Campaign, item: str, a: str, b: str) -> dict[str, Any]:
    """Return the comparison of record. It has no test if a condition has no rating."""
    from webapp.statistics.rating_results import reported_comparison
    from webapp.study.rating.to_ratings import to_ratings

    try:
        return reported_comparison(to_ratings(campaign), item, a, b)
    except LookupError:
        return {"test": {"value": None, "why": "nothing_comparable"}}


def _compare_with_page(
    campaign: Campaign, item: str, a: str, b: str, last: Mapping[str, Any]
) -> None:
    """Check that the results page shows the same for these ratings."""
    from webapp.study import analysis
    from webapp.study.models import Analysis

    analysis.compute_results(campaign)
    row = Analysis.objects.get(campaign=campaign)
    if row.failure:
        raise RuntimeError(f"the results page would show: {row.failure}")
    (dimension_result,) = [d for d in row.data["results"]["dimensions"] if d["key"] == item]
    for one in dimension_result["comparisons"]:
        if {one["a"], one["b"]} == {a, b}:
            p, same = p_of(one), p_of(last)
            if p is not None and not math.isclose(p, same or 0.0, rel_tol=1e-6):
                raise RuntimeError(f"the results page has p = {p}, the rehearsal {same}")


def p_of(comparison: Mapping[str, Any]) -> float | None:
    test = comparison["test"]
    return None if test["value"] is None else float(test["p"]["value"])


def rejection_rate(test_results: list[dict[str, Any]], alpha: float) -> dict[str, Any]:
    """Return the share of runs in which the test rejects, with Wilson's 95 % interval.

    A run without a defined test does not reject.
    """
    of = len(test_results)
    ps = [p_of(one) for one in test_results]
    count = sum(p is not None and p < alpha for p in ps)
    share, squared = count / of, Z * Z
    centre = (share + squared / (2 * of)) / (1 + squared / of)
    half = Z * math.sqrt(share * (1 - share) / of + squared / (4 * of * of)) / (1 + squared / of)
    low = 0.0 if count == 0 else centre - half
    high = 1.0 if count == of else centre + half
    undefined = sum(p is None for p in ps)
    share_data = {"value": round(share, 4), "ci": [round(low, 4), round(high, 4)]}
    return {**share_data, "rejected": count, "of": of, "undefined": undefined}


def describe_test(tests: Mapping[float, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the kind of test and its number of observations."""
    defined = [
        one
        for test_results in tests.values()
        for one in test_results
        if one["test"]["value"] is not None
    ]
    if not defined:
        return {"name": None, "design": None, "by": None, "n": None}
    last = defined[-1]
    n = round(mean(one["n"] for one in defined), 1)
    name = last["test"]["name"]
    return {"name": name, "design": last["design"], "by": last["by"], "n": n}


def mean_difference(test_results: list[dict[str, Any]]) -> float | None:
    """Return the observed mean difference, in steps of the item's own scale."""
    differences = [
        one["difference"]["value"] for one in test_results if one.get("difference", {}).get("value")
    ]
    return round(mean(differences), 3) if differences else None


def _assumed(options: CampaignRunOptions) -> dict[str, Any]:
    from webapp.study.rehearsal.opinions import SPREAD

    option_names = ("raters", "effect", "noise", "careless", "dropout", "seed")
    spread = {part: sd for part, sd in SPREAD.items() if part != "rest"}
    return {**{name: getattr(options, name) for name in option_names}, "spread": spread}


def _effort(
    campaign: Campaign, arrivals: list[CrowdTotals], options: CampaignRunOptions
) -> dict[str, Any]:
    """Return means over the runs of both arms."""
    units = campaign.units.filter(withdrawn=False).exclude(kind="attention").count()
    ends = {end for one in arrivals for end in one.ends}
    finished = mean(one.ends["finished"] for one in arrivals)
    each = [m for one in arrivals for m in one.minutes]
    return {
        "raters": {
            "came": options.raters,
            **{end: round(mean(one.ends[end] for one in arrivals), 2) for end in sorted(ends)},
            "drawn_to_leave": round(mean(one.drawn_to_leave for one in arrivals), 2),
            "excluded": round(mean(one.excluded for one in arrivals), 2),
            "careless": round(mean(one.careless for one in arrivals), 2),
            "careless_excluded": round(mean(one.careless_excluded for one in arrivals), 2),
        },
        "answers": {
            "wanted": units * campaign.raters_per_unit,
            "given": round(mean(one.answered for one in arrivals), 1),
        },
        "minutes": {
            "a_rater": round(median(each), 1) if each else None,
            "in_all": round(mean(one.in_all for one in arrivals), 1),
            "hours_until_done": round(mean(one.hours for one in arrivals), 1),
        },
        "cost": None if options.pay is None else {
            "a_rater": options.pay, "in_all": round(options.pay * finished, 2),
        },
    }  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]))
