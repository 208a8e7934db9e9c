"""From a statement's words to speech acts, clause by clause. What isn't understood is no act.

The computer players' own sentences and simple ones of people are understood. Conditionals,
hearsay ("Beta says ..."), quotations and lines that pose as somebody else are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from agents.talk import others, report
from agents.talk.acts import Act
from agents.talk.plain import N, Sentence, plain

ROLES = "seer|mason|villager|wolf|minion|tanner"
_DET = (
    r"(?:(?:a|an|the|one of|your|our|this|that|that is|real|true|other|two|both|second|another|"
    r"fellow|innocent|harmless|good|little|old|lonely|village|of|no more than|nothing but|nothing|"
    r"more|than|first|last|here|dull|boring|tired|small|dealt|half|loyal) )*"
)
_AM = (
    r"\b(?:i am|i was|i was dealt|i drew|i got|my role is|my card is|my card says|i claim(?: to "
    r"be)?"
    r"|i play|speaking as|call me|me down as|me as|i woke up as|i hold|i am holding|my part is)\b"
)
_CLAIM = re.compile(rf"{_AM} {_DET}({ROLES})\b")
_HERE = re.compile(rf"^{_DET}({ROLES})(?: here| speaking| reporting| over here)$")
_DENY = re.compile(
    rf"\bi (?:am|was) (?:not|no|never|neither)\b {_DET}({ROLES})\b|\bdo not (?:take|mistake) me "
    rf"for "
    rf"{_DET}({ROLES})\b|\bit is not me\b|\bnot me\b"
)
_FOREIGN = re.compile(  # what comes after is not the speaker's own claim
    r"(?<!\bi )\b(?:says?|said|saying|thinks?|claims?|claimed|calls?|called|calling|believes?|"
    r"wants?|suspects?|pretend\w*|wonders?|thinking|never|not|accuse\w*|told me|whether|as though|"
    r"like|doubts?)\b[^,]*$"
)
_PARTNER = r"(?:fellow mason|fellow|partner|companion|other half|mason partner|counterpart|twin)"
_COMPANION = tuple(
    re.compile(p)
    for p in (
        r"@(\d+)\+me (?:are|is|make|were|share|know)\b(?!.*\bnot\b)",
        rf"\bi (?:am|was) {_DET}mason (?:\w+ ){{0,2}}?(?:with|alongside|beside|next to) @(\d+)",
        rf"\bmy {_PARTNER} (?:\w+ )?(?:is|was) @(\d+)",
        rf"@(\d+) (?:is|was) my {_PARTNER}",
        rf"\bmy {_PARTNER}(?: is)? @(\d+)",
        r"\bthe other (?:mason|one|half)(?: of us)? (?:is|was) @(\d+)",
        r"@(\d+) (?:is|was) (?:the other|the second|my other) (?:mason|half|one)",
        r"\bmason (?:with|alongside) @(\d+)",
        r"^(?:and )?so is @(\d+)$",
        r"\bi share (?:it|that|the role|my role) with @(\d+)",
    )
)
_NO_PARTNER = re.compile(
    rf"\bi am not @\d+_s {_PARTNER}|@\d+ (?:is|was) not my {_PARTNER}|"
    rf"\bnever been @\d+_s {_PARTNER}"
)
_RETRACT = re.compile(
    r"\b(?:i take (?:it|that|this|\w+ words?)? ?back|forget what i (?:said|told)|i lied\b|i was "
    r"lying|"
    r"i have to take back|i did not tell you the truth|what i (?:said|told you) \w*\s?was (?:not|a "
    r"lie|false|untrue)|i withdraw)"
)
_SHOULD = re.compile(
    r"\b(seer|mason)\b[^,]*?\b(?:should|ought to|must|had better|need to|needs to)\b(.*)"
)
_LET = re.compile(r"\b(?:let|want|like|would have|wish|prefer|keep|ask|beg) the (seer|mason) (.*)")
_WAIT = re.compile(r"\b(?:wait|hide|stay|hold|keep|quiet|silent|not|back|sleep|lie low|later)\b")
_SPEAK = re.compile(r"\b(?:speak|come|talk|step|tell|show|out|say|forward|early|stand)\b")
_LABEL = re.compile(
    rf"^(?P<no>not )?(?:the |my )?(?P<what>wolf|suspect|suspects|vote|guess|pick|target|liar|safe|"
    rf"clean|innocent|trusted|trust) ?(?:is|are|=|->|goes to|-|for|on)? ?{N}$"
)


@lru_cache(maxsize=4096)
def understand(text: str, speaker: int, seats: tuple[str, ...], to: int = 0) -> tuple[Act, ...]:
    """The acts in `text`, said by `speaker`, at a table of `seats` (names in order).

    `to`: the seat that spoke last, whom "you" means where nobody is named; 0 for nobody.
    """
    return tuple(dict.fromkeys(_Reader(speaker, seats, to).read(text)))


class _Reader:
    """Reads one statement; remembers whom it speaks to, of whom, and what it looked at."""

    def __init__(self, speaker: int, seats: Sequence[str], to: int) -> None:
        self.speaker, self.seats = speaker, seats
        self.to = f"@{to}" if to and to != speaker else ""
        self.last = ""  # as in "@3"
        self.look = report.Look()
        self.role = ""

    def read(self, text: str) -> Iterator[Act]:
        for sentence in plain(text, self.seats):
            if sentence.unsure:
                continue
            yield from self._label(sentence)
            yield from self._asked(sentence) if sentence.asks else self._told(sentence)

    def _act(self, kind: str, seats: str = "", **more: object) -> Iterator[Act]:
        targets = tuple(int(s) for s in seats.split("+") if s.isdigit())
        targets = tuple(t for t in targets if t != self.speaker and t <= len(self.seats))
        if targets or not seats:
            yield Act(kind, self.speaker, targets, **more)  # type: ignore[arg-type]

    def _label(self, sentence: Sentence) -> Iterator[Act]:
        """ "The wolf: Zeta", "Not the wolf: Zeta", "My vote: Zeta"."""
        if sentence.asks or len(sentence.clauses) > 2:
            return
        if match := _LABEL.match(" ".join(sentence.clauses)):
            what = match["what"]
            if what == "vote":
                kind = "defend" if match["no"] else "vote"
            elif what in ("safe", "clean", "innocent", "trust", "trusted"):
                kind = "suspect" if match["no"] else "defend"
            else:
                kind = "accuse" if what in ("wolf", "liar") else "suspect"
                kind = "defend" if match["no"] else kind
            yield from self._act(kind, match[3])

    # -- questions

    def _asked(self, sentence: Sentence) -> Iterator[Act]:
        for clause in sentence.clauses:
            self._note_names(clause)
        body = " , ".join(sentence.clauses)
        named = [c[1:] for c in sentence.clauses if re.fullmatch(r"(?:and )?@\d+", c)]
        named = [n.split("@")[-1] for n in named]
        first = re.match(r"(?:and |so |but )*@(\d+)\b", body) or re.search(
            r"(?:about|from|with|to) @(\d+)$", body
        )
        seats = "+".join(named) or (first[1] if first else "")
        if not seats and re.search(r"\byou\b", body) and self.to:
            seats = self.to[1:]
        if not seats:
            seats = "+".join(re.findall(r"@(\d+)", body))
        if seats:
            yield from self._act("question", seats, about=_about(body))

    # -- statements

    def _told(self, sentence: Sentence) -> Iterator[Act]:
        names = [c for c in sentence.clauses if re.fullmatch(r"(?:and |so |no |to )*@\d+", c)]
        if names:
            self.to = "@" + names[-1].split("@")[1]
        elif lead := re.match(r"@(\d+) (?=you\b|your\b|i\b|we\b)", sentence.clauses[0]):
            self.to = f"@{lead[1]}"
        for clause in sentence.clauses:
            if clause in names:
                self.last = "@" + clause.split("@")[1]
                continue
            clause = re.sub(r"^@\d+ (?=you\b|i\b|we\b)", "", clause)
            yield from self._clause(self._resolve(clause))

    def _resolve(self, clause: str) -> str:
        """`clause` with "you" and "he", "she", "they" as the seats they stand for."""
        if self.to:
            clause = re.sub(r"\byou (?:are|were)\b", f"{self.to} is", clause)
            clause = re.sub(r"\byour (?=\w)", f"{self.to}_s ", clause)
            clause = re.sub(r"\byou\b", self.to, clause)
        if self.last:
            clause = re.sub(r"\b(?:he|she|they)(?: are| is| was)\b", f"{self.last} is", clause)
            clause = re.sub(r"^(?:he|she|they)\b", self.last, clause)
            clause = (
                re.sub(r"\b(?:him|her|them)\b", self.last, clause) if self._single() else clause
            )
        self._note_names(clause)
        return clause

    def _single(self) -> bool:
        return "+" not in self.last

    def _note_names(self, clause: str) -> None:
        if found := re.findall(r"@[\d+]+(?!\w*_s)", clause):
            self.last = found[-1]

    def _clause(self, clause: str) -> Iterator[Act]:
        if _RETRACT.search(clause) and not _FOREIGN.search(clause[: clause.find(" i ") + 1]):
            yield from self._act("retract")
            return
        mine = list(self._me(clause))
        yield from mine
        if any(a.kind == "companion" for a in mine):
            return
        if looked := self.look.read(clause, claims_seer=self.role == "seer"):
            targets, found = looked
            joined = "+".join(map(str, targets))
            yield from self._act("report", joined, found=found)
            return
        if self.look.pending and "@" in clause:
            return
        yield from self._proposal(clause)
        for kind, seats, role in others.read(clause):
            yield from self._act(kind, seats, role=role)

    def _me(self, clause: str) -> Iterator[Act]:
        if denied := _DENY.search(clause):
            if not _FOREIGN.search(clause[: denied.start()]):
                yield from self._act("deny", role=_role(denied[1] or denied[2] or "wolf"))
            return
        if _NO_PARTNER.search(clause):
            yield from self._act("deny", role="mason")
            return
        for pattern in _COMPANION:
            match = pattern.search(clause)
            of_it = "mason" in clause or "partner" in clause or self.role == "mason"
            if match and of_it and not others.hearsay(clause[: match.start()]):
                self.role = "mason"
                yield from self._act("claim", role="mason")
                yield from self._act("companion", match[1], role="mason")
                return
        claimed = _CLAIM.search(clause) or _HERE.search(clause)
        if claimed and not _FOREIGN.search(clause[: claimed.start()]):
            self.role = _role(claimed[1])
            yield from self._act("claim", role=self.role)

    def _proposal(self, clause: str) -> Iterator[Act]:
        if match := (_LET.search(clause) or _SHOULD.search(clause)):
            wait, speak = _WAIT.search(match[2]), _SPEAK.search(match[2])
            if wait or speak:
                yield from self._act("propose", role=match[1], about="wait" if wait else "speak")


def _about(body: str) -> str:
    """What a question is about."""
    if re.search(r"\b(?:why|reason|reasons|how come|what makes)\b", body):
        return "reason"
    if re.search(r"\b(?:look|looked|check|checked|see|saw|vision|result|learn|learned)\b", body):
        return "result"
    if re.search(
        r"\b(?:role|who are you|what are you|who you are|what you are|claim|are you|card|"
        r"and you are|is your)\b",
        body,
    ):
        return "role"
    if re.search(
        r"\b(?:suspect|suspicious|trust|whom?|think|make of|vote|stand|read|eye|wolf)\b", body
    ):
        return "suspect"
    return ""


def _role(word: str) -> str:
    return "werewolf" if word == "wolf" else word
