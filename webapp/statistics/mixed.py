"""A linear mixed model of the ratings, in addition to the test of record, never in its place.

value = mean + condition + rater + game + … + rest, fitted by REML with statsmodels' MixedLM; the
random intercepts are crossed. It treats a rating from 1 to 5 as a number with normal errors: Python
has no well-kept ordinal mixed model. p and interval are from Student's t with as many degrees of
freedom as there are independent observations, less the parameters estimated from them, because with
few games the normal distribution promises too much.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

from webapp.statistics.comparison_design import PAIRED, Design
from webapp.statistics.intervals import LEVEL
from webapp.statistics.marks import Codes, Columns, Numbers, dense, how_many
from webapp.statistics.reported_statistics import Outcome, defined, span, unknown

MOST = 600_000  # ratings x levels of all random effects: about four seconds
# None of them follows a gradient: statsmodels' gradient vanishes wherever a variance is near zero.
# Each has its precision; the next is tried if one ends at a point that statsmodels rejects
# (singular).
OPTIMIZERS = (("powell", 1e-8), ("nm", 1e-8), ("powell", 1e-4))
MOST_STEPS = 4000
DIGITS = 4  # of an optimizer's result
NIL = 1e-6  # a smaller variance counts as zero


def mixed_model(ratings: Columns, second: Codes, plan: Design) -> Outcome:
    """Return the condition's coefficient (second minus first) with se, ci, p and df.

    It also has the variances of the random effects. `second`: 1 for ratings of the second
    condition.
    """
    effects = random_effects(ratings, second, plan)
    df = len(plan.pairs) - 1 if plan.kind == PAIRED else len(plan.first) + len(plan.second) - 2
    levels = sum(how_many(codes) for codes in effects.values())
    reason = _why_none(ratings, plan, df, levels)
    if reason:
        return unknown(reason)
    try:
        fitted = _fit(ratings.values, second, effects)
    except (np.linalg.LinAlgError, ValueError, FloatingPointError):
        return unknown("model_failed")
    if not fitted.converged or fitted.scale < NIL:
        return unknown("model_failed")
    estimate, se = float(fitted.fe_params[1]), _standard_error(fitted, second, effects)
    if not np.isfinite([estimate, se]).all() or se <= 0:
        return unknown("model_failed")
    return _outcome(estimate, se, df, _variances(fitted, effects))


def _why_none(ratings: Columns, plan: Design, df: int, levels: int) -> str:
    """Return the reason why there is no model, or ""."""
    reasons = {
        "nothing_comparable": not plan.kind,
        "model_few_games": df < 1,
        "no_variation": bool(np.ptp(ratings.values) == 0),
        "model_too_large": len(ratings.values) * levels > MOST,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def random_effects(ratings: Columns, second: Codes, plan: Design) -> dict[str, Codes]:
    """Return name -> the level of each rating, for every distinguishable factor.

    If pairs lie in games or deals, the difference between the conditions varies over them: then
    `game:condition` (or `deal:condition`) is included as well. A factor with a level for each
    rating equals the residual; a factor with the levels of another equals that one.
    """
    candidate_effects = {"rater": ratings.rater, "deal": ratings.deal, "game": ratings.game}
    if plan.kind == PAIRED:
        deeper = ratings.game if plan.within else ratings.deal
        candidate_effects["game:condition" if plan.within else "deal:condition"] = (
            deeper * 2 + second
        )
    candidate_effects |= {"unit": ratings.unit, "moment": ratings.moment}
    if how_many(ratings.deal) == how_many(ratings.game):
        del candidate_effects["deal"]
    kept_effects: dict[str, Codes] = {}
    for name, codes in candidate_effects.items():
        levels = dense(codes)
        known_already = any(_same(levels, kept_codes) for kept_codes in kept_effects.values())
        if 1 < how_many(levels) < len(levels) and not known_already:
            kept_effects[name] = levels
    return kept_effects


def _same(one: Codes, second: Codes) -> bool:
    """Return whether two factors group the ratings in the same way."""
    together = how_many(dense(one * (how_many(second) + 1) + second))
    return together == how_many(one) == how_many(second)


def _fit(values: Numbers, second: Codes, effects: dict[str, Codes]) -> Any:
    """Return statsmodels' result.

    Crossed effects are variance components of one group of all ratings.
    """
    n = len(values)
    fixed = np.column_stack([np.ones(n), second])
    names = list(effects)
    columns = [[[f"{name} {k}" for k in range(how_many(effects[name]))]] for name in names]
    matrices = [[np.eye(how_many(codes))[codes]] for codes in effects.values()]
    parts = VCSpec(names, columns, matrices)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        model = MixedLM(values, fixed, groups=np.zeros(n), exog_vc=parts)
        for name, near in OPTIMIZERS:
            try:
                return model.fit(reml=True, method=name, xtol=near, ftol=near, maxiter=MOST_STEPS)
            except np.linalg.LinAlgError:  # of the Hessian, if variances are zero
                continue
        raise np.linalg.LinAlgError


def _standard_error(fitted: Any, second: Codes, effects: dict[str, Codes]) -> float:
    """Return the coefficient's standard error, given the variances: from (X' V^-1 X)^-1.

    statsmodels' own comes from a Hessian that does not exist if a variance is zero.
    """
    fixed = np.column_stack([np.ones(len(second)), second])
    parts = zip(effects.values(), np.asarray(fitted.vcomp, dtype=float).tolist(), strict=True)
    scaled = [np.eye(how_many(c))[c] * np.sqrt(max(v, 0.0) / fitted.scale) for c, v in parts]
    random = np.column_stack([np.zeros(len(second)), *scaled])
    across = random.T @ fixed
    inner = np.linalg.solve(np.eye(random.shape[1]) + random.T @ random, across)
    weight = (fixed.T @ fixed - across.T @ inner) / fitted.scale
    return float(np.sqrt(np.linalg.inv(weight)[1, 1]))


def _variances(fitted: Any, effects: dict[str, Codes]) -> dict[str, float]:
    components = dict(zip(effects, np.asarray(fitted.vcomp, dtype=float).tolist(), strict=True))
    return {**components, "rest": float(fitted.scale)}


def _outcome(estimate: float, se: float, df: int, variances: dict[str, float]) -> Outcome:
    reach = float(stats.t.ppf((1 + LEVEL) / 2, df)) * se
    p = 2 * float(stats.t.sf(abs(estimate) / se, df))
    low, high = round(estimate - reach, DIGITS), round(estimate + reach, DIGITS)
    return defined(
        round(estimate, DIGITS),
        se=defined(round(se, DIGITS)),
        ci=span(low, high),
        p=defined(round(p, DIGITS)),
        df=df,
        variances={name: round(value, DIGITS) + 0.0 for name, value in variances.items()},
        care=["model_nil"] if min(variances.values()) < NIL else [],
    )
