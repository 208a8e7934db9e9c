"""Add punctuation to text without any, by models learned from text that has it."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from agents.language.patterns import load
from agents.understanding.features import LearnedModels, load_models
from agents.understanding.normalise import expand_seat_numbers

PATTERNS = load("punctuation")
MARKS = re.compile(r"[.,!?;:…—–]")
STRIPPED_CHARS = re.compile(r"[^\w'+@/-]")
MIN_LINE_WORDS = 4  # shorter lines get no punctuation
NAME_JOINT = "_"  # replaces a space within a name
MAX_DISTANCE = 4  # features count the words from a gap to an end of the line up to this number
MAX_SENTENCE_WORDS = 8  # features count the words of a sentence up to this number
# Keys of the learned weights: the model of gaps with its two kinds, and the model of questions.
GAP_MODEL, BREAK, STOP, QUESTION = "break", "break", "stop", "asks"


def gap_features(words: Sequence[str], index: int) -> Iterator[str]:
    """Yield the features of the gap after the word at `index`.

    They are the three words on each side of the gap, and its distances to both ends of the line.
    The learned weights belong to these texts: another form needs new training.

    Args:
        words: The masked words of a line. There is no gap after the last one.
    """
    padded = ["<", "<", "<", *words, ">", ">", ">"]
    left3, left2, left1, right1, right2, right3 = padded[index + 1 : index + 7]
    yield from (f"-3{left3}", f"-2{left2}", f"-1{left1}")
    yield from (f"+1{right1}", f"+2{right2}", f"+3{right3}")
    yield from (f"01 {left1} {right1}", f"12 {right1} {right2}", f"-- {left2} {left1}")
    yield from (f"0 {left2} {left1} {right1}", f"1 {left1} {right1} {right2}")
    yield from (f"123 {right1} {right2} {right3}", f"suf-{left1[-3:]}", f"suf+{right1[-3:]}")
    yield f"d{min(index, MAX_DISTANCE)}"
    yield f"e{min(len(words) - index - 2, MAX_DISTANCE)}"


def question_features(words: Sequence[str]) -> Iterator[str]:
    """Yield the features by which a sentence of masked words is recognised as a question."""
    first, last = words[:3], words[-3:]
    yield from (f"w {w}" for w in words)
    yield from (f"^ {' '.join(first[:n])}" for n in (1, 2, 3))
    yield from (f"$ {' '.join(last[-n:])}" for n in (1, 2, 3))
    yield from (f"b {v} {w}" for v, w in pairwise(words))
    yield f"n{min(len(words), MAX_SENTENCE_WORDS)}"


def masked_words(words: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return `words` in lower case without punctuation, and each player's name as `@`."""
    name_words = {name.lower().replace(" ", NAME_JOINT) for name in names}
    masked = []
    for word in words:
        word = STRIPPED_CHARS.sub("", word.lower().replace("’", "'"))
        head, tick, tail = word.partition("'")
        masked.append(f"@{tick}{tail}" if head in name_words else word)
    return masked


def add_punctuation(text: str, names: Sequence[str]) -> str:
    """Return `text` with commas, full stops and question marks, if it has no punctuation.

    In such a text, players' numbers become their `names` as well.
    """
    if MARKS.search(text):
        return text
    text = expand_seat_numbers(text, tuple(names))
    for name in names:  # a name of two words stays whole
        if " " in name:
            text = re.sub(re.escape(name), name.replace(" ", NAME_JOINT), text, flags=re.IGNORECASE)
    lines = [_punctuate_line(line, names) for line in text.split("\n")]
    return "\n".join(lines).replace(NAME_JOINT, " ")


def _punctuate_line(line: str, names: Sequence[str]) -> str:
    """Return a line with marks within it. The line's end gets at most a question mark."""
    words = line.split()
    if len(words) < MIN_LINE_WORDS:
        return line
    learned, masked = load_models(), masked_words(words, names)
    output, sentence_start = list[str](), 0
    for i, word in enumerate(words):
        is_last = i == len(words) - 1
        mark = "" if is_last else _mark_after(learned, masked, i)
        if mark == "." or is_last:
            if _is_question(learned, masked[sentence_start : i + 1]):
                mark = "?"
            sentence_start = i + 1
        output.append(word + mark)
    return " ".join(output)


def _mark_after(learned: LearnedModels, masked: Sequence[str], index: int) -> str:
    """Return the mark in the gap after a word: "", a comma or a full stop."""
    # No mark after a number, which counts what follows, or after a word that needs a continuation.
    if masked[index].isdigit() or masked[index] in PATTERNS.words["goes_on"]:
        return ""
    scores = learned.models[GAP_MODEL].scores(gap_features(masked, index))
    if scores[BREAK] <= learned.add_thresholds[BREAK]:
        return ""
    return "." if scores[STOP] > learned.add_thresholds[STOP] else ","


def _is_question(learned: LearnedModels, sentence: Sequence[str]) -> bool:
    scores = learned.models[QUESTION].scores(question_features(sentence))
    return scores[QUESTION] > learned.add_thresholds[QUESTION]
