"""Files of participants' answers to questionnaires, of their guesses, and of ratings."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from game.models import Game, Player
from webapp.study.csv_cells import csv_of_cells
from webapp.study.data.campaign_files import LONG_COLUMNS
from webapp.study.data.campaign_files import TABLES as CAMPAIGN_TABLES
from webapp.study.data.campaign_source import CampaignSource
from webapp.study.data.studies.study_source import Inclusion, StudySource, StudyTable
from webapp.study.design.instruments import Instrument, Item
from webapp.study.games.public_talk import talk_of
from webapp.study.games.seat_outcomes import get_seat_outcomes
from webapp.study.models import Rater, Response, Slot
from webapp.study.results.study_rows import HUMAN, ROLE
from webapp.study.sessions import study_campaigns
from webapp.study.sessions.questions import stage_instruments
from webapp.study.sessions.responses import COMPUTER, PERSON, UNSURE

NUMBER_SUFFIX = ".number"  # Ends a wide column with the number stated beside a choice.
_ROW_KEY_COLUMNS = ("participant", "step", "slot", "game_id", "condition", "about_seat", "moment")
_LONG_COLUMNS = (
    *_ROW_KEY_COLUMNS, "instrument", "item", "number", "text", "choice", "state", "counts",
    "revision", "at_utc",
)  # fmt: skip
_GUESS_COLUMNS = (
    "participant", "step", "slot", "game_id", "condition", "seat", "about_seat", "instrument",
    "item", "asked", "guess", "sure", "truth", "right", "stand_in", "model_id", "method", "state",
    "counts",
)  # fmt: skip


def used_instruments(source: StudySource) -> list[Instrument]:
    """Return every instrument that a stage of the study uses, once."""
    stages, frozen_instruments = source.design.stages, source.study.instruments_at_opening
    instruments = chain.from_iterable(stage_instruments(s, frozen_instruments) for s in stages)
    return list({instrument.key: instrument for instrument in instruments}.values())


def items_by_key(source: StudySource) -> dict[tuple[str, str], Item]:
    """Return (instrument's key, item's key) -> item, of all instruments of the study."""
    return {(i.key, item.key): item for i in used_instruments(source) for item in i.items}


def guess_truth(source: StudySource, game: Game, row: Response, subject: str) -> str:
    """Return the true kind (HUMAN) or role (ROLE) of the seat that a guess is about."""
    if subject == ROLE:
        return get_seat_outcomes(game)[row.about_seat - 1].role
    return PERSON if source.players[game.pk][row.about_seat].kind == Player.PERSON else COMPUTER


def _long_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each answer to a question."""
    items, inclusion = items_by_key(source), Inclusion(source)
    for row, slot in _visible_answers(source):
        item = items.get((row.instrument, row.item))
        yield (
            *_row_key(row, slot), row.instrument, row.item, _shorten_number(row.number),
            source.redact(row.text, author=row.participant.pseudonym), _choice(row), row.state,
            not inclusion.exclusion_key(row, slot, item), row.revision, row.at,
        )  # fmt: skip


def _wide_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each step of a participant, and player and moment it asked about."""
    values_by_key: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row, slot in _visible_answers(source):
        values_by_key.setdefault(_row_key(row, slot), {}).update(_wide_values(source, row))
    names = _wide_names(source)
    for key, values in values_by_key.items():
        yield (*key, *(values.get(name, "") for name in names))  # "" for names of other steps


def _visible_answers(source: StudySource) -> Iterator[tuple[Response, Slot | None]]:
    """Yield the answers with their slots.

    While kinds are hidden, answers about other players are left out. Otherwise the one seat without
    answers would reveal the participant's own.
    """
    for row, slot in source.read_answers():
        if not row.about_seat or (slot and source.may_reveal_kinds(slot)):
            yield row, slot


def _choice(row: Response) -> str:
    return "; ".join(row.choice) if isinstance(row.choice, list) else row.choice or ""


def _row_key(row: Response, slot: Slot | None) -> tuple[Any, ...]:
    """Return the values of _ROW_KEY_COLUMNS."""
    game = slot.game.code if slot and slot.game else ""
    slot_values = (slot.index, game, slot.condition.name) if slot else (None, "", "")
    about = row.about_seat or None
    return (row.participant.pseudonym, row.step, *slot_values, about, row.moment)


def _wide_columns(source: StudySource) -> tuple[str, ...]:
    return (*_ROW_KEY_COLUMNS, *_wide_names(source))


def _wide_names(source: StudySource) -> list[str]:
    """Return the names of the answers' columns: answers, and the numbers beside choices."""
    answers = _visible_answers(source)
    return sorted({name for row, _slot in answers for name in _wide_values(source, row)})


def _wide_values(source: StudySource, row: Response) -> dict[str, Any]:
    """Return column -> value of an answer in the wide file."""
    name = f"{row.instrument}.{row.item}"
    number = _shorten_number(row.number)
    if row.choice is None:
        return {name: source.redact(row.text, author=row.participant.pseudonym) or number}
    numbers = {} if number is None else {name + NUMBER_SUFFIX: number}
    return {name: _choice(row), **numbers}


def _guess_rows(source: StudySource) -> Iterator[tuple[Any, ...]]:
    """Yield one row for each guess of a participant about another player, with the truth."""
    items, inclusion = items_by_key(source), Inclusion(source)
    seats = {(slot, name): seat for (slot, seat), name in source.pseudonyms.items()}
    for row, slot in _visible_answers(source):
        item = items.get((row.instrument, row.item))
        asked = item.answer if item else ""
        if asked not in (HUMAN, ROLE) or not slot or not slot.game or not slot.game.ended_at:
            continue
        player = source.players[slot.game.pk][row.about_seat]
        has_stand_in = player.stand_in or player.left_at is not None
        guess, truth = _choice(row), guess_truth(source, slot.game, row, asked)
        *shared_values, about_seat, _moment = _row_key(row, slot)
        yield (
            *shared_values, seats.get((slot.pk, row.participant.pseudonym)), about_seat,
            row.instrument, row.item, asked, guess, _shorten_number(row.number), truth,
            guess == truth if guess not in ("", UNSURE) else None,
            player.kind == Player.PERSON and has_stand_in,
            *talk_of(slot.game).models_of(row.about_seat), row.state,
            not inclusion.exclusion_key(row, slot, item),
        )  # fmt: skip


def ratings_long_csv(source: StudySource) -> bytes:
    """Return the rows of the long files of all campaigns of the study."""
    table = CAMPAIGN_TABLES["ratings_long.csv"]
    campaigns = study_campaigns.campaigns_of(source.study)
    sources = (CampaignSource(campaign, anonymous=source.anonymous) for campaign in campaigns)
    return csv_of_cells(LONG_COLUMNS, chain.from_iterable(map(table.read_rows, sources)))


def judge_scores_csv(source: StudySource) -> bytes:
    """Return a row for each draw of an experiment's judges, as in their campaign's export."""
    campaign_source = CampaignSource(source.study.campaigns.get(), anonymous=source.anonymous)
    return CAMPAIGN_TABLES["judge_scores.csv"].build(campaign_source)


def _rater_rows(source: StudySource) -> Iterator[tuple[str, str, str]]:
    """Yield one row for each rater who is a participant, with both pseudonyms."""
    raters = Rater.objects.filter(participant__study=source.study, participant__withdrew=False)
    for rater in raters.order_by("pk").select_related("campaign", "participant"):
        assert rater.participant
        yield rater.campaign.code, rater.pseudonym, rater.participant.pseudonym


def _shorten_number(number: float | None) -> int | float | None:
    """Return a whole number as an int, so that its cell is "4" and not "4.0"."""
    return int(number) if number is not None and number == int(number) else number


TABLES = {
    "responses_long.csv": StudyTable(_LONG_COLUMNS, _long_rows),
    "responses_wide.csv": StudyTable(_wide_columns, _wide_rows),
    "guesses.csv": StudyTable(_GUESS_COLUMNS, _guess_rows),
}
RATER_TABLE = StudyTable(("campaign_id", "rater_pseudonym", "participant"), _rater_rows)
