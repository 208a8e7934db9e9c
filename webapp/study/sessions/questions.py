"""Builds the questions of a step from its instruments. Some are asked about every other player.

The order of items and the direction of scales depend only on the study's seed and the participant.
So a reload or another device shows the same page.

A question can depend on earlier answers: `question_conditions` decides whether it is asked, and its
text shows the answer in place of `{name}`. Only answers of earlier pages count, so that a page
never changes while it is read. `question_checks` checks this in a study that is set up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

from django.utils.translation import gettext as _

from game.engine import rulesets
from game.engine.seeded_random import SeededRandom
from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument, Item, Option
from webapp.study.design.stages import BackgroundStage, Stage
from webapp.study.models import Participant, Seating
from webapp.study.sessions import participant_state
from webapp.study.sessions.participant_state import Step
from webapp.study.sessions.question_conditions import is_satisfied, to_identifier
from webapp.study.sessions.responses import COMPUTER, PERSON, UNSURE, Answer
from webapp.study.sessions.slots import PLAYED_STATES

PAGE_KEY = "page"  # key of the current page's number in `Participant.item_layouts`
# Ends the name of the field that says how sure the participant is of a choice.
SURE_SUFFIX = "/sure"
PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_.-]*)\}")
# The question on experience with the game, by which participants can be screened out.
EXPERIENCE_INSTRUMENT, EXPERIENCE_ITEM = "background", "experience"
T = TypeVar("T")


@dataclass(frozen=True)
class ItemQuestion:
    """An item as it is asked."""

    instrument: str  # key of its instrument
    item: Item
    seat: int = 0  # seat of the player that it is about, 0 for none
    name: str = ""  # name of that player at the table
    options: tuple[Option, ...] = ()
    is_reversed: bool = False  # the ends of its scale are exchanged

    @property
    def field(self) -> str:
        """The name of the form field. The scale beside a choice has it with SURE_SUFFIX."""
        seat = f"/{self.seat}" if self.seat else ""
        return f"{self.instrument}/{self.item.key}{seat}"

    @property
    def response_key(self) -> tuple[str, str, int]:
        """The key of the stored response: (instrument, item, seat)."""
        return self.instrument, self.item.key, self.seat

    def form_values(self, answer: Answer) -> dict[str, list[str]]:
        """Return field name -> values, as a form with this answer would post them."""
        number = [] if answer.number is None else [f"{answer.number:.0f}"]
        if self.item.is_guess:
            return {self.field: list(answer.chosen), f"{self.field}{SURE_SUFFIX}": number}
        if self.item.answer in ("text", "number", "slider"):
            return {self.field: [answer.text or "".join(number)]}
        return {self.field: [*answer.chosen, *number]}


@dataclass(frozen=True)
class Sheet:
    """An instrument as it is asked: one group of questions, or one for each player."""

    instrument: Instrument
    groups: tuple[tuple[ItemQuestion, ...], ...]


@dataclass(frozen=True)
class StepPage:
    """A page of a step's questions among all of them. Some may have no question."""

    pages: Sequence[Sequence[Sheet]]
    number: int  # the page's number, from 0

    @property
    def sheets(self) -> Sequence[Sheet]:
        return self.pages[self.number]

    @property
    def previous(self) -> int | None:
        """The number of the last page before it that has questions, None if it is the first."""
        return next((n for n in range(self.number - 1, -1, -1) if self.pages[n]), None)


@dataclass(frozen=True)
class GivenAnswers:
    """A participant's answers, as conditions compare them and as questions show them."""

    values: Mapping[str, Mapping[str, Any]]  # instrument -> item -> value
    texts: Mapping[str, str]  # "instrument.item" -> text

    @classmethod
    def load(
        cls, participant: Participant, step: Step, asked_instruments: Iterable[Instrument]
    ) -> GivenAnswers:
        """Load the latest answers to these instruments. Those of `step` have precedence."""
        rows = participant.responses.filter(moment="", about_seat=0).order_by("pk")
        answers = {}
        for row in sorted(rows, key=lambda row: row.step == step.key):
            answers[row.instrument, row.item] = Answer(row.number, row.text, row.choice)
        values: dict[str, dict[str, Any]] = {}
        texts: dict[str, str] = {}
        for instrument in asked_instruments:
            for item in instrument.items:
                answer = answers.get((instrument.key, item.key), Answer())
                key, name = to_identifier(instrument.key), to_identifier(item.key)
                values.setdefault(key, {})[name] = get_condition_value(answer)
                texts[f"{key}.{name}"] = format_answer(item, answer)
        return cls(values, texts)

    def should_ask(self, instrument: Instrument, item: Item) -> bool:
        """Return whether the item's condition is true or empty."""
        if not item.ask_if:
            return True
        own_values = self.values.get(to_identifier(instrument.key), {})
        return is_satisfied(item.ask_if, {**self.values, **own_values})

    def fill_item(self, instrument: Instrument, item: Item) -> Item:
        """Return the item with answers in place of their names in its question."""

        def find_text(match: re.Match[str]) -> str:
            name = to_identifier(match[1])
            own_text = self.texts.get(f"{to_identifier(instrument.key)}.{name}")
            return own_text or self.texts.get(name) or match[0]

        return replace(item, question=PLACEHOLDER.sub(find_text, item.question))


def stage_instruments(stage: Stage, frozen_instruments: Mapping[str, Any]) -> list[Instrument]:
    """Return the instruments of a stage, which names or contains them, or raise LookupError."""
    return [
        instruments.resolve(instrument_ref, frozen_instruments)
        for instrument_ref in getattr(stage, "instruments", ())
    ]


def seating_at(participant: Participant, step: Step) -> Seating | None:
    """Return the seating of the step's game, or of the last game for a step without one."""
    rows = participant.seatings.filter(state__in=PLAYED_STATES, slot__game__isnull=False)
    if step.game:
        rows = rows.filter(round=step.game)
    return rows.select_related("slot__game").order_by("round", "pk").last()


class StepQuestions:
    """The questions of a participant's step.

    An instrument about a game that was not played has no sheet.
    """

    def __init__(self, participant: Participant, step: Step) -> None:
        self.participant, self.step = participant, step
        self.seating = seating_at(participant, step)
        frozen_instruments = participant.study.instruments_at_opening
        self.instruments = stage_instruments(step.stage, frozen_instruments)
        sheets = (
            Sheet(instrument, tuple(_build_groups(participant, instrument, self.seating)))
            for instrument in self.instruments
        )
        self.sheets = [sheet for sheet in sheets if sheet.groups]

    def build_pages(self) -> list[list[Sheet]]:
        """Divide the sheets into pages, and leave out questions whose condition is false.

        A page without questions is empty. Answers can still change the pages after the current one.
        """
        answers = GivenAnswers({}, {})
        if any(needs_answers(sheet.instrument) for sheet in self.sheets):
            study = self.participant.study
            stages, frozen = participant_state.design_of(study).stages, study.instruments_at_opening
            all_instruments = [i for s in stages for i in stage_instruments(s, frozen)]
            answers = GivenAnswers.load(self.participant, self.step, all_instruments)
        pages: list[list[Sheet]] = [[]]
        for sheet in self.sheets:
            for groups in _split_by_page(sheet):
                if groups[0][0].item.page_break:
                    pages.append([])
                asked_groups = (_select_questions(sheet.instrument, g, answers) for g in groups)
                if remaining_groups := tuple(filter(None, asked_groups)):
                    pages[-1].append(Sheet(sheet.instrument, remaining_groups))
        return pages


def needs_answers(instrument: Instrument) -> bool:
    """Return whether the instrument's questions depend on earlier answers."""
    return any(item.ask_if or PLACEHOLDER.search(item.question) for item in instrument.items)


def find_page_with_questions(pages: Sequence[Sequence[Sheet]], start: int) -> int | None:
    """Return the number of the first page from `start` on that has questions, None for none."""
    return next((n for n in range(start, len(pages)) if pages[n]), None)


def list_questions(sheets: Sequence[Sheet]) -> list[ItemQuestion]:
    """Return all questions in the order of the page."""
    return [q for sheet in sheets for group in sheet.groups for q in group]


def current_page(participant: Participant, step: Step) -> int:
    """Return the number (from 0) of the participant's current page of the step."""
    return int(participant.item_layouts.get(step.key, {}).get(PAGE_KEY, 0))


def move_to_page(participant: Participant, step: Step, number: int) -> None:
    """Store the number of the participant's current page of the step."""
    with participant_state.locked_participant(participant) as row:
        layout = {**row.item_layouts.get(step.key, {}), PAGE_KEY: number}
        row.item_layouts = {**row.item_layouts, step.key: layout}
        row.save(update_fields=["item_layouts"])
    participant.item_layouts = row.item_layouts


def store_layout(participant: Participant, step: Step, sheets: Sequence[Sheet]) -> None:
    """Store the order and direction in which the step's instruments are first shown."""
    if step.key in participant.item_layouts:
        return
    layout = {
        sheet.instrument.key: {
            "order": [question.item.key for question in sheet.groups[0]],
            "reversed": any(question.is_reversed for question in sheet.groups[0]),
        }
        for sheet in sheets
    }
    with participant_state.locked_participant(participant) as row:
        if step.key not in row.item_layouts:
            row.item_layouts = {**row.item_layouts, step.key: layout}
            row.save(update_fields=["item_layouts"])


def _build_groups(
    participant: Participant, instrument: Instrument, seating: Seating | None
) -> Iterator[tuple[ItemQuestion, ...]]:
    """Yield the questions about each player, or one group that is about no player."""
    if instrument.is_about_game and seating is None:
        return
    players = [(0, "")]  # (seat, name)
    if seating and instrument.is_about_each_player:
        assert seating.slot.game is not None
        other_players = seating.slot.game.players.exclude(seat=seating.seat)
        players = list(other_players.values_list("seat", "name"))
    seed = participant.study.seed
    if instrument.order == "rotated":
        players = _rotate(players, participant, f"seats/{instrument.key}")
    items = instrument.items_for(seed, participant.pseudonym)
    is_reversed = instrument.is_reversed_for(seed, participant.pseudonym)
    for seat, name in players:
        yield tuple(
            ItemQuestion(
                instrument.key, item, seat, name,
                _options_in_order(participant, instrument, item, seating),
                is_reversed and item.answer == "scale",
            )
            for item in items
        )  # fmt: skip


def _rotate(elements: Sequence[T], participant: Participant, purpose: str) -> list[T]:
    """Rotate the elements to begin with one drawn for the participant and the purpose."""
    random, key = SeededRandom(participant.study.seed), f"{purpose}/{participant.pseudonym}"
    start = random.below(key, len(elements))
    return [*elements[start:], *elements[:start]]


def _options_in_order(
    participant: Participant, instrument: Instrument, item: Item, seating: Seating | None
) -> tuple[Option, ...]:
    """Return the options in the participant's order. “I can’t tell” stays last."""
    if item.answer == "human":
        options = [Option(PERSON, _("A person")), Option(COMPUTER, _("A computer player"))]
        if instrument.order != "fixed":
            options = _rotate(options, participant, f"options/{instrument.key}")
    elif item.answer == "role" and seating and seating.slot.game:
        ruleset = rulesets.get(seating.slot.game.ruleset)
        options = [Option(r.key, _(r.name)) for r in ruleset.roles if r.key in ruleset.deck]
    else:
        return item.options
    return (*options, Option(UNSURE, _("I can’t tell"))) if item.unsure else tuple(options)


def _split_by_page(sheet: Sheet) -> Iterator[tuple[tuple[ItemQuestion, ...], ...]]:
    """Yield the groups of the sheet for each of its pages. Several groups are on one page."""
    first, *other_groups = sheet.groups
    if other_groups or len(first) < 2:
        yield sheet.groups
        return
    breaks = [n for n, question in enumerate(first) if n and question.item.page_break]
    for begin, end in pairwise([0, *breaks, len(first)]):
        yield (first[begin:end],)


def _select_questions(
    instrument: Instrument, group: Sequence[ItemQuestion], answers: GivenAnswers
) -> tuple[ItemQuestion, ...]:
    """Return the questions whose condition is true, with answers inserted in their texts."""
    return tuple(
        replace(question, item=answers.fill_item(instrument, question.item))
        for question in group
        if answers.should_ask(instrument, question.item)
    )


def get_condition_value(answer: Answer) -> Any:
    """Return the answer as conditions compare it: a number, key, list of keys, text or None."""
    if answer.choice:
        return answer.choice
    return answer.number if answer.number is not None else answer.text or None


def format_answer(item: Item, answer: Answer) -> str:
    """Return the answer as a text, "…" if there is none."""
    labels = {option.key: option.label for option in item.options}
    if answer.chosen:
        return ", ".join(labels.get(key, key) for key in answer.chosen)
    return answer.text or ("…" if answer.number is None else f"{answer.number:g}")


def experience_levels(frozen_instruments: Mapping[str, Any]) -> tuple[Option, ...]:
    """Return the levels of experience with the game from none (0), as the study opened."""
    instrument = instruments.resolve(EXPERIENCE_INSTRUMENT, frozen_instruments)
    return next(item.options for item in instrument.items if item.key == EXPERIENCE_ITEM)


def is_below_required_experience(participant: Participant, step: Step) -> bool:
    """Return whether the experience stated at this background stage is below its minimum.

    A missing answer is below any minimum except 0. Other stages have no minimum.
    """
    if not isinstance(step.stage, BackgroundStage) or not step.stage.least_experience:
        return False
    rows = participant.responses.filter(
        step=step.key, instrument=EXPERIENCE_INSTRUMENT, item=EXPERIENCE_ITEM
    )
    keys = [option.key for option in experience_levels(participant.study.instruments_at_opening)]
    experience = rows.values_list("choice", flat=True).first()
    return experience not in keys or keys.index(experience) < step.stage.least_experience
