"""Statements of house players with the remarks that they consist of, recorded in whole games."""

from __future__ import annotations

from dataclasses import dataclass, replace
from unittest.mock import patch

from agents.backends import house
from agents.house import speech
from agents.house.mindset import Mindset
from agents.house.remarks import Remark
from agents.house.stance import Stance
from game.engine.events import Event
from tests.agents.table import play


@dataclass(frozen=True)
class RecordedStatement:
    """A statement before the persona's style is applied.

    Attributes:
        events: what the speaker knew of the game's log.
        wording: the remarks with their texts.
        text: the statement as it was said, in the persona's style.
        habits: numbers of the habits of speech with which the texts were drawn.
    """

    seat: int
    events: list[Event]
    wording: list[tuple[Remark, str]]
    habits: set[int]
    text: str = ""


def record_statements(
    seed: str, ruleset: str = "one-night", method: str = "full"
) -> list[RecordedStatement]:
    """Play a game and return the statements of all its players, in order."""
    recorded: list[RecordedStatement] = []
    habits: set[int] = set()
    build_statement = speech.build_statement
    compose_statement, draw_wording = speech.compose_statement, speech.draw_wording

    def record_statement(mind: Mindset) -> tuple[str, list[tuple[Remark, str]]]:
        habits.clear()
        text, wording = compose_statement(mind)
        recorded.append(RecordedStatement(mind.me, list(mind.view.events), wording, {*habits}))
        return text, wording

    def record_text(mind: Mindset) -> tuple[str, Stance]:
        text, stance = build_statement(mind)
        recorded[-1] = replace(recorded[-1], text=text)
        return text, stance

    def record_habit(*args: object, habit: int, **options: object) -> tuple[str, float]:
        habits.add(habit)
        return draw_wording(*args, habit=habit, **options)  # type: ignore[arg-type]

    with (
        patch.object(speech, "compose_statement", record_statement),
        patch.object(house, "build_statement", record_text),
        patch.object(speech, "draw_wording", record_habit),
    ):
        play(seed, ruleset, method=method)
    return recorded
