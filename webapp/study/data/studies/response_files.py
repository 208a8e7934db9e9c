"""Participants' answers: questionnaires long and wide, guesses with the truth, ratings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from game.models import Player
from webapp.study.csv_cells import csv_of_cells, csv_table
from webapp.study.data import judge_files, rating_files
from webapp.study.data.campaign_data import CampaignSource
from webapp.study.data.studies.inclusion import Counting
from webapp.study.data.studies.study_source import STUDY, StudySource, short_number
from webapp.study.design.instruments import Instrument
from webapp.study.games.public_talk import talk_of
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.models import Rater, Slot
from webapp.study.results.study_rows import HUMAN, ROLE
from webapp.study.sessions import responses, study_campaigns
from webapp.study.sessions.answers import COMPUTER, PERSON, UNSURE
from webapp.study.sessions.questions import stage_instruments
from webapp.study.sessions.responses import ResponseRow

NUMBER = ".number"  # suffix of an item: the number beside its choice
_ROW_KEY_COLUMNS = ("participant", "step", "slot", "game_id", "condition", "about_seat", "moment")
LONG = (*_ROW_KEY_COLUMNS, "instrument", "item", "number", "text", "choice", "state", "counts",
        "revision", "at_utc")  # fmt: skip
GUESSES = ("participant", "step", "slot", "game_id", "condition", "seat", "about_seat",
           "instrument", "item", "asked", "guess", "sure", "truth", "right", "stand_in",
           "model_id", "method", "state", "counts")  # fmt: skip
RATERS = ("campaign_id", "rater_pseudonym", "participant")


def instruments_asked(source: StudySource) -> list[Instrument]:
    """Return every instrument that a stage of the study uses, once."""
    frozen_instruments = source.study.asked
    instruments_by_key = {
        i.key: i
        for stage in source.design.stages
        for i in stage_instruments(stage, frozen_instruments)
    }
    return list(instruments_by_key.values())


def _visible_answers(source: StudySource) -> Iterator[tuple[ResponseRow, Slot | None]]:
    """Yield every answer with its slot.

    While kinds are hidden, answers about other players are left out. Otherwise the one seat without
    answers would reveal the participant's own.
    """
    slots = {slot.index: slot for slot in source.slots}
    for row in responses.read_rows(source.study):
        slot = slots.get(row.slot) if row.slot else None
        if not row.about_seat or (slot and source.may_reveal_kinds(slot)):
            yield row, slot


def _row_key(row: ResponseRow, slot: Slot | None) -> tuple[Any, ...]:
    condition = slot.condition.name if slot else ""
    about = row.about_seat or None
    return (row.participant, row.step, row.slot, row.game, condition, about, row.moment)


def _choice(row: ResponseRow) -> str:
    return "; ".join(row.choice) if isinstance(row.choice, list) else row.choice or ""


def _row_key_cells(row: ResponseRow, slot: Slot | None) -> dict[str, Any]:
    return dict(zip(_ROW_KEY_COLUMNS, _row_key(row, slot), strict=True))


def responses_long(source: StudySource) -> bytes:
    """Return one row for each answer."""
    return source.table_of_dicts(LONG, _long_rows(source))


def _long_rows(source: StudySource) -> Iterator[dict[str, Any]]:
    items = {(i.key, item.key): item for i in instruments_asked(source) for item in i.items}
    counting = Counting(source)
    for row, slot in _visible_answers(source):
        yield {
            **_row_key_cells(row, slot),
            "instrument": row.instrument,
            "item": row.item,
            "number": short_number(row.number),
            "text": source.words(row.participant, row.text),
            "choice": _choice(row),
            "state": row.state,
            "counts": not counting.why_not(row, slot, items.get((row.instrument, row.item))),
            "revision": row.revision,
            "at_utc": row.at,
        }


def wide_columns(source: StudySource) -> tuple[str, ...]:
    """Return the columns of `responses_wide`: answers, and the numbers beside choices."""
    return (
        *_ROW_KEY_COLUMNS,
        *sorted({name for row, _slot in _visible_answers(source) for name in _values(source, row)}),
    )


def _values(source: StudySource, row: ResponseRow) -> dict[str, Any]:
    """Return heading -> answer."""
    name = f"{row.instrument}.{row.item}"
    number = short_number(row.number)
    if row.choice is None:
        return {name: source.words(row.participant, row.text) or number}
    return {name: _choice(row), **({} if number is None else {name + NUMBER: number})}


def responses_wide(source: StudySource) -> bytes:
    """Return a row for each step of a participant, player and moment asked about."""
    columns = wide_columns(source)
    values_by_key: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row, slot in _visible_answers(source):
        values_by_key.setdefault(_row_key(row, slot), {}).update(_values(source, row))
    names = columns[len(_ROW_KEY_COLUMNS) :]
    return source.table(
        columns,
        ((*key, *(values.get(name) for name in names)) for key, values in values_by_key.items()),
    )


def guesses(source: StudySource) -> bytes:
    """Return each participant's guess about each other player, with the truth."""
    return source.table_of_dicts(GUESSES, _guess_rows(source))


def _guess_rows(source: StudySource) -> Iterator[dict[str, Any]]:
    items = {(i.key, item.key): item for i in instruments_asked(source) for item in i.items}
    counting = Counting(source)
    seats = {(slot, name): seat for (slot, seat), name in source.people.items()}
    for row, slot in _visible_answers(source):
        item = items.get((row.instrument, row.item))
        kind = item.answer if item else ""
        if kind not in (HUMAN, ROLE) or not slot or not slot.game or not slot.game.ended_at:
            continue
        player = source.players[slot.game.pk][row.about_seat]
        truth = PERSON if player.kind == Player.PERSON else COMPUTER
        if kind == ROLE:
            truth = get_seat_outcomes(slot.game)[row.about_seat - 1].role
        guess = _choice(row)
        model_id, method = talk_of(slot.game).models_of(row.about_seat)
        is_person = player.kind == Player.PERSON
        yield {
            **_row_key_cells(row, slot),
            "seat": seats.get((slot.pk, row.participant)),
            "instrument": row.instrument,
            "item": row.item,
            "asked": kind,
            "guess": guess,
            "sure": short_number(row.number),
            "truth": truth,
            "right": guess == truth if guess not in ("", UNSURE) else None,
            "stand_in": is_person and (player.stand_in or player.left_at is not None),
            "model_id": model_id,
            "method": method,
            "state": row.state,
            "counts": not counting.why_not(row, slot, item),
        }


def ratings_long(source: StudySource) -> bytes:
    """Return the long files of the study's campaigns, concatenated."""
    campaigns = study_campaigns.campaigns_of(source.study)
    rows = (
        rating_files.long_rows(CampaignSource(campaign, anonymous=source.anonymous))
        for campaign in campaigns
    )
    return csv_of_cells(rating_files.LONG, chain.from_iterable(rows))


def judge_scores(source: StudySource) -> bytes:
    """Return each draw of an experiment's judges, as the export of their campaign has it."""
    (campaign,) = source.study.campaigns.all()
    return judge_files.judge_scores_csv(CampaignSource(campaign, anonymous=source.anonymous))


def raters(source: StudySource) -> bytes:
    """Return which participant each rater of these campaigns is."""
    rows = Rater.objects.filter(participant__study=source.study, participant__withdrew=False)
    rater_rows = rows.order_by("pk").select_related("campaign", "participant")
    return csv_table(
        (*STUDY, *RATERS),
        (
            (*source.head, r.campaign.code, r.pseudonym, r.participant.pseudonym)
            for r in rater_rows
            if r.participant
        ),
    )
