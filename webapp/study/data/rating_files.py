"""CSV files of ratings (a row per value, or per rated item), of raters, and of looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from webapp.study import looks
from webapp.study.csv_cells import csv_of_cells, csv_table, format_cells
from webapp.study.data.campaign_data import CAMPAIGN_EXPORT_VERSION, GAME, SEAT, CampaignSource
from webapp.study.data.items import utterance_id
from webapp.study.models import Rater, Unit
from webapp.study.program import app_version
from webapp.study.rating.rater_erasure import is_erased
from webapp.study.rating.rating_rows import RatedItem, RatingRow

LONG = (
    "export_schema_version", "campaign_id", "campaign_config_hash", *GAME, "condition",
    *SEAT, "item_id", "utterance_id", "utterance_index", "phase", "speaker_pseudonym",
    "speaker_kind", "model_id", "method", "labels", "rater_pseudonym", "assignment_id",
    "presentation_index",
    "side", "dimension", "scale_min", "scale_max", "value", "status", "is_attention", "is_repeat",
    "passed", "shown_at_utc", "first_answer_at_utc", "submitted_at_utc", "active_ms", "revision",
    "excluded", "exclusion_reason", "app_version",
)  # fmt: skip
# In the wide file, columns for each dimension replace those from _DIMENSION to before _CHECK.
_DIMENSION, _VALUE, _CHECK = (LONG.index(c) for c in ("dimension", "value", "is_attention"))
RATERS = (
    "export_schema_version", "campaign_id", "rater_pseudonym", "experience", "consented_at_utc",
    "screened_out_at_utc", "trained_at_utc", "finished_at_utc", "left_as", "left_at_utc",
    "excluded", "exclusion_reason",
)  # fmt: skip
LOOKS = (
    "export_schema_version", "campaign_id", "looked_at_utc", "ratings", "planned_ratings", "look",
)  # fmt: skip
VALUE = "rating."  # before the dimension in the wide file's headings
STATUS = "status."

Cells = tuple[str, ...]


class LongRowBuilder:
    """Builds the rows of the long file. It formats cells that many rows share only once."""

    def __init__(self, source: CampaignSource, rows: Iterable[RatingRow]) -> None:
        self.source, self._rows = source, rows
        self._cells_by_stimulus: dict[int, Cells] = {}
        self._cells_by_dimension: dict[str, Cells] = {}

    def rows(self) -> Iterator[tuple[RatingRow, Cells]]:
        """Yield each row with its cells."""
        previous: tuple[int, int] | None = None
        leading: Cells = ()
        trailing: Cells = ()
        for row in self._rows:
            assignment, item, dimension = row.assignment, row.item, row.dimension
            if (key := (assignment.pk, item.stimulus)) != previous:
                previous = key
                shown = (assignment.rater, assignment.key, assignment.index, row.side)
                leading = (*self._item_cells(item), *format_cells(shown))
                trailing = _trailing_cells(self.source, row)
            if dimension.key not in self._cells_by_dimension:
                scale = format_cells((dimension.key, dimension.min, dimension.max))
                self._cells_by_dimension[dimension.key] = scale
            value = "" if row.value is None else str(row.value)
            scale = self._cells_by_dimension[dimension.key]
            yield row, (*leading, *scale, value, row.status, *trailing)

    def _item_cells(self, item: RatedItem) -> Cells:
        if item.stimulus not in self._cells_by_stimulus:
            self._cells_by_stimulus[item.stimulus] = format_cells(self._item_values(item))
        return self._cells_by_stimulus[item.stimulus]

    def _item_values(self, item: RatedItem) -> tuple[Any, ...]:
        source = self.source
        index, phase, speaker = None, "", ""
        if item.game:
            talk = source.talks[item.game]
            speaker = talk.names[item.seat - 1] if item.seat else ""
            if item.kind == Unit.UTTERANCE:
                line = talk.at(item.position)
                index, phase = line.index, line.phase
        return (
            CAMPAIGN_EXPORT_VERSION,
            source.campaign.code,
            source.hash,
            *source.game_columns(item.game),
            item.condition,
            *source.seat_columns(item.game, item.seat),
            item.name,
            utterance_id(source, item),
            index,
            phase,
            speaker,
            *source.origin_columns(item),
        )


def _trailing_cells(source: CampaignSource, row: RatingRow) -> Cells:
    """Return the cells after the status."""
    assignment = row.assignment
    return format_cells(
        (
            row.item.is_check,
            assignment.is_repeat,
            row.has_passed,
            assignment.shown_at,
            assignment.first_answer_at,
            assignment.submitted_at,
            assignment.active_ms,
            assignment.revision,
            assignment.excluded,
            source.redact(assignment.exclusion_reason),
            app_version(),
        )
    )


def ratings_long_csv(source: CampaignSource) -> bytes:
    """Return one row for each rating, also for missing ones."""
    return csv_of_cells(LONG, long_rows(source))


def long_rows(source: CampaignSource) -> Iterator[Cells]:
    """Return the rows of the long file."""
    return (line for _row, line in LongRowBuilder(source, source.rows).rows())


def ratings_wide_csv(source: CampaignSource) -> bytes:
    """Return one row for each item assigned to a rater.

    Each dimension has a column of values and one of statuses.
    """
    keys = [d.key for d in source.instrument.dimensions]
    columns = (
        *LONG[:_DIMENSION],
        *(VALUE + k for k in keys),
        *(STATUS + k for k in keys),
        *LONG[_CHECK:],
    )
    return csv_of_cells(columns, _wide_rows(source, keys))


def _wide_rows(source: CampaignSource, keys: list[str]) -> Iterator[Cells]:
    long_rows = LongRowBuilder(source, source.rows).rows()
    for _here, group in groupby(long_rows, lambda r: (r[0].assignment.pk, r[0].item.stimulus)):
        lines = {row.dimension.key: line for row, line in group}
        line = next(iter(lines.values()))
        value_cells = [lines[k][_VALUE : _VALUE + 2] if k in lines else ("", "") for k in keys]
        yield (
            *line[:_DIMENSION],
            *(v for v, _s in value_cells),
            *(s for _v, s in value_cells),
            *line[_CHECK:],
        )


def looks_csv(source: CampaignSource) -> bytes:
    """Return the CSV of looks at the tests, also of looks at data that later changed."""
    head = (CAMPAIGN_EXPORT_VERSION, source.campaign.code)
    return csv_table(LOOKS, ((*head, *look) for look in looks.read_looks(source.campaign)))


def raters_csv(source: CampaignSource) -> bytes:
    """Return the CSV of raters, in order of creation. Names from outside are in no export."""
    rater_rows = Rater.objects.filter(campaign=source.campaign).order_by("pk")
    return csv_table(
        RATERS,
        (
            (
                CAMPAIGN_EXPORT_VERSION,
                source.campaign.code,
                r.pseudonym,
                r.experience,
                r.consented_at,
                r.screened_out_at,
                r.trained_at,
                r.finished_at,
                r.left_as,
                r.left_at,
                r.excluded,
                source.redact(r.exclusion_reason),
            )
            for r in rater_rows
            if not is_erased(r)
        ),
    )
