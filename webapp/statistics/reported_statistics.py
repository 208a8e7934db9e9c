"""Statistics as JSON: {"value": 3.2, …}, or {"value": None, "why": key of a reason} if undefined.

Pages show `REASONS[key]` for the keys of reasons and warnings, translated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Outcome = dict[str, Any]  # a statistic, or several of them by name

RESULT_DECIMALS = 12  # further ones depend on the order of a sum and on the processor

UNDEFINED = {
    "no_ratings": "There are no ratings yet.",
    "one_rating": "One rating has no spread. At least two are needed.",
    "one_game": "All ratings come from one game. The interval is computed over games and needs at"
    " least two (games of one deal count as one).",
    "no_overlap": "No unit was rated by two raters, so agreement cannot be measured.",
    "one_rater": "There is only one rater. Agreement needs two.",
    "no_variation": "All comparable ratings have the same value, so agreement cannot be"
    " distinguished from agreement by chance.",
    "one_cluster": "Only one unit was rated by two raters. An interval needs two.",
    "unstable": "The coefficient is undefined in many of the resampled data sets, so an interval"
    " would be misleading.",
    "incomplete_design": "Not every rater rated every unit. The intraclass correlation needs a"
    " complete design; Krippendorff's alpha does not.",
    "one_unit": "Only one unit was rated. An intraclass correlation needs two.",
    "too_few_ratings": "There are fewer than five ratings.",
    "no_interval": "These ratings leave no residual variance, so no interval can be computed.",
    "nothing_comparable": "Everything rated comes from one deal, so there are no two independent"
    " observations to compare.",
    "all_alike": "Every game has the same mean, so games cannot be ranked.",
    "one_on_a_side": "One of the conditions has only one game. The interval needs at least two"
    " games of each condition, to estimate how games of one condition vary.",
    "few_raters": "One of the conditions has fewer than three raters, so a test would apply to"
    " these raters only. At least three raters of each condition are needed.",
    "whole_scale": "With so few games or raters, the interval covers the whole scale.",
    "no_differences": "Every pair has the same mean under both conditions, so there are no"
    " differences to rank.",
    "one_difference": "Only one pair differs. Its sign alone would make the effect 1 or -1.",
    "one_pair": "There is only one pair. An interval needs two.",
    "no_repeats": "There are no repeated ratings.",
    "no_spread_in_repeats": "Neither the first nor the repeated ratings vary.",
    "no_values": "There are no values yet.",
    "one_value": "One value has no spread. At least two are needed.",
    "one_group": "All values come from one game, or from games connected by a shared deal or"
    " participant. The interval is computed over such groups and needs at least two.",
    "few_groups_of_share": "All values come from two games, or two groups of connected games. The"
    " interval of a share needs three.",
    "no_spread_between": "All included games have the same mean, so the variation between games"
    " is unknown and there is no interval.",
    "linked_games": "The same participants meet in so many games that all games are connected."
    " There are no two independent observations, so no test is computed.",
    "no_scores_alike": "The scores of participants and computer players for the same players vary"
    " too little for a correlation.",
    "pooled_pairs": "Pairs of scores within a game are not independent, so this measure has no"
    " interval and no spread between games.",
    "not_ranked": "This item is rated, not ranked.",
    "no_complete_rankings": "No game was ranked completely by two raters.",
    "few_units": "Too few units were rated by both people and the judge.",
    "no_order": "Either the means of people’s ratings or the judge’s values are all equal, so"
    " there is no order to compare.",
    "no_draws": "The judge gave one answer to each question, so there is nothing to compare.",
    "no_times": "No time was recorded.",
    "no_turns": "No player whose text is rated had a turn to speak.",
    "no_attrition": "Fewer than two conditions have participants who finished, or no participant"
    " left, so there is no difference to test.",
    "hidden": "Hidden while people rate: deciding when to stop after looking at tests leads to"
    " false findings.",
    "nothing_due": "There was nothing to rate.",
}

WARNINGS = {
    "few_clusters": "Fewer than ten games (or other resampled units): the interval may be too"
    " narrow.",
    "few_groups": "Fewer than six games, or groups of connected games: the width of the interval"
    " is uncertain.",
    "people_in_several": "The same participants meet in so many games that all games are"
    " connected. The interval treats games as independent and may be too narrow.",
    "out_of_reach": "With so few games, the smallest possible p, adjusted for the tests of its"
    " family (Holm), is above the level. No result could be significant.",
    "games_left_out": "Some games were excluded from the comparison: they have only one of the"
    " conditions while others have both, or the reverse.",
    "raters_apart": "Most ratings come from raters who rated only one of the two conditions, so a"
    " difference between raters would look like one between conditions.",
    "over_units": "All ratings come from one game or one deal. Units were resampled, so the"
    " interval applies to that game only.",
    "selection_by_success": "Turns in which a model failed have no text and can’t be rated, so a"
    " condition with failures is judged by its successes only (selection by success).",
    "duplicates": "Some raters rated the same unit twice outside the repeats. The first rating"
    " counts.",
}

POPULATIONS = {
    "new_raters_and_games": "The test and its interval generalize to other raters and other"
    " games, as far as these are random samples of them.",
    "these_raters": "The interval applies to these raters only, because a condition has fewer"
    " than three. It generalizes to other games, as far as these are a random sample of them.",
    "new_games": "The test and its interval generalize to other games and, where people play, to"
    " other people, as far as these are random samples of them.",
}

FLAGS = {
    "long_run": "Gave the same value many times in a row.",
    "flat_items": "Gave all dimensions of an item the same value in nearly all items.",
    "no_spread": "Gave only one value.",
    "fast": "Spent less than three seconds on at least half of the items.",
    "attention": "Failed an attention check.",
    "unsteady": "Differed by more than one step from their own first rating in most repeats.",
    "unanswered": "Left at least half of the assigned units unanswered.",
}

REASONS: dict[str, str] = {
    **UNDEFINED,
    **WARNINGS,
    **POPULATIONS,
    **{f"flag_{key}": sentence for key, sentence in FLAGS.items()},
}


def defined(value: float, **more: Any) -> Outcome:
    """Return a statistic with a value.

    Raises:
        ValueError: The value is NaN or infinite: use `undefined` with a reason.
    """
    return {"value": json_number(value), **more}


def defined_interval(low: float, high: float, **more: Any) -> Outcome:
    """Return an interval as a statistic with the value [low, high]."""
    return {"value": [json_number(low), json_number(high)], **more}


def undefined(reason: str, **more: Any) -> Outcome:
    """Return an undefined statistic with the key of the reason.

    Raises:
        KeyError: `reason` is no key of REASONS.
    """
    if reason not in REASONS:
        raise KeyError(reason)
    return {"value": None, "why": reason, **more}


def undefined_with_interval(reason: str) -> Outcome:
    """Return an undefined statistic whose interval is undefined for the same reason."""
    return undefined(reason, ci=undefined(reason))


def json_number(value: float) -> float | int:
    """Return a number for JSON: floats to twelve decimals, without minus zero."""
    if isinstance(value, int):
        return int(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} is no result")
    return round(float(value), RESULT_DECIMALS) + 0.0


def defined_share(part: int, whole: int, reason: str) -> Outcome:
    """Return part/whole as a statistic, undefined with the key `reason` if the whole is 0."""
    if not whole:
        return undefined(reason, part=part, whole=whole)
    return defined(part / whole, part=part, whole=whole)


def warning_keys(**conditions: bool) -> Sequence[str]:
    """Return the keys of the warnings whose conditions are true."""
    return [key for key, is_true in conditions.items() if is_true]


def format_decimals(value: float, digits: int) -> str:
    """Format a number with that many decimals, without a minus sign before zero."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def one_line(text: str) -> str:
    """Return the text on one line, with single spaces and without control characters."""
    return " ".join("".join(char for char in text if char.isprintable() or char.isspace()).split())
