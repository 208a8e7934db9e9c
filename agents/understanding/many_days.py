"""What a game of several days and nights adds, in which two are hunted.

What sounds like a verdict of today and is none: votes of another day, support for an office, whom
to keep alive or look at by night, words on the dead. And who is called the partner of one hunted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agents.language.patterns import LEXICON, load
from agents.understanding.verdicts import Finding

P = load("many_days")


# what is said of one who is dead, and means nothing any more
OF_THE_LIVING = ("suspect", "accuse", "defend", "agree", "vote")


def of_today(kind: str, text: str, body: str) -> bool:
    """Return whether an act of that kind in the clause `text` of the sentence `body` is one."""
    if kind == "vote" and LEXICON.no_vote_now.search(text):
        return False
    if LEXICON.election.search(text) or LEXICON.of_badge.search(text):
        return False
    if kind == "vote" and LEXICON.election.search(body):
        return False
    if kind in ("accuse", "defend", "agree") and P.was_role.search(text):
        return False
    return not (kind == "suspect" and P.lookers_work.search(body))


def said_dead(sentences: Iterable[str]) -> set[int]:
    """Return the seats that are said to be dead."""
    full_text = " . ".join(sentences)
    return {int(match[match.lastindex or 0]) for match in LEXICON.dead.finditer(full_text)}


def accomplices(text: str, statement: str) -> Iterator[Finding]:
    """Return whom the clause `text` calls the partner of one hunted in its `statement`."""
    match = P.accomplice.search(text)
    if match and P.wolf.search(statement) and not LEXICON.denial.search(text):
        yield "suspect" if LEXICON.hedge.search(text) else "accuse", match[1] or match[2], ""
