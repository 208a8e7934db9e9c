"""What sounds like a verdict of today and is none, in a game of several days and nights.

Votes of another day, support for an office, whom to keep alive or look at by night, words on the
dead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from agents.understanding import lexicon

# what is said of one who is dead, and means nothing any more
OF_THE_LIVING = ("suspect", "accuse", "defend", "agree", "vote")
# what somebody was who is no more
_WAS_ROLE = re.compile(
    rf"@\d+ (?:was|had been) (?:not )?(?:a |the |our |just |only |really )*{lexicon.ROLE}\b"
)
# whom the looker is to look at
_LOOKERS_WORK = re.compile(
    r"\blooker\d+\b.*\b(?:look|check|peek|see|scan|inspect|divine)\b|"
    r"\b(?:look|check|peek|see|scan|inspect|divine)\b.*\b(?:tonight|next|looker\d+)\b|"
    r"\b(?:die|dies|killed|dead)\b"
)


def of_today(kind: str, text: str, body: str) -> bool:
    """Return whether an act of that kind in the clause `text` of the sentence `body` is one."""
    if kind == "vote" and lexicon.NO_VOTE_NOW.search(text):
        return False
    if lexicon.ELECTION.search(text) or lexicon.OF_BADGE.search(text):
        return False
    if kind == "vote" and lexicon.ELECTION.search(body):
        return False
    if kind in ("accuse", "defend", "agree") and _WAS_ROLE.search(text):
        return False
    return not (kind == "suspect" and _LOOKERS_WORK.search(body))


def said_dead(sentences: Iterable[str]) -> set[int]:
    """Return the seats that are said to be dead."""
    full_text = " . ".join(sentences)
    return {int(match[match.lastindex or 0]) for match in lexicon.DEAD.finditer(full_text)}
