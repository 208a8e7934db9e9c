"""What a role that looks at one player a night tells of it: of every night, in one statement.

"I checked @2: a plain one, then @6: wolf", "n1 @4 plain, n2 @7 wolf", "@2 and @6, both plain". A
result is a seat and an answer behind it; that it is of a look, and no opinion, show the speaker's
claim to such a role, a verb of looking, the number of a night, or the bare form of a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agents.packs import Pack
from agents.understanding import lexicon
from agents.understanding.clauses import MENTION
from agents.understanding.reports import LookReport, ScannedClause, looked_at_one, report
from agents.understanding.role_tokens import key_of
from game.engine.roles import Look

REACH = 3  # clauses from a look to its answer
# which night
NIGHT = (
    r"(?:(?:on |in |at )?(?:the )?(?:(?:my )?(?:first|second|third|fourth|last|previous|next|other|"
    r"same|this|1st|2nd|3rd|both) nights?|nights? ?(?:\d|one|two|three|four|before(?: that)?)|"
    r"n ?\d(?!\w)|tonight|(?:in|at|by) (?:the )?night|nite \d|each night))"
)
_NIGHT = re.compile(rf"\b{NIGHT}")
# nights or results one by one
_COUNTED = re.compile(
    r"\bn ?[1-4](?!\w)|\bnights? ?(?:\d|one|two|three)\b|\b(?:first|second|third) night\b|"
    r"\b(?:two|three|both|my|these are|following|here are|the) (?:\w+ )?(?:results|checks|"
    r"visions)\b"
)
# Nothing but a night; nothing but a seat and its night. A night's words ("first", "at") are items
# of their own too: the loops are possessive (`*+`), so that no other division is tried.
_ONLY_NIGHT = re.compile(
    rf"(?:(?:{NIGHT}|and|then|so far|yes|here|that is|result|is|was)\b[ ,]*)*+"
)
_ONLY_SEAT = re.compile(
    rf"(?:(?:{NIGHT}|and|then|also|plus|my|second|first|look|check|result|was|is|on|at)\b[ ,]*)*+"
    rf"@\d+(?:[ ,]*(?:{NIGHT}|too|result|was|is|=|s))*+"
)
_SEAT_IS = re.compile(r"@[\d+]+ (?:is|was|are)\b")
# somebody else's look
_NOT_MINE = re.compile(
    r"@\d+ (?:has |have )?(?:\w+ )?(?:looked|checked|saw|divined|claims?)\b(?! (?:is|as|was|"
    r"and)\b|$)"
)
# "@1 checked: a plain one", "i can clear @3"
_CHECKED = re.compile(r"@\d+ (?:checked|scanned|divined)(?: (?:is|as|was)\b|$)")
_I_CLEAR = re.compile(r"\bi (?:can |could |have |will )?(?:clear|cleared|confirm|confirmed) @\d+\b")
# the speaker learns something, in words that only a night beside them makes a look
_LEARNT = re.compile(
    r"(?<![\w@'])i (?:\w+ ){0,3}?(?:learn(?:ed|t)|saw|see|seen|found(?: out)?|got|read|know|"
    r"picked|chose|took|look(?:ed)?|watched|asked)\b|^(?:found|saw|got|learned|learnt)\b"
)
# an answer: a role, or a word for one that is hunted or is not
_ANSWER = re.compile(
    rf"\b(?:(?P<role>{lexicon.ROLE})s?|(?P<good>clean|clear(?:ed)?|good|innocent|green|safe|human|"
    r"harmless|town|negative)|(?P<bad>guilty|red|evil|bad|"
    r"positive))\b"
)
_ANSWER_ON = re.compile(rf"\b(?:a |the )?(?:{lexicon.ROLE}) (?:on|for|at) $")
# an answer that holds for one of several
_ONE_OF = re.compile(r"\b(?:one|1|either|among|between|which)\b")
_NOT = re.compile(r"\b(?:not|no|never|neither|isnt)(?: \w+){0,2} $")
# what may stand between a seat and its answer
_BETWEEN = re.compile(
    rf"[ ,]*(?:(?:{NIGHT}|is|was|are|were|be|to|the|a|an|our|your|just|only|plain|simple|normal|"
    r"ordinary|regular|result|results|came|comes|back|up|as|turned|turns|out|both|all|each|clearly|"
    r"he|she|it|they|that|and|card|said|says|shows|showed|role|true|not|no|also|another|one|with|"
    r"whom i \w+(?: at)?|who|his|her|their|who is|like|for sure|result is|exact|second|first|check|"
    r"checked|of|poor|little|good|here|now|so|from|by|night)[ ,]+)*+$"
)
# what makes a result of no look: a guess, a conclusion, a question, somebody else's words
_OPINION = re.compile(
    r"\b(?:think|guess|bet|suspect|believe|must|has to|have to|probably|maybe|perhaps|might|may|"
    r"could|can not|cannot|would|should|claims?|claimed|says|told|because|therefore|looks|seems|"
    r"sounds|"
    r"acts|feels|if|who is|find|help|kill\w*|voted|want|wants|hunt|real|fake|so|hence|means|makes|"
    r"likely|leaves|sure|obvious\w*|clearly|another|other|which|or)\b"
)
_GUESS = re.compile(
    r"\b(?:think|guess|bet|suspect|believe|must|has to|have to|probably|maybe|perhaps|might|may|"
    r"could|would|should|if|find|help|kill\w*|voted?|want|wants|hunt|because|therefore|hence|which|or|"
    r"means|i am)\b"
)
# before a seat in a bare result: nothing but which night or look it was
_LEAD = re.compile(
    rf"(?:(?:{NIGHT}|and|then|also|first|second|third|i|my|the|check|look|result|results|is|was|"
    r"looker\d+|here|claim|claiming|checks?|one|for|of|on|at|card|role|that|so far|are|yes|ok|well|"
    r"hi|as|real|now|with|hey|am|im|a|was on|went to|later|before|after|today|saw|two|"
    r"nights?|know|can|tell|you|say|this|but|finally|again)\b[ ,]*)*+"
)
# an answer that goes before its seat: "a red check on @4", "wolf is @3"
_BEFORE = re.compile(
    r"(?: (?:is|was|on|in|at|for|check|of|result|the|card|seat|named|called|:))* $"
)
# what was looked at was said or done by day
_BY_DAY = re.compile(
    r"@[\d+]+_s (?:\w+ )?(?:votes?|voting|speech|statement|words|behaviou?r|posts?|talk)\b|"
    r"\blook\w* (?:at|for|into) (?:how|who|what|why|the (?:votes?|talk|speech\w*))\b|"
    r"\blook(?:s|ed|ing)? (?:\w+ )?(?:like|sus\w*|bad|off|guilty|strange|weird|wolfish|wolfy)\b"
)
# "i looked", after what it told
_I_LOOKED = re.compile(
    r"\b(?:looked|checked|saw|seen|divined|peeked|(?:my|the|as) (?:\w+ )?(?:results?|checks?|"
    r"looks?|vision))\b"
)


def reported(clauses: Sequence[ScannedClause], claimed: str, pack: Pack) -> list[LookReport]:
    """Return the looks a statement reports, in its order.

    claimed: the looker its speaker claims to be.
    """
    look = pack.look(key_of(claimed or "looker", pack))
    if look is None or look.seats > 1:
        look_report = report(clauses, claimed, pack)
        return [look_report] if look_report else []
    return _Nights(clauses, claimed, look, pack).told()


class _Nights:
    """The search for looks at one player each."""

    def __init__(
        self, clauses: Sequence[ScannedClause], claimed: str, look: Look, pack: Pack
    ) -> None:
        self.said, self.claimed, self.pack = clauses, claimed, pack
        self.role = key_of(claimed or "looker", pack)
        self.answers = look.answers
        self.hunted = next((v for v, roles in look.answers if set(roles) & set(pack.hunted)), "")
        plain_values = (
            v for v, roles in look.answers if v != self.hunted and pack.plain in (*roles, v)
        )
        self.clean = next(
            plain_values, next(v for v, _ in reversed(look.answers) if v != self.hunted)
        )
        self.found: dict[str, LookReport] = {}  # seat -> its report
        self.open: list[str] = []  # seats looked at whose answer is still to come
        self.sure = False  # they are named with a verb of looking
        self.since = 0  # clauses since then
        self.bare_at = -1  # the last clause that told one without a look
        self.announced = False  # the clause before says that a result comes

    def told(self) -> list[LookReport]:
        """Return all of them.

        A seat's first answer counts.
        """
        live = [i for i, clause in enumerate(self.said) if not clause.idle]
        looks = {i for i in live if self._looks(self.said[i].text)}
        counted = any(_COUNTED.search(self.said[i].text) for i in live)
        if not (self.claimed or looks or counted):
            return []
        elsewhere = {i for i in looks if self.said[i].seats}
        for i in live:
            self._read(i, i in looks, bool(elsewhere - {i}), counted)
        return list(dict.fromkeys(self.found.values()))

    def _looks(self, text: str) -> bool:
        """Return whether a clause tells of a look in the night."""
        if _BY_DAY.search(text) or _NOT_MINE.search(text):
            return False
        if "@" in text and _NIGHT.search(text) and _LEARNT.search(text):
            return True
        if _CHECKED.search(text) or (self.claimed and _I_CLEAR.search(text)):
            return True
        return looked_at_one(text, bool(self.claimed))

    def _read(self, i: int, looks: bool, elsewhere: bool, counted: bool) -> None:
        """Take what clause `i` tells.

        looks: it tells of a look; elsewhere: another that names somebody does; counted: nights or
        results are.
        """
        text, seats = self.said[i].text, self.said[i].seats
        pairs = list(self._pairs(text))
        announced, self.announced = self.announced, looks and not seats
        if looks:
            self._of_look(i, pairs)
        elif self.open and self._answers_open(i, text, seats):
            pass
        elif pairs and self._bare(i, text, pairs, elsewhere, counted or announced):
            self._add(pairs, i)
            self.open, self.bare_at = [], i
        elif len(seats) == 1 and not pairs and _ONLY_SEAT.fullmatch(text):
            self.open = [*(self.open if self.sure else ()), *seats]
            self.sure, self.since = bool(self.open[1:]) and self.sure, 0
        elif not _ONLY_NIGHT.fullmatch(text):
            self.since += 1
            if self.since > REACH or not self.sure:
                self.open = []

    def _of_look(self, i: int, pairs: list[tuple[list[str], str]]) -> None:
        text, seats = self.said[i].text, list(self.said[i].seats)
        answered = {s for group, _ in pairs for s in group}
        self._add(pairs, i)
        left = [s for s in seats if s not in answered and s not in self.found]
        if left and not pairs and (value := self._before(text)):
            self._add([(left, value)], i)
        elif left and not pairs:
            self.open, self.sure, self.since = left, True, 0
            self._looking_back(i, left)
        elif not seats and not self.found and _I_LOOKED.search(text):
            self._looking_back(i)
        if not seats and self._only_answer(text) and self.open:
            self._answers_open(i, text, ())

    def _looking_back(self, i: int, of: Sequence[str] = ()) -> None:
        """The result in the clauses before: "@4 is clean, i looked".

        `of` these, where any are.
        """
        for j in range(max(0, i - 2), i):
            text = self.said[j].text
            for seats, value in self._pairs(text):
                idle = self.said[j].idle or _OPINION.search(text)
                if not idle and (not of or set(seats) <= set(of)):
                    self._add([(seats, value)], j)
                    self.open = [s for s in self.open if s not in seats]

    def _only_answer(self, text: str) -> bool:
        answer = _ANSWER.search(text)
        return bool(answer and _BETWEEN.fullmatch(text[: answer.start()] or " "))

    def _answers_open(self, i: int, text: str, seats: Sequence[str]) -> bool:
        """Return whether clause `i` answers the look before it.

        Notes the answers.
        """
        if seats and not set(seats) <= set(self.open):
            return False
        if not self.sure and not self._only_answer(text):
            return False
        values = [v for m in _ANSWER.finditer(text) if (v := self._value(m, text))]
        if not values or (_OPINION if seats else _GUESS).search(text):
            return False
        if len(values) == len(self.open):
            pairs = [([s], v) for s, v in zip(self.open, values, strict=True)]
        else:
            pairs = [(list(seats or self.open), values[0])]
        self._add(pairs, i)
        self.open = [s for s in self.open if s not in self.found]
        return True

    def _bare(
        self, i: int, text: str, pairs: list[tuple[list[str], str]], elsewhere: bool, counted: bool
    ) -> bool:
        """Return whether results without a look are of one all the same."""
        first = MENTION.search(text)
        head = _ANSWER_ON.sub("", text[: first.start()]) if first else ""
        if not first or _OPINION.search(text) or not _LEAD.fullmatch(head):
            return False
        listed = bool(_NIGHT.search(text)) or not _SEAT_IS.search(text)
        if not self.claimed:
            return counted or (listed and bool(self.found))
        finds = any(value == self.hunted for _, value in pairs)
        on = self.bare_at == i - 1 >= 0  # it goes on with a list
        return listed or not finds or counted or on or not (self.found or elsewhere)

    def _add(self, pairs: Sequence[tuple[list[str], str]], i: int) -> None:
        role, used = self.claimed or "looker", frozenset({i})
        for seats, value in pairs:
            if value == self.hunted and len(seats) > 1 and _ONE_OF.search(self.said[i].text):
                both = LookReport(role, tuple(sorted(map(int, seats))), value, used)
                for seat in seats:
                    self.found.setdefault(seat, both)
                continue
            for seat in seats:
                self.found.setdefault(seat, LookReport(role, (int(seat),), value, used))

    # -- a seat and its answer

    def _pairs(self, text: str) -> Iterator[tuple[list[str], str]]:
        """Yield (seats, answer) of every seat in `text` with an answer right behind it."""
        mentions = list(MENTION.finditer(text))
        for n, mention in enumerate(mentions):
            seats = [s for s in mention[1].split("+") if s.isdigit()]
            end = mentions[n + 1].start() if n + 1 < len(mentions) else len(text)
            if (on := _ANSWER_ON.search(text[: mention.start()])) and seats:
                answer = _ANSWER.search(on[0])
                if answer and (value := self._value(answer, on[0])):
                    yield seats, value
                continue
            stretch = text[mention.end() : end]
            if (answer := _ANSWER.search(stretch)) and seats:
                gap = stretch[: answer.start()]
                if _BETWEEN.fullmatch(gap) and (value := self._value(answer, stretch)):
                    yield seats, value

    def _before(self, text: str) -> str:
        """Return the answer that stands right before the one seat of a look, "" for none."""
        mention = MENTION.search(text)
        if not mention:
            return ""
        for answer in _ANSWER.finditer(text[: mention.start()]):
            if _BEFORE.fullmatch(text[answer.end() : mention.start()]):
                return self._value(answer, text)
        return ""

    def _value(self, answer: re.Match[str], text: str) -> str:
        """Return what an answer says, as the look has it.

        Returns "" for a role that it doesn't tell.
        """
        no = bool(_NOT.search(text[: answer.start()]))
        if not answer["role"]:
            return self.hunted if bool(answer["bad"]) != no else self.clean
        key = key_of(answer["role"], self.pack)
        if key == self.role:
            return ""
        value = next((v for v, roles in self.answers if key in roles), self.clean)
        if no:
            return self.clean if value == self.hunted else ""
        return value
