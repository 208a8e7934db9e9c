"""Messages of participants that no researcher has dealt with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from webapp.study.models import Message, Participant, Study
from webapp.study.monitoring import durations

MOST = 40  # shown at once


@dataclass(frozen=True)
class Call:
    """Help that was asked for, or a report. quoted: the words that were reported."""

    key: int
    pseudonym: str
    report: bool
    text: str
    quoted: str
    since: str


def waiting(study: Study, now: datetime) -> list[Call]:
    """Who came first first."""
    rows = study.messages.filter(from_participant=True, seen_at=None).order_by("pk")
    rows = rows.select_related("participant", "utterance")
    return [
        Call(
            row.pk,
            row.participant.pseudonym,
            row.kind == Message.REPORT,
            row.text,
            row.utterance.shown if row.utterance else "",
            durations.since(row.at, now),
        )
        for row in rows
    ]


def thread(participant: Participant) -> Sequence[Message]:
    """All that was written between them and the researchers."""
    return list(participant.messages.select_related("utterance", "slot").order_by("pk"))
