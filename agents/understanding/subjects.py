"""Whose doing some words of a sentence tell: the subject they stand behind."""

from __future__ import annotations

import re

# where a clause begins
_CLAUSE = (
    r"(?:^|(?<=[,:] )|(?<=\b(?:if|as|or|so) )|(?<=\b(?:and|but|why|how) )|(?<=\bthat )|"
    r"(?<=\bwhen )|(?<=\bthen )|(?<=\bsince )|(?<=\bwhile )|(?<=\buntil )|(?<=\bbecause )|"
    r"(?<=\bsay )|(?<=\bthink ))"
)
_ADVERB = r"(?:\w+ly |just |still |even |never |always |also |too |both |ever |often )*"
_VERB = (
    r"(?:is|are|am|was|were|be|has|have|had|do|does|did|will|would|can|could|should|must|may|"
    r"might|said|told|spoke|went|came|got|kept|took|made|gave|saw|held|hid|stood|stuck|fell|"
    r"\w+(?:s|ed))"
)
_JUDGES = (
    r"(?:suspect|accuse|distrust|doubt|blame|trust|believe|dislike|vote (?:for|against)|vote out|"
    r"point at|look at|(?:think|say|guess|bet|know|believe) (?:that )?it is)"
)
_SUBJECT = re.compile(
    # "i suspect @3", "it is @3": what follows is said of @3
    rf"\bi (?:\w+ ){{0,3}}?{_JUDGES} (?P<judged>@[\d+]+|you)(?=[,:]| because| since| as|$)"
    r"|\b(?:it is|my (?:\w+ ){1,2}is) (?P<meant>@[\d+]+|you)(?=[,:]| because| since| as|$)"
    rf"|(?P<seat>@[\d+]+)(?:_s|(?=,? who\b| {_ADVERB}{_VERB}\b))"
    r"|\b(?:call|calls|called|find|finds|found|make|makes) (?P<called>me|us)\b"
    rf"|(?P<mine>\b(?:i|we)\b|{_CLAUSE}(?:my|our|mine|me|ours)\b|, me\b)"
    r"|\byou (?:ask|want to know|wonder|say|mean|think|tell me)(?= (?:that )?(?:i|my|why|"
    r"how)\b)(?P<says>)"
    r"|\byou (?:would )?(?:have|need) to\b(?P<anybody>)"
    r"|(?<!give )(?<!gave )(?<!tell )(?<!told )(?<!ask )(?<!grant )\b(?P<you>you|your|yours|"
    r"yourself)\b"
    r"|\b(?P<third>he|she|they|his|her|their)\b"
    rf"|(?P<asked>^who)\b|{_CLAUSE}(?P<other>(?:every|some|any|no)(?:one|body|thing)(?: "
    rf"else)?|no one|nothing|"
    r"whoever|others|people|half|most|all of (?:you|us)|waiting|silence|what)\b"
    r"|\b(?:should|must|can|could|would|will|does|did|is|has|for) "
    r"(?P<noun>(?!the wolf\b)(?:the|a|an|any|our|every) \w+)\b"
    r"|\b(?P<doer>(?:the|a|an|any|our|every) (?:real |true |other )?\w+) (?=should|must|can|could|"
    r"would|will|does|did|is|has|was|who)\b"
)
_FOLLOWS = re.compile(
    r"^(?:[, ]+\w+){0,3}? (?:from|by|out of) (you|@\d+)\b"
    r"|^,? (you|@\d+|she|he|they) (?:are|is|were|was|have|has)\b(?! to\b)"
)
_FIRST = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our)\b")
_GRANTS = re.compile(r"^(?:[@\d]+,? )?(?:true|yes|granted|right|no|fair enough|fine)\b")
_BEGINS = re.compile(r"^(?:\w+ ){0,2}$")


def first_person(body: str) -> bool:
    """Return whether a sentence tells of its speaker."""
    return bool(_FIRST.search(body))


def tells_of(
    seat: int, body: str, start: int, end: int, *, you: int, third: int, turned: bool
) -> bool:
    """Return whether the words `body[start:end]` are said of `seat`.

    you, third: whom "you" and "she" mean. turned: whether the sentence turns to `seat` by name, so
    that it may go without a subject.
    """
    if match := _FOLLOWS.search(body[end:]):
        return _seat(match[1] or match[2], seat, you, third)
    if body[start:end].startswith("heard"):
        return False
    before = [m for m in _SUBJECT.finditer(body) if m.start() < start]
    if before and before[-1].end() > start:  # "i suspect @3": the speaker's doing
        return False
    if before:
        return _is_subject(before[-1], seat, you, third)
    granted = _GRANTS.match(body) and "you" not in body
    is_short = bool(_BEGINS.match(body[:start]))
    return turned and is_short and not granted and not first_person(body)


def _is_subject(subject: re.Match[str], seat: int, you: int, third: int) -> bool:
    for group in ("judged", "meant", "seat", "you", "third"):
        if word := subject[group]:
            return _seat(word, seat, you, third)
    return False


def _seat(word: str, seat: int, you: int, third: int) -> bool:
    if word.startswith("@"):
        return str(seat) in word[1:].split("+")
    return seat == (you if word.startswith("you") else third)
