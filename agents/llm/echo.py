"""What a model copies out of its prompt: example words, the schema, instructions, lines that show a
manner of speaking."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from agents.prompts import HERE, template

FRAME_RUN = 12  # words in a row taken over from the frame give it away,
ASKED_RUN = 8  # or from what is asked at a turn: nobody at a table talks like that,
PERSONA_RUN = 7  # or from what one is told about oneself
_BLANK = re.compile(
    r"(?:(?:insert|put|write|enter|type|add|your|the|my|an?|some|own|spoken|actual)\s+)*"
    r"(?:statements?|words?|text|strings?|plan|names?|messages?|speech|response|reply|dialogue|"
    r"placeholder|content|player|null|none|undefined|todo)"
    r"(?:\s+(?:here|goes|go|only|text|of|you|say))*|what (?:you|i) (?:say|said)|type string|n a"
)
_SLOT = re.compile(
    r"<\s*[a-z_ ]*\b(?:name|player|statement|words|text|say|plan|reason|role)\s*>|"
    r"\[\s*(?:insert|your|my|name|player|role|target)\b[^\]]*\]|\{\s*[a-z_ ]+\s*\}|\$\w+",
    re.I,
)
_JSON = re.compile(
    r"^\s*[{\[]\s*[\"'{]|```|[\"'](?:statement|choices?|plan|type|properties|required|role|content|"
    r"reason|scores?|players?|description|enum)[\"']\s*:|\badditionalProperties\b"
)


def blank(text: str) -> bool:
    """Whether `text` is an example's filling word instead of words: "what you say", "<name>"."""
    if _SLOT.search(text):
        return True
    if text.rstrip('"').endswith(("?", "!")):
        return False
    plain = " ".join(words(text))
    return bool(plain) and (bool(_BLANK.fullmatch(plain)) or plain in _fillings())


def structured(text: str) -> bool:
    """Whether `text` is JSON, or a piece of a schema."""
    return bool(_JSON.search(text))


def repeated(text: str, frame: str, persona: str) -> bool:
    """Whether `text` takes a run of words over from the instructions or the persona."""
    said = words(text)
    if _longest(said, words(frame)) >= FRAME_RUN:
        return True
    if any(_longest(said, asked) >= ASKED_RUN for asked in _asked()):
        return True
    return bool(persona) and _longest(_turned(said), _turned(words(persona))) >= PERSONA_RUN


def copied(text: str, examples: Sequence[str]) -> bool:
    """Whether `text` says nothing but example lines, or takes over most of one."""
    if not words(_without(text, examples)):
        return True
    said = words(text)
    return any(_longest(said, words(example)) >= PERSONA_RUN for example in examples)


def original(text: str, examples: Sequence[str]) -> str:
    """`text` without sentences that are example lines, where words remain."""
    told = _without(text, examples)
    return told if words(told) else text


def _without(text: str, examples: Sequence[str]) -> str:
    for example in examples:
        line = r"\W+".join(re.escape(word) for word in re.findall(r"\w+", example))
        text = re.sub(rf"(?:^|(?<=[.!?…]\s))\W*{line}(?:[.!?…\"]+\s*|\s*$)", "", text, flags=re.I)
    return text.strip()


def words(text: str) -> list[str]:
    """The words of `text`, small letters only."""
    return re.findall(r"[a-z']+", text.lower())


@lru_cache(maxsize=1)
def _templates() -> tuple[str, ...]:
    names = sorted(path.stem for path in (HERE / "en").glob("*.txt"))
    return tuple(template(name).template for name in names if name != "frame")


@lru_cache(maxsize=1)
def _fillings() -> frozenset[str]:
    """The strings in the examples of answers that stand in the prompts."""
    found = [
        m
        for text in _templates()
        for line in text.split("\n")
        if line.startswith("{")
        for m in re.findall(r'"([^"]*)"', line)
    ]
    return frozenset(" ".join(words(filling)) for filling in found)


@lru_cache(maxsize=1)
def _asked() -> tuple[list[str], ...]:
    """The words of the prompts' instructions, cut where something is filled in."""
    pieces = [piece for text in _templates() for piece in re.split(r"\$\w+", text)]
    return tuple(found for piece in pieces if len(found := words(piece)) >= ASKED_RUN)


_SELF = {"i": "you", "my": "your", "me": "you", "am": "are", "i'm": "you are", "mine": "yours"}


def _turned(said: Sequence[str]) -> list[str]:
    """`said` with the first person told as the second."""
    return " ".join(_SELF.get(word, word) for word in said).split()


def _longest(said: Sequence[str], told: Sequence[str]) -> int:
    """Words in the longest run that both hold."""
    return SequenceMatcher(None, said, told, autojunk=False).find_longest_match().size
