"""What a game of several days and nights adds, in which two are hunted.

What sounds like a verdict of today and is none: votes of another day, support for an office, whom
to keep alive or look at by night, words on the dead. And what is said of two players at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agents.understanding.patterns import LEXICON, load
from agents.understanding.verdicts import Finding

P = load("many_days")
PAIRS = load("pairs")


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


def of_two(text: str, body: str, sentence: str) -> Iterator[Finding]:
    """Return what the clause `text` says of two.

    Body: its sentence, sentence: its statement.
    """
    pair = next((m for m in PAIRS.paired.findall(body)), "")
    if pair and "@" not in text and PAIRS.one_of_them.search(text):
        yield "suspect", pair, ""
    denied = LEXICON.denial.search(text)
    kind = "suspect" if LEXICON.hedge.search(text) else "accuse"
    if (match := PAIRS.team.search(text)) and not denied:
        yield kind, match[1] or match[2], ""
    match = PAIRS.accomplice.search(text)
    if match and PAIRS.wolf.search(sentence) and not denied:
        yield kind, match[1] or match[2], ""
