"""Rules for games of several days, in which two players are hunted.

They exclude what only sounds like a verdict of today: votes of other days, support for an office,
plans for the night, and remarks on the dead. They also find who is called a hunted player's
partner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agents.language.patterns import LEXICON, load
from agents.understanding.verdicts import Finding

P = load("many_days")
# Kinds of acts that mean nothing if their target is dead.
LIVING_ONLY_KINDS = ("suspect", "accuse", "defend", "agree", "vote")


def is_of_today(kind: str, text: str, body: str) -> bool:
    """Return whether an act of `kind` in the clause `text` of the sentence `body` is of today."""
    if kind == "vote" and LEXICON.no_vote_now.search(text):
        return False
    if LEXICON.election.search(text) or LEXICON.of_badge.search(text):
        return False
    if kind == "vote" and LEXICON.election.search(body):
        return False
    if kind in ("accuse", "defend", "agree") and P.was_role.search(text):
        return False
    return not (kind == "suspect" and P.lookers_work.search(body))


def seats_said_dead(sentences: Iterable[str]) -> set[int]:
    """Return the seats that are said to be dead."""
    full_text = " . ".join(sentences)
    return {int(match[match.lastindex or 0]) for match in LEXICON.dead.finditer(full_text)}


def accomplice_verdicts(text: str, statement: str) -> Iterator[Finding]:
    """Yield the verdict if the clause `text` calls a player the partner of a hunted one.

    Args:
        statement: The whole statement.
    """
    match = P.accomplice.search(text)
    if match and P.wolf.search(statement) and not LEXICON.denial.search(text):
        yield "suspect" if LEXICON.hedge.search(text) else "accuse", match[1] or match[2], ""
