"""Rules for games of several days, in which two players are hunted.

They exclude what only sounds like a verdict of today: votes of other days, support for an office,
plans for the night, and remarks on the dead.
"""

from __future__ import annotations

from collections.abc import Iterable

from agents.language.patterns import LEXICON, load

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
