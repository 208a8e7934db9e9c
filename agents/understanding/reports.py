"""Find the looks that a statement reports: who was looked at, and what the look showed.

A look at several players is one result, whose parts are collected over all clauses. A role that
looks at one player a night may report all nights at once: "I checked @2: a plain one, then @6:
wolf", "n1 @4 plain, n2 @7 wolf", "@2 and @6, both plain". Such a result is a seat followed by an
answer. It is a look's result rather than an opinion if the speaker claims such a role, or if there
is a verb of looking, the number of a night, or a bare list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from agents.language.patterns import load
from agents.packs import Pack
from agents.understanding.clauses import MENTION, Clause, mentioned_seats
from agents.understanding.tokens import role_key
from game.engine.roles import Look

P = load("reports")
MAX_CLAUSE_DISTANCE = 4  # from a look to its seats, and from these to its result
MAX_CLAUSES_TO_ANSWER = 3  # from a look at one seat to its answer
MAX_CLAUSES_BACK = 2  # from a look back to its seats or its result


@dataclass(frozen=True)
class LookReport:
    """A look that a statement reports.

    Attributes:
        role: The looking role, as a token.
        targets: The seats looked at.
        value: The result.
        used: Indices of the clauses that say so.
    """

    role: str
    targets: tuple[int, ...]
    value: str
    used: frozenset[int]


def find_reports(clauses: Sequence[Clause], claimed: str, pack: Pack) -> list[LookReport]:
    """Return the looks that a statement reports, in order.

    Args:
        claimed: The looking role that the speaker claims, as a token, "" for none.
    """
    look = pack.look(role_key(claimed or "looker", pack))
    if look is None:
        return []
    if look.seats > 1:
        report = _LookSearch(clauses, claimed, look).find_look()
        return [report] if report else []
    return _SingleLookSearch(clauses, claimed, look, pack).find_reports()


def _is_look(text: str) -> bool:
    """Return whether a clause mentions a look at night."""
    match = P.looked.search(text)
    if not match or P.no_look.search(text):
        return False
    return "@" in text or not P.weak.search(match[0])


class _LookSearch:
    """The search for one look at several players."""

    def __init__(self, clauses: Sequence[Clause], claimed: str, look: Look) -> None:
        self.clauses, self.claimed, self.look = clauses, claimed, look

    def find_look(self) -> LookReport | None:
        """Return the first complete report, None if there is none."""
        live_indices = [i for i, clause in enumerate(self.clauses) if not clause.is_idle]
        look_indices = [i for i in live_indices if _is_look(self.clauses[i].text)]
        if not (self.claimed or look_indices):
            return None
        at_looks = map(self._find_at_look, look_indices)
        at_seats = map(self._find_at_seats, live_indices)
        return next(filter(None, chain(at_looks, at_seats)), None)

    def _find_at_seats(self, i: int) -> LookReport | None:
        """Return the report whose seats are in clause `i` and its result there or in the next."""
        seats = self.clauses[i].seats
        for j in (i, i + 1):
            clause = self.clauses[j] if j < len(self.clauses) else None
            if not clause or len(seats) != self.look.seats or (j > i and clause.seats):
                return None
            if value := self._answer_value(clause.text):
                return self._build_report(seats, value, {i, j})
        return None

    def _find_at_look(self, start: int) -> LookReport | None:
        """Return the report whose seats and result follow the look in clause `start`.

        The seats, or some of them, may also stand just before it.
        """
        seats: list[str] = []
        first, used, seat_count = start, {start}, self.look.seats
        for i, clause in enumerate(self.clauses[start : start + MAX_CLAUSE_DISTANCE + 1], start):
            if clause.is_idle or len(seats) >= seat_count:
                break
            new_seats = [s for s in clause.seats if s not in seats]
            if new_seats and (not seats or len(seats) + len(new_seats) <= seat_count):
                seats += new_seats
                used.add(i)
        last = max(used)
        if len(seats) < seat_count and P.both.search(self.clauses[start].text):
            first = max(0, start - MAX_CLAUSES_BACK)
            used |= set(range(first, start))
            before = [s for c in self.clauses[first:start] if not c.is_idle for s in c.seats]
            seats = list(dict.fromkeys(before + seats))
            if len(seats) > seat_count:
                return None
        if len(seats) < seat_count:
            return None
        seats = seats[:seat_count]
        for i, clause in enumerate(self.clauses[first : last + MAX_CLAUSE_DISTANCE + 1], first):
            is_of_others = clause.seats and not set(clause.seats) & set(seats)
            if clause.is_idle or is_of_others:
                continue
            if value := self._answer_value(clause.text):
                between = {i} if first < start else set(range(start, i))
                return self._build_report(seats, value, used | between | {i})
        return None

    def _answer_value(self, text: str) -> str:
        """Return the look's answer in a clause, "" for none."""
        answers, is_found = self.look.answers, P.found.search(text)
        if is_found and P.sure_wolf.search(text):
            return answers[0][0]
        if P.clean.search(text):
            return answers[-1][0]
        return answers[0][0] if is_found else ""

    def _build_report(self, seats: Sequence[str], value: str, used: set[int]) -> LookReport:
        targets = tuple(map(int, seats))
        return LookReport(self.claimed or "looker", targets, value, frozenset(used))


class _SingleLookSearch:
    """The search for looks at one player each, over the clauses of one statement."""

    def __init__(self, clauses: Sequence[Clause], claimed: str, look: Look, pack: Pack) -> None:
        self.clauses, self.claimed, self.pack = clauses, claimed, pack
        self.answers = look.answers
        hunted = [v for v, roles in look.answers if set(roles) & set(pack.hunted)]
        self.hunted_value = hunted[0] if hunted else ""
        other_answers = [(v, roles) for v, roles in look.answers if v != self.hunted_value]
        plain_values = [v for v, roles in other_answers if pack.plain_role in (*roles, v)]
        self.clean_value = plain_values[0] if plain_values else other_answers[-1][0]
        self.reports: dict[str, LookReport] = {}  # seat -> its report
        self.open_seats: list[str] = []  # seats looked at whose answer is still to come
        self.is_look_named = False  # whether the open seats stand with a verb of looking
        self.clauses_since = 0  # since the open seats were named
        self.last_bare_index = -1  # of the last clause with a result but no verb of looking
        self.is_result_announced = False  # by the clause before
        self.is_numbered = False  # whether the statement numbers its nights or results
        self.seated_looks: set[int] = set()  # clauses that mention a look and name a player

    def find_reports(self) -> list[LookReport]:
        """Return all reports. A seat's first answer counts."""
        live_indices = [i for i, clause in enumerate(self.clauses) if not clause.is_idle]
        texts = {i: self.clauses[i].text for i in live_indices}
        look_indices = {i for i, t in texts.items() if _is_look(t) or P.night_look.search(t)}
        is_numbered = any(map(P.counted.search, texts.values()))
        if not (self.claimed or look_indices or is_numbered):
            return []
        self.is_numbered = is_numbered
        self.seated_looks = {i for i in look_indices if self.clauses[i].seats}
        for i in live_indices:
            self._read_clause(i, i in look_indices)
        return list(dict.fromkeys(self.reports.values()))

    def _read_clause(self, i: int, is_look: bool) -> None:
        """Collect the results in clause `i`, which mentions a look or not."""
        text, seats = self.clauses[i].text, self.clauses[i].seats
        pairs = list(self._seat_answers(text))
        was_announced, self.is_result_announced = self.is_result_announced, is_look and not seats
        if is_look:
            self._read_look(i, pairs)
        elif self.open_seats and self._read_open_answer(i, text, seats):
            pass
        elif pairs and self._is_bare_result(i, pairs, was_announced):
            self._add_reports(pairs, i)
            self.open_seats, self.last_bare_index = [], i
        elif len(seats) == 1 and P.only_seat.fullmatch(text):
            self.open_seats = [*self.open_seats, *seats]
        else:
            self.clauses_since += 1
            if self.clauses_since > MAX_CLAUSES_TO_ANSWER or not self.is_look_named:
                self.open_seats = []

    def _read_look(self, i: int, pairs: list[tuple[list[str], str]]) -> None:
        """Collect the results of the look in clause `i`, or keep its seats open for an answer."""
        text, seats = self.clauses[i].text, self.clauses[i].seats
        self._add_reports(pairs, i)
        unanswered_seats = [s for s in seats if s not in self.reports]
        if unanswered_seats and not pairs and (value := self._answer_before_seat(text)):
            self._add_reports([(unanswered_seats, value)], i)
        elif unanswered_seats and not pairs:
            self.open_seats, self.is_look_named, self.clauses_since = unanswered_seats, True, 0
            self._read_earlier_result(i)
        elif not seats and P.i_looked.search(text):
            self._read_earlier_result(i)
        if not seats and self._is_only_answer(text) and self.open_seats:
            self._read_open_answer(i, text, ())

    def _read_earlier_result(self, i: int) -> None:
        """Collect the results in the clauses before the look: "@4 is clean, i looked"."""
        for j in range(max(0, i - MAX_CLAUSES_BACK), i):
            if not self.clauses[j].is_idle:
                self._add_reports(list(self._seat_answers(self.clauses[j].text)), j)
        self.open_seats = [s for s in self.open_seats if s not in self.reports]

    def _is_only_answer(self, text: str) -> bool:
        answer = P.answer.search(text)
        return bool(answer and P.between.fullmatch(text[: answer.start()] or " "))

    def _read_open_answer(self, i: int, text: str, seats: Sequence[str]) -> bool:
        """Collect the answers of clause `i` to the open seats. Returns: whether there are any."""
        if seats and not set(seats) <= set(self.open_seats):
            return False
        if not self.is_look_named and not self._is_only_answer(text):
            return False
        values = [v for m in P.answer.finditer(text) if (v := self._answer_value(m, text))]
        if not values or (not seats and P.guess.search(text)):
            return False
        if len(values) == len(self.open_seats):
            pairs = [([s], v) for s, v in zip(self.open_seats, values, strict=True)]
        else:
            pairs = [(list(seats or self.open_seats), values[0])]
        self._add_reports(pairs, i)
        self.open_seats = [s for s in self.open_seats if s not in self.reports]
        return True

    def _is_bare_result(
        self, i: int, pairs: list[tuple[list[str], str]], was_announced: bool
    ) -> bool:
        """Return whether results without a verb of looking are a look's all the same."""
        text, is_numbered = self.clauses[i].text, self.is_numbered or was_announced
        first = MENTION.search(text)
        head = P.answer_on.sub("", text[: first.start()]) if first else ""
        if not first or not P.lead.fullmatch(head):
            return False
        is_list = bool(P.some_night.search(text)) or not P.seat_is.search(text)
        if not self.claimed:
            return is_numbered or (is_list and bool(self.reports))
        finds_hunted = any(value == self.hunted_value for _, value in pairs)
        follows_list = self.last_bare_index == i - 1 >= 0
        if is_list or not finds_hunted or is_numbered or follows_list:
            return True
        return not (self.reports or self.seated_looks)

    def _add_reports(self, pairs: Sequence[tuple[list[str], str]], i: int) -> None:
        role, used = self.claimed or "looker", frozenset({i})
        for seats, value in pairs:
            one_of = value == self.hunted_value and P.one_of.search(self.clauses[i].text)
            for seat in seats:
                targets = tuple(sorted(map(int, seats))) if one_of else (int(seat),)
                self.reports.setdefault(seat, LookReport(role, targets, value, used))

    def _seat_answers(self, text: str) -> Iterator[tuple[list[str], str]]:
        """Yield (seats, answer) of every mention in `text` directly followed by an answer."""
        mentions = list(MENTION.finditer(text))
        ends = [mention.start() for mention in mentions[1:]] + [len(text)]
        for mention, end in zip(mentions, ends, strict=False):
            part, answer = text[mention.end() : end], None
            if on := P.answer_on.search(text[: mention.start()]):  # "a plain one on @3"
                part, answer = on[0], P.answer.search(on[0])
            elif (match := P.answer.search(part)) and P.between.fullmatch(part[: match.start()]):
                answer = match
            seats = mentioned_seats(mention[0])
            if seats and answer and (value := self._answer_value(answer, part)):
                yield seats, value

    def _answer_before_seat(self, text: str) -> str:
        """Return the answer directly before the first seat of a look, "" for none."""
        before, mention, _ = text.partition("@")
        for answer in P.answer.finditer(before if mention else ""):
            if P.before.fullmatch(before[answer.end() :]):
                return self._answer_value(answer, text)
        return ""

    def _answer_value(self, answer: re.Match[str], text: str) -> str:
        """Return the value of an answer in the look's terms.

        Returns "" for a role that the look cannot tell.
        """
        is_negated = bool(P.no_answer.search(text[: answer.start()]))
        if not answer["role"]:
            return self.hunted_value if bool(answer["bad"]) != is_negated else self.clean_value
        key = role_key(answer["role"], self.pack)
        if key == role_key(self.claimed or "looker", self.pack):
            return ""
        value = next((v for v, roles in self.answers if key in roles), self.clean_value)
        if is_negated:
            return self.clean_value if value == self.hunted_value else ""
        return value
