"""What a clause says of others: doubt, accusation, trust, votes, agreement."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.talk.plain import N

Finding = tuple[str, str, str]  # (kind of act, seats as in "2+3", role)

_SAYS = (
    r"says?|said|claims?|claimed|claiming|thinks?|told|tells|calls?|called|accuses?|accused|suspects?|"
    r"suspected|wants?|wanted|named|names|pointed|points|asked|asks|voted|votes|vouch\w*|reported|"
    r"reports|looked|saw|checked|picked|spoke|defends?|defended|pushes|pushed|jumped|went|came|put|"
    r"puts|swears?|insists?|keeps|kept|doubts|trusts|believes|answered|denies|denied|takes|took|goes|"
    r"has said|has claimed|has named|had"
)
_HEARSAY = re.compile(
    rf"(?:@[\d+]+|\b(?:everyone|everybody|some|somebody|people|both|who|nobody|you|they)) "
    rf"(?:\w+ ){{0,2}}?(?:{_SAYS})\b(?! the truth)|\baccording to\b|^for @[\d+]+"
)
_OWNED = re.compile(r"@[\d+]+_s\b")
_SELF = r"\bi (?:\w+ ){0,2}?"
_NOT = r"\b(?:not|never|hardly|no longer|stopped?|neither|nor|no)\b"
_EVIL = re.compile(
    r"\b(?:wolf|lying|lies|lied|liar|liars|evil|guilty|fake|false|faking|made up|invented|"
    r"inventing|"
    r"dishonest|bluffing|our (?:man|culprit)|culprit|howls?|fur)\b"
)
_ODD = re.compile(
    r"\b(?:suspicious|sus|off(?! the)|odd|strange|weird|fishy|shady|slippery|hiding|dodging|"
    r"quiet|silent|"
    r"nervous|wrong|bad|worr\w+|bothers?|troubles?|uneasy|smooth|careful|loud|scum|sketchy|evasive|"
    r"doubtful|convenient|my (?:main |first |prime |top |next )?(?:suspect|candidate|worry|pick|"
    r"guess))\b"
)
_GOOD = re.compile(
    r"\b(?:innocent|honest|clean|clear|cleared|trustworthy|good|(?:telling|told|tells|tell|speaking|"
    r"saying) the truth|truthful|safe|villager|mason|fine|one of us|on our side|village|genuine|"
    r"reliable|harmless|in the clear|not the (?:one|problem)|out of (?:it|suspicion)|the real one|"
    r"believable|off (?:my|the) list|credible)\b"
)
_SIDE = re.compile(r"\b(tanner|minion)\b")
_SEER = re.compile(r"\bseer\b")
_SOFT = re.compile(r"\b(?:might|could|may|looks?|seems?|sounds?|feels?|smells?|either|one of)\b")
_BE = (
    r"(?:(?:is|are|was|were|must|has|have|might|could|may|looks?|seems?|sounds?|feels?|smells?|acts?|"
    r"strikes|makes?|lies|lied|tells?|told|worries|bothers|troubles|invented|made|came across|can|"
    r"does|do|did|should)\b)"
)
_PREDICATE = re.compile(rf"{N},? ((?:\w+ ){{0,2}}?{_BE}.*)")
_BE_IT = re.compile(
    rf"(?:\b(?:it is|it has to be|it must be|it will be|that leaves|wolf is|wolf has to be|wolf "
    rf"must be|wolf is called|i say|i accuse|i name|i call out|out with|lynch|hang|liar is)) {N}$"
)
_TRUST = re.compile(
    rf"{_SELF}(?:trust|believe|side with|stand by|stand with|stand behind|vouch for|defend|"
    rf"clear|back|"
    rf"rely on|have faith in|would leave|leave) {N}"
)
_DOUBT = re.compile(
    rf"(?:{_SELF}(?:suspect|distrust|doubt|mistrust|suspicious of|wary of|worried about|uneasy "
    rf"about|uneasy with|nervous about|watching|leaning towards?|lean towards?|looking at|look at|"
    rf"looking hard at|would look at|pointing at|point at|point to|like)|\b(?:my|an|one|both|"
    rf"keep|keeping|"
    rf"have|having) (?:my )?eyes? (?:is |are |stays? |rests? |fixed |on )*on|\bmy (?:\w+ "
    rf")?(?:suspicion|"
    rf"suspicions|doubts?|finger|worry|candidate|guess|bet|money|suspect) (?:\w+ ){{0,3}}?(?:on|"
    rf"at|to|is|"
    rf"with|goes to|about)|\blet us look at|(?<!_s )(?<!my )\blook (?:hard |closely )?at|"
    rf"\bwatch(?: out for)?) {N}"
)
_VOTE = re.compile(
    rf"(?:\bvot(?:e|ing|es) (?:\w+ ){{0,2}}?(?:for|to|against|out|on|with)? ?|\bmy vote (?:\w+ "
    rf"){{0,3}}?"
    rf"(?:to|for|on|is|with|against) |\bvote ){N}"
)
_HAS_VOTE = re.compile(rf"{N} (?:gets|has|will get|will have|can have) my vote")
_AGREE = re.compile(
    rf"\b(?:agree with|am with|second|side with|go along with|go with|join|follow) {N}(?: on| "
    rf"about|"
    rf" here| there| in this|$)|{N} (?:is right|has a point|said it right|made a good point|is "
    rf"on to "
    rf"something|has it right|convinced me|put it right|may be right)"
)
_DISAGREE = re.compile(
    rf"\b(?:disagree with|can not follow|not convinced by|part ways with) {N}|{N} (?:is|are|was|"
    rf"got it)? ?"
    rf"(?:wrong|mistaken|unfair|unjust|barking)\b|{N} (?:has|have|got) the wrong\b"
)
_CASE = re.compile(
    r"@([\d+]+)_s (?:\w+ ){0,3}?(?:report|look|vision|claim|story|word|words|account|version)\b(.*)"
)


def hearsay(text: str) -> bool:
    """Whether `text`, which leads up to something, says it is somebody else's word."""
    return bool(_HEARSAY.search(text))


def read(clause: str) -> Iterator[Finding]:
    """What `clause` says of others."""
    if "@" not in clause:
        return
    for finder in (_votes, _opinions, _stories, _verdicts):
        found = list(finder(clause))
        yield from found
        if found:
            return


def _negated(text: str) -> bool:
    return bool(re.search(_NOT, text))


def _votes(clause: str) -> Iterator[Finding]:
    match = _VOTE.search(clause)
    if match and re.search(r"(?:@[\d+]+|who|they|everyone)(?:_s)? (?:\w+ )?vot", clause):
        match = None  # somebody else's vote
    match = match or _HAS_VOTE.search(clause)
    if match:
        yield ("defend" if _negated(clause[: match.start(1)]) else "vote", match[1], "")


def _opinions(clause: str) -> Iterator[Finding]:
    for pattern, plainly, turned in (
        (_DISAGREE, "disagree", "agree"),
        (_AGREE, "agree", "disagree"),
    ):
        if match := pattern.search(clause):
            before = clause[: match.start()]
            if hearsay(before):
                return
            tail = re.sub(r"not convinced|can not follow", "", match[0]) + " " + before
            yield (turned if _negated(tail) else plainly, next(g for g in match.groups() if g), "")
            return
    for pattern, plainly, turned in ((_TRUST, "defend", "suspect"), (_DOUBT, "suspect", "defend")):
        match = pattern.search(clause)
        if not match or _continues(clause[match.end() :]) or hearsay(clause[: match.start()]):
            continue
        before = clause[match.start() : match.start(1)] + clause[: match.start()][-14:]
        if pattern is _DOUBT and re.search(r"\blike @", before + "@"):
            if not _negated(before):
                continue  # "I like Beta" says little
            yield ("suspect", match[1], "")
        else:
            yield (turned if _negated(before) else plainly, match[1], "")
        return


def _continues(rest: str) -> bool:
    return bool(re.match(rf" {_BE}", rest)) and not re.match(
        r" (?:is|are) (?:who|where|whom)", rest
    )


def _stories(clause: str) -> Iterator[Finding]:
    """Verdicts on what somebody said: "Beta's story is invented", "I believe Beta's report"."""
    if not (match := _CASE.search(clause)):
        return
    before, after = clause[: match.start()], match[2]
    if re.search(r"\b(?:believe|trust|buy|accept|stand by|go with)\b", before):
        yield ("disagree" if _negated(before) else "agree", match[1], "")
    elif re.match(r"\s*(?:is|was|sounds|looks|seems|does|holds)\b", after):
        bad = _EVIL.search(after) or _ODD.search(after)
        if bad or re.search(r"\bdoes not\b", after):
            yield ("suspect", match[1], "")
        elif _GOOD.search(after) or re.search(r"\b(?:true|holds|right)\b", after):
            yield ("disagree" if _negated(after) else "agree", match[1], "")


def _verdicts(clause: str) -> Iterator[Finding]:
    """Predicates: "Beta is lying", "neither Beta nor Gamma is the Werewolf"."""
    if match := _BE_IT.search(clause):
        before = clause[: match.start(1)]
        if not hearsay(before):
            many = "+" in match[1]
            yield ("defend" if _negated(before) else "suspect" if many else "accuse", match[1], "")
        return
    if not (match := _PREDICATE.search(clause)):
        return
    before, rest = clause[: match.start()], match[2]
    if (
        hearsay(before)
        or _OWNED.search(before)
        or re.match(rf"(?:\w+ )?(?:{_SAYS})\b(?! the truth)", rest)
    ):
        return
    if re.search(
        r"\b(?:told|asked|made|make|makes) (?:you|us|me|@)|\bwhen|\bwhether|\bwho\b", before
    ):
        return
    negated = _negated(rest) != bool(re.search(r"\b(?:neither|not|never|doubt)\b", before))
    yield from _judged(match[1], before, rest, negated)


def _judged(seats: str, before: str, rest: str, negated: bool) -> Iterator[Finding]:
    evil, odd, good = _EVIL.search(rest), _ODD.search(rest), _GOOD.search(rest)
    if negated and re.search(r"\b(?:all|both)\b", rest):
        return  # "can't both be": of whom it is true stays open
    if side := _SIDE.search(rest):
        if not negated:
            yield ("suspect", seats, side[1])
    elif _SEER.search(rest) and not evil and "seer" in rest.split("who")[0]:
        yield ("disagree" if negated else "agree", seats, "seer")
    elif negated and not evil and re.search(r"\bmason\b", rest):
        yield ("disagree", seats, "mason")
    elif evil:
        soft = bool(_SOFT.search(rest) or _SOFT.search(before) or "+" in seats)
        yield ("defend" if negated else "suspect" if soft else "accuse", seats, "")
    elif odd:
        yield ("defend" if negated else "suspect", seats, "")
    elif good:
        yield ("suspect" if negated else "defend", seats, "")
