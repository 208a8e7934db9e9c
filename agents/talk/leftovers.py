"""What only shows once the rest of a statement has been understood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agents.talk import cues
from agents.talk.acts import Act
from agents.talk.clauses import Clause, seats_in
from agents.talk.plain import Sentence
from agents.talk.verdicts.near import Finding, negated

# the wolf, or a lie
_OF_WOLF = re.compile(
    r"\b(?:wolf|liar|lie|lies|lying|lied|fangs|fake|fraud|guilty|killer|culprit|beast|bluff|"
    r"impostor|i (?:hereby )?accuse)\b"
)
# talk of the wolf that accuses nobody
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
    r"with (?:a|the|your)|will|people|one day|kind of|like a|against|claiming|arguing|\w+y to me|"
    r"a good|the other|other|must|let|tell me|your|you)\b|"
    r"\b(?:looker|mate|plain|helper|loner)\d+s? (?:is|was|has|does|did|can|could|might|"
    r"may|will|looks|saw|knows|wants)\b(?! (?:me|mine))"
)
# acts that settle what is thought of their targets
_JUDGING = ("suspect", "accuse", "defend", "agree", "disagree", "companion")
# a role somebody may own up to
_TOKEN = re.compile(r"\b((?:looker|mate|plain|helper|loner)\d+)\b")


def claimed_somehow(lines: Lines) -> str:
    """The role in a sentence of oneself that names one role and no player, "" for none."""
    for sentence, clauses in lines:
        whole = sentence.whole
        roles = set(_TOKEN.findall(whole))
        if len(roles) != 1 or "@" in whole or sentence.asks or any(c.idle for c in clauses):
            continue
        if _OF_ONESELF.search(whole) and not cues.NOT.search(whole) and not _NO_CLAIM.search(whole):
            return str(roles.pop())
    return ""


# what is odd or doubted, in words that need no subject near
_DOUBTED = re.compile(
    r"\b(?:sus|suspicious|suspicion|suspicions|fishy|shady|sketchy|dodgy|shifty|weird|odd|strange|"
    r"distrust|mistrust|uneasy|nervous|scummy|creeps?|goosebumps|rehearsed|evasive|smells|stinks|"
    r"convenient|convincing|unconvincing|red flags?|worr\w+|bother\w*|bugs|troubles|sweating|"
    r"keep an eye|hunch|my money|my bet|raises? an eyebrow|wolfy|wolfish|hiding)\b|"
    r"\b(?:what|how|like|as|which|only) (?:\w+ ){0,2}?(?:a |the )?wolf (?:does?|would|will|says?|"
    r"acts?|"
    r"behaves?|talks?|talking|wants?|plays?)\b"
)
# such words of nobody at the table
_NO_DOUBT = re.compile(
    r"\b(?:everyone|everybody|nobody|you all|all of you|suspicious of (?:me|everyone)|"
    r"suspects? me|me "
    r"suspicious|i am|i was|i look|i sound|am i|of me|if|loner\d+|no suspicion|suspicion (?:on|"
    r"of) me|"
    r"we|rules?|game|games|weather|night|soup|coffee|wine|tea)\b"
)


# a sentence about what was said before it
_GOES_ON = re.compile(
    r"(?:(?:and|but|so|well|hm+|ok) )*(?:that|this|it|something|which|very|so|kinda|sounds|smells|"
    r"seems|feels|looks|too|pretty|highly|super|maybe|perhaps|could|might|my|what a)\b"
)


# the speaker knows who it is, and says so
_SOLVED = re.compile(
    r"\b(?:know|knows|figured(?: out)?|solved|worked out|guess)\b(?: \w+)? (?:who (?:the wolf|it|"
    r"our wolf) is|who did it|"
    r"it|it out|this|the case)\b|\b(?:i (?:have )?(?:got|solved|cracked|found) (?:it|him|her|"
    r"the wolf|this)|case closed|"
    r"case solved|who is the wolf|the answer)\b"
)
# what stands between that and the name
_SAY_IT = re.compile(r"(?:say it with me|drum ?roll|ready|it is|answer|and it is|listen)?")


def solved(lines: Lines) -> Iterator[Finding]:
    """A name alone, after "I know who it is"."""
    said = [c for _, clauses in lines for c in clauses if not c.idle]
    asks = {id(c): s.asks for s, clauses in lines for c in clauses}
    for i, clause in enumerate(said):
        if not _SOLVED.search(clause.text) or asks[id(clause)] or cues.NOT.search(clause.text):
            continue
        for after in said[i + 1 : i + 3]:
            if after.vocative and not asks[id(after)] and after.vocative.isdigit():
                if _alone(after, said):
                    yield ("accuse", after.vocative, "")
                break
            if not _SAY_IT.fullmatch(after.text):
                break


def _alone(name: Clause, said: Sequence[Clause]) -> bool:
    """Whether nothing is said to the one whose `name` stands alone."""
    after = said[said.index(name) + 1 :]
    return not (after and re.match(r"(?:you|your|what|why|how|i )", after[0].text))


def left_over(lines: Lines, found: Sequence[Act]) -> Iterator[Finding]:
    """Talk of the wolf near one player whom nothing was understood of (`found`: what was)."""
    judged = {t for act in found for t in act.targets if act.kind in _JUDGING}
    for number, (sentence, clauses) in enumerate(lines):
        live = " , ".join(c.text for c in clauses if not c.idle and not c.vocative)
        if sentence.asks or negated(live) or cues.HEARSAY.search(live):
            continue
        if not (verdict := _left_verdict(live)):
            continue
        near = [s for s, _ in lines[max(0, number - 1) : number + 2]]
        seats = seats_in(live)
        if not seats and (verdict[0] == "accuse" or _GOES_ON.match(live)):
            seats = [s for t in near for s in seats_in(t.whole)]
        left = [s for s in dict.fromkeys(seats) if int(s) not in judged]
        if len(left) == 1 == len(set(seats)):
            judged.add(int(left[0]))
            yield (verdict[0], left[0], verdict[1])


def _left_verdict(live: str) -> tuple[str, str] | None:
    """(kind, role) of what a sentence says of the one player in or around it."""
    if _OF_WOLF.search(live) and not _NO_ACCUSATION.search(live):
        return ("suspect" if cues.HEDGE.search(live) else "accuse", "")
    if _DOUBTED.search(live) and not _NO_DOUBT.search(live):
        return ("suspect", "")
    return None


Lines = Sequence[tuple[Sentence, list[Clause]]]
