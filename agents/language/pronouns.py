"""Pronouns in place of a name that a sentence has just named."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.language import small_words


def replace_repeated_names(text: str, names: Sequence[str]) -> str:
    """Return `text` with pronouns for later mentions of the only name of a sentence.

    "Gamma says little, and I don't trust Gamma." becomes "… and I don't trust them." A mention is
    replaced between a word that governs it and the end of a clause, or between a joint and a verb
    whose plural is known.
    """
    mention = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    sentences = re.split(r"(?<=[.!?])(\s+)", text)
    return "".join(_shorten(sentence, mention) for sentence in sentences)


def _shorten(sentence: str, mention: re.Pattern[str]) -> str:
    mentions = list(mention.finditer(sentence))
    if len({match[0] for match in mentions}) != 1:
        return sentence
    for match in reversed(mentions[1:]):
        before, after = sentence[: match.start()], sentence[match.end() :]
        sentence = f"{before}{_pronoun_before(before, after) or match[0] + after}"
    return sentence


def _pronoun_before(before: str, after: str) -> str:
    """Return `after` behind a pronoun, "" if the name between the texts has to stay."""
    words = small_words()["pronouns"]
    verb = re.match(r" (\w+)\b", after)
    if verb and verb[1] in words["verbs"] and re.search(rf"\b(?:{words['joints']}) $", before):
        return f"{words['subject']} {words['verbs'][verb[1]]}{after[verb.end() :]}"
    is_end = re.match(rf"[.,!?]|$| (?:{words['follows']})\b", after)
    if is_end and re.search(rf"\b(?:{words['governs']}) $", before):
        return f"{words['object']}{after}"
    return ""
