"""CSV files of judges' answers. No other file has them: they are never pooled with people's."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.study.csv_cells import csv_of_cells, csv_table, format_cells
from webapp.study.data.campaign_data import CAMPAIGN_EXPORT_VERSION, CampaignSource
from webapp.study.data.rating_files import LONG, Cells, LongRowBuilder
from webapp.study.games.seat_outcomes import build_deal_key
from webapp.study.judging.criteria import HIGH, LOW
from webapp.study.models import Judge, JudgeDraw
from webapp.study.program import app_version

JUDGE_COLUMNS = (
    "judge_name", "judge_backend", "judge_model", "judge_mode", "temperature", "draws_asked",
)  # fmt: skip
JUDGE_RATINGS = (*LONG, "rater_kind", *JUDGE_COLUMNS, "draw_values", "reasons")
JUDGE_SCORES = (
    "export_schema_version", "campaign_id", "campaign_config_hash", "game_id", "ruleset",
    "condition", "deal_seed", "deal", "winner", "rater_pseudonym", "rater_kind", *JUDGE_COLUMNS,
    "dimension", "scale_min", "scale_max", "draw", "draw_status", "draw_value", "failure", "score",
    "reason", "app_version",
)  # fmt: skip
NO_ANSWER = "-"  # in draw_values: a draw without a usable answer


def _judge_values(judge: Judge) -> tuple[object, ...]:
    return (judge.name, judge.backend, judge.model, judge.mode, judge.temperature, judge.draws)


def judge_ratings_csv(source: CampaignSource) -> bytes:
    """Return one row for each value of a judge in mode RATER, also for missing ones.

    Each row has the draws whose rounded mean is the value.
    """
    return csv_of_cells(JUDGE_RATINGS, _rating_rows(source))


def _rating_rows(source: CampaignSource) -> Iterator[Cells]:
    for judge in source.campaign.judges.filter(rater__isnull=False).select_related("rater"):
        draws: dict[int, list[JudgeDraw]] = {}
        for draw in judge.answers.order_by("assignment__index", "number"):
            draws.setdefault(draw.assignment_id or 0, []).append(draw)
        judge_cells = format_cells(("judge", *_judge_values(judge)))
        for row, line in LongRowBuilder(source, source.rows_of_judge(judge)).rows():
            own_draws = draws.get(row.assignment.pk, [])
            name = f"{row.item.stimulus}/{row.dimension.key}"
            values = " ".join(
                f"{d.values[name]:g}" if name in d.values else NO_ANSWER for d in own_draws
            )
            reasons = source.redact(" | ".join(d.reason for d in own_draws if d.reason))
            yield (*line, *judge_cells, *format_cells((values, reasons)))


def judge_scores_csv(source: CampaignSource) -> bytes:
    """Return one row for each draw of a judge in mode PAPER."""
    return csv_table(JUDGE_SCORES, _score_rows(source))


def _score_rows(source: CampaignSource) -> Iterator[tuple[object, ...]]:
    for judge in source.campaign.judges.exclude(mode=Judge.RATER):
        means = {(s.game_id, s.dimension): s.value for s in judge.scores.all()}
        scale = ("", "") if judge.mode == Judge.LISTS else (LOW, HIGH)
        rows = judge.answers.filter(game__in=source.games)
        for row in rows.order_by("game__code", "dimension", "number"):
            assert row.game_id
            game = source.games[row.game_id]
            yield (
                CAMPAIGN_EXPORT_VERSION,
                source.campaign.code,
                source.hash,
                game.code,
                game.ruleset,
                source.conditions.get(game.pk, ""),
                game.seed,
                build_deal_key(game),
                game.winner,
                judge.pseudonym,
                "judge",
                *_judge_values(judge),
                row.dimension,
                *scale,
                row.number,
                row.state,
                row.values.get(row.dimension),
                row.failure,
                # "variation-2" is a round of what has the score "variation"
                means.get((game.pk, row.dimension.partition("-")[0])),
                source.redact(row.reason),
                app_version(),
            )
