"""The files of a campaign's export: items, transcripts, ratings, raters, looks, judges' answers."""

import json
import uuid
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from webapp.study import looks
from webapp.study.csv_cells import format_cells
from webapp.study.data.archive import ExportTable
from webapp.study.data.campaign_source import (
    CAMPAIGN_EXPORT_VERSION,
    GAME_COLUMNS,
    ORIGIN_COLUMNS,
    SEAT_COLUMNS,
    CampaignSource,
)
from webapp.study.games.public_talk import SpokenTurn
from webapp.study.games.seat_outcomes import build_deal_key
from webapp.study.judging.criteria import HIGH, LOW
from webapp.study.models import Judge, JudgeDraw, Rater, Unit
from webapp.study.program import app_version
from webapp.study.rating.rater_erasure import is_erased
from webapp.study.rating.rater_view import system_answer_text
from webapp.study.rating.rating_rows import RatedItem, RatingRow, read_rating_rows
from webapp.study.rating.turn_outcomes import system_answer_outcome

_ITEM_COLUMNS = (
    "export_schema_version", "campaign_id", "item_id", "moment_id", "unit_kind", *GAME_COLUMNS,
    "condition", *SEAT_COLUMNS, "utterance_id", "utterance_index", "speaker_pseudonym",
    *ORIGIN_COLUMNS, "situations", "flags", "withdrawn", "expected",
)  # fmt: skip
_TRANSCRIPT_COLUMNS = (
    "export_schema_version", "campaign_id", *GAME_COLUMNS, "condition", *SEAT_COLUMNS,
    "utterance_id", "utterance_index", "phase", "speaker_pseudonym", *ORIGIN_COLUMNS, "origin",
    "said", "turn", "text",
)  # fmt: skip
# Namespace of the ids of comparison systems' answers, which are no utterances of a game.
SYSTEM_ANSWER_NAMESPACE = uuid.UUID("6d1f2c6e-4b0e-5b0a-9d57-3a2f0c7f5e11")


def utterance_id(source: CampaignSource, item: RatedItem) -> str:
    """Return the id of the rated text, "" if a player, a game or an attention check is rated.

    The id of a comparison system's answer is derived from the campaign and the item.
    """
    if item.stimulus.utterance_id:
        return str(item.stimulus.utterance_id)
    if not item.is_system_answer:
        return ""
    return str(uuid.uuid5(SYSTEM_ANSWER_NAMESPACE, f"{source.campaign.code}/{item.name}"))


def _item_rows(source: CampaignSource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each item that could be rated."""
    for items in source.rated_items_by_unit.values():
        for item in items:
            unit, (turn, speaker) = item.unit, _find_turn(source, item)
            yield (
                CAMPAIGN_EXPORT_VERSION, source.campaign.code, item.name, item.moment, unit.kind,
                *source.game_values(unit.game_id), item.condition,
                *source.seat_values(unit.game_id, item.seat), utterance_id(source, item),
                turn.index if turn else None, speaker, *source.item_origin(item),
                " ".join(unit.situations), "; ".join(unit.flags), unit.withdrawn, unit.expected,
            )  # fmt: skip


def _find_turn(source: CampaignSource, item: RatedItem) -> tuple[SpokenTurn | None, str]:
    """Return (the turn to which the item is an answer, the seat name of its speaker or "")."""
    if not item.unit.game_id:
        return None, ""
    talk = source.talks[item.unit.game_id]
    turn = talk.turn_at(item.unit.position) if item.unit.kind == Unit.UTTERANCE else None
    return turn, talk.names[item.seat - 1] if item.seat else ""


class _TranscriptLines(ExportTable[CampaignSource]):
    """The transcripts as JSON Lines, with unescaped texts. Missing values are null."""

    def build(self, source: CampaignSource) -> bytes:
        lines = []
        for values in self.read_rows(source):
            row = dict(zip(_TRANSCRIPT_COLUMNS, values, strict=True))
            row["utterance_id"] = str(row["utterance_id"]) if row["utterance_id"] else None
            lines.append(json.dumps(row, ensure_ascii=False) + "\n")
        return "".join(lines).encode()


def _transcript_rows(source: CampaignSource) -> Iterator[tuple[Any, ...]]:
    """Yield all turns of the games' public talk, then the comparison systems' answers."""
    for game_id, talk in source.talks.items():
        for turn in talk.spoken:
            yield (
                CAMPAIGN_EXPORT_VERSION, source.campaign.code, *source.game_values(game_id),
                source.turn_condition(game_id, turn), *source.seat_values(game_id, turn.seat),
                turn.utterance, turn.index, turn.phase, turn.speaker,
                *source.turn_origin(game_id, turn), "log", content_kind(turn),
                source.turn_outcome(game_id, turn), source.redact(turn.text),
            )  # fmt: skip
    yield from _system_answer_rows(source)


def content_kind(turn: SpokenTurn) -> str:
    """Return the cell `said` of a turn."""
    if turn.is_silent:
        return "nothing"
    return "removed" if turn.is_removed else "words"


def _system_answer_rows(source: CampaignSource) -> Iterator[tuple[Any, ...]]:
    """Yield the comparison systems' answers, each with the turn that it replaces."""
    for items in source.rated_items_by_unit.values():
        for item in items:
            (turn, _speaker), answer = _find_turn(source, item), item.stimulus
            game_id = item.unit.game_id
            if not item.is_system_answer or not turn or not game_id:
                continue
            failure = f"failed:{answer.failure}" if answer.failure else ""
            yield (
                CAMPAIGN_EXPORT_VERSION, source.campaign.code, *source.game_values(game_id),
                item.condition, *source.seat_values(game_id, item.seat),
                utterance_id(source, item), turn.index, turn.phase, turn.speaker,
                answer.speaker_kind, answer.model, answer.method,
                "; ".join(answer.labels) or failure, "rival", "words" if answer.text else "nothing",
                ":".join(filter(None, system_answer_outcome(answer.state, answer.failure))),
                source.redact(system_answer_text(source.games[game_id], answer.text)),
            )  # fmt: skip


LONG_COLUMNS = (
    "export_schema_version", "campaign_id", "campaign_config_hash", *GAME_COLUMNS, "condition",
    *SEAT_COLUMNS, "item_id", "utterance_id", "utterance_index", "phase", "speaker_pseudonym",
    *ORIGIN_COLUMNS, "rater_pseudonym", "assignment_id", "presentation_index", "side", "dimension",
    "scale_min", "scale_max", "value", "status", "is_attention", "is_repeat", "passed",
    "shown_at_utc", "first_answer_at_utc", "submitted_at_utc", "active_ms", "revision", "excluded",
    "exclusion_reason", "app_version",
)  # fmt: skip
_DIMENSION_INDEX = LONG_COLUMNS.index("dimension")
_VALUE_INDEX = LONG_COLUMNS.index("value")
_STATUS_INDEX = LONG_COLUMNS.index("status")
_CHECK_INDEX = LONG_COLUMNS.index("is_attention")
_RATER_COLUMNS = (
    "export_schema_version", "campaign_id", "rater_pseudonym", "experience", "consented_at_utc",
    "screened_out_at_utc", "trained_at_utc", "finished_at_utc", "left_as", "left_at_utc",
    "excluded", "exclusion_reason",
)  # fmt: skip
_LOOK_COLUMNS = (
    "export_schema_version", "campaign_id", "looked_at_utc", "ratings", "planned_ratings", "look",
)  # fmt: skip
# Prefixes of a dimension in the wide file's headings.
VALUE_PREFIX, STATUS_PREFIX = "rating.", "status."

Cells = tuple[str, ...]


def build_long_rows(
    source: CampaignSource, rows: Iterable[RatingRow]
) -> Iterator[tuple[RatingRow, Cells]]:
    """Yield each rating with its cells in the long file.

    Thousands of ratings share cells, so those of an item and those of one showing of an item are
    formatted only once.
    """
    cells_by_stimulus: dict[int, Cells] = {}
    for (_assignment, stimulus), group in groupby(rows, _showing_key):
        ratings = list(group)
        first = ratings[0]
        assignment, item, reason = first.assignment, first.item, first.exclusion_reason
        if stimulus not in cells_by_stimulus:
            cells_by_stimulus[stimulus] = format_cells(_item_values(source, item))
        showing_cells = format_cells((
            assignment.rater.pseudonym, assignment.key, assignment.index, first.side,
        ))  # fmt: skip
        last_cells = format_cells((
            item.is_check, assignment.is_repeat, first.has_passed, assignment.shown_at,
            assignment.first_answer_at, assignment.submitted_at, assignment.active_ms,
            assignment.revision, reason is not None, source.redact(reason or ""), app_version(),
        ))  # fmt: skip
        for row in ratings:
            scale = (row.dimension.key, row.dimension.min, row.dimension.max)
            value_cells = format_cells((*scale, row.value, row.status))
            yield row, (*cells_by_stimulus[stimulus], *showing_cells, *value_cells, *last_cells)


def _showing_key(row: RatingRow) -> tuple[int, int]:
    return row.assignment.pk, row.item.stimulus.pk


def _item_values(source: CampaignSource, item: RatedItem) -> tuple[Any, ...]:
    (turn, speaker), game_id = _find_turn(source, item), item.unit.game_id
    return (
        CAMPAIGN_EXPORT_VERSION, source.campaign.code, source.config_hash,
        *source.game_values(game_id), item.condition,
        *source.seat_values(game_id, item.seat), item.name, utterance_id(source, item),
        turn.index if turn else None, turn.phase if turn else "", speaker,
        *source.item_origin(item),
    )  # fmt: skip


def _long_rows(source: CampaignSource) -> Iterator[Cells]:
    """Yield one row for each value, present or missing."""
    return (cells for _row, cells in build_long_rows(source, source.rows_of_people))


def _wide_columns(source: CampaignSource) -> tuple[str, ...]:
    """Return the columns of the wide file: a value and a status for each dimension."""
    keys = [dimension.key for dimension in source.instrument.dimensions]
    return (
        *LONG_COLUMNS[:_DIMENSION_INDEX],
        *(VALUE_PREFIX + key for key in keys),
        *(STATUS_PREFIX + key for key in keys),
        *LONG_COLUMNS[_CHECK_INDEX:],
    )


def _wide_rows(source: CampaignSource) -> Iterator[Cells]:
    """Yield one row for each item of an assignment."""
    rows = build_long_rows(source, source.rows_of_people)
    for _key, group in groupby(rows, lambda row_and_cells: _showing_key(row_and_cells[0])):
        cells_by_dimension = {row.dimension.key: cells for row, cells in group}
        shared_cells = next(iter(cells_by_dimension.values()))
        missing = ("",) * len(LONG_COLUMNS)
        own_cells = [cells_by_dimension.get(d.key, missing) for d in source.instrument.dimensions]
        yield (
            *shared_cells[:_DIMENSION_INDEX],
            *(cells[_VALUE_INDEX] for cells in own_cells),
            *(cells[_STATUS_INDEX] for cells in own_cells),
            *shared_cells[_CHECK_INDEX:],
        )


def _look_rows(source: CampaignSource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each look at the tests, also at data that have changed since."""
    for look in looks.recorded_looks(source.campaign):
        yield (CAMPAIGN_EXPORT_VERSION, source.campaign.code, *look)


def _rater_rows(source: CampaignSource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each rater, in order of creation. No export has their outside names."""
    raters = Rater.objects.filter(campaign=source.campaign).order_by("pk")
    for r in (rater for rater in raters if not is_erased(rater)):
        yield (
            CAMPAIGN_EXPORT_VERSION, source.campaign.code, r.pseudonym, r.experience,
            r.consented_at, r.screened_out_at, r.trained_at, r.finished_at, r.left_as, r.left_at,
            r.excluded, source.redact(r.exclusion_reason),
        )  # fmt: skip


NO_ANSWER = "-"  # Stands in draw_values for a draw without a usable answer.

_JUDGE_COLUMNS = (
    "judge_name", "judge_backend", "judge_model", "judge_mode", "temperature", "draws_asked",
)  # fmt: skip
_JUDGE_RATING_COLUMNS = (*LONG_COLUMNS, "rater_kind", *_JUDGE_COLUMNS, "draw_values", "reasons")
JUDGE_SCORE_COLUMNS = (
    "export_schema_version", "campaign_id", "campaign_config_hash", "game_id", "ruleset",
    "condition", "deal_seed", "deal", "winner", "rater_pseudonym", "rater_kind", *_JUDGE_COLUMNS,
    "dimension", "scale_min", "scale_max", "draw", "draw_status", "draw_value", "failure", "score",
    "reason", "app_version",
)  # fmt: skip


def _judge_rating_rows(source: CampaignSource) -> Iterator[Cells]:
    """Yield a row for each value, the rounded mean of its draws, of judges in mode RATER."""
    for judge in source.campaign.judges.filter(rater__isnull=False).select_related("rater"):
        draws_by_assignment: dict[int, list[JudgeDraw]] = {}
        for draw in judge.answers.order_by("assignment__index", "number"):
            draws_by_assignment.setdefault(draw.assignment_id or 0, []).append(draw)
        judge_cells = format_cells(("judge", *_judge_values(judge)))
        rows = read_rating_rows(source.campaign, judge.rater)
        for row, cells in build_long_rows(source, rows):
            draws = draws_by_assignment.get(row.assignment.pk, [])
            name = f"{row.item.stimulus.pk}/{row.dimension.key}"
            draw_values = (draw.values.get(name) for draw in draws)
            values = " ".join(NO_ANSWER if value is None else f"{value:g}" for value in draw_values)
            reasons = source.redact(" | ".join(draw.reason for draw in draws if draw.reason))
            yield (*cells, *judge_cells, *format_cells((values, reasons)))


def _judge_score_rows(source: CampaignSource) -> Iterator[tuple[object, ...]]:
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


TABLES: dict[str, ExportTable[CampaignSource]] = {
    "ratings_long.csv": ExportTable(LONG_COLUMNS, _long_rows, is_formatted=True),
    "ratings_wide.csv": ExportTable(_wide_columns, _wide_rows, is_formatted=True),
    "items.csv": ExportTable(_ITEM_COLUMNS, _item_rows),
    "transcripts.csv": ExportTable(_TRANSCRIPT_COLUMNS, _transcript_rows),
    "transcripts.jsonl": _TranscriptLines(_TRANSCRIPT_COLUMNS, _transcript_rows),
    "raters.csv": ExportTable(_RATER_COLUMNS, _rater_rows),
    "looks.csv": ExportTable(_LOOK_COLUMNS, _look_rows),
    "judge_ratings.csv": ExportTable(_JUDGE_RATING_COLUMNS, _judge_rating_rows, is_formatted=True),
    "judge_scores.csv": ExportTable(JUDGE_SCORE_COLUMNS, _judge_score_rows),
}
