"""From a statement's words to speech acts, sentence by sentence. What isn't understood is no act.

The computer players' own sentences and simple ones of people are understood; conditionals,
hearsay and quotations are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from agents.talk.acts import Act, Kind

ROLES = "seer|mason|villager|werewolf|wolf|minion|tanner"
_I_AM = r"\b(?:i am|i'm|im|i was dealt|i claim(?: to be)?|i drew|speaking as|as)\b"
_FILL = (
    r"(?:\s+(?:really|truly|only|just|simply|actually|in fact|a|an|the|one of|your|our|plain|real|"
    r"true|humble|other|two|innocent|harmless|ordinary|simple|here|still))*"
)
_CLAIM = re.compile(rf"{_I_AM}{_FILL}\s+({ROLES})s?\b")
_NOT = re.compile(rf"\b(?:i am not|i'm not|im not|i ain't|i am no|i'm no){_FILL}\s+({ROLES})s?\b")
_HEARSAY = re.compile(r"\b(?:says?|said|claims?|claimed|thinks?|calls?|called|pretends?)\b[^,]*$")
_IF = re.compile(r"\b(?:if|suppose|imagine|had i|were i|would i)\b")
_LOOKED = re.compile(
    r"\b(?:i|my)\b[^.?!]*\b(?:looked|look|checked|check|saw|peeked|investigated|picked|chose|"
    r"divined|vision|read)\b"
)
_CLEAN = re.compile(
    r"\b(?:neither|none|both (?:are )?(?:clean|clear|good|innocent|safe|fine)|no (?:were)?wolf|"
    r"not (?:the )?(?:were)?wol|clean|cleared|isn't among|is not among|not among)\b"
)
_FOUND = re.compile(
    r"\b(?:one of (?:them|the two|those|these)|is among|one is|there is a|(?:were)?wolf is|"
    r"either|between them|one of which)\b"
)
_EVIL = r"(?:werewolf|wolf|wolves|evil|guilty|lying|a liar|lies|lied|a fake|fake|not honest|bad)"
_BE = r"(?:is|are|'s|must be|has to be|might be|looks like|was|could be|smells like|has)"


def sentences(text: str) -> list[str]:
    """The sentences of a text, lower-case, with plain apostrophes and their end signs."""
    plain = text.lower().replace("’", "'").replace("\n", " ")
    parts = re.split(r"(?<=[.!?;])\s+| – | — |,? but ", plain)
    return [p.strip() for p in parts if p.strip()]


@lru_cache(maxsize=64)
def _names(seats: tuple[str, ...]) -> re.Pattern[str]:
    ordered = sorted(seats, key=len, reverse=True)
    return re.compile(r"\b(" + "|".join(re.escape(s.lower()) for s in ordered) + r")\b")


@lru_cache(maxsize=4096)
def understand(text: str, speaker: int, seats: tuple[str, ...]) -> tuple[Act, ...]:
    """The acts in `text`, said by `speaker`, at a table of `seats` (names in order)."""
    return tuple(dict.fromkeys(_Reader(speaker, seats).read(text)))


class _Reader:
    def __init__(self, speaker: int, seats: Sequence[str]) -> None:
        self.speaker = speaker
        self.number = {name.lower(): i for i, name in enumerate(seats, 1)}
        self.names = _names(tuple(seats))

    def read(self, text: str) -> Iterator[Act]:
        looked: tuple[int, ...] = ()
        for sentence in sentences(text[:4000]):
            if _IF.search(sentence):
                continue
            seats = self._seats(sentence)
            if sentence.endswith("?"):
                if seats:
                    yield Act("question", self.speaker, seats)
                continue
            yield from self._about_me(sentence, seats)
            if _LOOKED.search(sentence) and len(seats) >= 2:
                looked = seats[:2]
            if looked and (found := _result(sentence)) is not None:
                yield Act("report", self.speaker, looked, found=found)
                looked = ()
                continue
            if looked == seats[:2] and looked:
                continue
            yield from self._about_others(sentence)

    def _seats(self, sentence: str) -> tuple[int, ...]:
        found = [self.number[m] for m in self.names.findall(sentence)]
        return tuple(dict.fromkeys(s for s in found if s != self.speaker))

    def _about_me(self, sentence: str, seats: tuple[int, ...]) -> Iterator[Act]:
        if denied := _NOT.search(sentence):
            yield Act("deny", self.speaker, role=_role(denied[1]))
            return
        pair = re.search(
            rf"(?:{self._any} and (?:i|me)\b|\b(?:me|i) and {self._any}|{self._any}[^.]*\bmy "
            rf"(?:fellow|partner|companion)|my (?:fellow|partner|companion)[^.]*{self._any}|"
            rf"{self._any} (?:is|was) the other mason|the other mason (?:is|was) {self._any}|"
            rf"\bi(?:'m| am)[^.]*\bmasons? (?:with|together with|alongside) {self._any})",
            sentence,
        )
        partner = pair and re.search(r"\bmy (?:fellow|partner|companion)", pair[0])
        if (
            pair
            and ("mason" in sentence or partner)
            and not _HEARSAY.search(sentence[: pair.start()])
        ):
            named = self._seats(pair[0])
            yield Act("claim", self.speaker, role="mason")
            if named:
                yield Act("companion", self.speaker, named[:1], role="mason")
            return
        claimed = _CLAIM.search(sentence)
        if claimed and not _HEARSAY.search(sentence[: claimed.start()]):
            if claimed[0].startswith("as ") and not re.search(r"\bi\b", sentence):
                return
            yield Act("claim", self.speaker, role=_role(claimed[1]))

    @property
    def _any(self) -> str:
        return self.names.pattern.replace("(", "(?:", 1)

    def _about_others(self, sentence: str) -> Iterator[Act]:
        for match in self.names.finditer(sentence):
            seat = self.number[match[1]]
            if seat == self.speaker:
                continue
            before, after = sentence[: match.start()], sentence[match.end() :]
            if kind := _toward(before, after):
                yield Act(kind, self.speaker, (seat,))


def _toward(before: str, after: str) -> Kind | None:
    """What is said of the name between `before` and `after`, if anything."""
    denied = r"(?:not|isn't|is not|never|hardly|wasn't)"
    if re.search(
        r"\bvot(?:e|ing) (?:is |goes )?(?:for|to|against|out|on) (?:\w+ ){0,2}$", before
    ) or (
        re.search(r"\bmy vote (?:goes|is|will go|lands|falls) (?:to|for|on|with|against) $", before)
    ):
        return "vote"
    if re.search(r"\b(?:believe|trust|defend|clear|stand by|side with|vouch for) $", before):
        distrust = re.search(
            r"(?:not|n't|hardly|cannot|never|stop) (?:\w+ )?\w+(?: \w+)? $", before
        )
        return "suspect" if distrust else "defend"
    if re.search(
        r"\b(?:suspect|doubt|distrust|suspicious of|wary of|worried about|eye on|eyes on|"
        r"watching|uneasy about|look at|finger at|questions about) $",
        before,
    ):
        return "defend" if re.search(rf"\b{denied}\b[^,]*$", before) else "suspect"
    if re.search(r"\b(?:accuse|it's|it is|werewolf is|wolf is|lynch|out with) $", before):
        return "accuse"
    if re.match(rf"\s*{_BE}?\s*{denied}\b[^,.]*\b{_EVIL}\b", after):
        return "defend"
    if re.match(rf"(?:'s|,)?(?:\s+\w+){{0,2}}\s*\b{_BE}\b[^,.]{{0,40}}\b{_EVIL}\b", after) or (
        re.match(r"\s+(?:lies|lied|is lying)\b", after)
    ):
        return "accuse"
    if re.match(
        r"[^,.]{0,30}\b(?:innocent|honest|trustworthy|clean|telling the truth|one of us)\b", after
    ):
        return "suspect" if re.match(rf"[^,.]{{0,20}}\b{denied}\b", after) else "defend"
    if re.match(
        r"[^,.]{0,40}\b(?:suspicious|off|odd|strange|worries|worrying|bothers|troubles|"
        r"fishy|sus|uneasy|too quiet|hiding|dodging|slippery|wrong)\b",
        after,
    ):
        return "suspect"
    return None


def _result(sentence: str) -> bool | None:
    """What a look showed: True for a werewolf among the two, None where nothing is said of it."""
    if _CLEAN.search(sentence):
        return False
    return True if _FOUND.search(sentence) else None


def _role(word: str) -> str:
    return "werewolf" if word == "wolf" else word
