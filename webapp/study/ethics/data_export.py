"""The export of a participant's own data: facts, actions, statements and answers.

It contains no data of other participants and does not reveal which players are people. Of a game it
contains only the participant's seat, statements and choices.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from game.engine.labels import STAND_IN
from game.models import Answer, Game, Player
from webapp.study.models import (
    ConsentText,
    Identity,
    Message,
    Participant,
    Payment,
    Rating,
    Response,
)

Data = dict[str, Any]
# Fields of the row that are internal, or in another part of the export.
_INTERNAL_FIELDS = {"id", "study", "key", "visitor", "practice"}
# Fields whose keys in the file are older than their names.
_OLD_KEYS = {"item_layouts": "shown", "waited_s": "waited"}


def export_data(participant: Participant) -> Data:
    """Return all data of the participant, JSON-shaped. Times are ISO-8601 in UTC."""
    consent_text = ConsentText.objects.filter(
        study=participant.study_id, version=participant.consent_version
    ).first()
    name = Identity.objects.filter(participant=participant).first()
    return {
        "you": {
            _OLD_KEYS.get(field.name, field.name): _json_value(getattr(participant, field.attname))
            for field in Participant._meta.concrete_fields
            if field.name not in _INTERNAL_FIELDS
        },
        "agreed_to": consent_text.text if consent_text else "",
        "outside_names": {"label": name.label, "study": name.study, "session": name.session}
        if name
        else {},
        "payments": list(_payments(participant)),
        "answers": list(_answers(participant)),
        "games": [_own_moves(game, seat) for game, seat in _played_games(participant)],
        "ratings": list(_ratings(participant)),
        "messages": list(_messages(participant)),
    }


def count_data(participant: Participant) -> list[tuple[str, int]]:
    """Return (label, number) for each kind of data in the export."""
    stored = export_data(participant)
    labels = {
        "answers": _("Answers"),
        "games": _("Your games"),
        "ratings": _("Ratings"),
        "payments": _("Payments"),
        "messages": _("Messages"),
    }
    counts = [(label, len(stored[key])) for key, label in labels.items()]
    statement_count = sum(len(game["said"]) for game in stored["games"])
    return [*counts[:2], (_("Your statements"), statement_count), *counts[2:]]


def _payments(participant: Participant) -> Iterator[Data]:
    """Yield the payments, without bonuses that may not be revealed yet."""
    for row in Payment.objects.filter(participant=participant).exclude(status=Payment.SEALED):
        yield {"amount": str(row.amount), "for": row.reason, "status": row.status}


def _messages(participant: Participant) -> Iterator[Data]:
    for row in Message.objects.filter(participant=participant).select_related("utterance"):
        text = row.utterance.text if row.utterance and not row.text else row.text
        kind = row.kind if row.from_participant else "from the researchers"
        yield {"kind": kind, "text": text, "at": _json_value(row.at)}


def _answers(participant: Participant) -> Iterator[Data]:
    for row in Response.objects.filter(participant=participant):
        row_data: Data = {"step": row.step, "questionnaire": row.instrument, "question": row.item}
        row_data |= {"about_seat": row.about_seat or None, "moment": row.moment}
        answer_data = {"number": row.number, "text": row.text, "choice": row.choice}
        yield {**row_data, **answer_data, "state": row.state, "at": _json_value(row.at)}


def _played_games(participant: Participant) -> Iterator[tuple[Game, int]]:
    """Yield (game, the participant's seat) of each game, and of the practice game."""
    rows = participant.seatings.filter(player__isnull=False, slot__game__isnull=False)
    for row in rows.select_related("slot__game"):
        if row.slot.game:
            yield row.slot.game, row.seat
    if participant.practice:
        yield participant.practice, participant.practice.players.get(kind=Player.PERSON).seat


def _own_moves(game: Game, seat: int) -> Data:
    """Return the participant's own statements and choices in a game, in order."""
    rows = Answer.objects.filter(window__game=game, seat=seat).order_by("pk")
    own_rows = [r for r in rows.select_related("window", "utterance") if STAND_IN not in r.labels]
    return {
        "game": game.code,
        "seat": seat,
        "began_at": _json_value(game.started_at),
        "said": [
            {"question": r.window.key, "text": r.utterance.text, "at": _json_value(r.at)}
            for r in own_rows
            if r.utterance
        ],
        "chose": [
            {"question": r.window.key, "answer": r.action, "at": _json_value(r.at)}
            for r in own_rows
            if r.utterance is None
        ],
    }


def _ratings(participant: Participant) -> Iterator[Data]:
    rows = Rating.objects.filter(assignment__rater__participant=participant)
    for row in rows.select_related("assignment").order_by("pk"):
        yield {
            "page": row.assignment.index,
            "scale": row.dimension,
            "value": row.value,
            "at": _json_value(row.assignment.submitted_at),
        }


def _json_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
