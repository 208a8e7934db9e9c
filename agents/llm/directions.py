"""Text in a statement that is not spoken: stage directions, narration and preambles."""

import re

from agents.language.patterns import load
from agents.llm import PATTERNS_FOLDER
from agents.llm.quoting import name_pattern

PATTERNS = load("directions", PATTERNS_FOLDER)


def is_direction(words: str, speaker: str = "", is_asterisked: bool = False) -> bool:
    """Return whether `words` from brackets describe a look or gesture of `speaker`.

    `is_asterisked` is true between asterisks, underscores or square brackets.
    """
    subject = (
        rf"(?:(?:{name_pattern(speaker)}|he|she|they)\s+)?" if speaker else "(?:(?:he|she|they) )?"
    )
    if re.fullmatch(rf"\W*{subject}{PATTERNS.gesture.pattern}", words, re.I | re.S):
        return True
    return is_asterisked and bool(PATTERNS.asterisked.fullmatch(words.strip()))


def remove_directions(text: str, speaker: str) -> str:
    """Return `text` without stage directions and preamble, unchanged if no words would remain.

    A text with a direction such as "(to himself)" is unchanged, too, so that a later check refuses
    the whispers or thoughts that follow it.
    """
    if has_private_direction(text, speaker):
        return text
    wrapped = PATTERNS.wrapped
    marked = wrapped.sub(lambda m: "\0" if _is_wrapped_direction(m, speaker) else m[0], text)
    marked = re.sub(r"\s*\0\s*(?=[,;.!?])", "", marked)
    marked = re.sub(r"\s*\0\s*", " ", marked).strip()
    marked = PATTERNS.preamble.sub("", marked)
    return marked if re.search(r"\w", marked) else text


def has_private_direction(text: str, speaker: str) -> bool:
    """Return whether `text` has a direction for words that no other player may hear."""
    for match in PATTERNS.wrapped.finditer(text):
        words = next(g for g in match.groups() if g is not None)
        is_private = PATTERNS.private.search(words)
        if is_private and (_is_wrapped_direction(match, speaker) or ":" in words):
            return True
    return False


def has_direction(text: str, speaker: str) -> bool:
    """Return whether `text` still has a stage direction after `remove_directions`."""
    return any(_is_wrapped_direction(match, speaker) for match in PATTERNS.wrapped.finditer(text))


def is_narration(text: str, speaker: str) -> bool:
    """Return whether `text` narrates a scene instead of speaking in it."""
    name, does = name_pattern(speaker), PATTERNS.does.pattern
    if PATTERNS.headings.match(text):
        return True
    if re.search(rf"[,.!?]?\"\s*(?:he|she|they|{name}) (?:\w+ly )?(?:{does}|said)\b", text, re.I):
        return True
    if re.search(rf"(?:^|[.!?]\s+){name} (?:\w+ly )?(?:{does})\b", text, re.I):
        return True
    outside = re.sub(r'"[^"]*"', "", text)
    return bool(PATTERNS.scenes.search(outside)) and not PATTERNS.conversation.search(outside)


def _is_wrapped_direction(match: re.Match[str], speaker: str) -> bool:
    """Return whether a piece in brackets or asterisks is a direction, or private words."""
    if match.string[match.end() :].lstrip().startswith(":"):  # a name: "*Beta*: I waited."
        return False
    words = next(g for g in match.groups() if g is not None)
    is_asterisked = match[0][0] in "*_["
    return is_direction(words, speaker, is_asterisked) or bool(PATTERNS.private.match(words))
