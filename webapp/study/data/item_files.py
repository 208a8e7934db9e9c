"""Files of rated items and of transcripts, in a campaign's export."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

from webapp.study.data.archive import ExportTable
from webapp.study.data.campaign_source import (
    CAMPAIGN_EXPORT_VERSION,
    GAME_COLUMNS,
    ORIGIN_COLUMNS,
    SEAT_COLUMNS,
    CampaignSource,
)
from webapp.study.games.public_talk import SpokenTurn
from webapp.study.models import Unit
from webapp.study.rating.rater_view import system_answer_text
from webapp.study.rating.rating_rows import RatedItem
from webapp.study.rating.stimuli import system_answers
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
    if item.utterance:
        return str(item.utterance)
    if not item.is_system_answer:
        return ""
    return str(uuid.uuid5(SYSTEM_ANSWER_NAMESPACE, f"{source.campaign.code}/{item.name}"))


def _item_rows(source: CampaignSource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each item that could be rated."""
    for unit in source.campaign.units.all():
        for item in source.rated_items_by_unit.get(unit.pk, ()):  # none of practice units
            talk = source.talks[item.game] if item.game else None
            turn = talk.turn_at(item.position) if talk and item.kind == Unit.UTTERANCE else None
            speaker = talk.names[item.seat - 1] if talk and item.seat else ""
            yield (
                CAMPAIGN_EXPORT_VERSION, source.campaign.code, item.name, item.moment, item.kind,
                *source.game_values(item.game), item.condition,
                *source.seat_values(item.game, item.seat), utterance_id(source, item),
                turn.index if turn else None, speaker, *source.item_origin(item),
                " ".join(unit.situations), "; ".join(unit.flags), unit.withdrawn, item.expected,
            )  # fmt: skip


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
    answers = system_answers(unit__campaign=source.campaign).select_related("unit__game")
    stimuli = {stimulus.pk: stimulus for stimulus in answers}
    for items in source.rated_items_by_unit.values():
        for item in items:
            if not item.is_system_answer or not item.game:
                continue
            turn, stimulus = source.talks[item.game].turn_at(item.position), stimuli[item.stimulus]
            failure = f"failed:{stimulus.failure}" if stimulus.failure else ""
            yield (
                CAMPAIGN_EXPORT_VERSION, source.campaign.code, *source.game_values(item.game),
                item.condition, *source.seat_values(item.game, item.seat),
                utterance_id(source, item), turn.index, turn.phase, turn.speaker,
                item.speaker_kind, item.model, item.method, "; ".join(item.labels) or failure,
                "rival", "words" if stimulus.text else "nothing",
                ":".join(filter(None, system_answer_outcome(stimulus.state, stimulus.failure))),
                source.redact(system_answer_text(stimulus.unit, stimulus)),
            )  # fmt: skip


ITEM_TABLE = ExportTable(_ITEM_COLUMNS, _item_rows)
TRANSCRIPT_TABLE = ExportTable(_TRANSCRIPT_COLUMNS, _transcript_rows)
TRANSCRIPT_LINES = _TranscriptLines(_TRANSCRIPT_COLUMNS, _transcript_rows)
