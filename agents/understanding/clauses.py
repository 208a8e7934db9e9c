"""A sentence cut into clauses that can be weighed one by one.

Names stand as `@3` (several as `@2+3`, with the speaker as `@3+me`). What follows a condition is
idle: it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agents.language.patterns import load

P = load("clauses")


# seats, perhaps with the speaker; "_s": something of theirs
MENTION = re.compile(r"@([\d+]+(?:\+?me)?)(_s)?")


@dataclass
class Clause:
    """A part of a sentence, in plain words.

    Its pronouns are resolved by `address.Table`.
    """

    text: str
    idle: bool = False  # conditional
    vocative: str = ""  # the seat addressed by a clause that is nothing but its name
    lead: str = ""  # who is addressed at its beginning


def seats_in(text: str) -> list[str]:
    """Return the seats that occur in `text`, each once, in order."""
    joined = [m[1] for m in MENTION.finditer(text)]
    return list(dict.fromkeys(s for j in joined for s in j.split("+") if s.isdigit()))


def cut(sentence: str, is_question: bool) -> Iterator[Clause]:
    """Yield the clauses of a sentence.

    Returns what hangs on a condition is idle, up to a "but".
    """
    sentence = P.rewrite("before_cut", sentence)
    tells_verdict = P.verdict_word.search(sentence)
    if not is_question:
        sentence = P.names_after_colon.sub(" is " if tells_verdict else " ", sentence)
    idle = False
    for piece in P.split.split(P.but.sub(" , BUT ", sentence)):
        piece = P.spaces.sub(" ", piece).strip(" ,-")
        if piece.startswith("BUT"):
            idle, piece = False, piece[3:].strip()
        condition = None if idle else P.condition.search(piece)
        if condition:
            head, tail = piece[: condition.start()].strip(), piece[condition.start() :]
            if head:
                yield Clause(head, _unreal(head, tail))
            idle = not tail.startswith("as long as")
            yield Clause(tail, True)
        elif piece:
            yield Clause(piece, idle)


def _unreal(head: str, condition: str) -> bool:
    """Return whether what goes before a condition says nothing either."""
    return bool(
        P.would_have.match(condition) or (P.if_word.match(condition) and P.i_would.search(head))
    )
