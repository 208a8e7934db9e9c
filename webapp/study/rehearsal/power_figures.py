"""The power of a rehearsed test, from simulated comparisons with the effect and without.

A comparison is the dict that the statistics of the results page return for two conditions.
"""

from collections.abc import Callable, Mapping
from itertools import chain
from statistics import mean
from typing import Any, NamedTuple

from webapp.study.rehearsal.opinions import Opinions
from webapp.study.rehearsal.rehearsal_options import RehearsedTestOptions

UNDEFINED_COMPARISON = {"test": {"value": None, "why": "nothing_comparable"}}
ComparisonsByEffect = Mapping[float, list[dict[str, Any]]]  # effect or 0.0 -> one of each run


class RehearsedTest(NamedTuple):
    """The test of an item's difference between the conditions `a` and `b`, which is favored."""

    item: str
    a: str
    b: str


def simulate_comparisons(
    test: RehearsedTest,
    options: RehearsedTestOptions,
    compare: Callable[[Opinions], dict[str, Any]],
    on_progress: Callable[[str], object] = lambda text: None,
) -> ComparisonsByEffect:
    """Return what `compare` finds by the opinions of each run, with the effect and without."""
    comparisons_by_effect: dict[float, list[dict[str, Any]]] = {options.effect: [], 0.0: []}
    for run in range(options.runs):
        for effect, comparisons in comparisons_by_effect.items():
            # The same deviations with and without the effect, so that only the effect differs.
            opinions = Opinions(f"{options.seed}/{run}", test.b, effect, options.noise)
            comparisons.append(compare(opinions))
        on_progress(f"run {run + 1} of {options.runs}")
    return comparisons_by_effect


def power_figures(
    test: RehearsedTest, options: RehearsedTestOptions, comparisons_by_effect: ComparisonsByEffect
) -> dict[str, Any]:
    """Return the test with its power and type I error."""
    return {
        "test": {**test._asdict(), "alpha": options.alpha, **_describe_test(comparisons_by_effect)},
        "power": _rejection_rate(comparisons_by_effect[options.effect], options.alpha),
        "type_i_error": _rejection_rate(comparisons_by_effect[0.0], options.alpha),
        "difference": mean_difference(comparisons_by_effect[options.effect]),
    }


def _describe_test(comparisons_by_effect: ComparisonsByEffect) -> dict[str, Any]:
    """Return name, design and unit of the test, and the mean number of observations."""
    all_comparisons = chain(*comparisons_by_effect.values())
    defined = [c for c in all_comparisons if c["test"]["value"] is not None]
    if not defined:
        return {"name": None, "design": None, "by": None, "n": None}
    last = defined[-1]
    n = round(mean(comparison["n"] for comparison in defined), 1)
    return {"name": last["test"]["name"], "design": last["design"], "by": last["by"], "n": n}


def _rejection_rate(comparisons: list[dict[str, Any]], alpha: float) -> dict[str, Any]:
    """Return the share of runs whose test rejects, with Wilson's 95 % interval."""
    from scipy.stats import binomtest

    p_values = [get_p_value(comparison) for comparison in comparisons]
    rejections = sum(p is not None and p < alpha for p in p_values)
    test = binomtest(rejections, len(p_values))
    interval = test.proportion_ci(method="wilson")
    return {
        "value": round(test.statistic, 4),
        "ci": [round(float(end), 4) for end in interval],
        "rejected": rejections,
        "of": len(p_values),
        "undefined": sum(p is None for p in p_values),
    }


def get_p_value(comparison: Mapping[str, Any]) -> float | None:
    """Return the p of a comparison's test, None if the test is undefined."""
    test = comparison["test"]
    return None if test["value"] is None else float(test["p"]["value"])


def mean_difference(comparisons: list[dict[str, Any]]) -> float | None:
    """Return the observed mean difference, in steps of the item's own scale."""
    values = (comparison.get("difference", {}).get("value") for comparison in comparisons)
    differences = [value for value in values if value is not None]
    return round(mean(differences), 3) if differences else None
