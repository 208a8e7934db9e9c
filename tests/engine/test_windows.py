"""What may be answered, and how long it is."""

from __future__ import annotations

import pytest

from game.engine.events import PUBLIC
from game.engine.forms import ABSTAIN, NOTHING, Action, Illegal, pick, picking, say, speech
from game.engine.seeded_random import SeededRandom
from game.engine.speech_text import count_words
from game.engine.windows import Window

TALK = Window("s", "statement", (2,), speech(120), answer_audience=PUBLIC, window_audience=PUBLIC)
VOTE = Window(
    "v", "vote", (1, 2, 3), picking((1, 2, 3)), answer_audience=PUBLIC, window_audience=PUBLIC
)
LOOK = Window(
    "d", "divination", (1,), picking((1, 2, 3), 2), answer_audience=None, window_audience=PUBLIC
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("one", 1),
        ("  two\twords\n", 2),
        ("don't – stop", 3),
        ("a\u00a0b\u3000c", 3),
        ("我是狼人", 2),
        ("我是狼", 2),
        ("我是狼人。", 2),
        ("我是 Seer 吗", 3),
        ("สวัสดี", 3),
        ("안녕 하세요", 2),
        ("x" * 500, 1),
    ],
)
def test_words_are_what_stands_between_white_space(text: str, words: int) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        (" \n\u3000", "empty"),
        ("\u200b\u200d", "empty"),
        ("w " * 121, "too_many_words"),
        ("x" * 1_000_000, "too_long"),
        ("bad \x07 bell", "control"),
        ("nul \x00", "control"),
        ("right \u202e left", "bidi"),
        ("\u2066isolate\u2069", "bidi"),
        ("<script>alert(1)</script>", "markup"),
        ("I <b>know</b>", "markup"),
        ("<!-- hidden", "markup"),
    ],
)
def test_unfit_texts_are_refused_by_name(text: str, code: str) -> None:
    with pytest.raises(Illegal) as refused:
        TALK.check(2, say(text))
    assert refused.value.code == code


@pytest.mark.parametrize(
    "text", ["w " * 120, "I <3 you", "2 < 3 > 1", "line\nbreak", "👩‍👩‍👧 é ñ", "שלום לכולם"]
)
def test_what_people_really_write_is_fine(text: str) -> None:
    TALK.check(2, say(text))


@pytest.mark.parametrize(
    ("window", "seat", "action", "code"),
    [
        (VOTE, 1, pick(1), "not_an_option"),
        (VOTE, 1, pick(4), "not_an_option"),
        (VOTE, 1, pick("2"), "not_an_option"),
        (VOTE, 4, pick(1), "not_asked"),
        (VOTE, 1, pick(2, 3), "wrong_count"),
        (VOTE, 1, pick(), "wrong_count"),
        (VOTE, 1, ABSTAIN, "no_abstaining"),
        (VOTE, 1, say("Beta"), "not_a_choice"),
        (LOOK, 1, pick(2, 2), "wrong_count"),
        (LOOK, 1, pick(1, 2), "not_an_option"),
        (TALK, 2, pick(1), "not_a_statement"),
        (TALK, 2, Action("skip"), "no_pass"),
    ],
)
def test_illegal_answers_are_refused_by_name(
    window: Window, seat: int, action: Action, code: str
) -> None:
    with pytest.raises(Illegal) as refused:
        window.check(seat, action)
    assert refused.value.code == code


def test_the_silent_are_answered_for_as_the_rules_say() -> None:
    rng = SeededRandom("seed")
    drawn = VOTE.default_for(2, rng)
    assert drawn.action.targets in {(1,), (3,)}
    assert drawn == VOTE.default_for(2, rng)
    assert drawn.labels == ("timeout",)
    talk = Window("s", "statement", (2,), speech(9), PUBLIC, PUBLIC, default="nothing")
    assert talk.default_for(2, rng).action == NOTHING


def test_a_window_survives_its_json_form() -> None:
    for window in (TALK, VOTE, LOOK):
        assert Window.of(window.data(), window.moment.start) == window


def test_draws_are_spread_evenly_and_depend_on_seed_and_purpose_alone() -> None:
    rng = SeededRandom("s")
    counts = [0] * 7
    for number in range(7000):
        counts[rng.below(f"p/{number}", 7)] += 1
    assert min(counts) > 850
    assert SeededRandom("s").shuffled("x", range(9)) == rng.shuffled("x", range(9))
    assert SeededRandom("t").shuffled("x", range(9)) != rng.shuffled("x", range(9))
