"""Add punctuation to text without any, by models learned from text that has it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from agents.language.patterns import load
from agents.understanding.linear_models import LearnedModels, load_models
from agents.understanding.tokens import expand_seat_numbers

PATTERNS = load("breaks")
MARKS = re.compile(r"[.,!?;:…—–]")
_STRIP = re.compile(r"[^\w'+@/-]")
_MIN_LINE_WORDS = 4  # shorter lines get no punctuation
_NAME_JOINT = "_"  # in place of a space within a name


def gap_features(words: Sequence[str], index: int) -> Iterator[str]:
    """Yield the features of the gap after the masked word at `index`. The last is the end."""
    padded = ["<", "<", "<", *words, ">", ">", ">"]
    c, b, a, x, y, z = padded[index + 1 : index + 7]
    yield from (f"-3{c}", f"-2{b}", f"-1{a}", f"+1{x}", f"+2{y}", f"+3{z}")
    yield from (f"01 {a} {x}", f"12 {x} {y}", f"-- {b} {a}", f"0 {b} {a} {x}")
    yield from (f"1 {a} {x} {y}", f"123 {x} {y} {z}", f"suf-{a[-3:]}", f"suf+{x[-3:]}")
    yield f"d{min(index, 4)}"
    yield f"e{min(len(words) - index - 2, 4)}"


def question_features(words: Sequence[str]) -> Iterator[str]:
    """Yield the features by which a whole sentence is recognised as a question."""
    first, last = words[:3], words[-3:]
    yield from (f"w {w}" for w in words)
    yield from (f"^ {' '.join(first[:n])}" for n in (1, 2, 3))
    yield from (f"$ {' '.join(last[-n:])}" for n in (1, 2, 3))
    yield from (f"b {v} {w}" for v, w in pairwise(words))
    yield f"n{min(len(words), 8)}"


def masked_words(words: Sequence[str], seats: Sequence[str]) -> list[str]:
    """Return `words` in lower case without punctuation, names as `@`."""
    names = {name.lower().replace(" ", _NAME_JOINT) for name in seats}
    masked = []
    for word in words:
        word = _STRIP.sub("", word.lower().replace("’", "'"))
        head, tick, tail = word.partition("'")
        masked.append(f"@{tick}{tail}" if head in names else word)
    return masked


def add_punctuation(text: str, seats: Sequence[str]) -> str:
    """Return `text` with commas, full stops and question marks, if it has no punctuation."""
    if MARKS.search(text):
        return text
    text = expand_seat_numbers(text, tuple(seats))
    for name in seats:  # a name of two words stays whole
        if " " in name:
            text = re.sub(
                re.escape(name), name.replace(" ", _NAME_JOINT), text, flags=re.IGNORECASE
            )
    lines = [_punctuate_line(line, seats) for line in text.split("\n")]
    return "\n".join(lines).replace(_NAME_JOINT, " ")


def _punctuate_line(line: str, seats: Sequence[str]) -> str:
    words, models = line.split(), load_models()
    if len(words) < _MIN_LINE_WORDS:
        return line
    plain_words = masked_words(words, seats)
    output, sentence_start = list[str](), 0
    for i, word in enumerate(words):
        mark = "" if i == len(words) - 1 else _mark_after(models, plain_words, i)
        if mark == "." or i == len(words) - 1:
            features = question_features(plain_words[sentence_start : i + 1])
            if models.models["asks"].scores(features)["asks"] > models.add["asks"]:
                mark = "?"
            sentence_start = i + 1
        output.append(word + mark)
    return " ".join(output)


def _mark_after(models: LearnedModels, plain_words: Sequence[str], index: int) -> str:
    """Return the mark after a word: "", a comma or a full stop."""
    # No mark after a number, which counts what follows, or after a word that needs a continuation.
    if plain_words[index].isdigit() or plain_words[index] in PATTERNS.words["goes_on"]:
        return ""
    scores = models.models["break"].scores(gap_features(plain_words, index))
    if scores["break"] <= models.add["break"]:
        return ""
    return "." if scores["stop"] > models.add["stop"] else ","
