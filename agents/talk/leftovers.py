"""What only shows once the rest of a statement has been understood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agents.talk import cues
from agents.talk.acts import Act
from agents.talk.clauses import Clause, seats_in
from agents.talk.plain import Sentence
from agents.talk.verdicts.near import Finding, negated

# the Werewolf, or a lie
_OF_WOLF = re.compile(
    r"\b(?:wolf|liar|lie|lies|lying|lied|fangs|fake|fraud|guilty|killer|culprit|beast|bluff|"
    r"impostor)\b"
)
# talk of the Werewolf that accuses nobody
_NO_ACCUSATION = re.compile(
    r"\b(?:a liar|i am|i was|me|my|if|would|should|one of us|the wolf (?:would|wants|is "
    r"hiding|must|will|who)|whoever|somebody|someone|who|find|hunt|catch|looking for|"
    r"vote for the|a wolf (?:would|could|can)|wolves|help|game|rules?)\b"
)
# the speaker
_OF_ONESELF = re.compile(r"(?<![\w@'])(?:i|me|my|mine|myself)(?![\w'])")
# what a role is otherwise spoken of with
_NO_CLAIM = re.compile(
    r"\b(?:think|thought|believe|suspect|want|wants|need|hope|trust|ask|asked|agree|vote|"
    r"find|hear|heard|wait|waiting|see|looking|doubt|should|would|could|if|who|whoever|"
    r"whether|"
    r"said|says|claims?|claimed|two|three|another|any|every|he|she|they|their|his|her|"
    r"somebody|someone|game|games|love|hate|prefer|protect|help|know|counting|confused|"
    r"forget|pretend|wish|rules?|"
    r"a good|the other|other|must|let|tell me|your|you)\b|"
    r"\b(?:seer|mason|villager|minion|tanner)s? (?:is|was|has|does|did|can|could|might|"
    r"may|will|looks|saw|knows|wants)\b(?! (?:me|mine))"
)
# acts that settle what is thought of their targets
_JUDGING = ("suspect", "accuse", "defend", "agree", "disagree", "companion")
# a role somebody may own up to
_VILLAGE_ROLE = re.compile(r"\b(seer|mason|villager|minion|tanner)\b")


def claimed_somehow(lines: Lines) -> str:
    """The role in a sentence of oneself that names one role and no player, "" for none."""
    for sentence, clauses in lines:
        whole = sentence.whole
        roles = set(_VILLAGE_ROLE.findall(whole))
        if len(roles) != 1 or "@" in whole or sentence.asks or any(c.idle for c in clauses):
            continue
        if _OF_ONESELF.search(whole) and not cues.NOT.search(whole) and not _NO_CLAIM.search(whole):
            return str(roles.pop())
    return ""


def left_over(lines: Lines, found: Sequence[Act]) -> Iterator[Finding]:
    """Talk of the Werewolf near one player whom nothing was understood of (`found`: what was)."""
    judged = {t for act in found for t in act.targets if act.kind in _JUDGING}
    for number, (sentence, clauses) in enumerate(lines):
        live = " , ".join(c.text for c in clauses if not c.idle)
        if sentence.asks or not _OF_WOLF.search(live) or negated(live):
            continue
        if cues.HEARSAY.search(live) or _NO_ACCUSATION.search(live):
            continue
        near = [s for s, _ in lines[max(0, number - 1) : number + 2]]
        seats = seats_in(live) or [s for t in near for s in seats_in(t.whole)]
        left = [s for s in dict.fromkeys(seats) if int(s) not in judged]
        if len(left) == 1 == len(set(seats)):
            judged.add(int(left[0]))
            yield ("suspect" if cues.HEDGE.search(live) else "accuse", left[0], "")


Lines = Sequence[tuple[Sentence, list[Clause]]]
