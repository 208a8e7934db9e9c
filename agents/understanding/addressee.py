"""Whom a sentence turns to by name."""

from __future__ import annotations

import re

_HAIL = (
    r"(?:hey|hi|hello|so|and|but|ok|okay|well|now|listen|look|please|no|yes|sorry|dear|come on|"
    r"wait|then|as for|what about|tell us|tell me|say|question for|a question for|i ask|let me "
    r"ask|seriously)"
)
_OPENS = re.compile(rf"^(?:{_HAIL},? )*@([\d+]+)(?=\s*(?:[,:]|$)| (?!is |was |has |and ))")
LISTED = re.compile(r"@[\d+]+(?:, @[\d+]+)*,? ?: (?:all|both|each|three|two|four)\b")
# "one thing, @5: why @7?"
_MIDST = re.compile(r"^[^,@:]{1,30}, @(\d+) ?(?=[:,])")
_CLOSES = re.compile(r"(?:,|\byou|\byour \w+|\bwhy|\bso|\bnow|\bnot) @(\d+)$")
ALL = re.compile(r"^(?:hey |ok |so |now )*(?:everyone|everybody|all of you|each of you|you all)\b")


def address(sentence: str, me: int) -> tuple[int, str]:
    """The seat a sentence turns to by name, 0 for none, and the sentence without that name."""
    if match := _OPENS.match(sentence):
        first, *rest = match[1].split("+")
        after = sentence[match.end() :].lstrip(" ,:")
        if LISTED.match(after):  # "@2, @3, @4: all of one role?"
            return 0, sentence
        if rest and int(first) == me:  # "Gamma, Epsilon or Eta: …" to Gamma
            return me, f"@{'+'.join(rest)} , {after}"
        if rest:
            return 0, sentence
        return int(first), after
    if match := _MIDST.match(sentence):
        return int(match[1]), sentence[match.end() :].lstrip(" ,:")
    if match := _CLOSES.search(sentence):
        return int(match[1]), sentence[: match.start(1) - 1].rstrip(" ,")
    return 0, sentence
