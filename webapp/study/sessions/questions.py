"""The questions of a step: those of its instruments, some of them about every other player.

Order and direction depend on the study's seed and the participant alone, so a reload or another
device shows the same page.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

from django.db import transaction
from django.utils.translation import gettext as _

from game.engine import rulesets
from game.engine.seeded_random import SeededRandom
from webapp.study.design import instruments
from webapp.study.design.instruments import Instrument, Item, Option
from webapp.study.design.stages import Stage
from webapp.study.models import Participant, Seating
from webapp.study.sessions import participant_steps, question_logic
from webapp.study.sessions.answers import COMPUTER, PERSON, UNSURE
from webapp.study.sessions.participant_steps import Step
from webapp.study.sessions.question_logic import (
    PLACEHOLDER,
    BadCondition,
    GivenAnswers,
    find_answer_name,
    list_answer_names,
    parse_condition,
    to_identifier,
)

PAGE_KEY = "page"  # of a step's stored layout: number of the participant's current page
T = TypeVar("T")


@dataclass(frozen=True)
class ItemQuestion:
    """An item as it is asked.

    Attributes:
        instrument: Key of its instrument.
        seat: Seat of the player that it is about, 0 for none.
        name: Name of that player at the table.
        is_turned: Whether the ends of its scale are exchanged.
    """

    instrument: str
    item: Item
    seat: int = 0
    name: str = ""
    options: tuple[Option, ...] = ()
    is_turned: bool = False

    @property
    def field(self) -> str:
        """The name of the form field. That of the scale beside a choice ends in "/sure"."""
        seat = f"/{self.seat}" if self.seat else ""
        return f"{self.instrument}/{self.item.key}{seat}"

    @property
    def response_key(self) -> tuple[str, str, int]:
        """The key of the stored response: (instrument, item, seat)."""
        return self.instrument, self.item.key, self.seat


@dataclass(frozen=True)
class Sheet:
    """An instrument as it is asked.

    It has one group of questions, or one group for each player that it asks about.
    """

    instrument: Instrument
    groups: tuple[tuple[ItemQuestion, ...], ...]


def stage_instruments(stage: Stage, frozen_instruments: Mapping[str, Any]) -> list[Instrument]:
    """Return the instruments of a stage, which names them by key or contains them.

    Args:
        frozen_instruments: `Study.asked`.

    Raises:
        LookupError: A key is unknown.
    """
    return [
        instruments.resolve(instrument_ref, frozen_instruments)
        for instrument_ref in getattr(stage, "instruments", ())
    ]


def find_instrument_errors(stage: Stage) -> list[str]:
    """Return sentences that say what is wrong with the instruments of a stage."""
    all_errors, keys = [], list[str]()
    for instrument_ref in getattr(stage, "instruments", ()):
        try:
            errors = [] if isinstance(instrument_ref, str) else Instrument.check(instrument_ref)
            instrument = None if errors else instruments.resolve(instrument_ref, {})
        except LookupError as unknown:
            errors, instrument = [str(unknown.args[0])], None
        if instrument:
            keys.append(instrument.key)
            errors = [error] if (error := instruments.why_not_askable(instrument)) else []
        all_errors += errors
    if len({*keys}) < len(keys):
        all_errors.append(_("A stage has the same questions twice. Remove one of them."))
    return all_errors


def find_logic_errors(stages: Sequence[Stage]) -> list[str]:
    """Return sentences about conditions and inserted answers that cannot work in this order.

    The list is empty if an instrument is unknown, which `find_instrument_errors` reports.
    """
    try:
        return [*find_condition_errors([stage_instruments(stage, {}) for stage in stages])]
    except (LookupError, TypeError):
        return []


def seating_at(participant: Participant, step: Step) -> Seating | None:
    """Return the seating that the step's questions are about, None before the first game.

    It is that of the step's game, or for other steps that of the last game played.
    """
    rows = participant.seatings.filter(
        state__in=(Seating.SEATED, Seating.OUT), slot__game__isnull=False
    )
    if step.game:
        rows = rows.filter(round=step.game)
    return rows.select_related("slot__game").order_by("round", "pk").last()


def build_sheets(participant: Participant, step: Step, seating: Seating | None) -> list[Sheet]:
    """Return all sheets of the step.

    An instrument about a game that was not played has no sheet.

    Args:
        seating: `seating_at` the step.
    """
    frozen_instruments = participant.study.asked
    sheet_list = (
        Sheet(i, tuple(_build_groups(participant, i, seating)))
        for i in stage_instruments(step.stage, frozen_instruments)
    )
    return [sheet for sheet in sheet_list if sheet.groups]


def build_pages(
    participant: Participant, step: Step, sheet_list: Sequence[Sheet]
) -> list[list[Sheet]]:
    """Divide the step's sheets into pages, by the stored answers.

    A page without questions is empty. Answers can still change the pages after the current one.
    """
    answers = GivenAnswers({}, {})
    if any(question_logic.needs_answers(sheet.instrument) for sheet in sheet_list):
        frozen, design = participant.study.asked, participant_steps.design_of(participant.study)
        instrument_list = [i for stage in design.stages for i in stage_instruments(stage, frozen)]
        answers = GivenAnswers.load(participant, step, instrument_list)
    page_list: list[list[Sheet]] = [[]]
    for sheet in sheet_list:
        for groups in _split_by_page(sheet):
            if groups[0][0].item.page_break:
                page_list.append([])
            question_groups = tuple(
                filter(None, (_select_questions(sheet.instrument, g, answers) for g in groups))
            )
            if question_groups:
                page_list[-1].append(Sheet(sheet.instrument, question_groups))
    return page_list


def _split_by_page(sheet: Sheet) -> Iterator[tuple[tuple[ItemQuestion, ...], ...]]:
    """Yield the groups of the sheet on each of its pages."""
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
    return tuple(
        replace(question, item=answers.fill_item(instrument, question.item))
        for question in group
        if answers.should_ask(instrument, question.item)
    )


def current_page(participant: Participant, step: Step) -> int:
    """Return the number (from 0) of the participant's current page of the step."""
    return int(participant.shown.get(step.key, {}).get(PAGE_KEY, 0))


def move_to_page(participant: Participant, step: Step, number: int) -> None:
    """Store the number of the participant's current page of the step."""
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        row.shown = {**row.shown, step.key: {**row.shown.get(step.key, {}), PAGE_KEY: number}}
        row.save(update_fields=["shown"])
    participant.shown = row.shown


def store_layout(participant: Participant, step: Step, sheet_list: Sequence[Sheet]) -> None:
    """Store the order and direction in which the step's instruments are first shown."""
    if step.key in participant.shown:
        return
    layout = {
        sheet.instrument.key: {
            "order": [question.item.key for question in sheet.groups[0]],
            "reversed": any(question.is_turned for question in sheet.groups[0]),
        }
        for sheet in sheet_list
    }
    with transaction.atomic():
        row = participant_steps.lock_participant(participant)
        if step.key not in row.shown:
            row.shown = {**row.shown, step.key: layout}
            row.save(update_fields=["shown"])


def _build_groups(
    participant: Participant, instrument: Instrument, seating: Seating | None
) -> Iterator[tuple[ItemQuestion, ...]]:
    if instrument.is_about_game and seating is None:
        return
    players_asked_about = [(0, "")]  # (seat, name)
    if seating and instrument.is_about_each_player:
        assert seating.slot.game is not None
        players = seating.slot.game.players.exclude(seat=seating.seat)
        players_asked_about = list(players.values_list("seat", "name"))
    seed = participant.study.seed
    if instrument.order == "rotated":
        players_asked_about = _rotated(players_asked_about, participant, f"seats/{instrument.key}")
    items = instrument.items_for(seed, participant.pseudonym)
    turned = instrument.is_reversed_for(seed, participant.pseudonym)
    for seat, name in players_asked_about:
        yield tuple(
            ItemQuestion(
                instrument.key, item, seat, name,
                _options_in_order(participant, instrument, item, seating),
                turned and item.answer == "scale",
            )
            for item in items
        )  # fmt: skip


def _rotated(rows: Sequence[T], participant: Participant, purpose: str) -> list[T]:
    """Return the rows rotated to begin with one drawn for the participant."""
    start = SeededRandom(participant.study.seed).below(
        f"{purpose}/{participant.pseudonym}", len(rows)
    )
    return [*rows[start:], *rows[:start]]


def _options_in_order(
    participant: Participant, instrument: Instrument, item: Item, seating: Seating | None
) -> tuple[Option, ...]:
    """Return the options in the participant's order. “I can’t tell” stays last."""
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


def find_condition_errors(stages: Sequence[Sequence[Instrument]]) -> Iterator[str]:
    """Yield a sentence for each condition or inserted answer that cannot work.

    Args:
        stages: The instruments of each stage, in order.
    """
    earlier_items: dict[str, Item] = {}
    for stage_sheets in stages:
        current_page_items: dict[str, Item] = {}
        for instrument in stage_sheets:
            for item in instrument.items:
                if item.page_break:
                    earlier_items |= current_page_items
                    current_page_items = {}
                yield from _find_item_errors(instrument, item, earlier_items)
                if not instrument.is_about_each_player and item.answer != "info":
                    name = f"{to_identifier(instrument.key)}.{to_identifier(item.key)}"
                    current_page_items[name] = item
        earlier_items |= current_page_items


def _find_item_errors(
    instrument: Instrument, item: Item, earlier_items: Mapping[str, Item]
) -> Iterator[str]:
    prefix = f"{to_identifier(instrument.key)}."  # the item may leave it out
    own_items = {
        n.removeprefix(prefix): i for n, i in earlier_items.items() if n.startswith(prefix)
    }
    known_items = {**earlier_items, **own_items}
    label = item.label or item.question
    try:
        tree = parse_condition(item.ask_if) if item.ask_if else None
    except BadCondition as bad:
        yield _("“{item}”: {what}").format(item=label, what=bad)
        return
    answer_names = [
        *(list_answer_names(tree) if tree else ()),
        *map(to_identifier, PLACEHOLDER.findall(item.question)),
    ]
    for name in dict.fromkeys(answer_names):
        if name not in known_items:
            text = _("“{item}”: no earlier page asks “{name}”. Earlier questions: {known}.")
            yield text.format(item=label, name=name, known=", ".join(known_items) or _("none"))
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Compare):
            yield from _find_option_errors(label, node, known_items)


def _find_option_errors(
    label: str, comparison: ast.Compare, known_items: Mapping[str, Item]
) -> Iterator[str]:
    """Yield a sentence for each text that is compared with a choice and is no option of it."""
    sides = [comparison.left, *comparison.comparators]
    names = [find_answer_name(side) for side in sides]
    items = [known_items[name] for name in names if name in known_items]
    texts = [n.value for side in sides for n in ast.walk(side)
             if isinstance(n, ast.Constant) and isinstance(n.value, str)]  # fmt: skip
    for item in items:
        keys = [option.key for option in item.options]
        for text in texts if keys else ():
            if text not in keys:
                sentence = _("“{item}”: “{other}” has no answer “{text}”. Its answers: {known}.")
                yield sentence.format(item=label, other=item.key, text=text, known=", ".join(keys))
