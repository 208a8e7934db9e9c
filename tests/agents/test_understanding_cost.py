"""Processor time of the understanding stays small for every statement."""

from __future__ import annotations

from itertools import product

import pytest

from agents.packs import pack_of
from agents.understanding import normalise
from agents.understanding import understand as module
from agents.understanding.demands import demands
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.understand import understand
from tests.agents.regex_cost import (
    LIMIT_S,
    RULESETS,
    all_patterns,
    cpu_seconds,
    repetitive_statements,
    slow_texts,
    statement_cost,
)


@pytest.mark.parametrize(
    "text",
    [
        "I'm " * 40,
        "trash " * 40 + "really",
        "obvious " * 40 + "thats",
        "first night " * 40,
        "and you " * 40 + "Alpha is",
        "player_3 only " + "only " * 80,
        "vote down " + "down " * 80 + "x",
        "you, " * 99,
        "player_3 " * 120,
    ],
)
def test_repeated_words_are_read_in_time(text: str) -> None:
    assert max(statement_cost(text, number) for number in (0, 1)) <= LIMIT_S


def test_no_pattern_backtracks_exponentially() -> None:
    slow = {
        name
        for name, pattern in all_patterns().items()
        for text, match in product(slow_texts(pattern, 100), (pattern.search, pattern.fullmatch))
        if cpu_seconds(lambda m=match, t=text: m(t), 0.5) >= 0.5  # type: ignore[misc]
    }
    assert not slow


def test_repetitive_statements_are_read_in_time() -> None:
    slow = [
        text
        for number, text in enumerate(repetitive_statements(400, seed=1))
        if statement_cost(text, number % 2) > LIMIT_S
    ]
    assert not slow


def test_statement_beyond_the_limits_is_marked_as_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    seats, pack = tuple(RULESETS[0].seat_names), pack_of(RULESETS[0])
    expected = (SpeechAct("unread", 5),)
    many = "I am the Seer. " + "," * normalise.MAX_TOKENS
    assert understand(many, 5, seats, 3, pack) == expected
    assert demands(many + " Beta, why?", 5, 2, seats, pack, 3) == ()
    monkeypatch.setattr(module, "MAX_CPU_S", 0.0)
    module._understand.cache_clear()
    assert understand("I am the Seer. I saw Beta.", 5, seats, 3, pack) == expected
    module._understand.cache_clear()
