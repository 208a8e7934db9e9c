"""The judges of a campaign beside its human raters, for the campaign's statistics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.db.models import Max

from game.models import Game
from webapp.lab import published
from webapp.study.games.seat_outcomes import build_deal_key
from webapp.study.judging.criteria import CRITERIA, HIGH, LIST_CRITERIA, LOW
from webapp.study.models import Campaign, Judge, JudgeDraw
from webapp.study.rating import rating_rows
from webapp.study.rating.rating_rows import RatedItem, read_marks

if TYPE_CHECKING:
    from webapp.statistics.judge_agreement import DrawnAnswer, GameScore

JUDGE_FACTS = ("pseudonym", "name", "mode", "model", "draws", "state")


def judge_state(campaign: Campaign) -> tuple[Any, ...]:
    """Return the state of the judges. Stored statistics are valid while it does not change.

    Without judges it is (), so that statistics stored before there were judges stay valid.
    """
    judges = list(campaign.judges.values_list("pk", "state", "name").order_by("pk"))
    if not judges:
        return ()
    answered = JudgeDraw.objects.filter(judge__campaign=campaign, state=JudgeDraw.ANSWERED)
    return (judges, answered.count(), answered.aggregate(last=Max("pk"))["last"])


def judge_results(
    campaign: Campaign, dimensions: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return JUDGE_FACTS of each started judge, with `beside` (mode RATER) or `scores`."""
    from webapp.statistics.judge_agreement import compare_judge_with_people

    started_judges = campaign.judges.exclude(started_at=None).select_related("rater")
    people_ratings = (
        read_marks(campaign) if any(j.mode == Judge.RATER for j in started_judges) else []
    )
    judge_rows = []
    for judge in started_judges:
        row: dict[str, Any] = {name: getattr(judge, name) for name in JUDGE_FACTS}
        if judge.mode == Judge.RATER:
            judge_ratings = read_marks(campaign, judge.rater) if judge.rater else []
            row["beside"] = compare_judge_with_people(
                people_ratings, judge_ratings, judge_draws(judge), dimensions
            )
        else:
            row["scores"] = score_figures(judge)
        judge_rows.append(row)
    return judge_rows


def judge_draws(judge: Judge) -> list[DrawnAnswer]:
    """Return the draws of each rated item. Checks and repeats are excluded."""
    from webapp.statistics.judge_agreement import DrawnAnswer

    items_by_name = {
        f"{item.stimulus.pk}/{dimension.key}": (item, dimension.key)
        for items in rating_rows.read_rated_items(judge.campaign).values()
        for item in items
        if not item.is_check
        for dimension in item.dimensions
    }
    rows = judge.answers.filter(state=JudgeDraw.ANSWERED, assignment__is_repeat=False)
    fields = ("values", "number", "assignment__swapped", "assignment__rotation")
    # The keys are (name of the item, dimension).
    original_values: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    swapped_values: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    is_first: dict[tuple[str, str], bool] = {}
    draw_rows = rows.order_by("assignment__index", "number").values_list(*fields)
    for draw_values, number, swapped, rotation in draw_rows:
        # Draws after the first `draws` ones have the answers of a pair swapped.
        values = swapped_values if number > judge.draws else original_values
        for name, value in draw_values.items():
            if name in items_by_name:
                item, dimension = items_by_name[name]
                values[item.name, dimension].append(value)
                is_first[item.name, dimension] = _is_before_middle(item, swapped, rotation)
    return [
        DrawnAnswer(*key, tuple(original_values[key]), tuple(swapped_values[key]), first)
        for key, first in is_first.items()
    ]


def _is_before_middle(item: RatedItem, swapped: bool, rotation: int) -> bool:
    """Return whether the item is in the first half of its page."""
    if not item.answer_places:
        return True
    number = rating_rows.page_position(item, swapped, rotation)
    return number < len(item.answer_places) - 1 - number


def score_figures(judge: Judge) -> list[dict[str, Any]]:
    """Return the figures of a judge's scores, by criterion and condition."""
    from webapp.statistics.judge_agreement import paper_scores

    criteria = LIST_CRITERIA if judge.mode == Judge.LISTS else CRITERIA
    return paper_scores(judge_scores(judge), [(c.key, c.label) for c in criteria])


def judge_scores(judge: Judge) -> list[GameScore]:
    """Return the judge's scores of whole games, game by game."""
    from webapp.statistics.judge_agreement import GameScore

    conditions = dict(judge.campaign.chosen_games.values_list("game", "condition"))
    games = {game.pk: game for game in Game.objects.filter(pk__in=conditions)}
    values: dict[tuple[int, str], list[float]] = {}
    rows = judge.answers.filter(state=JudgeDraw.ANSWERED).order_by("number")
    for game, key, draw_values in rows.values_list("game", "dimension", "values"):
        if key in draw_values:  # a draw of mode LISTS has lists, not a number
            values.setdefault((game, key), []).append(draw_values[key])
    scores = []
    for row in judge.scores.order_by("game__code", "dimension"):
        if game_row := games.get(row.game_id):
            facts = (game_row.code, build_deal_key(game_row), conditions[game_row.pk])
            draws = tuple(values.get((game_row.pk, row.dimension), ()))
            scores.append(GameScore(*facts, row.dimension, row.value, draws))
    return scores


def published_scores() -> dict[str, Any]:
    """Return the scores of the paper's own judge, labelled as not given by people."""
    ((name, rows),) = published.published_values("judge_score").items()
    return {"table": name, "scale": [LOW, HIGH], "rows": rows}
