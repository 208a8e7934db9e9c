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
    """An instrument as it is asked: of nobody in particular one group of questions, else one a
    player."""

    instrument: Instrument
    groups: tuple[tuple[Question, ...], ...]


def chosen(stage: Stage, kept: Mapping[str, Any]) -> list[Instrument]:
    """The instruments of a stage, by key or whole.

    kept: `Study.asked`. Raises LookupError for an unknown key.
    """
    return [instruments.named(named, kept) for named in getattr(stage, "instruments", ())]


def faults(stage: Stage) -> list[str]:
    """Return what is wrong with the instruments of a stage, in sentences."""
    found, keys = [], list[str]()
    for named in getattr(stage, "instruments", ()):
        try:
            wrong = [] if isinstance(named, str) else Instrument.check(named)
            instrument = None if wrong else instruments.named(named, {})
        except LookupError as unknown:
            wrong, instrument = [str(unknown.args[0])], None
        if instrument:
            keys.append(instrument.key)
            wrong = [told] if (told := instruments.not_askable(instrument)) else []
        found += wrong
    if len({*keys}) < len(keys):
        found.append(_("The same questions are asked twice in one stage."))
    return found


def seating_at(participant: Participant, step: Step) -> Seating | None:
    """The seat that the step's questions are about.

    Of the game it belongs to, else of the last one played. Returns None before there was a game.
    """
    rows = participant.seatings.filter(
        state__in=(Seating.SEATED, Seating.OUT), slot__game__isnull=False
    )
    if step.game:
        rows = rows.filter(round=step.game)
    return rows.select_related("slot__game").order_by("round", "pk").last()


def sheets(participant: Participant, step: Step, seating: Seating | None) -> list[Sheet]:
    """All that the step asks.

    An instrument of a game that was never played asks nothing. seating: `seating_at` the step.
    """
    kept = participant.study.asked
    found = (Sheet(i, tuple(_groups(participant, i, seating))) for i in chosen(step.stage, kept))
    return [sheet for sheet in found if sheet.groups]


def note_shown(participant: Participant, step: Step, found: Sequence[Sheet]) -> None:
    """Keep in which order and direction the step's questionnaires are shown, the first time."""
    if step.key in participant.shown:
        return
    told = {
        sheet.instrument.key: {
            "order": [question.item.key for question in sheet.groups[0]],
            "reversed": any(question.turned for question in sheet.groups[0]),
        }
        for sheet in found
    }
    with transaction.atomic():
        row = progress.locked(participant)
        if step.key not in row.shown:
            row.shown = {**row.shown, step.key: told}
            row.save(update_fields=["shown"])


def _groups(
    participant: Participant, instrument: Instrument, seating: Seating | None
) -> Iterator[tuple[Question, ...]]:
    if instrument.of_a_game and seating is None:
        return
    others = [(0, "")]
    if seating and instrument.of_seats:
        assert seating.slot.game is not None
        players = seating.slot.game.players.exclude(seat=seating.seat)
        others = list(players.values_list("seat", "name"))
    seed = participant.study.seed
    if instrument.order == "rotated":
        others = _rotated(others, participant, f"seats/{instrument.key}")
    items = instrument.items_for(seed, participant.pseudonym)
    turned = instrument.turned_for(seed, participant.pseudonym)
    for seat, name in others:
        yield tuple(
            Question(
                instrument.key, item, seat, name,
                _options_for(participant, instrument, item, seating),
                turned and item.answer == "scale",
            )
            for item in items
        )  # fmt: skip


def _rotated(rows: Sequence[T], participant: Participant, what: str) -> list[T]:
    """The rows from a drawn one on, and round.

    The draw is the participant's own.
    """
    draw = SeededRandom(participant.study.seed).below(f"{what}/{participant.pseudonym}", len(rows))
    return [*rows[draw:], *rows[:draw]]


def _options_for(
    participant: Participant, instrument: Instrument, item: Item, seating: Seating | None
) -> tuple[Option, ...]:
    """The options as that participant meets them.

    “I can’t tell” stays last.
    """
    found = _options(item, seating)
    if item.answer != "human" or instrument.order == "fixed":
        return found
    return (*_rotated(found[:2], participant, f"options/{instrument.key}"), *found[2:])


def _options(item: Item, seating: Seating | None) -> tuple[Option, ...]:
    if item.answer == "human":
        found = [Option(PERSON, _("A person")), Option(COMPUTER, _("A computer player"))]
    elif item.answer == "role" and seating and seating.slot.game:
        ruleset = rulesets.get(seating.slot.game.ruleset)
        found = [Option(r.key, _(r.name)) for r in ruleset.roles if r.key in ruleset.deck]
    else:
        return item.options
    return (*found, Option(UNSURE, _("I can’t tell"))) if item.unsure else tuple(found)
