"""What a role tells of others.

Whom a looker looked at and what it learnt, gathered over the clauses of a whole statement, and whom
a mate names as the other one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.packs import Pack
from agents.understanding import lexicon
from agents.understanding.clauses import MENTION
from agents.understanding.role_tokens import key_of
from agents.understanding.self_claims import ME, denied
from game.engine.roles import Look

# to look
_VERB = (
    r"looked|look|looks|check|checked|checking|see|saw|seen|peek|peeked|peep|peeped|inspected|"
    r"viewed|investigated|scanned|divined|turned over|flipped|picked|chose|chosen|choose|read|"
    r"examined|studied|glanced|spied|learned|learnt|found|tapped|visited|tested|got|touched|opened|"
    r"lifted|uncovered|dreamed|dreamt|used it on|spent on|spent|searched|had|took|turned|tiptoe|"
    r"tiptoed|peeking|looking|watched|probed|lift|open|hit|put my eye on"
)
# a look in the night
_LOOKED = re.compile(
    rf"(?<![\w@'])(?:i|we)(?: \w+){{0,8}}? (?:{_VERB})\b|^(?:took a look at|had a look at|"
    rf"had (?=@)|turned my gaze)|^(?:(?!one|he|she|who|they|somebody|nobody|"
    rf"everyone)\w+ )?(?:looked|checked|saw|seen|peeked|peeped|inspected|viewed|investigated|"
    rf"scanned|divined|flipped|picked|examined|tapped|tested|turned over|peek|check|red check|"
    rf"green check|scan|results? (?=is|was|are|were|@|for))|\bmy (?:\w+ ){{0,2}}?(?:two|pair|cards|"
    rf"vision|result|results|check|checks|picks?|night(?= (?:was|went|report|result|look|pick|"
    rf"showed|told))|look|looks|peek|peeks|divination|dream|targets|info|gaze|eyes went)\b|"
    rf"\b(?:showed|shown|told) me\b|\bas (?:the |your )?looker\d+\b|\b(?:green|red) on\b|"
    rf"\blooker\d+(?:'s)? (?:result|peek|check|vision|says|here|report)\b|\b(?:red|green) check\b|"
    rf"\bin my pair\b|\b(?:(?:my|those) two cards|two cards (?:were|i )|last night's visit|"
    rf"the peek)\b"
)
# what reads like a look and is none
_NO_LOOK = re.compile(
    r"\bi (?:did not|do not|never|would|have not|should|will|want to|would have|wish|could|can|"
    r"cannot|might|may|am going to|must|need)\b(?! say)|\blook(?:ing|s)? (?:at @\w+ )?(?:like|"
    r"suspicious|guilty|now|bad|good)\b|\b(?:let us|please|everyone|everybody|should|"
    r"we) (?:\w+ )?look\b|\b(?:must|have to|should|let us|to) (?:choose|pick)\b|\bchoose to\b|"
    r"\bchose to (?!look|check|peek|see)|\bgot (?:a |the |my )?(?:feeling|vote|point|vibe|hunch|"
    r"gut|problem|read|card)|\bhad (?:a |the )?(?:feeling|hunch)|\bi (?:got|had|have|found) (?:a |"
    r"the )?(?:\w+ )?(?:plain|mate|helper|loner)\d+\b|\bsee (?:it|why|how|no|what|that)\b|"
    r"\bfound it\b|\bwhat i (?:saw|have seen)\b|\bi went for\b|\bsaw nothing\b|\bseen (?:it|this|"
    r"that) before\b|\bi see @\d+ in\b|\blast i looked\b|\bhad it in for\b|\bi was after\b|"
    r"\bi got (?:nothing|no)\b|\bi am (?:\w+ )?(?:looking|watching|seeing)\b|\b(?:my|"
    r"an) eyes? (?:is |stays )?(?:on|open)|@\d+_s (?:argument|story|claim|words?|case|reason\w*)"
)
# a result: neither is the wolf
_CLEAN = re.compile(
    r"\b(?:neither|none|nothing|nada|zilch|no (?:\w+ )?(?:wolf|wolfie|doggo|wolves|beast|fangs|"
    r"evil|teeth|fur|howl|claws|tail)|zero (?:fangs|wolves)|not (?:the |a |be |any )?wolf|"
    r"not wolves|nobody there|clean|clear|cleared|wolf free|both (?:\w+ )?(?:good|ok|okay|fine|"
    r"safe|innocent|human|harmless|plain\d+|not)|fine|safe|innocent|harmless|good|okay|ok|humans?|"
    r"not among|not there|not in|negative|off the hook|no trace|no sign|not either|green|"
    r"as kittens|all quiet|lambs?|sheep|(?:sleep|sleeps) (?:soundly|peacefully)|clean as|"
    r"squeaky clean|nothing hairy|no one of|out of suspicion|nope|no one|gucci|peaceful|"
    r"not one of them|not dangerous|empty|can be my)\b"
)
# a result: one of the two is
_FOUND = re.compile(
    r"\b(?:one of|one is|one was|one has|one must|one ha[sd]|1 of|1 is|one wolf|1 wolf|"
    r"equals one wolf|either|among|between|wolf (?:is|was) (?:\w+ )?(?:in|among|between|one|there|"
    r"with|sitting|hiding)|wolf in|hit|positive|guilty|bingo|bad|evil|wolf|wolves|red|jackpot|"
    r"in there|dirty|fangs|teeth|beast|growls?|howls?|furry|claws|tail|hairy|paws|bites|"
    r"no friend of ours|there is a wolf)\b"
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
REACH = 4  # clauses from a look to its seats, and from these to its result
PAIR = 2
# a look as a thing
_MY_LOOK = re.compile(r"\bmy (?:\w+ ){0,2}?(?:looks?|checks?|vision|results?|peeks?|night)\b")
# what people say of one player whom they never looked at in the night
_COMMON = re.compile(
    r"\b(?:see|saw|seen|picked|chosen?|choose|read|found|learn(?:ed|t)|got|touched|turned|"
    r"open(?:ed)?|hit|had|took|studied|watched|tested|spent|looks?|looking|searched)$"
)
# a guess, no look
_GUESSED = re.compile(r"\bi (?:think|suspect|bet|guess)\b")
# a look at those named before
_BOTH = re.compile(r"\b(?:them|both|those|these|looked|checked|peeked|saw|seen|turned)\b")
# "@1+2 equals clean"
_BARE = re.compile(
    r"(?:both |so )?@(\d+)\+(\d+)(?: (?:are|is|both|equals|came|back|came up|were))* "
    r"(clean|clear|cleared|no wolf|one wolf|red|green|neither wolf)\b"
)
# "not one of them": no find
_NOT_ONE = re.compile(r"\bnot one\b|\bno one\b")


@dataclass
class ScannedClause:
    """A clause as it is searched.

    Text, the seats in it or addressed by it, whether it is idle.
    """

    text: str
    seats: tuple[str, ...]
    idle: bool = False


@dataclass(frozen=True)
class LookReport:
    """role: who looks so, as a token.

    Targets: the seats looked at; value: what it learnt; used: the clauses that say so.
    """

    role: str
    targets: tuple[int, ...]
    value: str
    used: frozenset[int]


def report(clauses: Sequence[ScannedClause], claimed: str, pack: Pack) -> LookReport | None:
    """The look a statement reports. claimed: the looker its speaker claims to be, as a token."""
    role = claimed or "looker"
    look = pack.look(key_of(role, pack))
    return _LookSearch(clauses, role, look).told(bool(claimed)) if look else None


def looked(text: str) -> bool:
    """Return whether a clause tells of a look in the night."""
    match = _LOOKED.search(text)
    if not match or _NO_LOOK.search(text):
        return False
    return "@" in text or not _WEAK.search(match[0])


def looked_at_one(text: str, claimed: bool) -> bool:
    """Return the same of a look at one player.

    Claimed: its speaker claims to be one who looks.
    """
    match = _LOOKED.search(text)
    if match is None or not looked(text):
        return False
    return claimed or bool(_MY_LOOK.search(text)) or not _COMMON.search(match[0])


class _LookSearch:
    """The search for one look of `role` at several players."""

    def __init__(self, clauses: Sequence[ScannedClause], role: str, look: Look) -> None:
        self.said, self.role, self.look = clauses, role, look

    def told(self, claimed: bool) -> LookReport | None:
        """Return the look.

        Claimed: the speaker claims to be one who looks.
        """
        live = [i for i, clause in enumerate(self.said) if not clause.idle]
        looks = [i for i in live if looked(self.said[i].text)]
        for start in looks:
            if look_report := self._from(start):
                return look_report
        if claimed or looks:
            for i in live:
                if len(self.said[i].seats) == self.look.seats and (
                    look_report := self._of_seats(i)
                ):
                    return look_report
        return self._bare(live)

    def _of_seats(self, i: int) -> LookReport | None:
        """Return the result that stands with the seats in clause `i`, or right after it."""
        text, at = self.said[i].text, i
        value = self._value(text)
        if not value and i + 1 < len(self.said) and not self.said[i + 1].seats:
            value, at = self._value(self.said[i + 1].text), i + 1
        if not value or _GUESSED.search(text):
            return None
        return self._build_report(self.said[i].seats, value, {i, at})

    def _from(self, start: int) -> LookReport | None:
        """Return the seats and the result after (or just before) the look in clause `start`."""
        seats: list[str] = []
        used, most = {start}, self.look.seats
        for i in range(start, min(start + REACH + 1, len(self.said))):
            clause = self.said[i]
            if clause.idle or len(seats) >= most:
                break
            fresh = [s for s in clause.seats if s not in seats]
            if fresh and (i == start or not seats or len(seats) + len(fresh) <= most):
                seats += fresh
                used.add(i)
        if len(seats) < most:
            return self._from_before(start, seats, used)
        seats = seats[:most]
        for i in range(start, min(max(used) + REACH + 1, len(self.said))):
            clause = self.said[i]
            if clause.idle or (clause.seats and not set(clause.seats) & set(seats)):
                continue
            if value := self._value(clause.text):
                return self._build_report(seats, value, used | set(range(start, i + 1)))
        return None

    def _from_before(self, start: int, seats: list[str], used: set[int]) -> LookReport | None:
        """Return the same where the seats, or all but `seats`, were named before the look."""
        if not _BOTH.search(self.said[start].text):
            return None
        first = max(0, start - 2)
        before = [s for c in self.said[first:start] if not c.idle for s in c.seats]
        both = list(dict.fromkeys(before + seats))
        if len(both) != self.look.seats:
            return None
        for i in range(first, min(start + REACH + 1, len(self.said))):
            if (value := self._value(self.said[i].text)) and not self.said[i].idle:
                return self._build_report(both, value, used | set(range(first, start)) | {i})
        return None

    def _bare(self, live: Sequence[int]) -> LookReport | None:
        """Return "alpha + beta = clean": nobody but one who looks talks so."""
        for i in live if self.look.seats == PAIR else ():
            if match := _BARE.match(self.said[i].text):
                answer = self.look.answers[0 if match[3] in ("one wolf", "red") else -1]
                return self._build_report((match[1], match[2]), answer[0], {i})
        return None

    def _value(self, text: str) -> str:
        """Return the answer in a clause, "" where it tells none."""
        answers = self.look.answers
        if _SURE_WOLF.search(text) and _FOUND.search(text) and not _NOT_ONE.search(text):
            return answers[0][0]
        if _CLEAN.search(text):
            return answers[-1][0]
        return answers[0][0] if _FOUND.search(text) else ""

    def _build_report(self, seats: Sequence[str], value: str, used: set[int]) -> LookReport:
        return LookReport(self.role, tuple(map(int, seats)), value, frozenset(used))


# what a fellow mate is called
_PARTNER = re.compile(
    r"\b(?:partner|companion|other half|counterpart|twin|buddy|fellow|other mate\d+|co-mate\d+|"
    r"comrade|teammate|brother|sister|mate|other one|second mate\d+|second one|other card|"
    r"colleague|friend|pal|the second|the other|other)\b"
)
# what joins two of a kind
_TOGETHER = re.compile(
    r"\b(?:with|and so is|so is|same as|alongside|together|along with|beside|besides|as "
    r"is|next to|we|both|us|each other|w|also|just like)\b"
)
# the pair as its own subject
_WE = re.compile(
    r"\b(?:we|us|both of us)\b.*\b(?:mate\d+s?|woke up|together|a pair|pair|partners|the "
    r"two|know each other|same time|same card)\b|^(?:we are )?(?:both )?mate\d+s(?: both| "
    r"gang| together)?$"
)
# the role, in whatever form
_MATE = re.compile(r"\bmate\d+")
# the word alone, which may be of anything
_TOGETHER_WORD = re.compile(r"\btogether\b")
# the second of a pair already named
_OTHER_MATE = re.compile(r"\bi am the (?:other|second) mate\d+\b")
# the role or the pair
_MATES = re.compile(r"\bmate\d+s?\b")
# the speaker in "@3+me"
_PLUS_ME = re.compile(r"\+?me")
# what two share that isn't a role
_OF_OPINION = re.compile(r"\b(?:see it|alike|agree|think|suspect|vote|voting|said|say|asked)\b")
# "my partner"
_MY_PARTNER = re.compile(
    r"\bmy (?:\w+ )?(?:partner|fellow|mate\d+|buddy|mate\d+ partner|mate\d+ buddy|mate\d+ mate|"
    r"other half|colleague|twin)\b"
)
# what is done with somebody who shares no role
_NOT_A_PAIR = re.compile(
    r"\b(?:agree|side|trust|talk|vote|voting|against|stand|deal|fed up|problem)\b"
)
# what others say before a name
_OTHERS_WORDS = re.compile(r"\b(?:he|she|you|claims?|claimed|says|said|told)\b")
# "mate with @3"
_MATE_SEAT = re.compile(r"\bmate\d+s?\b(?:[^@]{0,25})@(\d+)")
# "@3 is my fellow mate"
_SEAT_MATE = re.compile(r"@(\d+)\b(?:[^@]{0,30})\bmate\d+s?\b")
# "fellow mate @3"
_MATE_FIRST = re.compile(r"(?:\w+ ){0,3}mate\d+s?\b")
# "so is @3", after the speaker's own claim
_SO_IS = re.compile(
    r"(?:and |also )?(?:so is|with|together with|along with|w|same as|as is) @\d+(?: too|"
    r" also| as well)?"
)


def shares(text: str, sentence: str, mate: bool, last: str = "") -> str:
    """Return the seat a clause says is the speaker's fellow mate, "" for none.

    sentence: the statement; mate: its speaker claims to be a mate; last: the seat named before.
    """
    if last and "@" not in text and _with_last(text, sentence, mate):
        return last
    if denied(text) or lexicon.HEARSAY.search(text):
        return ""
    mentions = list(MENTION.finditer(text))
    single = [m[1] for m in mentions if m[1].isdigit()]
    about = _MATES.search(sentence)
    if joined := [_PLUS_ME.sub("", m[1]) for m in mentions if "me" in m[1]]:
        sure = mate or not _OF_OPINION.search(text)
        return joined[0] if joined[0].isdigit() and about and sure else ""
    if not single or (mentions[-1][2] and not _MATE.search(text)):
        return ""
    if _MY_PARTNER.search(text):
        return single[0]
    if not (about or mate):
        return ""
    if _NOT_A_PAIR.search(text) or _OTHERS_WORDS.search(text.split("@")[0]):
        return ""
    if mate and (_PARTNER.search(text) or _SO_IS.fullmatch(text)):
        return single[-1]
    near = _MATE_SEAT.search(text) or _SEAT_MATE.search(text)
    mine = ME.search(text) or _MATE_FIRST.match(text)
    return single[-1] if near and mine and _TOGETHER.search(text) else ""


def _with_last(text: str, sentence: str, mate: bool) -> bool:
    """Whether a clause without a name makes a pair of the speaker and the seat named before."""
    if _OTHER_MATE.search(text):
        return True
    if denied(text) or not _MATE.search(sentence):
        return False
    sure = mate or _MATE.search(text) or not _TOGETHER_WORD.search(text)
    return bool(sure) and bool(_WE.search(text))
