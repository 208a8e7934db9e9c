"""Agreement between a language model's ratings and people's ratings of the same units.

It also has the paper's game scores, which are never combined with ratings. docs/statistics.md has
the formulas.

The human value of a unit is the mean of its ratings. There are no p-values: units of one game are
not independent, so intervals resample whole games (or deals, if games share one).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

import numpy as np

from webapp.statistics.agreement import (
    alphas,
    coincidences,
    krippendorff,
    resampled_interval,
    self_agreement,
    self_pairs,
)
from webapp.statistics.intervals import (
    bootstrap_draws,
    paired_interval,
)
from webapp.statistics.marks import (
    Codes,
    Columns,
    Mark,
    Numbers,
    build_columns,
    count_groups,
    deduplicate,
    select_first,
    sort_marks,
)
from webapp.statistics.reported_statistics import Outcome, defined, share, unknown

MIN_UNITS = 3  # with fewer, a rank correlation is meaningless
TOLERANCE = 1e-9
MAX_WEIGHTS = 500_000  # of units, held in memory at a time


@dataclass(frozen=True)
class DrawnAnswer:
    """Repeated draws of one answer.

    Attributes:
        unit: The rated unit, unique in the campaign.
        dimension: The item.
        values: The draws, in order.
        turned: For a pair, the draws with the two answers in exchanged positions.
        first: Whether the unit was shown first for `values`.
    """

    unit: str
    dimension: str
    values: tuple[float, ...]
    turned: tuple[float, ...] = ()
    first: bool = True


@dataclass(frozen=True)
class SharedUnit:
    """A unit that people and the judge have rated. `people` is the mean of people's ratings."""

    unit: str
    moment: str
    game: str
    deal: str
    condition: str
    people: float
    judge: float


def judge_beside_people(
    people: Sequence[Mark],
    judge: Sequence[Mark],
    drawn: Sequence[DrawnAnswer],
    dimensions: Sequence[Mapping[str, Any]],
) -> list[Outcome]:
    """Return the comparison of one judge with people, one entry per dimension.

    Attention checks, repeats and excluded ratings are left out, as in the results, except for the
    judge's agreement with itself.
    """
    by_people = deduplicate(select_first(sort_marks(people)))
    by_judge = deduplicate(select_first(sort_marks(judge)))
    repeated = self_pairs(sort_marks(judge))
    rows = []
    for dimension in dimensions:
        key = dimension["key"]
        a, b = ([m for m in marks if m.dimension == key] for marks in (by_people, by_judge))
        both = shared_units(a, b)
        repeats = [
            pair for (_rater, item), pairs in repeated.items() if item == key for pair in pairs
        ]
        rows.append(
            {
                "key": key,
                "label": str(dimension.get("label", "")) or key,
                "units": len(both),
                "games": len({unit.game for unit in both}),
                "spearman": spearman(both),
                **_alphas_with_judge(a, b),
                "bias": bias_by_condition(_use_draw_means(both, drawn, key)),
                "repeats": self_agreement(repeats),
                "position": position_effect(b, [d for d in drawn if d.dimension == key]),
                "draws": draw_agreement([d for d in drawn if d.dimension == key]),
            }
        )
    return rows


def shared_units(people: Sequence[Mark], judge: Sequence[Mark]) -> list[SharedUnit]:
    """Return the units of one dimension that both have rated, in order."""
    values: dict[tuple[str, str], list[int]] = defaultdict(list)
    for mark in people:
        if mark.value is not None:
            values[mark.game, mark.unit].append(mark.value)
    return [
        SharedUnit(
            mark.unit,
            mark.moment,
            mark.game,
            mark.deal or mark.game,
            mark.condition,
            fmean(values[mark.game, mark.unit]),
            float(mark.value),
        )
        for mark in sorted(judge, key=lambda m: (m.game, m.unit))
        if mark.value is not None and (mark.game, mark.unit) in values
    ]


def _use_draw_means(
    both: Sequence[SharedUnit], drawn: Iterable[DrawnAnswer], key: str
) -> list[SharedUnit]:
    """Replace the judge's ratings by the unrounded means of their draws.

    The stated rating rounds halves up, which would bias it.
    """
    means = {
        answer.unit: fmean((*answer.values, *answer.turned))
        for answer in drawn
        if answer.dimension == key and answer.values
    }
    return [replace(unit, judge=means.get(unit.unit, unit.judge)) for unit in both]


def spearman(both: Sequence[SharedUnit]) -> Outcome:
    """Return Spearman's rank correlation over units, with mid-ranks for ties.

    The interval resamples whole games.
    """
    if len(both) < MIN_UNITS:
        none = unknown("few_units")
        return {**none, "ci": none}
    people = _codes([round(unit.people, 9) for unit in both])
    judge = _codes([unit.judge for unit in both])
    value = float(_rhos(people, judge, np.ones((1, len(both))))[0])
    if np.isnan(value):
        none = unknown("no_order")
        return {**none, "ci": none}
    return defined(value, ci=_rho_interval(people, judge, [unit.deal for unit in both]))


def _codes(values: Sequence[float]) -> Codes:
    return np.unique(np.array(values), return_inverse=True)[1].astype(np.intp)


def _rhos(first: Codes, second: Codes, weights: Numbers) -> Numbers:
    """Return Spearman's rho for each row of `weights`: how often each unit is taken.

    It is NaN if all sampled values are equal.
    """
    a, b = _midranks(first, weights), _midranks(second, weights)
    n = weights.sum(axis=1, keepdims=True)
    a = a - (weights * a).sum(axis=1, keepdims=True) / n
    b = b - (weights * b).sum(axis=1, keepdims=True) / n
    spread = (weights * a**2).sum(axis=1) * (weights * b**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > TOLERANCE, (weights * a * b).sum(axis=1) / np.sqrt(spread), np.nan)


def _midranks(codes: Codes, weights: Numbers) -> Numbers:
    counts = weights @ np.eye(count_groups(codes))[codes]
    ranks: Numbers = (counts.cumsum(axis=1) - counts / 2 + 0.5)[:, codes]
    return ranks


def _rho_interval(people: Codes, judge: Codes, deals: Sequence[str]) -> Outcome:
    names = sorted(set(deals))
    if len(names) < 2:
        return unknown("one_game", clusters=len(names))
    deal = np.array([names.index(name) for name in deals])
    rows = max(1, MAX_WEIGHTS // len(deals))
    drawn = np.concatenate(
        [
            _rhos(people, judge, drawn_rows[at : at + rows][:, deal])
            for drawn_rows in bootstrap_draws(len(names))
            for at in range(0, len(drawn_rows), rows)
        ]
    )
    return resampled_interval(drawn, len(names))


def _alphas_with_judge(people: Sequence[Mark], judge: Sequence[Mark]) -> Outcome:
    """Return Krippendorff's ordinal alpha without and with the judge, and their difference.

    Only units rated by the judge and by at least two people count. The interval of the difference
    resamples whole games.
    """
    names = sorted({mark.condition for mark in (*people, *judge)})
    rated = [mark for mark in people if mark.value is not None]
    raters = Counter((mark.game, mark.unit) for mark in rated)
    shared = {(m.game, m.unit) for m in judge if m.value is not None and raters[m.game, m.unit] > 1}
    by_people = [mark for mark in rated if (mark.game, mark.unit) in shared]
    by_judge = [mark for mark in judge if (mark.game, mark.unit) in shared]
    alone = build_columns(by_people, names)
    together = build_columns([*by_people, *by_judge], names)
    alpha_outcomes = {
        "alpha_people": krippendorff(alone)["ordinal"],
        "alpha_with": krippendorff(together)["ordinal"],
    }
    return {
        **alpha_outcomes,
        "alpha_units": len(shared),
        "alpha_difference": _alpha_difference(alone, together),
    }


def _alpha_difference(alone: Columns, together: Columns) -> Outcome:
    """Return alpha with the judge less alpha of people, both recomputed for each resample."""
    values: list[Numbers] = []
    if not len(alone.values) or count_groups(alone.deal) < 2:
        none = unknown("one_game" if len(alone.values) else "no_overlap")
        return {**none, "ci": none}
    # Both have the same units, so the same deals have the same codes.
    clusters = count_groups(alone.deal)
    full_alphas: list[float] = []
    for ratings in (alone, together):
        scale, matrices = coincidences(ratings.values, ratings.unit, ratings.deal)
        full_alphas.append(float(alphas(matrices.sum(axis=0)[None], scale, "ordinal")[0]))
        flat, size = matrices.reshape(clusters, -1), len(scale)
        drawn = [
            alphas((drawn_rows @ flat).reshape(-1, size, size), scale, "ordinal")
            for drawn_rows in bootstrap_draws(clusters)
        ]
        values.append(np.concatenate(drawn))
    if np.isnan(full_alphas).any():
        none = unknown("no_variation")
        return {**none, "ci": none}
    ci = resampled_interval(values[1] - values[0], clusters)
    return defined(full_alphas[1] - full_alphas[0], ci=ci)


def bias_by_condition(both: Sequence[SharedUnit]) -> list[Outcome]:
    """Return the bias in each condition, preceded by that over all ("") if there are several."""
    conditions = sorted({unit.condition for unit in both})
    rows = [("", both)] if len(conditions) != 1 else []
    rows += [(name, [unit for unit in both if unit.condition == name]) for name in conditions]
    return [{"condition": name, **bias(own)} for name, own in rows]


def bias(both: Sequence[SharedUnit]) -> Outcome:
    """Return the mean of judge minus people.

    Differences are averaged over the units of a moment, moments of a game, games of a deal. The
    interval is Student's t over deals.
    """
    if not both:
        none = unknown("few_units")
        return {"units": 0, "games": 0, "difference": none, "ci": none}
    means = _mean_by_deal(both)
    return {
        "units": len(both),
        "games": len({unit.game for unit in both}),
        "difference": defined(float(means.mean())),
        "ci": paired_interval(means) if len(means) > 1 else unknown("one_game", clusters=1),
    }


def _mean_by_deal(both: Sequence[SharedUnit]) -> Numbers:
    moments: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for unit in both:
        moments[unit.deal, unit.game, unit.moment].append(unit.judge - unit.people)
    games: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (deal, game, _moment), values in moments.items():
        games[deal, game].append(fmean(values))
    deals: dict[str, list[float]] = defaultdict(list)
    for (deal, _game), values in games.items():
        deals[deal].append(fmean(values))
    return np.array([fmean(deals[deal]) for deal in sorted(deals)])


def position_effect(judge: Sequence[Mark], drawn: Iterable[DrawnAnswer]) -> Outcome:
    """Return the effect of an answer's position, over pairs that were asked in both orders.

    It is the value of an answer shown first less its value when shown second. "same" is the share
    of pairs in which the same answer, or neither, is preferred in both orders.
    """
    marks = {mark.unit: mark for mark in judge}
    both: list[SharedUnit] = []
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for answer in drawn:
        if answer.values and answer.turned and (mark := marks.get(answer.unit)):
            mean, turned_mean = fmean(answer.values), fmean(answer.turned)
            first, second = (mean, turned_mean) if answer.first else (turned_mean, mean)
            deal = mark.deal or mark.game
            both.append(
                SharedUnit(answer.unit, mark.moment, mark.game, deal, mark.condition, second, first)
            )
            pairs[mark.game, mark.moment].append((mean, turned_mean))
    pair_values = [values for values in pairs.values() if len(values) == 2]
    same = sum(np.sign(a - c) == np.sign(b - d) for (a, b), (c, d) in pair_values)
    return {
        **bias(both),
        "pairs": len(pair_values),
        "same": share(int(same), len(pair_values), "few_units"),
    }


def draw_agreement(drawn: Sequence[DrawnAnswer]) -> Outcome:
    """Return the agreement of several draws of one answer.

    It has the share of pairs of draws that are equal, the standard deviation within an answer, and
    alpha (interval) with draws in place of raters.
    """
    orders = (values for answer in drawn for values in (answer.values, answer.turned))
    several = [values for values in orders if len(values) > 1]
    if not several:
        none = unknown("no_draws" if drawn else "no_ratings")
        return {"n": 0, "exact": none, "sd": none, "alpha": none}
    pairs = [fmean(abs(a - b) < TOLERANCE for a, b in combinations(v, 2)) for v in several]
    return {
        "n": len(several),
        "exact": defined(fmean(pairs)),
        "sd": defined(fmean(stdev(values) for values in several)),
        "alpha": _alpha_of_draws(several),
    }


def _alpha_of_draws(several: Sequence[Sequence[float]]) -> Outcome:
    values = np.array([value for draws in several for value in draws], dtype=np.float64)
    units = np.repeat(np.arange(len(several)), [len(draws) for draws in several]).astype(np.intp)
    if np.ptp(values) < TOLERANCE:
        return unknown("no_variation")
    scale, matrices = coincidences(values, units, np.zeros(len(values), dtype=np.intp))
    return defined(float(alphas(matrices, scale, "interval")[0]))


@dataclass(frozen=True)
class Score:
    """A game's score for one criterion as in the paper: the mean of its draws."""

    game: str
    deal: str
    condition: str
    dimension: str
    value: float
    draws: tuple[float, ...]


def paper_scores(scores: Iterable[Score], dimensions: Sequence[tuple[str, str]]) -> list[Outcome]:
    """Return the scores by criterion and condition: games, mean, SD and interval over deals.

    For each criterion it also has the agreement of the draws of a game.

    Args:
        dimensions: (key, label) of each criterion.
    """
    table = sorted(scores, key=lambda s: (s.dimension, s.condition, s.game))
    conditions = sorted({score.condition for score in table})
    score_rows = []
    for key, label in dimensions:
        own = [score for score in table if score.dimension == key]
        rows = [(name, [s for s in own if s.condition == name]) for name in conditions]
        score_rows.append(
            {
                "key": key,
                "label": label,
                "conditions": [
                    {"condition": name, **_describe_scores(group)} for name, group in rows
                ],
                "draws": draw_agreement([DrawnAnswer(s.game, key, s.draws) for s in own]),
            }
        )
    return score_rows


def _describe_scores(scores: Sequence[Score]) -> Outcome:
    if not scores:
        none = unknown("no_ratings")
        return {"games": 0, "mean": none, "sd": none, "ci": none}
    values = [score.value for score in scores]
    deals: dict[str, list[float]] = defaultdict(list)
    for score in scores:
        deals[score.deal or score.game].append(score.value)
    means = np.array([fmean(deals[deal]) for deal in sorted(deals)])
    return {
        "games": len(values),
        "mean": defined(fmean(values)),
        "sd": defined(stdev(values)) if len(values) > 1 else unknown("one_rating"),
        "ci": paired_interval(means) if len(means) > 1 else unknown("one_game", clusters=1),
    }
