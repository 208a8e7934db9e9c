"""What a step asks a participant: its instruments, and of every other player at their table.

Order and direction depend on the study's seed and the participant alone, so that a reload or
another device shows the same page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import transaction
from django.utils.translation import gettext as _

from game.engine import rulesets
from game.engine.seeded_random import SeededRandom
from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument, Item, Option
from webapp.study.design.stages import Stage
from webapp.study.models import Participant, Seating
from webapp.study.sessions import progress
from webapp.study.sessions.answers import COMPUTER, PERSON, UNSURE
from webapp.study.sessions.progress import Step

T = TypeVar("T")


@dataclass(frozen=True)
class Question:
    """One item as it is asked.

    seat: whom it is about, 0 for nobody; name: theirs at the table; turned: the ends of its scale
    are exchanged.
    """

    instrument: str
    item: Item
    seat: int = 0
    name: str = ""
    options: tuple[Option, ...] = ()
    turned: bool = False

    @property
    def field(self) -> str:
        """Return what a form calls it.

        The scale beside a choice has "/sure" behind it.
        """
        seat = f"/{self.seat}" if self.seat else ""
        return f"{self.instrument}/{self.item.key}{seat}"

    @property
    def place(self) -> tuple[str, str, int]:
        """Return what `responses` stores it under: instrument, item, seat."""
        return self.instrument, self.item.key, self.seat


@dataclass(frozen=True)
class Sheet:
    """An instrument as it is asked.

    Of nobody in particular one group of questions, else one a player.
    """

    instrument: Instrument
    groups: tuple[tuple[Question, ...], ...]


def chosen(stage: Stage, frozen_instruments: Mapping[str, Any]) -> list[Instrument]:
    """Return the instruments of a stage, by key or whole.

    frozen_instruments: `Study.asked`. Raises LookupError for an unknown key.
    """
    return [
        instruments.named(instrument_ref, frozen_instruments)
        for instrument_ref in getattr(stage, "instruments", ())
    ]


def faults(stage: Stage) -> list[str]:
    """Return what is wrong with the instruments of a stage, in sentences."""
    all_faults, keys = [], list[str]()
    for instrument_ref in getattr(stage, "instruments", ()):
        try:
            wrong = [] if isinstance(instrument_ref, str) else Instrument.check(instrument_ref)
            instrument = None if wrong else instruments.named(instrument_ref, {})
        except LookupError as unknown:
            wrong, instrument = [str(unknown.args[0])], None
        if instrument:
            keys.append(instrument.key)
            wrong = [problem] if (problem := instruments.not_askable(instrument)) else []
        all_faults += wrong
    if len({*keys}) < len(keys):
        all_faults.append(_("The same questions are asked twice in one stage."))
    return all_faults


def seating_at(participant: Participant, step: Step) -> Seating | None:
    """Return the seat that the step's questions are about.

    Of the game it belongs to, else of the last one played. Returns None before there was a game.
    """
    rows = participant.seatings.filter(
        state__in=(Seating.SEATED, Seating.OUT), slot__game__isnull=False
    )
    if step.game:
        rows = rows.filter(round=step.game)
    return rows.select_related("slot__game").order_by("round", "pk").last()


def sheets(participant: Participant, step: Step, seating: Seating | None) -> list[Sheet]:
    """Return all that the step asks.

    An instrument of a game that was never played asks nothing. seating: `seating_at` the step.
    """
    frozen_instruments = participant.study.asked
    sheet_list = (
        Sheet(i, tuple(_groups(participant, i, seating)))
        for i in chosen(step.stage, frozen_instruments)
    )
    return [sheet for sheet in sheet_list if sheet.groups]


def note_shown(participant: Participant, step: Step, sheet_list: Sequence[Sheet]) -> None:
    """Keep in which order and direction the step's questionnaires are shown, the first time."""
    if step.key in participant.shown:
        return
    shown_data = {
        sheet.instrument.key: {
            "order": [question.item.key for question in sheet.groups[0]],
            "reversed": any(question.turned for question in sheet.groups[0]),
        }
        for sheet in sheet_list
    }
    with transaction.atomic():
        row = progress.locked(participant)
        if step.key not in row.shown:
            row.shown = {**row.shown, step.key: shown_data}
            row.save(update_fields=["shown"])


def _groups(
    participant: Participant, instrument: Instrument, seating: Seating | None
) -> Iterator[tuple[Question, ...]]:
    if instrument.of_a_game and seating is None:
        return
    other_players = [(0, "")]
    if seating and instrument.of_seats:
        assert seating.slot.game is not None
        players = seating.slot.game.players.exclude(seat=seating.seat)
        other_players = list(players.values_list("seat", "name"))
    seed = participant.study.seed
    if instrument.order == "rotated":
        other_players = _rotated(other_players, participant, f"seats/{instrument.key}")
    items = instrument.items_for(seed, participant.pseudonym)
    turned = instrument.turned_for(seed, participant.pseudonym)
    for seat, name in other_players:
        yield tuple(
            Question(
                instrument.key, item, seat, name,
                _options_for(participant, instrument, item, seating),
                turned and item.answer == "scale",
            )
            for item in items
        )  # fmt: skip


def _rotated(rows: Sequence[T], participant: Participant, purpose: str) -> list[T]:
    """Return the rows from a drawn one on, and round.

    The draw is the participant's own.
    """
    draw = SeededRandom(participant.study.seed).below(
        f"{purpose}/{participant.pseudonym}", len(rows)
    )
    return [*rows[draw:], *rows[:draw]]


def _options_for(
    participant: Participant, instrument: Instrument, item: Item, seating: Seating | None
) -> tuple[Option, ...]:
    """Return the options as that participant meets them.

    “I can’t tell” stays last.
    """
    options = _options(item, seating)
    if item.answer != "human" or instrument.order == "fixed":
        return options
    return (*_rotated(options[:2], participant, f"options/{instrument.key}"), *options[2:])


def _options(item: Item, seating: Seating | None) -> tuple[Option, ...]:
    if item.answer == "human":
        options = [Option(PERSON, _("A person")), Option(COMPUTER, _("A computer player"))]
    elif item.answer == "role" and seating and seating.slot.game:
        ruleset = rulesets.get(seating.slot.game.ruleset)
        options = [Option(r.key, _(r.name)) for r in ruleset.roles if r.key in ruleset.deck]
    else:
        return item.options
    return (*options, Option(UNSURE, _("I can’t tell"))) if item.unsure else tuple(options)
