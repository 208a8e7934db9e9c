"""Split a sentence into clauses that are interpreted one by one.

Names are written `@3`, several `@2+3`, and `@3+me` with the speaker. Clauses that depend on a
condition are idle: they assert nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agents.language.patterns import load

P = load("clauses")
# Seats, perhaps with the speaker. "_s" marks a possessive: "@3_s claim".
MENTION = re.compile(r"@([\d+]+(?:\+?me)?)(_s)?")


@dataclass
class Clause:
    """A clause in normalised words. `pronouns.Addressees` resolves its pronouns.

    Attributes:
        is_idle: Whether it is conditional and so asserts nothing.
        vocative: The seat addressed by a clause that is nothing but its name.
        lead: The seat addressed at the beginning of the clause.
    """

    text: str
    is_idle: bool = False
    vocative: str = ""
    lead: str = ""


def seats_in(text: str) -> list[str]:
    """Return the seats that occur in `text`, each once, in order."""
    joined = [m[1] for m in MENTION.finditer(text)]
    return list(dict.fromkeys(s for j in joined for s in j.split("+") if s.isdigit()))


def split_clauses(sentence: str, is_question: bool) -> Iterator[Clause]:
    """Yield the clauses of a sentence. Those after a condition are idle, up to a "but"."""
    sentence = P.rewrite("before_cut", sentence)
    verdict_word = P.verdict_word.search(sentence)
    if not is_question:
        sentence = P.names_after_colon.sub(" is " if verdict_word else " ", sentence)
    is_idle = False
    for piece in P.split.split(P.but.sub(" , BUT ", sentence)):
        piece = P.spaces.sub(" ", piece).strip(" ,-")
        if piece.startswith("BUT"):
            is_idle, piece = False, piece[3:].strip()
        condition = None if is_idle else P.condition.search(piece)
        if condition:
            head, tail = piece[: condition.start()].strip(), piece[condition.start() :]
            if head:
                yield Clause(head, _is_unreal(head, tail))
            is_idle = not tail.startswith("as long as")
            yield Clause(tail, True)
        elif piece:
            yield Clause(piece, is_idle)


def _is_unreal(head: str, condition: str) -> bool:
    """Return whether the text before a condition asserts nothing either."""
    return bool(
        P.would_have.match(condition) or (P.if_word.match(condition) and P.i_would.search(head))
    )
