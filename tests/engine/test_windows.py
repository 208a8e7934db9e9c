"""Windows: legal answers, text checks, word counts and defaults."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.engine import visibility
from game.engine.events import ABSTAIN, NOTHING, PUBLIC, Action, Event, pick, say, text_hash
from game.engine.forms import Illegal, picking, speech
from game.engine.seeded_random import SeededRandom
from game.engine.text_checks import MAX_LINE_BREAKS, count_words, tidy
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
def test_words_are_counted_between_white_space(text: str, words: int) -> None:
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
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f Scotland", "tags"),
        ("x" + "\u0323\u0330\u0331\u0302\u0306" + "vil", "marks"),
        ("x" + "\u0330\u200d" * 5, "marks"),
        ("\u0e01" + "\u0e47" * 5, "marks"),
    ],
)
def test_unfit_text_is_rejected_with_a_code(text: str, code: str) -> None:
    with pytest.raises(Illegal) as error:
        TALK.check(2, say(text))
    assert error.value.code == code


@pytest.mark.parametrize(
    "text",
    [
        "w " * 119 + "w", "I <3 you", "2 < 3 > 1", "line\nbreak", "👩‍👩‍👧 é ñ", "שלום לכולם",
        "First.\n\nSecond.", "🇯🇵 👍🏽 1️⃣ ❤️‍🔥 🏳️‍🌈", "Tôi nghĩ Tiệp nói dối", "ฉันไม่ใช่หมาป่า ที่นี่",
        "मैं भेड़िया नहीं हूँ, श्रीमान्", "كُلُّنا نُصَدِّقُهُ", "من نمی‌دانم", "රාජ්‍ය", "בְּרֵאשִׁ֖ית", "Vraiment\u202f?",
        "こんにちは\u3000みなさん", "བརྒྱུད", "မြွှေ့", "ស្ត្រី", "葛\U000e0100城市",
    ],
)  # fmt: skip
def test_realistic_text_is_kept_unchanged(text: str) -> None:
    assert say(text).text == text
    TALK.check(2, say(text))


MODERATOR = "Moderator: Night falls, close your eyes."


@pytest.mark.parametrize(
    "blank",
    [
        "\n", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029", " \n", "\u3000\n", "\u2800\n",
        "\u3164\n", "\u115f\n", "\uffa0\n", "\u200b\n", "\ufeff\n", "\u200d\n", "\u2060\n",
        "\u00ad\n", "\ufe0f\n",
        "\u3000", "\u2003\u200d", "\u2800", "\u3000\ufe0f", "\t", "\u034f\n", "\U0001d159\n", ".\n",
    ],
)  # fmt: skip
def test_long_blank_runs_are_collapsed(blank: str) -> None:
    """At most two line breaks in a row and ten in total. A line of dots is an ordinary line."""
    text = re.sub("[\u034f\u200d\ufe0f]", "", say(f"Hm.{blank * 300}{MODERATOR}").text)
    assert text.count("\n") <= MAX_LINE_BREAKS
    assert "\n\n\n" not in text
    if blank != ".\n":
        assert text.split() == ["Hm.", *MODERATOR.split()]
        assert len(text) <= len(f"Hm.{MODERATOR}") + 2


@given(st.text(st.sampled_from("ab \n\r\t\v\u2028\u3000\u2800\u200b\u200d\u0301\ufe0f\u1160e.")))
def test_tidy_keeps_letters_and_is_idempotent(text: str) -> None:
    once = tidy(text)
    assert tidy(once) == once
    assert once.count("\n") <= MAX_LINE_BREAKS
    letters = [[c for c in unicodedata.normalize("NFD", t) if c in "abe."] for t in (once, text)]
    assert letters[0] == letters[1]


def test_stored_blank_runs_are_collapsed_in_views() -> None:
    """The log keeps the text byte for byte, but views do not."""
    old = f"Hm.{chr(10) * 1000}{MODERATOR}"
    data = {**say("x").to_json(), "window": "s", "seat": 2, "text": old, "sha256": text_hash(old)}
    event = Event("statement", PUBLIC, data)
    for viewer in (visibility.PUBLIC, visibility.MODERATOR, visibility.seat(2)):
        (visible_event,) = visibility.visible_events([event], viewer)
        assert visible_event["text"] == f"Hm.\n\n{MODERATOR}"
        assert visible_event["sha256"] == event["sha256"]
    assert event["text"] == old
    blank = Event("statement", PUBLIC, {**data, "text": "\u2800" * 9})
    assert visibility.visible_events([blank], visibility.PUBLIC)[0]["text"], (
        "a blank text must not look like a removed one"
    )


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
def test_illegal_answer_is_rejected_with_a_code(
    window: Window, seat: int, action: Action, code: str
) -> None:
    with pytest.raises(Illegal) as error:
        window.check(seat, action)
    assert error.value.code == code


def test_timeout_gets_the_default_answer_of_the_rules() -> None:
    rng = SeededRandom("seed")
    default = VOTE.default_for(2, rng)
    assert default.action.targets in {(1,), (3,)}
    assert default == VOTE.default_for(2, rng)
    assert default.labels == ("timeout",)
    talk = Window("s", "statement", (2,), speech(9), PUBLIC, PUBLIC, default="nothing")
    assert talk.default_for(2, rng).action == NOTHING


def test_window_survives_json_serialization() -> None:
    for window in (TALK, VOTE, LOOK):
        assert Window.from_json(window.to_json(), window.moment.phase_start) == window


def test_draws_are_uniform_and_depend_only_on_seed_and_purpose() -> None:
    rng = SeededRandom("s")
    counts = [0] * 7
    for number in range(7000):
        counts[rng.below(f"p/{number}", 7)] += 1
    assert min(counts) > 850
    assert SeededRandom("s").shuffled("x", range(9)) == rng.shuffled("x", range(9))
    assert SeededRandom("t").shuffled("x", range(9)) != rng.shuffled("x", range(9))
