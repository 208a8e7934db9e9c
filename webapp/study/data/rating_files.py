"""CSV files of people's ratings, of raters, and of looks at the results (`looks`)."""

from __future__ import annotations

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
from webapp.study.data.item_files import utterance_id
from webapp.study.models import Rater, Unit
from webapp.study.program import app_version
from webapp.study.rating.rater_erasure import is_erased
from webapp.study.rating.rating_rows import RatedItem, RatingRow

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
    return row.assignment.pk, row.item.stimulus


def _item_values(source: CampaignSource, item: RatedItem) -> tuple[Any, ...]:
    index, phase, speaker = None, "", ""
    if item.game:
        talk = source.talks[item.game]
        speaker = talk.names[item.seat - 1] if item.seat else ""
        if item.kind == Unit.UTTERANCE:
            turn = talk.turn_at(item.position)
            index, phase = turn.index, turn.phase
    return (
        CAMPAIGN_EXPORT_VERSION, source.campaign.code, source.config_hash,
        *source.game_values(item.game), item.condition,
        *source.seat_values(item.game, item.seat), item.name, utterance_id(source, item),
        index, phase, speaker, *source.item_origin(item),
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


LONG_TABLE = ExportTable(LONG_COLUMNS, _long_rows, is_formatted=True)
WIDE_TABLE = ExportTable(_wide_columns, _wide_rows, is_formatted=True)
RATER_TABLE = ExportTable(_RATER_COLUMNS, _rater_rows)
LOOK_TABLE = ExportTable(_LOOK_COLUMNS, _look_rows)
