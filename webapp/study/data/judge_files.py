"""CSV files of judges' answers. No other file has them, so they are not pooled with people's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from game.models import Game
from webapp.study.csv_cells import csv_of_cells, csv_table, format_cells
from webapp.study.data.campaign_source import CAMPAIGN_EXPORT_VERSION, CampaignSource
from webapp.study.data.rating_files import LONG_COLUMNS, Cells, LongRowBuilder
from webapp.study.games.seat_outcomes import build_deal_key
from webapp.study.judging.criteria import HIGH, LOW
from webapp.study.models import Judge, JudgeDraw
from webapp.study.program import app_version

NO_ANSWER = "-"  # Stands in draw_values for a draw without a usable answer.


@dataclass(frozen=True)
class _ScoreRow:
    """Data of a row in the file of scores.

    Attributes:
        score: The judge's score of the game for the draw's dimension, None without one.
    """

    source: CampaignSource
    judge: Judge
    draw: JudgeDraw
    game: Game
    score: float | None

    @property
    def scale(self) -> tuple[object, object]:
        """The lowest and the highest value of the scale, empty for lists."""
        return ("", "") if self.judge.mode == Judge.LISTS else (LOW, HIGH)


# Column -> the function that returns its value.
_JUDGE_COLUMNS: dict[str, Callable[[Judge], object]] = {
    "judge_name": lambda judge: judge.name,
    "judge_backend": lambda judge: judge.backend,
    "judge_model": lambda judge: judge.model,
    "judge_mode": lambda judge: judge.mode,
    "temperature": lambda judge: judge.temperature,
    "draws_asked": lambda judge: judge.draws,
}
_GAME_SCORE_COLUMNS: dict[str, Callable[[_ScoreRow], object]] = {
    "export_schema_version": lambda row: CAMPAIGN_EXPORT_VERSION,
    "campaign_id": lambda row: row.source.campaign.code,
    "campaign_config_hash": lambda row: row.source.config_hash,
    "game_id": lambda row: row.game.code,
    "ruleset": lambda row: row.game.ruleset,
    "condition": lambda row: row.source.conditions.get(row.game.pk, ""),
    "deal_seed": lambda row: row.game.seed,
    "deal": lambda row: build_deal_key(row.game),
    "winner": lambda row: row.game.winner,
    "rater_pseudonym": lambda row: row.judge.pseudonym,
    "rater_kind": lambda row: "judge",
}
_DRAW_SCORE_COLUMNS: dict[str, Callable[[_ScoreRow], object]] = {
    "dimension": lambda row: row.draw.dimension,
    "scale_min": lambda row: row.scale[0],
    "scale_max": lambda row: row.scale[1],
    "draw": lambda row: row.draw.number,
    "draw_status": lambda row: row.draw.state,
    "draw_value": lambda row: row.draw.values.get(row.draw.dimension),
    "failure": lambda row: row.draw.failure,
    "score": lambda row: row.score,
    "reason": lambda row: row.source.redact(row.draw.reason),
    "app_version": lambda row: app_version(),
}
JUDGE_RATING_COLUMNS = (*LONG_COLUMNS, "rater_kind", *_JUDGE_COLUMNS, "draw_values", "reasons")
JUDGE_SCORE_COLUMNS = (*_GAME_SCORE_COLUMNS, *_JUDGE_COLUMNS, *_DRAW_SCORE_COLUMNS)


def judge_ratings_csv(source: CampaignSource) -> bytes:
    """Return one row for each value, present or missing, of the judges in mode RATER.

    A row has the draws, and the value is their rounded mean.
    """
    return csv_of_cells(JUDGE_RATING_COLUMNS, _rating_rows(source))


def _rating_rows(source: CampaignSource) -> Iterator[Cells]:
    for judge in source.campaign.judges.filter(rater__isnull=False).select_related("rater"):
        draws_by_assignment: dict[int, list[JudgeDraw]] = {}
        for draw in judge.answers.order_by("assignment__index", "number"):
            draws_by_assignment.setdefault(draw.assignment_id or 0, []).append(draw)
        judge_cells = format_cells(("judge", *_judge_values(judge)))
        for row, cells in LongRowBuilder(source, source.rows_of_judge(judge)).rows():
            draws = draws_by_assignment.get(row.assignment.pk, [])
            name = f"{row.item.stimulus}/{row.dimension.key}"
            values = " ".join(
                f"{draw.values[name]:g}" if name in draw.values else NO_ANSWER for draw in draws
            )
            reasons = source.redact(" | ".join(draw.reason for draw in draws if draw.reason))
            yield (*cells, *judge_cells, *format_cells((values, reasons)))


def judge_scores_csv(source: CampaignSource) -> bytes:
    """Return one row for each draw of the judges in other modes, which judge whole games."""
    return csv_table(JUDGE_SCORE_COLUMNS, _score_rows(source))


def _score_rows(source: CampaignSource) -> Iterator[tuple[object, ...]]:
    for judge in source.campaign.judges.exclude(mode=Judge.RATER):
        means = {(s.game_id, s.dimension): s.value for s in judge.scores.all()}
        draws = judge.answers.filter(game__in=source.games)
        for draw in draws.order_by("game__code", "dimension", "number"):
            assert draw.game_id
            game = source.games[draw.game_id]
            # "variation-2" is a round of the dimension whose score is "variation".
            score = means.get((game.pk, draw.dimension.partition("-")[0]))
            row = _ScoreRow(source, judge, draw, game, score)
            yield (
                *(get(row) for get in _GAME_SCORE_COLUMNS.values()),
                *_judge_values(judge),
                *(get(row) for get in _DRAW_SCORE_COLUMNS.values()),
            )


def _judge_values(judge: Judge) -> Iterator[object]:
    return (get(judge) for get in _JUDGE_COLUMNS.values())
