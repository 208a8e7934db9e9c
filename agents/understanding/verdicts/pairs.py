"""What is said of two players at once, in a game that hunts two."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.understanding import lexicon
from agents.understanding.verdicts.mention import Finding

# two named together
_PAIRED = re.compile(r"@(\d+\+\d+)(?!\+)")
# of two who were named before
_ONE_OF_THEM = re.compile(
    r"\b(?:one of (?:them|those|the two|these|you)|one|at least one|either) (?:\w+ ){0,2}?(?:is|"
    r"be) "
    r"(?:\w+ ){0,2}?wolf\b|^(?:both )?(?:\w+ )?(?:sus|suspicious|wolfy|shady|fishy|strange|odd|"
    r"weird)"
    r"(?: both)?$|\bone wolf (?:is )?(?:there|between them|among them|in there)\b"
)
# "@2 and @3 are a team"
_TEAM = re.compile(
    r"@(\d+\+\d+) (?:\w+ ){0,4}?(?:a team|the team|team|a pair|the pair|partners|wolf team|"
    r"the pack|"
    r"in it together|working together|teammates|together in this)\b|"
    r"\b(?:wolf|the|evil) (?:team|pair|duo|pack|are|were)(?: (?:is|are))?(?: (?:clearly|both|"
    r"just))? "
    r"@(\d+\+\d+)"
)
# "@3 is its partner"
_ACCOMPLICE = re.compile(
    r"@(\d+) (?:is|must be|has to be|may be|might be|probably is|is probably) (?:\w+ )?(?:@\d+_s|"
    r"his|"
    r"her|their|its|the wolf_s|the) (?:\w+ )?(?:partner|teammate|team mate|accomplice|packmate|"
    r"pack "
    r"mate|buddy|friend|second wolf|other wolf|other one|second one)\b|"
    r"\b(?:his|her|their|@\d+_s) (?:\w+ )?(?:partner|teammate|accomplice|packmate|buddy) (?:is|"
    r"must be|"
    r"has to be) @(\d+)"
)
# the wolf is spoken of
_WOLF = re.compile(r"\bwolf\b")


def pairs(text: str, body: str, sentence: str) -> Iterator[Finding]:
    """Return what the clause `text` says of two.

    Body: its sentence, sentence: its statement.
    """
    pair = next((m for m in _PAIRED.findall(body)), "")
    if pair and "@" not in text and _ONE_OF_THEM.search(text):
        yield "suspect", pair, ""
    denied = lexicon.NOT.search(text)
    kind = "suspect" if lexicon.HEDGE.search(text) else "accuse"
    if (match := _TEAM.search(text)) and not denied:
        yield kind, match[1] or match[2], ""
    match = _ACCOMPLICE.search(text)
    if match and _WOLF.search(sentence) and not denied:
        yield kind, match[1] or match[2], ""
