"""Detection of text that a model copied from its prompt: examples, schema, instructions, persona.

The instructions are read from the request that was sent, so the check works for any prompt. All of
the question counts as an instruction, except what a player may repeat:

- quoted text, which is a player's statement
- lines below a heading in capitals, which state facts
- lists ("- …"), which offer ways to play
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import Self

from agents.language.patterns import load
from agents.llm import PATTERNS_FOLDER
from agents.prompts import FOLDER

# Fewer repeated words do not make a model's text a copy.
MIN_FRAME_RUN = 12  # words in a row from the system message (the frame)
MIN_QUESTION_RUN = 8  # words in a row from the question of a turn, names left out
MIN_SENTENCE_WORDS = 4  # words of a sentence of the question that is repeated whole
MIN_CLAUSE_WORDS = 5  # words of a clause or sentence addressing "you" that is repeated whole
MIN_PERSONA_RUN = 7  # words in a row from the persona's text
PATTERNS = load("copies", PATTERNS_FOLDER)
_QUOTATION = re.compile(r'"(?:[^"\\\n]|\\.)*"')  # players' statements, plans, reasons: one line
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_CLAUSES = re.compile(r"[,:;—–(){}]+")
_LIST = re.compile(r"\s*-\s")
_YOU = re.compile(r"\b(?:you|your|yourself)\b", re.I)
_SECOND_PERSON = {
    "i": "you", "my": "your", "me": "you", "am": "are", "i'm": "you are", "mine": "yours",
}  # fmt: skip


def is_example_text(text: str) -> bool:
    """Return whether `text` is a placeholder of an example: "what you say", "<name>"."""
    if PATTERNS.slot.search(text):
        return True
    normal_text = " ".join(words(text))
    if not normal_text or text.rstrip('"').endswith(("?", "!")):
        return False
    return bool(PATTERNS.placeholder.fullmatch(normal_text)) or normal_text in _example_strings()


def is_json(text: str) -> bool:
    """Return whether `text` is JSON or a piece of a schema."""
    return bool(PATTERNS.json.search(text))


@dataclass(frozen=True)
class PromptText:
    """Instructions of a request, as lower-case words."""

    names: frozenset[str]  # words of the players' names
    frame: tuple[str, ...]  # words of the system message
    headings: tuple[str, ...]  # headings as written
    # All runs of MIN_QUESTION_RUN words in instructions, without names.
    runs: frozenset[tuple[str, ...]]
    sentences: frozenset[tuple[str, ...]]  # words of the whole sentences that reveal a copy
    clauses: frozenset[tuple[str, ...]]  # words of the whole clauses that reveal a copy

    @classmethod
    def of(cls, messages: Iterable[Mapping[str, str]], players: Iterable[str]) -> Self:
        """Build the text from a request's messages, except the model's earlier answers."""
        names = frozenset(word for player in players for word in words(player))
        frame: list[str] = []
        headings: list[str] = []
        sentences_to_you: list[str] = []
        question_sentences: list[str] = []
        for message in messages:
            if message["role"] == "assistant":
                continue
            is_system = message["role"] == "system"
            text = _QUOTATION.sub(" . ", message["content"])
            frame += words(text) if is_system else []
            for heading, sentences in _blocks(text):
                headings += [heading] if heading else []
                sentences_to_you += [s for s in sentences if _YOU.search(s)]
                question_sentences += [] if heading or is_system else sentences
        clauses = [
            c
            for s in question_sentences
            if "?" not in s
            for c in _CLAUSES.split(s)
            if _YOU.search(c)
        ]
        return cls(
            names=names,
            frame=tuple(frame),
            headings=tuple(headings),
            runs=frozenset(run for s in question_sentences for run in _question_runs(s, names)),
            sentences=_revealing_pieces(question_sentences, MIN_SENTENCE_WORDS)
            | _revealing_pieces(sentences_to_you, MIN_CLAUSE_WORDS),
            clauses=_revealing_pieces(clauses, MIN_CLAUSE_WORDS),
        )


def copies_prompt_or_persona(text: str, prompt: PromptText, persona: str = "") -> bool:
    """Return whether `text` copies a run of words of the system message, question or persona."""
    if _longest_shared_run(words(text), prompt.frame) >= MIN_FRAME_RUN:
        return True
    if copies_instructions(text, prompt):
        return True
    # "I am calm" copies "you are calm".
    text_words, persona_words = (_to_second_person(words(t)) for t in (text, persona))
    return _longest_shared_run(text_words, persona_words) >= MIN_PERSONA_RUN


def copies_instructions(text: str, prompt: PromptText) -> bool:
    """Return whether `text` copies an instruction or a heading of the request."""
    if any(heading in text for heading in prompt.headings):
        return True
    if not prompt.runs.isdisjoint(_question_runs(text, prompt.names)):
        return True
    sentences = _SENTENCES.split(text)
    unnamed = [s for s in sentences if prompt.names.isdisjoint(words(s))]
    clauses = _revealing_pieces((c for s in unnamed for c in _CLAUSES.split(s)), MIN_CLAUSE_WORDS)
    return not (
        prompt.sentences.isdisjoint(_revealing_pieces(sentences, MIN_SENTENCE_WORDS))
        and prompt.clauses.isdisjoint(clauses)
    )


def copies_persona_example(text: str, examples: Sequence[str]) -> bool:
    """Return whether `text` consists of example lines, or copies most of one."""
    if not words(_without_examples(text, examples)):
        return True
    spoken_words = words(text)
    runs = (_longest_shared_run(spoken_words, words(example)) for example in examples)
    return any(run >= MIN_PERSONA_RUN for run in runs)


def remove_examples(text: str, examples: Sequence[str]) -> str:
    """Return `text` without example lines, unchanged if no words would remain."""
    remaining_text = _without_examples(text, examples)
    return remaining_text if words(remaining_text) else text


def words(text: str) -> list[str]:
    """Return the words of `text` in lower case."""
    return re.findall(r"[a-z']+", text.lower())


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield (heading in capitals or "", sentences) of each block of lines, without lists."""
    for block in re.split(r"\n\s*\n", text.strip()):
        first, *body = block.strip().split("\n")
        has_heading = first == first.upper() and len(words(first)) > 1
        text_lines = body if has_heading else [first, *body]
        lines = [line for line in text_lines if not _LIST.match(line)]
        yield first if has_heading else "", [s for line in lines for s in _SENTENCES.split(line)]


def _revealing_pieces(pieces: Iterable[str], min_words: int) -> frozenset[tuple[str, ...]]:
    """Return the words of the sentences or clauses that are long enough to reveal a copy.

    The minimum is higher for questions, because any player may ask a short one.
    """
    revealing = set()
    for piece in pieces:
        piece_words = tuple(words(piece))
        if len(piece_words) >= (MIN_QUESTION_RUN if piece.rstrip().endswith("?") else min_words):
            revealing.add(piece_words)
    return frozenset(revealing)


def _question_runs(text: str, names: frozenset[str]) -> set[tuple[str, ...]]:
    """Return all runs of MIN_QUESTION_RUN words in `text`, without names."""
    spoken_words = [word for word in words(text) if word not in names]
    starts = range(len(spoken_words) - MIN_QUESTION_RUN + 1)
    return {tuple(spoken_words[start : start + MIN_QUESTION_RUN]) for start in starts}


def _without_examples(text: str, examples: Sequence[str]) -> str:
    for example in examples:
        line = r"\W+".join(re.escape(word) for word in re.findall(r"\w+", example))
        text = re.sub(rf"(?:^|(?<=[.!?…]\s))\W*{line}(?:[.!?…\"]+\s*|\s*$)", "", text, flags=re.I)
    return text.strip()


@cache
def _example_strings() -> frozenset[str]:
    """Return the strings in the example answers of the prompts. The frame has none."""
    texts = (path.read_text("utf-8") for path in FOLDER.glob("*.txt") if path.stem != "frame")
    lines = (line for text in texts for line in text.split("\n") if line.startswith("{"))
    strings = (string for line in lines for string in re.findall(r'"([^"]*)"', line))
    return frozenset(" ".join(words(string)) for string in strings)


def _to_second_person(spoken_words: Sequence[str]) -> list[str]:
    return " ".join(_SECOND_PERSON.get(word, word) for word in spoken_words).split()


def _longest_shared_run(spoken_words: Sequence[str], prompt_words: Sequence[str]) -> int:
    """Return the length in words of the longest run that both texts share."""
    matcher = SequenceMatcher(None, spoken_words, prompt_words, autojunk=False)
    return matcher.find_longest_match().size
