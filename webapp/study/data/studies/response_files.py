"""Participants' answers: questionnaires long and wide, guesses with the truth, ratings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from game.models import Player
from webapp.study.csv_cells import csv_of_cells, csv_table
from webapp.study.data import judge_files, rating_files
from webapp.study.data.campaign_data import CampaignSource as CampaignSource
from webapp.study.data.studies.inclusion import Counting
from webapp.study.data.studies.study_source import STUDY, StudySource, short_number
from webapp.study.design.instruments import Instrument
from webapp.study.games.public_talk import talk_of
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.models import Rater, Slot
from webapp.study.sessions import rated_games, responses
from webapp.study.sessions.answers import COMPUTER, PERSON, UNSURE
from webapp.study.sessions.questions import stage_instruments
from webapp.study.sessions.responses import ResponseRow

NUMBER = ".number"  # suffix of an item: the number beside its choice
_OF = ("participant", "step", "slot", "game_id", "condition", "about_seat", "moment")
LONG = (*_OF, "instrument", "item", "number", "text", "choice", "state", "counts", "revision",
        "at_utc")  # fmt: skip
GUESSES = ("participant", "step", "slot", "game_id", "condition", "seat", "about_seat",
           "instrument", "item", "asked", "guess", "sure", "truth", "right", "stand_in",
           "model_id", "method", "state", "counts")  # fmt: skip
RATERS = ("campaign_id", "rater_pseudonym", "participant")
HUMAN, ROLE = "human", "role"


def instruments_asked(source: StudySource) -> list[Instrument]:
    """Return every instrument that a stage of the study uses, once."""
    frozen_instruments = source.study.asked
    instruments_by_key = {
        i.key: i
        for stage in source.design.stages
        for i in stage_instruments(stage, frozen_instruments)
    }
    return list(instruments_by_key.values())


def _read(source: StudySource) -> Iterator[tuple[ResponseRow, Slot | None]]:
    """Yield every answer with its slot.

    While kinds are hidden, answers about other players are left out. Otherwise the one seat without
    answers would reveal the participant's own.
    """
    slots = {slot.index: slot for slot in source.slots}
    for row in responses.read_rows(source.study):
        slot = slots.get(row.slot) if row.slot else None
        if not row.about_seat or (slot and source.may_reveal_kinds(slot)):
            yield row, slot


def _of(row: ResponseRow, slot: Slot | None) -> tuple[Any, ...]:
    condition = slot.condition.name if slot else ""
    about = row.about_seat or None
    return (row.participant, row.step, row.slot, row.game, condition, about, row.moment)


def _choice(row: ResponseRow) -> str:
    return "; ".join(row.choice) if isinstance(row.choice, list) else row.choice or ""


def responses_long(source: StudySource) -> bytes:
    """Return one row for each answer."""
    items = {(i.key, item.key): item for i in instruments_asked(source) for item in i.items}
    counting = Counting(source)
    return source.table(
        LONG,
        (
            (
                *_of(row, slot), row.instrument, row.item, short_number(row.number),
                source.words(row.participant, row.text),
                _choice(row), row.state,
                not counting.why_not(row, slot, items.get((row.instrument, row.item))),
                row.revision, row.at,
            )
            for row, slot in _read(source)
        ),
    )  # fmt: skip


def wide_columns(source: StudySource) -> tuple[str, ...]:
    """Return the columns of `responses_wide`: answers, and the numbers beside choices."""
    return (*_OF, *sorted({name for row, _slot in _read(source) for name in _values(source, row)}))


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
    rows_by_place: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row, slot in _read(source):
        rows_by_place.setdefault(_of(row, slot), {}).update(_values(source, row))
    names = columns[len(_OF) :]
    return source.table(
        columns, ((*of, *(values.get(n) for n in names)) for of, values in rows_by_place.items())
    )


def guesses(source: StudySource) -> bytes:
    """Return each participant's guess about each other player, with the truth."""
    return source.table(GUESSES, _guesses(source))


def _guesses(source: StudySource) -> Iterator[tuple[Any, ...]]:
    items = {(i.key, item.key): item for i in instruments_asked(source) for item in i.items}
    counting = Counting(source)
    seats = {(slot, name): seat for (slot, seat), name in source.people.items()}
    for row, slot in _read(source):
        item = items.get((row.instrument, row.item))
        kind = item.answer if item else ""
        if kind not in (HUMAN, ROLE) or not slot or not slot.game or not slot.game.ended_at:
            continue
        player = source.players[slot.game.pk][row.about_seat]
        truth = PERSON if player.kind == Player.PERSON else COMPUTER
        if kind == ROLE:
            truth = get_seat_outcomes(slot.game)[row.about_seat - 1].role
        guess = _choice(row)
        yield (
            row.participant, row.step, row.slot, row.game, slot.condition.name,
            seats.get((slot.pk, row.participant)), row.about_seat, row.instrument, row.item, kind,
            guess, short_number(row.number), truth,
            guess == truth if guess not in ("", UNSURE) else None,
            player.kind == Player.PERSON and (player.stand_in or player.left_at is not None),
            *talk_of(slot.game).models_of(row.about_seat), row.state,
            not counting.why_not(row, slot, item),
        )  # fmt: skip


def ratings_long(source: StudySource) -> bytes:
    """Return the long files of the study's campaigns, concatenated."""
    campaigns = rated_games.campaigns_of(source.study)
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
