"""Agreement of a language model's ratings with people's, and its scores of whole games.

The human value of a unit is the mean of its ratings. There are no p-values: units of one game are
not independent, so intervals resample whole games (or deals, if games share one).
docs/statistics.md has the formulas.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean, stdev
from typing import Any, TypeVar

import numpy as np

from webapp.statistics.agreement import (
    alphas,
    coincidences,
    drawn_alphas,
    krippendorff,
    resampled_interval,
    self_agreement,
    self_pairs,
)
from webapp.statistics.intervals import bootstrap_draws, paired_interval
from webapp.statistics.marks import (
    Codes,
    Columns,
    Mark,
    Numbers,
    build_columns,
    count_groups,
    deduplicate,
    select_counted,
    sort_marks,
)
from webapp.statistics.reported_statistics import (
    Outcome,
    defined,
    defined_share,
    undefined,
    undefined_with_interval,
)

K = TypeVar("K", bound=Hashable)

MIN_UNITS = 3  # with fewer units, a rank correlation is meaningless
TOLERANCE = 1e-9  # smaller differences are rounding errors
MAX_WEIGHTS = 500_000  # this many numbers are held in memory at a time


@dataclass(frozen=True)
class DrawnAnswer:
    """Repeated draws of one answer."""

    unit: str  # the rated unit, unique in the campaign
    dimension: str
    values: tuple[float, ...]
    # Draws of a pair with its two answers in exchanged positions, () for other units.
    exchanged: tuple[float, ...] = ()
    is_first: bool = True  # whether the unit was shown first for `values`


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


def compare_judge_with_people(
    people: Sequence[Mark],
    judge: Sequence[Mark],
    drawn: Sequence[DrawnAnswer],
    dimensions: Sequence[Mapping[str, Any]],
) -> list[Outcome]:
    """Return the comparison of one judge with people, one entry per dimension.

    Attention checks, repeats and excluded ratings are left out, as in the results, except for the
    judge's agreement with itself.
    """
    by_people = deduplicate(select_counted(sort_marks(people)))
    by_judge = deduplicate(select_counted(sort_marks(judge)))
    repeated = self_pairs(sort_marks(judge))
    rows = []
    for dimension in dimensions:
        key = dimension["key"]
        of_people = [mark for mark in by_people if mark.dimension == key]
        of_judge = [mark for mark in by_judge if mark.dimension == key]
        own_draws = [answer for answer in drawn if answer.dimension == key]
        units = shared_units(of_people, of_judge)
        repeats = [p for (_rater, item), pairs in repeated.items() if item == key for p in pairs]
        rows.append(
            {
                "key": key,
                "label": str(dimension.get("label", "")) or key,
                "units": len(units),
                "games": len({unit.game for unit in units}),
                "spearman": spearman(units),
                **_alphas_with_judge(of_people, of_judge),
                "bias": bias_by_condition(_use_draw_means(units, own_draws)),
                "repeats": self_agreement(repeats),
                "position": position_effect(of_judge, own_draws),
                "draws": draw_agreement(own_draws),
            }
        )
    return rows


def shared_units(people: Sequence[Mark], judge: Sequence[Mark]) -> list[SharedUnit]:
    """Return the units of one dimension that people and the judge have rated, in order."""
    values: dict[tuple[str, str], list[int]] = defaultdict(list)
    for mark in people:
        if mark.value is not None:
            values[mark.game, mark.unit].append(mark.value)
    units = []
    for mark in sorted(judge, key=lambda m: (m.game, m.unit)):
        if mark.value is not None and (mark.game, mark.unit) in values:
            mean = fmean(values[mark.game, mark.unit])
            units.append(_shared_unit(mark, people=mean, judge=float(mark.value)))
    return units


def _shared_unit(mark: Mark, *, people: float, judge: float) -> SharedUnit:
    deal = mark.deal or mark.game
    return SharedUnit(mark.unit, mark.moment, mark.game, deal, mark.condition, people, judge)


def _use_draw_means(units: Sequence[SharedUnit], drawn: Iterable[DrawnAnswer]) -> list[SharedUnit]:
    """Return the units with the means of the judge's draws in place of its ratings.

    A rating is the mean with halves rounded up, which would bias the difference.
    """
    means = {d.unit: fmean((*d.values, *d.exchanged)) for d in drawn if d.values}
    return [replace(unit, judge=means.get(unit.unit, unit.judge)) for unit in units]


def spearman(units: Sequence[SharedUnit]) -> Outcome:
    """Return Spearman's rank correlation over units, with mid-ranks, and its interval."""
    if len(units) < MIN_UNITS:
        return undefined_with_interval("few_units")
    people = _rank_codes([round(unit.people, 9) for unit in units])
    judge = _rank_codes([unit.judge for unit in units])
    value = float(_rhos(people, judge, np.ones((1, len(units))))[0])
    if np.isnan(value):
        return undefined_with_interval("no_order")
    return defined(value, ci=_rho_interval(people, judge, [unit.deal for unit in units]))


def _rank_codes(values: Sequence[float]) -> Codes:
    """Return the position of each value among the different values, in order."""
    return np.unique(np.array(values), return_inverse=True)[1].astype(np.intp)


def _rhos(first: Codes, second: Codes, weights: Numbers) -> Numbers:
    """Return Spearman's rho for each row of `weights`, NaN if all sampled values are equal.

    `weights` say how often each sample takes each unit, shape (samples, units).
    """
    a, b = _midranks(first, weights), _midranks(second, weights)
    n = weights.sum(axis=1, keepdims=True)
    a = a - (weights * a).sum(axis=1, keepdims=True) / n
    b = b - (weights * b).sum(axis=1, keepdims=True) / n
    spread = (weights * a**2).sum(axis=1) * (weights * b**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(spread > TOLERANCE, (weights * a * b).sum(axis=1) / np.sqrt(spread), np.nan)


def _midranks(codes: Codes, weights: Numbers) -> Numbers:
    """Return the mid-rank of each unit in each sample, shape (samples, units)."""
    counts = weights @ np.eye(count_groups(codes))[codes]
    ranks: Numbers = (counts.cumsum(axis=1) - counts / 2 + 0.5)[:, codes]
    return ranks


def _rho_interval(people: Codes, judge: Codes, deals: Sequence[str]) -> Outcome:
    names, deal = np.unique(deals, return_inverse=True)
    if len(names) < 2:
        return undefined("one_game", clusters=len(names))
    block_size = max(1, MAX_WEIGHTS // len(deals))
    drawn = np.concatenate(
        [
            _rhos(people, judge, draws[start : start + block_size][:, deal])
            for draws in bootstrap_draws(len(names))
            for start in range(0, len(draws), block_size)
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
    return {
        "alpha_people": krippendorff(alone)["ordinal"],
        "alpha_with": krippendorff(together)["ordinal"],
        "alpha_units": len(shared),
        "alpha_difference": _alpha_difference(alone, together),
    }


def _alpha_difference(alone: Columns, together: Columns) -> Outcome:
    """Return alpha with the judge less alpha of people, both recomputed in each draw."""
    # Both have the same units, so the same deals have the same codes.
    clusters = count_groups(alone.deal)
    if clusters < 2:
        return undefined_with_interval("one_game" if clusters else "no_overlap")
    full_alphas: list[float] = []
    drawn: list[Numbers] = []
    for ratings in (alone, together):
        scale, matrices = coincidences(ratings.values, ratings.unit, ratings.deal)
        full_alphas.append(float(alphas(matrices.sum(axis=0)[None], scale, "ordinal")[0]))
        drawn.append(drawn_alphas(matrices, scale, "ordinal"))
    if np.isnan(full_alphas).any():
        return undefined_with_interval("no_variation")
    ci = resampled_interval(drawn[1] - drawn[0], clusters)
    return defined(full_alphas[1] - full_alphas[0], ci=ci)


def bias_by_condition(units: Sequence[SharedUnit]) -> list[Outcome]:
    """Return the bias in each condition, preceded by that over all ("") if there are several."""
    conditions = sorted({unit.condition for unit in units})
    rows = [("", units)] if len(conditions) != 1 else []
    rows += [(name, [unit for unit in units if unit.condition == name]) for name in conditions]
    return [{"condition": name, **bias(own)} for name, own in rows]


def bias(units: Sequence[SharedUnit]) -> Outcome:
    """Return the mean of judge minus people.

    Differences are averaged over the units of a moment, moments of a game, games of a deal. The
    interval is Student's t over deals.
    """
    if not units:
        none = undefined("few_units")
        return {"units": 0, "games": 0, "difference": none, "ci": none}
    means = _mean_differences_by_deal(units)
    return {
        "units": len(units),
        "games": len({unit.game for unit in units}),
        "difference": defined(float(means.mean())),
        "ci": paired_interval(means) if len(means) > 1 else undefined("one_game", clusters=1),
    }


def _mean_differences_by_deal(units: Sequence[SharedUnit]) -> Numbers:
    moments = _group_means(((u.deal, u.game, u.moment), u.judge - u.people) for u in units)
    games = _group_means(((deal, game), mean) for (deal, game, _moment), mean in moments.items())
    deals = _group_means((deal, mean) for (deal, _game), mean in games.items())
    return np.array([deals[deal] for deal in sorted(deals)])


def _group_means(keyed_values: Iterable[tuple[K, float]]) -> dict[K, float]:
    """Return key -> mean of its values."""
    groups: dict[K, list[float]] = defaultdict(list)
    for key, value in keyed_values:
        groups[key].append(value)
    return {key: fmean(values) for key, values in groups.items()}


def position_effect(judge: Sequence[Mark], drawn: Iterable[DrawnAnswer]) -> Outcome:
    """Return the effect of an answer's position, over pairs that were asked in both orders.

    The effect is the value of an answer shown first less its value when shown second. "same" is the
    share of pairs in which the same answer, or neither, is preferred in both orders.
    """
    marks = {mark.unit: mark for mark in judge}
    units: list[SharedUnit] = []
    means_by_moment: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for answer in drawn:
        if answer.values and answer.exchanged and (mark := marks.get(answer.unit)):
            means = fmean(answer.values), fmean(answer.exchanged)
            first, second = means if answer.is_first else means[::-1]
            units.append(_shared_unit(mark, people=second, judge=first))
            means_by_moment[mark.game, mark.moment].append(means)
    pairs = [means for means in means_by_moment.values() if len(means) == 2]
    same = sum(np.sign(a - c) == np.sign(b - d) for (a, b), (c, d) in pairs)
    return {
        **bias(units),
        "pairs": len(pairs),
        "same": defined_share(int(same), len(pairs), "few_units"),
    }


def draw_agreement(drawn: Sequence[DrawnAnswer]) -> Outcome:
    """Return the agreement of several draws of one answer.

    "exact" is the share of pairs of draws that are equal, "sd" the mean standard deviation within
    an answer, and "alpha" is that of the interval level, with draws in place of raters.
    """
    orders = (values for answer in drawn for values in (answer.values, answer.exchanged))
    several = [values for values in orders if len(values) > 1]
    if not several:
        none = undefined("no_draws" if drawn else "no_ratings")
        return {"n": 0, "exact": none, "sd": none, "alpha": none}
    pairs = [fmean(abs(a - b) < TOLERANCE for a, b in combinations(v, 2)) for v in several]
    values = np.concatenate([np.array(draws, dtype=np.float64) for draws in several])
    units = np.repeat(np.arange(len(several)), [len(draws) for draws in several]).astype(np.intp)
    alpha = undefined("no_variation")
    if np.ptp(values) >= TOLERANCE:
        scale, matrices = coincidences(values, units, np.zeros(len(values), dtype=np.intp))
        alpha = defined(float(alphas(matrices, scale, "interval")[0]))
    return {
        "n": len(several),
        "exact": defined(fmean(pairs)),
        "sd": defined(fmean(stdev(values) for values in several)),
        "alpha": alpha,
    }


@dataclass(frozen=True)
class GameScore:
    """A game's score for one criterion as in the paper: the mean of its draws.

    Scores are never combined with ratings.
    """

    game: str
    deal: str
    condition: str
    dimension: str
    value: float
    draws: tuple[float, ...]


def paper_scores(
    scores: Iterable[GameScore], dimensions: Sequence[tuple[str, str]]
) -> list[Outcome]:
    """Return the scores of each criterion by condition, and the agreement of a game's draws."""
    ordered = sorted(scores, key=lambda s: (s.dimension, s.condition, s.game))
    conditions = sorted({score.condition for score in ordered})
    rows = []
    for key, label in dimensions:
        own = [score for score in ordered if score.dimension == key]
        by_condition = [
            {"condition": name, **_describe_scores([s for s in own if s.condition == name])}
            for name in conditions
        ]
        draws = draw_agreement([DrawnAnswer(s.game, key, s.draws) for s in own])
        rows.append({"key": key, "label": label, "conditions": by_condition, "draws": draws})
    return rows


def _describe_scores(scores: Sequence[GameScore]) -> Outcome:
    """Return the number of games, and mean, SD and interval over deals."""
    if not scores:
        none = undefined("no_ratings")
        return {"games": 0, "mean": none, "sd": none, "ci": none}
    values = [score.value for score in scores]
    deals = _group_means((score.deal or score.game, score.value) for score in scores)
    means = np.array([deals[deal] for deal in sorted(deals)])
    return {
        "games": len(values),
        "mean": defined(fmean(values)),
        "sd": defined(stdev(values)) if len(values) > 1 else undefined("one_rating"),
        "ci": paired_interval(means) if len(means) > 1 else undefined("one_game", clusters=1),
    }
