"""What is said of two players at once, in a game that hunts two."""

from __future__ import annotations

from collections.abc import Iterator

from agents.understanding.patterns import LEXICON, load
from agents.understanding.verdicts.mention import Finding

P = load("pairs")


def pairs(text: str, body: str, sentence: str) -> Iterator[Finding]:
    """Return what the clause `text` says of two.

    Body: its sentence, sentence: its statement.
    """
    pair = next((m for m in P.paired.findall(body)), "")
    if pair and "@" not in text and P.one_of_them.search(text):
        yield "suspect", pair, ""
    denied = LEXICON.denial.search(text)
    kind = "suspect" if LEXICON.hedge.search(text) else "accuse"
    if (match := P.team.search(text)) and not denied:
        yield kind, match[1] or match[2], ""
    match = P.accomplice.search(text)
    if match and P.wolf.search(sentence) and not denied:
        yield kind, match[1] or match[2], ""
