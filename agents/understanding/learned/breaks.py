"""Where sentences begin and end in words without punctuation, learned from those that have it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from agents.language.patterns import load
from agents.understanding.learned.linear import Learned, learned
from agents.understanding.seat_names import in_full

P = load("breaks")
MARKS = re.compile(r"[.,!?;:…—–]")
_STRIP = re.compile(r"[^\w'+@/-]")
_SHORTEST = 4  # words
_JOINT = "_"  # in place of a space


def gap(words: Sequence[str], after: int) -> Iterator[str]:
    """Yield the features of the gap after word `after` of masked `words`.

    The last is the end.
    """
    padded = ["<", "<", "<", *words, ">", ">", ">"]
    c, b, a, x, y, z = padded[after + 1 : after + 7]
    yield from (f"-3{c}", f"-2{b}", f"-1{a}", f"+1{x}", f"+2{y}", f"+3{z}")
    yield from (f"01 {a} {x}", f"12 {x} {y}", f"-- {b} {a}", f"0 {b} {a} {x}")
    yield from (f"1 {a} {x} {y}", f"123 {x} {y} {z}", f"suf-{a[-3:]}", f"suf+{x[-3:]}")
    yield f"d{min(after, 4)}"
    yield f"e{min(len(words) - after - 2, 4)}"


def end(words: Sequence[str]) -> Iterator[str]:
    """Yield the features of a whole sentence that may be a question."""
    first, last = words[:3], words[-3:]
    yield from (f"w {w}" for w in words)
    yield from (f"^ {' '.join(first[:n])}" for n in (1, 2, 3))
    yield from (f"$ {' '.join(last[-n:])}" for n in (1, 2, 3))
    yield from (f"b {v} {w}" for v, w in pairwise(words))
    yield f"n{min(len(words), 8)}"


def masked(words: Sequence[str], seats: Sequence[str]) -> list[str]:
    """Return `words` in small letters without marks, names as `@`."""
    names = {name.lower().replace(" ", _JOINT) for name in seats}
    masked_words = []
    for word in words:
        word = _STRIP.sub("", word.lower().replace("’", "'"))
        head, tick, tail = word.partition("'")
        masked_words.append(f"@{tick}{tail}" if head in names else word)
    return masked_words


def with_breaks(text: str, seats: Sequence[str]) -> str:
    """Return `text` with the marks its writer left out, where it has none."""
    if MARKS.search(text):
        return text
    text = in_full(text, tuple(seats))
    for name in seats:  # a name of two words stays whole
        if " " in name:
            text = re.sub(re.escape(name), name.replace(" ", _JOINT), text, flags=re.IGNORECASE)
    lines = [_line(line, seats) for line in text.split("\n")]
    return "\n".join(lines).replace(_JOINT, " ")


def _line(line: str, seats: Sequence[str]) -> str:
    words, models = line.split(), learned()
    if len(words) < _SHORTEST:
        return line
    plain_words = masked(words, seats)
    output, first = list[str](), 0
    for i, word in enumerate(words):
        mark = "" if i == len(words) - 1 else _mark(models, plain_words, i)
        if mark == "." or i == len(words) - 1:
            asks_score = models.models["asks"].scores(end(plain_words[first : i + 1]))["asks"]
            mark, first = "?" if asks_score > models.add["asks"] else mark, i + 1
        output.append(word + mark)
    return " ".join(output)


def _mark(models: Learned, plain_words: Sequence[str], after: int) -> str:
    """Return what stands after a word: "", a comma or a full stop."""
    if (
        plain_words[after].isdigit() or plain_words[after] in P.words["goes_on"]
    ):  # it counts what follows, or needs it
        return ""
    scores = models.models["break"].scores(gap(plain_words, after))
    if scores["break"] <= models.add["break"]:
        return ""
    return "." if scores["stop"] > models.add["stop"] else ","
