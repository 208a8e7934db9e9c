"""Separation of a model's visible reasoning from its answer.

Reasoning must never become speech or notes.

Some servers leave the reasoning in the text, between marks that differ by family of models. The
first mark may be missing because the server's template wrote it, and the last one because the model
did not finish. In doubt, text counts as reasoning: a lost answer can be requested again, but a
thought that was said aloud cannot be taken back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_TAG_STEMS = (
    *("think", "thought", "reason", "reflect", "analys", "analyz", "scratch", "monolog", "ponder"),
)
_WORD = r"(?:think(?:ing)?|thoughts?|reasoning|analysis|scratch_?pad)"
# The text in <think>, </thinking>, <seed:think>, <|begin_of_thought|>, <|END_THINKING|> …
_TAG = re.compile(r"[<＜]([^<>＜＞]{1,200})[>＞]")
_NAME = re.compile(r"([\s|｜/]*)([\w:.▁-]+)")
# Other marks, by family. The group `close` matches in a closing mark only.
_MARKS = {
    "bracket": rf"\[\s*(?P<close>/)?\s*{_WORD}\s*\]",
    "moon": r"◁\s*(?P<close>/)?\s*think\w*\s*▷",
    "channel": r"<\|channel>|(?P<close><channel\|>)",
    "unused": r"<unused94>|(?P<close><unused95>)",
    "details": r"<\s*(?P<close>/)?\s*details\b[^<>]*>",
    "comment": r"<!--|(?P<close>-->)",
    "console": r"^Thinking\.\.\.\s*$|(?P<close>^\.\.\.done thinking\.?)",
    "fence": rf"```\s*{_WORD}\b|(?P<close>```(?=\s*$))",
}
_COMPILED = {family: re.compile(p, re.I | re.M) for family, p in _MARKS.items()}
# Families whose closing mark alone says nothing about the text before it.
_WEAK_FAMILIES = {"fence", "comment", "details"}
_CHANNELS = re.compile(r"<\|(?:channel|message|start)\|>")
_FINAL = re.compile(
    r"<\|channel\|>\s*final(?:(?!<\|(?:channel|message)\|>).)*<\|message\|>"
    r"(.*?)(?=<\|(?:end|return|call|start|channel)\|>|$)",
    re.S,
)
# Names of channels without their marks.
_BARE = re.compile(r"^\s*(?:assistant)?(?:analysis|commentary)")
_BARE_FINAL = re.compile(r"assistant\s*final")

_LINE = r"^[ \t>*#_.()\d-]*"  # the beginning of a heading
_OWN = r"(?:here(?:'s| is| are)? )?(?:my |the |internal |private |inner |step[- ]by[- ]step )*"
_THINKS = re.compile(
    rf"{_LINE}{_OWN}(?:thoughts?|thinking|reasoning|analysis|rationale|deliberation|reflections?|"
    r"scratch ?pad|chain of thought|thought process|monologue|plan|notes?)\b[^\n:]{0,30}:",
    re.I | re.M,
)
_ANSWERS = re.compile(
    rf"{_LINE}{_OWN}(?:final )?(?:answer|response|reply|statement|output|speech)\b"
    r"[^\n:\"]{0,20}:[*_\s]*",
    re.I | re.M,
)
_INSIDE = re.compile(
    r"<\s*(answer|output|response|final|final_answer|reply|statement|speech)\s*>(.*?)<\s*/\s*\1\s*>",
    re.I | re.S,
)
_ALOUD = re.compile(
    r"\b(?:the user|the prompt|json|schema|step by step|let me think|let's think|"
    r"(?:i|we) (?:need|have|want|am asked|are asked) to (?:respond|answer|output|produce|generate|"
    r"write|come up|make a statement)|(?:my|the) (?:response|output|answer|statement) (?:should|"
    r"must|could|will)|(?:okay|ok|alright|right|hmm),? (?:so )?(?:i'm|i am|let me|the "
    r"(?:task|game))|so,? (?:my|the) (?:answer|statement|response))\b",
    re.I,
)


@dataclass(frozen=True)
class _Mark:
    start: int
    end: int
    family: str
    is_opening: bool


def without_thoughts(text: str) -> str:
    """Return `text` without any marked reasoning, closed or not."""
    text = _last_channel(text)
    while (shorter := _remove_marked(text)) != text:  # the remaining text may form a new mark
        text = shorter
    return text


def answer_candidates(text: str) -> list[str]:
    """Return the parts of the text that may contain the answer, the likeliest first.

    They are the text between answer marks, the text under no reasoning heading, and the whole text.
    """
    marked_answers = [match[1] for match in _INSIDE.findall(text)][-1:]
    candidates = (*marked_answers, _answer_sections(text), text)
    return list(dict.fromkeys(part for part in candidates if part.strip()))


def extract_spoken(text: str) -> str:
    """Return the statement in a prose answer that should have been JSON.

    It must be one paragraph that does not mention the task. Returns "" for text that is, or may be,
    reasoning.
    """
    marked_answers = [match[1] for match in _INSIDE.findall(text)]
    spoken = marked_answers[-1] if marked_answers else _answer_sections(text)
    spoken = spoken.strip()
    return "" if _ALOUD.search(spoken) or re.search(r"[{}\n]|```", spoken) else spoken


def remove_thoughts(value: Any) -> Any:
    """Return a JSON value without marked reasoning in its strings.

    Marks may be escaped in JSON, so strings are checked after parsing.
    """
    if isinstance(value, str):
        return without_thoughts(value)
    if isinstance(value, list):
        return [remove_thoughts(one) for one in value]
    if isinstance(value, dict):
        return {key: remove_thoughts(one) for key, one in value.items()}
    return value


def _remove_marked(text: str) -> str:
    kept_parts: list[str] = []
    within: list[str] = []
    position = 0
    for mark in _marks(text):
        if mark.is_opening:
            if not within:
                kept_parts.append(text[position : mark.start])
            within.append(mark.family)
        elif mark.family in within:
            while within.pop() != mark.family:
                pass
            if not within:
                position = mark.end
        elif not within and mark.family not in _WEAK_FAMILIES:  # the opening mark was cut off
            kept_parts.clear()
            position = mark.end
    return "".join([*kept_parts, "" if within else text[position:]])


def _marks(text: str) -> list[_Mark]:
    """Return the marks in text order."""
    marks = [mark for match in _TAG.finditer(text) if (mark := _tag_mark(match))]
    for family, pattern in _COMPILED.items():
        marks += [_Mark(m.start(), m.end(), family, not m["close"]) for m in pattern.finditer(text)]
    return sorted(marks, key=lambda mark: mark.start)


def _tag_mark(match: re.Match[str]) -> _Mark | None:
    """Return the mark for a tag with a reasoning name, None for others and for <think/>."""
    name = _NAME.match(match[1])
    if not name or not any(stem in name[2].lower() for stem in _TAG_STEMS):
        return None
    if match[1].rstrip().endswith("/"):
        return None
    closes = "/" in name[1] or name[2].lower().startswith(("end", "stop"))
    return _Mark(match.start(), match.end(), "tag", not closes)


def _last_channel(text: str) -> str:
    """Return the last final channel of a text in channels (analysis, commentary, final)."""
    if _CHANNELS.search(text):
        finals = _FINAL.findall(text)
        return str(finals[-1]) if finals else ""
    if _BARE.match(text):
        finals = _BARE_FINAL.split(text)
        return finals[-1] if len(finals) > 1 else ""
    return text


def _answer_sections(text: str) -> str:
    """Return the text under answer headings, or before the first reasoning heading."""
    marks = [(m.start(), m.start(), False) for m in _THINKS.finditer(text)]
    marks += [(m.start(), m.end(), True) for m in _ANSWERS.finditer(text)]
    marks.sort()
    if not marks:
        return text
    ends = [start for start, *_ in marks[1:]] + [len(text)]
    sections = zip(marks, ends, strict=True)
    answers = [text[start:end] for (_, start, is_answer), end in sections if is_answer]
    return "\n".join(answers) if answers else text[: marks[0][0]]
