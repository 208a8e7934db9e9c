"""A language model's scores of whole games, as in the paper, never combined with ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np

from webapp.statistics.intervals import paired_interval
from webapp.statistics.judge_agreement import DrawnAnswer, draw_agreement
from webapp.statistics.reported_statistics import Outcome, defined, undefined


@dataclass(frozen=True)
class GameScore:
    """A game's score for one criterion as in the paper: the mean of its draws."""

    game: str
    deal: str
    condition: str
    dimension: str
    value: float
    draws: tuple[float, ...]


def paper_scores(
    scores: Iterable[GameScore], dimensions: Sequence[tuple[str, str]]
) -> list[Outcome]:
    """Return the scores of each criterion by condition, and the agreement of a game's draws.

    Args:
        dimensions: (key, label) of each criterion.
    """
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
    deals: dict[str, list[float]] = defaultdict(list)
    for score in scores:
        deals[score.deal or score.game].append(score.value)
    means = np.array([fmean(deals[deal]) for deal in sorted(deals)])
    return {
        "games": len(values),
        "mean": defined(fmean(values)),
        "sd": defined(stdev(values)) if len(values) > 1 else undefined("one_rating"),
        "ci": paired_interval(means) if len(means) > 1 else undefined("one_game", clusters=1),
    }
