"""Separation of a model's visible reasoning from its answer.

Reasoning must never become speech or notes. Some servers leave it in the text, between marks that
differ by family of models. The opening mark may be missing because the server's template wrote it,
and the closing one because the model did not finish. In doubt, text counts as reasoning: a lost
answer can be requested again, but a thought that was said aloud cannot be taken back.
"""

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from agents.language.patterns import load
from agents.llm import PATTERNS_FOLDER

_TAG_STEMS = (
    "think", "thought", "reason", "reflect", "analys", "analyz", "scratch", "monolog", "ponder",
)  # fmt: skip
PATTERNS = load("reasoning", PATTERNS_FOLDER)
# Marks besides tags, by family. The group `close` matches in a closing mark only.
FAMILIES = ("bracket", "moon", "channel", "unused", "details", "comment", "console", "fence")
# Families whose closing mark alone says nothing about the text before it.
WEAK_FAMILIES = ("fence", "comment", "details")


class _Heading(NamedTuple):
    """A heading in a text, of reasoning or of an answer."""

    start: int
    end: int  # the position of the text under the heading
    is_answer: bool


@dataclass(frozen=True)
class _Mark:
    """A mark around reasoning."""

    start: int
    end: int
    family: str
    is_opening: bool


def strip_thoughts(text: str) -> str:
    """Return `text` without any marked reasoning, closed or not."""
    text = _last_channel(text)
    while (shorter := _remove_marked(text)) != text:  # the remaining text may form a new mark
        text = shorter
    return text


def answer_candidates(text: str) -> list[str]:
    """Return the parts of the text that may contain the answer, the likeliest first.

    They are the text between answer marks, the text under no reasoning heading, and the whole text.
    """
    candidates = (*_last_marked_answer(text), _answer_sections(text), text)
    return list(dict.fromkeys(part for part in candidates if part.strip()))


def extract_spoken(text: str) -> str:
    """Return the statement in a prose answer that should have been JSON.

    It must be one paragraph that does not mention the task. Returns "" for text that is, or may be,
    reasoning.
    """
    spoken = next(iter(_last_marked_answer(text)), _answer_sections(text)).strip()
    return "" if PATTERNS.about_task.search(spoken) or re.search(r"[{}\n]|```", spoken) else spoken


def strip_thoughts_in_json(value: Any) -> Any:
    """Return a JSON value without marked reasoning in its strings.

    Marks may be escaped in JSON, so strings are checked after parsing.
    """
    if isinstance(value, str):
        return strip_thoughts(value)
    if isinstance(value, list):
        return [strip_thoughts_in_json(item) for item in value]
    if isinstance(value, dict):
        return {key: strip_thoughts_in_json(item) for key, item in value.items()}
    return value


def _remove_marked(text: str) -> str:
    """Return `text` without what stands between reasoning marks. Marks may be nested."""
    kept_parts: list[str] = []
    open_families: list[str] = []  # the families of marks open at `position`, the innermost last
    position = 0
    for mark in _marks(text):
        if mark.is_opening:
            if not open_families:
                kept_parts.append(text[position : mark.start])
            open_families.append(mark.family)
        elif mark.family in open_families:
            while open_families.pop() != mark.family:
                pass
            if not open_families:
                position = mark.end
        elif not open_families and mark.family not in WEAK_FAMILIES:
            kept_parts.clear()  # the opening mark is missing
            position = mark.end
    return "".join([*kept_parts, "" if open_families else text[position:]])


def _marks(text: str) -> list[_Mark]:
    """Return the marks in text order."""
    marks = [mark for match in PATTERNS.tag.finditer(text) if (mark := _tag_mark(match))]
    for family in FAMILIES:
        matches = PATTERNS.patterns[family].finditer(text)
        marks += [_Mark(m.start(), m.end(), family, not m["close"]) for m in matches]
    return sorted(marks, key=lambda mark: mark.start)


def _tag_mark(match: re.Match[str]) -> _Mark | None:
    """Return the mark for a tag with a reasoning name, None for others and for <think/>."""
    name = PATTERNS.tag_name.match(match[1])
    if not name or not any(stem in name[2].lower() for stem in _TAG_STEMS):
        return None
    if match[1].rstrip().endswith("/"):
        return None
    is_closing = "/" in name[1] or name[2].lower().startswith(("end", "stop"))
    return _Mark(match.start(), match.end(), "tag", not is_closing)


def _last_channel(text: str) -> str:
    """Return the last final channel of a text in channels (analysis, commentary, final)."""
    if PATTERNS.channels.search(text):
        finals = PATTERNS.final.findall(text)
        return str(finals[-1]) if finals else ""
    if PATTERNS.unmarked_channel.match(text):
        finals = PATTERNS.unmarked_final.split(text)
        return finals[-1] if len(finals) > 1 else ""
    return text


def _last_marked_answer(text: str) -> list[str]:
    """Return the text between the last answer marks, [] without any."""
    return [content for _tag, content in PATTERNS.marked_answer.findall(text)][-1:]


def _answer_sections(text: str) -> str:
    """Return the text under answer headings, or before the first reasoning heading."""
    kinds = ((False, PATTERNS.reasoning_heading), (True, PATTERNS.answer_heading))
    headings = sorted(
        _Heading(match.start(), match.end(), is_answer)
        for is_answer, pattern in kinds
        for match in pattern.finditer(text)
    )
    if not headings:
        return text
    ends = [*(heading.start for heading in headings[1:]), len(text)]
    sections = zip(headings, ends, strict=True)
    answers = [text[heading.end : end] for heading, end in sections if heading.is_answer]
    return "\n".join(answers) if answers else text[: headings[0].start]
