"""Statistics as JSON and as text: {"value": 3.2, …} or {"value": None, "why": key of a reason}.

The reasons say why a statistic is undefined or needs care, and why a rater is flagged. Results
have the key; pages show `REASONS[key]`, translated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Outcome = dict[str, Any]

DECIMALS = 12  # of a result; further ones depend on the order of a sum and on the processor

UNDEFINED = {
    "no_ratings": "No rating has been given yet.",
    "one_rating": "One rating has no spread: at least two are needed.",
    "one_game": "All ratings come from one game: the interval is drawn over games and needs two "
    "(games of one deal count as one).",
    "no_overlap": "No unit was rated by two raters, so there is no agreement to measure.",
    "one_rater": "Only one rater has rated: agreement needs two.",
    "no_variation": "All ratings that can be compared have the same value: agreement expected by "
    "chance cannot be told from agreement reached.",
    "one_cluster": "Only one unit was rated by two raters: an interval needs two.",
    "unstable": "In many of the resampled data sets the coefficient itself is undefined, so an "
    "interval would not mean what it says.",
    "incomplete_design": "Not every rater rated every unit: the intraclass correlation needs a "
    "complete design. Krippendorff's alpha does not.",
    "one_unit": "Only one unit was rated: an intraclass correlation needs two.",
    "too_few_ratings": "There are fewer than five ratings.",
    "no_interval": "The interval cannot be computed from these ratings: the raters leave no "
    "residual variance.",
    "nothing_comparable": "All that was rated comes from one deal: there are no two independent "
    "observations to compare.",
    "all_alike": "Every game has the same mean: there is nothing to rank.",
    "one_on_a_side": "One of the conditions has one game only: the interval rests on how games of "
    "one condition differ, and needs two of each.",
    "few_raters": "Fewer than three raters rated one of the conditions: a test would hold for "
    "these raters alone. Three raters or more of each condition are needed.",
    "whole_scale": "So few games or raters leave the interval as wide as the whole scale: it says "
    "nothing.",
    "no_differences": "Every pair has the same mean under both conditions: there is no difference "
    "to rank.",
    "one_difference": "Only one pair differs: its sign alone would make the effect 1 or -1.",
    "one_pair": "There is one pair only: an interval needs two.",
    "no_repeats": "No repeated rating has been given.",
    "no_spread_in_repeats": "Neither the first nor the repeated ratings vary.",
    "no_values": "There is nothing to count here yet.",
    "one_value": "One value has no spread: at least two are needed.",
    "one_group": "All of it comes from one game, or from games that hang together by a deal or a "
    "person: the interval is drawn over such groups and needs two.",
    "few_groups_of_share": "All of it comes from two games, or groups of games that hang together: "
    "the interval of a share needs three.",
    "no_spread_between": "All games that count here have the same mean: how much games differ "
    "cannot be told from so few, so there is no interval.",
    "linked_games": "The same people meet in so many games that all of them hang together: there "
    "are no two independent observations, and no test is made.",
    "no_scores_alike": "No person and computer player have scored the same players differently "
    "enough for a correlation.",
    "pooled_pairs": "Pairs of scores within a game are not independent: this reading has no "
    "interval and no spread between games.",
    "not_ranked": "This item is rated, not ranked.",
    "no_complete_rankings": "No game has been ranked completely by two raters.",
    "few_units": "Too few units were rated by people and by the judge.",
    "no_order": "Either people’s means or the judge’s values are all the same: there is no order "
    "to compare.",
    "no_draws": "The judge drew one answer to each question: there is nothing to compare.",
    "no_times": "No time was recorded.",
    "no_turns": "Nobody whose words are rated had a turn to speak.",
    "no_attrition": "Fewer than two conditions have people who are through, or nobody left: there "
    "is no difference to test.",
    "hidden": "Hidden while people rate: whoever looks at tests and then decides when to stop "
    "finds what is not there.",
    "nothing_due": "Nothing was to be rated.",
}

WITH_CARE = {
    "few_clusters": "Fewer than ten games (or whatever was resampled): the interval may be "
    "too narrow.",
    "few_groups": "Fewer than six games, or groups of games that hang together: the interval rests "
    "on few, and its width is uncertain.",
    "people_in_several": "The same people meet in so many games that all of them hang together: "
    "the interval takes games for independent and may be too narrow.",
    "out_of_reach": "The least p that so few games allow, adjusted for the tests of its family "
    "(Holm), is above the level: no values could be significant.",
    "games_left_out": "Some games hold only one of the conditions, or both where the others hold "
    "one: they have no part in the comparison.",
    "raters_apart": "Most ratings come from raters who rated only one of the two conditions: a "
    "difference between raters would look like one between conditions.",
    "over_units": "All ratings come from one game or one deal: units were resampled, so the "
    "interval holds for that game.",
    "selection_by_success": "Turns in which a model failed have no words and can’t be rated: a "
    "condition that fails is judged by its successes alone (selection by success).",
    "duplicates": "Some raters rated the same unit twice outside the repeats: the first counts.",
}

POPULATIONS = {
    "new_raters_and_games": "The test and its interval generalize to other raters and other games "
    "as far as these are random samples of them.",
    "these_raters": "The interval is of these raters alone, because a condition has fewer than "
    "three. It generalizes to other games as far as these are a random sample of them.",
    "new_games": "The test and its interval generalize to other games, and where people play to "
    "other people, as far as these are random samples of them.",
}

FLAGS = {
    "long_run": "Gave the same value many times in a row.",
    "flat_items": "Gave all dimensions of an item the same value, nearly always.",
    "no_spread": "Gave nothing but one value.",
    "fast": "Spent less than three seconds on at least half of the items.",
    "attention": "Failed an attention check.",
    "unsteady": "Differed by more than one step from own first ratings in most repeats.",
    "unanswered": "Left at least half of what was assigned unanswered.",
}

REASONS: dict[str, str] = {
    **UNDEFINED,
    **WITH_CARE,
    **POPULATIONS,
    **{f"flag_{key}": sentence for key, sentence in FLAGS.items()},
}


def defined(value: float, **more: Any) -> Outcome:
    """Return a statistic with a value.

    Raises:
        ValueError: The value is NaN or infinite: use `unknown` with a reason.
    """
    return {"value": json_number(value), **more}


def span(low: float, high: float, **more: Any) -> Outcome:
    """Return an interval as a statistic: its value is [low, high]."""
    return {"value": [json_number(low), json_number(high)], **more}


def unknown(reason: str, **more: Any) -> Outcome:
    """Return an undefined statistic with the key of the reason.

    Raises:
        KeyError: `reason` is no key of REASONS.
    """
    if reason not in REASONS:
        raise KeyError(reason)
    return {"value": None, "why": reason, **more}


def json_number(value: float) -> float | int:
    """Return a number for JSON: floats to twelve decimals, without minus zero."""
    if isinstance(value, int):
        return int(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} is no result")
    return round(float(value), DECIMALS) + 0.0


def share(part: int, whole: int, reason: str) -> Outcome:
    """Return part/whole with both numbers, undefined for `reason` if the whole is 0."""
    if not whole:
        return unknown(reason, part=part, whole=whole)
    return defined(part / whole, part=part, whole=whole)


def warnings(**conditions: bool) -> Sequence[str]:
    """Return the keys of the warnings whose conditions are true."""
    return [key for key, is_true in conditions.items() if is_true]


def fixed(value: float, digits: int) -> str:
    """Format a number with that many decimals, without a minus sign before zero."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def one_line(text: str) -> str:
    """Return the text on one line, with single spaces and without control characters."""
    return " ".join("".join(one for one in text if one.isprintable() or one.isspace()).split())
