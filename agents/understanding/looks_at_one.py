"""What a role that looks at one player a night tells of it: of every night, in one statement.

"I checked @2: a plain one, then @6: wolf", "n1 @4 plain, n2 @7 wolf", "@2 and @6, both plain". A
result is a seat and an answer behind it; that it is of a look, and no opinion, show the speaker's
claim to such a role, a verb of looking, the number of a night, or the bare form of a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agents.language.patterns import load
from agents.packs import Pack
from agents.understanding.clauses import MENTION
from agents.understanding.reports import LookReport, ScannedClause, looked, report
from agents.understanding.role_tokens import key_of
from game.engine.roles import Look

P = load("looks_at_one")


REACH = 3  # clauses from a look to its answer


def reported(clauses: Sequence[ScannedClause], claimed: str, pack: Pack) -> list[LookReport]:
    """Return the looks a statement reports, in its order.

    claimed: the looker its speaker claims to be.
    """
    look = pack.look(key_of(claimed or "looker", pack))
    if look is None or look.seats > 1:
        look_report = report(clauses, claimed, pack)
        return [look_report] if look_report else []
    return _Nights(clauses, claimed, look, pack).find_reports()


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
            v for v, roles in look.answers if v != self.hunted and pack.plain_role in (*roles, v)
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

    def find_reports(self) -> list[LookReport]:
        """Return all of them.

        A seat's first answer counts.
        """
        live = [i for i, clause in enumerate(self.said) if not clause.idle]
        looks = {i for i in live if self._looks(self.said[i].text)}
        counted = any(P.counted.search(self.said[i].text) for i in live)
        if not (self.claimed or looks or counted):
            return []
        elsewhere = {i for i in looks if self.said[i].seats}
        for i in live:
            self._read(i, i in looks, bool(elsewhere - {i}), counted)
        return list(dict.fromkeys(self.found.values()))

    def _looks(self, text: str) -> bool:
        """Return whether a clause tells of a look in the night."""
        if "@" in text and P.some_night.search(text) and P.learnt.search(text):
            return True
        if P.checked.search(text) or (self.claimed and P.i_clear.search(text)):
            return True
        return looked(text)

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
        elif len(seats) == 1 and not pairs and P.only_seat.fullmatch(text):
            self.open = [*(self.open if self.sure else ()), *seats]
            self.sure, self.since = bool(self.open[1:]) and self.sure, 0
        elif not P.only_night.fullmatch(text):
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
        elif not seats and not self.found and P.i_looked.search(text):
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
                if not self.said[j].idle and (not of or set(seats) <= set(of)):
                    self._add([(seats, value)], j)
                    self.open = [s for s in self.open if s not in seats]

    def _only_answer(self, text: str) -> bool:
        answer = P.answer.search(text)
        return bool(answer and P.between.fullmatch(text[: answer.start()] or " "))

    def _answers_open(self, i: int, text: str, seats: Sequence[str]) -> bool:
        """Return whether clause `i` answers the look before it.

        Notes the answers.
        """
        if seats and not set(seats) <= set(self.open):
            return False
        if not self.sure and not self._only_answer(text):
            return False
        values = [v for m in P.answer.finditer(text) if (v := self._value(m, text))]
        if not values or (not seats and P.guess.search(text)):
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
        head = P.answer_on.sub("", text[: first.start()]) if first else ""
        if not first or not P.lead.fullmatch(head):
            return False
        listed = bool(P.some_night.search(text)) or not P.seat_is.search(text)
        if not self.claimed:
            return counted or (listed and bool(self.found))
        finds = any(value == self.hunted for _, value in pairs)
        on = self.bare_at == i - 1 >= 0  # it goes on with a list
        return listed or not finds or counted or on or not (self.found or elsewhere)

    def _add(self, pairs: Sequence[tuple[list[str], str]], i: int) -> None:
        role, used = self.claimed or "looker", frozenset({i})
        for seats, value in pairs:
            one_of = value == self.hunted and P.one_of.search(self.said[i].text)
            for seat in seats:
                targets = tuple(sorted(map(int, seats))) if one_of else (int(seat),)
                self.found.setdefault(seat, LookReport(role, targets, value, used))

    # -- a seat and its answer

    def _pairs(self, text: str) -> Iterator[tuple[list[str], str]]:
        """Yield (seats, answer) of every seat in `text` with an answer right behind it."""
        mentions = list(MENTION.finditer(text))
        for n, mention in enumerate(mentions):
            seats = [s for s in mention[1].split("+") if s.isdigit()]
            end = mentions[n + 1].start() if n + 1 < len(mentions) else len(text)
            if (on := P.answer_on.search(text[: mention.start()])) and seats:
                answer = P.answer.search(on[0])
                if answer and (value := self._value(answer, on[0])):
                    yield seats, value
                continue
            stretch = text[mention.end() : end]
            if (answer := P.answer.search(stretch)) and seats:
                gap = stretch[: answer.start()]
                if P.between.fullmatch(gap) and (value := self._value(answer, stretch)):
                    yield seats, value

    def _before(self, text: str) -> str:
        """Return the answer that stands right before the one seat of a look, "" for none."""
        mention = MENTION.search(text)
        if not mention:
            return ""
        for answer in P.answer.finditer(text[: mention.start()]):
            if P.before.fullmatch(text[answer.end() : mention.start()]):
                return self._value(answer, text)
        return ""

    def _value(self, answer: re.Match[str], text: str) -> str:
        """Return what an answer says, as the look has it.

        Returns "" for a role that it doesn't tell.
        """
        no = bool(P.no_answer.search(text[: answer.start()]))
        if not answer["role"]:
            return self.hunted if bool(answer["bad"]) != no else self.clean
        key = key_of(answer["role"], self.pack)
        if key == self.role:
            return ""
        value = next((v for v, roles in self.answers if key in roles), self.clean)
        if no:
            return self.clean if value == self.hunted else ""
        return value
