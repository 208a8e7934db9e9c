"""The ratings: one row a value, one row a thing rated; and who rated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from webapp.study.erasure import is_erased
from webapp.study.exports.cells import table
from webapp.study.exports.items import utterance_id
from webapp.study.exports.source import SCHEMA, Source, app_version
from webapp.study.models import Rater, Unit
from webapp.study.sheet import Row, Thing

LONG = (
    "export_schema_version", "campaign_id", "campaign_config_hash", "game_id", "condition",
    "item_id", "utterance_id", "utterance_index", "phase", "speaker_pseudonym", "speaker_kind",
    "model_id", "method", "label", "rater_pseudonym", "assignment_id", "presentation_index",
    "side", "dimension", "scale_min", "scale_max", "value", "status", "is_attention", "is_repeat",
    "passed", "shown_at_utc", "first_answer_at_utc", "submitted_at_utc", "active_ms", "revision",
    "excluded", "exclusion_reason", "app_version",
)  # fmt: skip
# In the wide file one column a dimension stands in the place of these.
_NARROW = ("dimension", "scale_min", "scale_max", "value", "status")
RATERS = (
    "export_schema_version", "campaign_id", "rater_pseudonym", "experience", "consented_at_utc",
    "screened_out_at_utc", "trained_at_utc", "finished_at_utc", "excluded", "exclusion_reason",
)  # fmt: skip
VALUE = "rating."  # before the dimension in the wide file's headings
STATUS = "status."


@dataclass(frozen=True)
class _Cells:
    """What every row of one thing, or of one assignment, has in common."""

    source: Source

    def of_thing(self, thing: Thing) -> tuple[Any, ...]:
        source = self.source
        index, phase, speaker = None, "", ""
        if thing.game:
            talk = source.talks[thing.game]
            speaker = talk.names[thing.seat - 1] if thing.seat else ""
            if thing.kind == Unit.UTTERANCE:
                line = talk.at(thing.position)
                index, phase = line.index, line.phase
        return (
            SCHEMA,
            source.campaign.code,
            source.hash,
            source.code(thing),
            thing.condition,
            thing.item,
            utterance_id(source, thing),
            index,
            phase,
            speaker,
            thing.speaker_kind,
            thing.model,
            thing.method,
            thing.label,
        )

    @staticmethod
    def after(row: Row) -> tuple[Any, ...]:
        given = row.given
        return (
            row.thing.kind == Unit.ATTENTION,
            given.is_repeat,
            row.passed,
            given.shown_at,
            given.first_answer_at,
            given.submitted_at,
            given.active_ms,
            given.revision,
            given.excluded,
            given.exclusion_reason,
            app_version(),
        )


def _long(source: Source) -> Iterator[tuple[Any, ...]]:
    cells, things = _Cells(source), dict[int, tuple[Any, ...]]()
    for row in source.rows:
        thing, given, asked = row.thing, row.given, row.dimension
        if thing.stimulus not in things:
            things[thing.stimulus] = cells.of_thing(thing)
        yield (
            *things[thing.stimulus],
            given.rater,
            given.key,
            given.index,
            row.side,
            asked.key,
            asked.min,
            asked.max,
            row.value,
            row.status,
            *cells.after(row),
        )


def long(source: Source) -> bytes:
    """One row a rating, or the lack of one."""
    return table(LONG, _long(source))


def wide(source: Source) -> bytes:
    """One row for each thing a rater was given; a column of values and of states a dimension."""
    keys = [d.key for d in source.instrument.dimensions]
    at = LONG.index("dimension")
    head, tail = LONG[:at], LONG[at + len(_NARROW) :]
    columns = (*head, *(VALUE + k for k in keys), *(STATUS + k for k in keys), *tail)
    return table(columns, _wide(source, keys, at))


def _wide(source: Source, keys: list[str], at: int) -> Iterator[tuple[Any, ...]]:
    before: tuple[int, int] | None = None
    line: tuple[Any, ...] = ()
    values: dict[str, tuple[int | None, str]] = {}

    def told() -> tuple[Any, ...]:
        found = [values.get(k, (None, "")) for k in keys]
        after = line[at + len(_NARROW) :]
        return (*line[:at], *(v for v, _s in found), *(s for _v, s in found), *after)

    for row, cells in zip(source.rows, _long(source), strict=True):
        here = (row.given.pk, row.thing.stimulus)
        if before is not None and here != before:
            yield told()
            values = {}
        before, line = here, cells
        values[row.dimension.key] = (row.value, row.status)
    if before is not None:
        yield told()


def raters(source: Source) -> bytes:
    """Who rated, by pseudonym; what the outside calls them is in no export."""
    found = Rater.objects.filter(campaign=source.campaign).order_by("pk")
    return table(
        RATERS,
        (
            (
                SCHEMA,
                source.campaign.code,
                r.pseudonym,
                r.experience,
                r.consented_at,
                r.screened_out_at,
                r.trained_at,
                r.finished_at,
                r.excluded,
                r.exclusion_reason,
            )
            for r in found
            if not is_erased(r)
        ),
    )
