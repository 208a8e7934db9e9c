"""CSV files of judges' answers. No other file has them, so they are not pooled with people's."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.study.csv_cells import format_cells
from webapp.study.data.archive import ExportTable
from webapp.study.data.campaign_source import CAMPAIGN_EXPORT_VERSION, CampaignSource
from webapp.study.data.rating_files import LONG_COLUMNS, Cells, build_long_rows
from webapp.study.games.seat_outcomes import build_deal_key
from webapp.study.judging.criteria import HIGH, LOW
from webapp.study.models import Judge, JudgeDraw
from webapp.study.program import app_version
from webapp.study.rating.rating_rows import read_rating_rows

NO_ANSWER = "-"  # Stands in draw_values for a draw without a usable answer.

_JUDGE_COLUMNS = (
    "judge_name", "judge_backend", "judge_model", "judge_mode", "temperature", "draws_asked",
)  # fmt: skip
_RATING_COLUMNS = (*LONG_COLUMNS, "rater_kind", *_JUDGE_COLUMNS, "draw_values", "reasons")
SCORE_COLUMNS = (
    "export_schema_version", "campaign_id", "campaign_config_hash", "game_id", "ruleset",
    "condition", "deal_seed", "deal", "winner", "rater_pseudonym", "rater_kind", *_JUDGE_COLUMNS,
    "dimension", "scale_min", "scale_max", "draw", "draw_status", "draw_value", "failure", "score",
    "reason", "app_version",
)  # fmt: skip


def _rating_rows(source: CampaignSource) -> Iterator[Cells]:
    """Yield a row for each value, the rounded mean of its draws, of judges in mode RATER."""
    for judge in source.campaign.judges.filter(rater__isnull=False).select_related("rater"):
        draws_by_assignment: dict[int, list[JudgeDraw]] = {}
        for draw in judge.answers.order_by("assignment__index", "number"):
            draws_by_assignment.setdefault(draw.assignment_id or 0, []).append(draw)
        judge_cells = format_cells(("judge", *_judge_values(judge)))
        rows = read_rating_rows(source.campaign, judge.rater)
        for row, cells in build_long_rows(source, rows):
            draws = draws_by_assignment.get(row.assignment.pk, [])
            name = f"{row.item.stimulus}/{row.dimension.key}"
            draw_values = (draw.values.get(name) for draw in draws)
            values = " ".join(NO_ANSWER if value is None else f"{value:g}" for value in draw_values)
            reasons = source.redact(" | ".join(draw.reason for draw in draws if draw.reason))
            yield (*cells, *judge_cells, *format_cells((values, reasons)))


def _score_rows(source: CampaignSource) -> Iterator[tuple[object, ...]]:
    """Yield one row for each draw of the judges in other modes, which judge whole games."""
    for judge in source.campaign.judges.exclude(mode=Judge.RATER):
        means = {(s.game_id, s.dimension): s.value for s in judge.scores.all()}
        scale = ("", "") if judge.mode == Judge.LISTS else (LOW, HIGH)
        draws = judge.answers.filter(game__in=source.games)
        for draw in draws.order_by("game__code", "dimension", "number"):
            assert draw.game_id
            game = source.games[draw.game_id]
            # "variation-2" is a round of the dimension whose score is "variation".
            score = means.get((game.pk, draw.dimension.partition("-")[0]))
            yield (
                CAMPAIGN_EXPORT_VERSION, source.campaign.code, source.config_hash, game.code,
                game.ruleset, source.conditions.get(game.pk, ""), game.seed, build_deal_key(game),
                game.winner, judge.pseudonym, "judge", *_judge_values(judge), draw.dimension,
                *scale, draw.number, draw.state, draw.values.get(draw.dimension), draw.failure,
                score, source.redact(draw.reason), app_version(),
            )  # fmt: skip


def _judge_values(judge: Judge) -> tuple[object, ...]:
    """Return the values of _JUDGE_COLUMNS."""
    return (judge.name, judge.backend, judge.model, judge.mode, judge.temperature, judge.draws)


RATING_TABLE = ExportTable(_RATING_COLUMNS, _rating_rows, is_formatted=True)
SCORE_TABLE = ExportTable(SCORE_COLUMNS, _score_rows)
