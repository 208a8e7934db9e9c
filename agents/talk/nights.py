"""What somebody says it looked at in the night, gathered over the clauses of a whole statement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# to look
_VERB = (
    r"looked|look|looks|check|checked|checking|see|saw|seen|peek|peeked|peep|peeped|"
    r"inspected|viewed|investigated|scanned|"
    r"divined|turned over|flipped|picked|chose|chosen|choose|read|examined|studied|"
    r"glanced|spied|learned|learnt|found|tapped|"
    r"visited|tested|got|touched|opened|lifted|uncovered|dreamed|dreamt|used it on|spent "
    r"on|spent|searched|had|took|"
    r"turned|tiptoe|tiptoed|peeking|looking|watched|probed|lift|open|hit|put my eye on"
)
# a look in the night
_LOOKED = re.compile(
    rf"(?<![\w@'])(?:i|we)(?: \w+){{0,8}}? (?:{_VERB})\b|^(?:took a look at|had a look "
    rf"at|had (?=@)|turned my gaze)|"
    rf"^(?:(?!one|he|she|who|they|somebody|nobody|everyone)\w+ )?"
    rf"(?:looked|checked|saw|seen|peeked|peeped|"
    rf"inspected|viewed|investigated|scanned|divined|flipped|picked|examined|tapped|"
    rf"tested|turned over|peek|check|red check|green check|scan|results? (?=is|was|are|"
    rf"were|@|for))|"
    rf"\bmy (?:\w+ ){{0,2}}?(?:two|pair|cards|vision|result|results|check|checks|picks?|"
    rf"night(?= (?:was|went|report|result|look|pick|showed|told))|look|looks|peek|peeks|"
    rf"divination|dream|targets|info|gaze|eyes went)\b|"
    rf"\b(?:showed|shown|told) me\b|\bas (?:the |your )?seer\b|\b(?:green|red) on\b|"
    rf"\bseer(?:'s)? (?:result|peek|check|vision|says|here|report)\b|\b(?:red|green) "
    rf"check\b|\bin my pair\b|\b(?:(?:my|those) two cards|two cards (?:were|i )|last "
    rf"night's visit|seer_s peek|the peek)\b"
)
# what reads like a look and is none
_NO_LOOK = re.compile(
    r"\bi (?:did not|do not|never|would|have not|should|will|want to|would have|wish|"
    r"could|can|cannot|might|may|am going to|must|need)\b(?! say)|\blook(?:ing|s)? (?:at "
    r"@\w+ )?(?:like|suspicious|guilty|now|bad|good)\b|"
    r"\b(?:let us|please|everyone|everybody|should|we) (?:\w+ )?look\b|\b(?:must|have to|"
    r"should|let us|to) (?:choose|pick)\b|\bchoose to\b|\bchose to (?!look|check|peek|"
    r"see)|\bgot (?:a |the |my )?(?:feeling|vote|point|vibe|hunch|gut|problem|read|card)|"
    r"\bhad (?:a |the )?(?:feeling|hunch)|\bi (?:got|had|have|found) (?:a |the )?(?:\w+ "
    r")?(?:villager|mason|minion|tanner)\b|\bsee (?:it|why|how|no|what|that)\b|\bfound "
    r"it\b|\bwhat i (?:saw|have seen)\b|\bi went for\b|\bsaw nothing\b|\bseen (?:it|this|"
    r"that) before\b|\bi see @\d+ in\b|\blast i looked\b|\bhad it in for\b|\bi was "
    r"after\b|\bi got (?:nothing|no)\b|\bi am (?:\w+ )?(?:looking|watching|seeing)\b|"
    r"\b(?:my|an) eyes? (?:is |stays )?(?:on|open)|@\d+_s (?:argument|story|claim|words?|"
    r"case|reason\w*)"
)
# a result: neither is the Werewolf
_CLEAN = re.compile(
    r"\b(?:neither|none|nothing|nada|zilch|no (?:\w+ )?(?:wolf|wolfie|doggo|wolves|beast|"
    r"fangs|evil|teeth|fur|howl|claws|tail|werewolf)|zero (?:fangs|wolves)|not (?:the |a "
    r"|be |any )?wolf|not wolves|nobody there|clean|clear|cleared|wolf free|"
    r"both (?:\w+ )?(?:good|ok|okay|fine|safe|innocent|human|harmless|villager|not)|fine|"
    r"safe|innocent|harmless|good|okay|ok|humans?|not among|not there|not in|"
    r"negative|off the hook|no trace|no sign|not either|green|as kittens|all quiet|"
    r"lambs?|sheep|(?:sleep|sleeps) (?:soundly|peacefully)|clean as|squeaky clean|"
    r"nothing hairy|no one of|out of suspicion|nope|no one|gucci|peaceful|not one of "
    r"them|not dangerous|empty|can be my)\b"
)
# a result: one of the two is
_FOUND = re.compile(
    r"\b(?:one of|one is|one was|one has|one must|one ha[sd]|1 of|1 is|one wolf|1 wolf|"
    r"equals one wolf|either|among|between|wolf (?:is|was) (?:\w+ )?(?:in|among|between|"
    r"one|there|with|sitting|hiding)|"
    r"wolf in|hit|positive|guilty|bingo|bad|evil|wolf|wolves|red|jackpot|in there|dirty|"
    r"fangs|teeth|beast|growls?|howls?|furry|claws|tail|hairy|paws|bites|no friend of "
    r"ours|there is a wolf)\b"
)
# a find that holds beside words of innocence: "one is clean, one is not"
_SURE_WOLF = re.compile(
    r"(?<!neither )(?<!no )\bone (?:of (?:them|those|the two|these|you|@[\d+]+)|is|was|"
    r"has) (?:\w+ ){0,3}?(?:wolf|bad|evil|guilty|red|fangs|hairy|furry|it)\b|"
    r"\bone (?:of \S+ (?:\w+ )?)?(?:had|has) (?!no)|\bnot (?:both|all)\b|\bnot clean\b|"
    r"\bone bad\b|\bone wolf\b"
)
# verbs that are a look only with a name beside them
_WEAK = re.compile(
    r"\b(?:see|found|had|took|got|read|open|turned|hit|choose|look|had|picked|took)$"
)
REACH = 4  # clauses from a look to its pair, and from the pair to its result


@dataclass
class Said:
    """A clause as it is searched: text, the seats in it or addressed by it, whether it is idle."""

    text: str
    seats: tuple[str, ...]
    idle: bool = False


@dataclass(frozen=True)
class Report:
    """targets: two seats; found: the Werewolf is one of them; used: the clauses that say so."""

    targets: tuple[int, int]
    found: bool
    used: frozenset[int]


# a guess, no look
_GUESSED = re.compile(r"\bi (?:think|suspect|bet|guess)\b")


def report(clauses: Sequence[Said], seer: bool) -> Report | None:
    """The look a statement reports. seer: its speaker claims to be the Seer, here or before."""
    looks = [i for i, c in enumerate(clauses) if not c.idle and looked(c.text)]
    for start in looks:
        if found := _from(clauses, start):
            return found
    if looks or seer:
        for i, clause in enumerate(clauses):
            if len(clause.seats) == 2 and not clause.idle and (found := _of_pair(clauses, i)):
                return found
    return _bare(clauses)


def _of_pair(clauses: Sequence[Said], i: int) -> Report | None:
    """The result that stands with the pair in clause `i`, or right after it."""
    pair, at = clauses[i], i
    result = _result(pair.text)
    if result is None and i + 1 < len(clauses) and not clauses[i + 1].seats:
        result, at = _result(clauses[i + 1].text), i + 1
    if result is None or _GUESSED.search(pair.text):
        return None
    return _made(pair.seats, result, {i, at})


def looked(text: str) -> bool:
    """Whether a clause tells of a look in the night."""
    match = _LOOKED.search(text)
    if not match or _NO_LOOK.search(text):
        return False
    return "@" in text or not _WEAK.search(match[0])


# a look at those named before
_BOTH = re.compile(r"\b(?:them|both|those|these|looked|checked|peeked|saw|seen|turned)\b")
# all up to the look itself, whose words are no result
_UP_TO_VERB = re.compile(rf"^.*?(?:{_VERB})\b")


def _from(clauses: Sequence[Said], start: int) -> Report | None:
    """The pair and the result after (or just before) the look in clause `start`."""
    pair: list[str] = []
    used = {start}
    for i in range(start, min(start + REACH + 1, len(clauses))):
        clause = clauses[i]
        if clause.idle or len(pair) >= 2:
            break
        fresh = [s for s in clause.seats if s not in pair]
        if fresh and (i == start or not pair or len(pair) + len(fresh) <= 2):
            pair += fresh
            used.add(i)
    if len(pair) < 2:
        return _from_before(clauses, start, pair, used)
    pair = pair[:2]
    for i in range(start, min(max(used) + REACH + 1, len(clauses))):
        clause = clauses[i]
        if clause.idle or (clause.seats and not set(clause.seats) & set(pair)):
            continue
        text = _UP_TO_VERB.sub(" ", clause.text, count=1) if i == start else clause.text
        if (result := _result(text)) is not None:
            return _made(pair, result, used | set(range(start, i + 1)))
    return None


def _from_before(
    clauses: Sequence[Said], start: int, pair: list[str], used: set[int]
) -> Report | None:
    """The same where the pair, or all of it but `pair`, was named before the look."""
    if not _BOTH.search(clauses[start].text):
        return None
    first = max(0, start - 2)
    before = [s for c in clauses[first:start] if not c.idle for s in c.seats]
    both = list(dict.fromkeys(before + pair))
    if len(both) != 2:
        return None
    for i in range(first, min(start + REACH + 1, len(clauses))):
        if (result := _result(clauses[i].text)) is not None and not clauses[i].idle:
            return _made(both, result, used | set(range(first, start)) | {i})
    return None


# "@1+2 equals clean"
_BARE = re.compile(
    r"(?:both |so )?@(\d+)\+(\d+)(?: (?:are|is|both|equals|came|back|came up|were))* "
    r"(clean|clear|cleared|no wolf|one wolf|red|green|neither wolf)\b"
)


def _bare(clauses: Sequence[Said]) -> Report | None:
    """ "alpha + beta = clean": nobody but a Seer talks so."""
    for i, clause in enumerate(clauses):
        match = _BARE.match(clause.text)
        if match and not clause.idle:
            return _made((match[1], match[2]), match[3] in ("one wolf", "red"), {i})
    return None


# "not one of them": no find
_NOT_ONE = re.compile(r"\bnot one\b|\bno one\b")


def _result(text: str) -> bool | None:
    """Whether the Werewolf was found; None where a clause tells no result."""
    if _SURE_WOLF.search(text) and _FOUND.search(text) and not _NOT_ONE.search(text):
        return True
    if _CLEAN.search(text):
        return False
    return True if _FOUND.search(text) else None


def _made(seats: Sequence[str], found: bool, used: set[int]) -> Report:
    return Report((int(seats[0]), int(seats[1])), found, frozenset(used))
