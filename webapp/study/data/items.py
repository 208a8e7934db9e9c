"""Files of rated items and of transcripts, with utterance ids and seat names."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

from webapp.study.csv_cells import csv_table
from webapp.study.data.campaign_data import CAMPAIGN_EXPORT_VERSION, GAME, SEAT, CampaignSource
from webapp.study.models import Unit
from webapp.study.rating.rater_view import rival_text
from webapp.study.rating.rating_rows import RatedItem
from webapp.study.rating.stimuli import system_answers
from webapp.study.rating.turn_outcomes import rival_outcome

ITEMS = (
    "export_schema_version", "campaign_id", "item_id", "moment_id", "unit_kind", *GAME,
    "condition", *SEAT, "utterance_id", "utterance_index", "speaker_pseudonym", "speaker_kind",
    "model_id", "method", "labels", "situations", "flags", "withdrawn", "expected",
)  # fmt: skip
TRANSCRIPT = (
    "export_schema_version", "campaign_id", *GAME, "condition", *SEAT, "utterance_id",
    "utterance_index", "phase", "speaker_pseudonym", "speaker_kind", "model_id", "method",
    "labels", "origin", "said", "turn", "text",
)  # fmt: skip
# Namespace of the ids of rivals' answers.
RIVAL_NAMESPACE = uuid.UUID("6d1f2c6e-4b0e-5b0a-9d57-3a2f0c7f5e11")


def utterance_id(source: CampaignSource, item: RatedItem) -> str:
    """Return the id of the rated text. For an answer of a system it is generated.

    It is "" if a player, a game or an attention check is rated.
    """
    if item.utterance:
        return str(item.utterance)
    if not item.is_rival:
        return ""
    return str(uuid.uuid5(RIVAL_NAMESPACE, f"{source.campaign.code}/{item.name}"))


def _item_rows(source: CampaignSource) -> Iterator[tuple[Any, ...]]:
    units = {u.pk: u for u in source.campaign.units.all()}
    for items in source.rated_items_by_unit.values():
        for item in items:
            unit = units[item.unit]
            talk = source.talks[item.game] if item.game else None
            line = talk.at(item.position) if talk and item.kind == Unit.UTTERANCE else None
            yield (
                CAMPAIGN_EXPORT_VERSION,
                source.campaign.code,
                item.name,
                item.moment,
                item.kind,
                *source.game_columns(item.game),
                item.condition,
                *source.seat_columns(item.game, item.seat),
                utterance_id(source, item),
                line.index if line else None,
                talk.names[item.seat - 1] if talk and item.seat else "",
                *source.origin_columns(item),
                " ".join(unit.situations),
                "; ".join(unit.flags),
                unit.withdrawn,
                item.expected,
            )


def items_csv(source: CampaignSource) -> bytes:
    """Return one row for each item that could be rated."""
    return csv_table(ITEMS, _item_rows(source))


def _transcript_rows(source: CampaignSource) -> Iterator[tuple[Any, ...]]:
    """Yield all public talk of the games, then the rivals' answers."""
    for pk in source.games:
        for line in source.talks[pk].spoken:
            content_kind = (
                "nothing" if line.is_silent else "removed" if line.is_removed else "words"
            )
            yield (
                CAMPAIGN_EXPORT_VERSION,
                source.campaign.code,
                *source.game_columns(pk),
                source.condition(pk, line),
                *source.seat_columns(pk, line.seat),
                line.utterance,
                line.index,
                line.phase,
                line.speaker,
                *source.hide_if_blind(
                    pk, (line.kind, line.model, line.method, "; ".join(line.labels))
                ),
                "log",
                content_kind,
                source.turn_outcome(pk, line),
                source.redact(line.text),
            )
    yield from _rival_rows(source)


def _rival_rows(source: CampaignSource) -> Iterator[tuple[Any, ...]]:
    """Yield the rivals' answers, at the moment that they answer."""
    rival_stimuli = system_answers(unit__campaign=source.campaign)
    texts = {s.pk: s for s in rival_stimuli.select_related("unit__game")}
    for items in source.rated_items_by_unit.values():
        for item in items:
            if not item.is_rival or not item.game:
                continue
            talk, stimulus = source.talks[item.game], texts[item.stimulus]
            line = talk.at(item.position)
            yield (
                CAMPAIGN_EXPORT_VERSION,
                source.campaign.code,
                *source.game_columns(item.game),
                item.condition,
                *source.seat_columns(item.game, item.seat),
                utterance_id(source, item),
                line.index,
                line.phase,
                line.speaker,
                item.speaker_kind,
                item.model,
                item.method,
                "; ".join(item.labels)
                or (f"failed:{stimulus.failure}" if stimulus.failure else ""),
                "rival",
                "words" if stimulus.text else "nothing",
                ":".join(filter(None, rival_outcome(stimulus.state, stimulus.failure))),
                source.redact(rival_text(stimulus.unit, stimulus)),
            )


def transcripts_csv(source: CampaignSource) -> bytes:
    """Return the transcripts as CSV, a row for each turn or rival's answer."""
    return csv_table(TRANSCRIPT, _transcript_rows(source))


def transcripts_jsonl(source: CampaignSource) -> bytes:
    """Return the transcripts as JSON Lines, with unescaped texts. Missing values are null."""
    lines = []
    for line in _transcript_rows(source):
        row = dict(zip(TRANSCRIPT, line, strict=True))
        row["utterance_id"] = str(row["utterance_id"]) if row["utterance_id"] else None
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(lines).encode()
