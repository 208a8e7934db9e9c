"""Find the looks that a statement reports: who was looked at, and what the look showed.

A look at several players is one result, whose parts are collected over all clauses. A role that
looks at one player a night may report all nights at once: "I checked @2: a plain one, then @6:
wolf", "n1 @4 plain, n2 @7 wolf", "@2 and @6, both plain". Such a result is a seat followed by an
answer. It is a look's result rather than an opinion if the speaker claims such a role, or if there
is a verb of looking, the number of a night, or a bare list.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from agents.language.patterns import load
from agents.packs import Pack
from agents.understanding.clauses import MENTION, Clause, mentioned_seats
from agents.understanding.normalise import role_key
from game.engine.declarations import Look

PATTERNS = load("reports")
# Seats stand at most this many clauses after their look, a result as many after its seats.
MAX_CLAUSE_DISTANCE = 4
MAX_CLAUSES_TO_ANSWER = 3  # an answer stands at most this many clauses after the look at its seat
MAX_CLAUSES_BACK = 2  # a look's seats or result may stand up to this many clauses before it
SeatAnswer = tuple[list[str], str]  # (seats, the answer to all of them)


@dataclass(frozen=True)
class LookReport:
    """A look that a statement reports.

    Attributes:
        role: The looking role, as a token.
        targets: The seats looked at.
        value: The result.
        clause_indices: Indices of the clauses that report it.
    """

    role: str
    targets: tuple[int, ...]
    value: str
    clause_indices: frozenset[int]


def find_reports(clauses: Sequence[Clause], claimed: str, pack: Pack) -> list[LookReport]:
    """Return the looks that a statement reports, in order.

    Args:
        clauses: The clauses that assert something.
        claimed: The looking role that the speaker claims, as a token, "" for none.
    """
    look = pack.look(role_key(claimed or "looker", pack))
    if look is None:
        return []
    if look.seats > 1:
        report = _GroupLookSearch(clauses, claimed, look).find_look()
        return [report] if report else []
    return _SingleLookSearch(clauses, claimed, look, pack).find_reports()


def _is_look(text: str) -> bool:
    """Return whether a clause mentions a look at night."""
    match = PATTERNS.looked.search(text)
    if not match or PATTERNS.no_look.search(text):
        return False
    return "@" in text or not PATTERNS.weak.search(match[0])


class _GroupLookSearch:
    """The search for one look at several players."""

    def __init__(self, clauses: Sequence[Clause], claimed: str, look: Look) -> None:
        self.clauses, self.claimed, self.look = clauses, claimed, look

    def find_look(self) -> LookReport | None:
        """Return the first complete report, None if there is none."""
        look_indices = [index for index, clause in enumerate(self.clauses) if _is_look(clause.text)]
        if not (self.claimed or look_indices):
            return None
        at_looks = map(self._find_at_look, look_indices)
        at_seats = map(self._find_at_seats, range(len(self.clauses)))
        return next(filter(None, chain(at_looks, at_seats)), None)

    def _find_at_seats(self, start: int) -> LookReport | None:
        """Return the report whose seats are in a clause and its result there or in the next."""
        seats = self.clauses[start].seats
        return self._find_answer(seats, start, start + 1, {start})

    def _find_at_look(self, start: int) -> LookReport | None:
        """Return the report whose seats and result follow the look in clause `start`.

        The seats, or some of them, may also stand just before it.
        """
        seats: list[str] = []
        first, used_indices = start, {start}
        last_seat_index = start + MAX_CLAUSE_DISTANCE
        for index, clause in enumerate(self.clauses[start : last_seat_index + 1], start):
            new_seats = [s for s in clause.seats if s not in seats]
            if new_seats and len(seats) + len(new_seats) <= self.look.seats:
                seats += new_seats
                used_indices.add(index)
        last = max(used_indices) + MAX_CLAUSE_DISTANCE
        if len(seats) < self.look.seats and PATTERNS.both.search(self.clauses[start].text):
            first = max(0, start - MAX_CLAUSES_BACK)
            used_indices |= set(range(first, start))
            earlier_seats = [s for clause in self.clauses[first:start] for s in clause.seats]
            seats = list(dict.fromkeys(earlier_seats + seats))
        return self._find_answer(seats, first, last, used_indices)

    def _find_answer(
        self, seats: Sequence[str], first: int, last: int, used_indices: set[int]
    ) -> LookReport | None:
        """Return the report of a look at `seats` with the first answer in these clauses."""
        if len(seats) != self.look.seats:
            return None
        for index, clause in enumerate(self.clauses[first : last + 1], first):
            is_of_others = clause.seats and not set(clause.seats) & set(seats)
            if not is_of_others and (value := self._answer_value(clause.text)):
                targets = tuple(map(int, seats))
                return LookReport(
                    self.claimed or "looker", targets, value, frozenset(used_indices | {index})
                )
        return None

    def _answer_value(self, text: str) -> str:
        """Return the look's answer in a clause, "" for none."""
        if PATTERNS.clean.search(text):
            return self.look.answers[-1][0]
        return self.look.answers[0][0] if PATTERNS.found.search(text) else ""


class _SingleLookSearch:
    """The search for looks at one player each, over the clauses of one statement."""

    def __init__(self, clauses: Sequence[Clause], claimed: str, look: Look, pack: Pack) -> None:
        self.clauses, self.pack = clauses, pack
        self.is_claimed, self.role = bool(claimed), claimed or "looker"
        self.answers = look.answers
        self.hunted_value, self.clean_value = look.answers[0][0], look.answers[-1][0]
        self.reports: dict[str, LookReport] = {}  # seat -> its report
        self.open_seats: list[str] = []  # seats looked at whose answer is still to come
        self.is_look_named = False  # whether the open seats stand with a verb of looking
        self.clauses_since_open = 0  # number of clauses since the open seats were named
        self.is_result_announced = False  # whether the previous clause looks and names no seat
        # Whether the statement numbers its nights or its results.
        self.is_numbered = any(PATTERNS.counted.search(clause.text) for clause in clauses)

    def find_reports(self) -> list[LookReport]:
        """Return all reports. A seat's first answer counts."""
        looks = [_is_look(clause.text) for clause in self.clauses]
        if self.is_claimed or any(looks) or self.is_numbered:
            for clause_index, is_look in enumerate(looks):
                self._read_clause(clause_index, is_look)
        return list(dict.fromkeys(self.reports.values()))

    def _read_clause(self, clause_index: int, is_look: bool) -> None:
        """Collect the results in a clause, which mentions a look or not."""
        text, seats = self.clauses[clause_index].text, self.clauses[clause_index].seats
        pairs = list(self._seat_answers(text))
        was_announced, self.is_result_announced = self.is_result_announced, is_look and not seats
        if is_look:
            self._read_look(clause_index, pairs)
        elif self.open_seats and self._read_open_answer(clause_index):
            pass
        elif pairs and self._is_bare_result(text, was_announced):
            self._add_reports(pairs, clause_index)
            self.open_seats = []
        elif PATTERNS.only_seat.fullmatch(text):
            self.open_seats = [*self.open_seats, *seats]
        else:
            self.clauses_since_open += 1
            if self.clauses_since_open > MAX_CLAUSES_TO_ANSWER or not self.is_look_named:
                self.open_seats = []

    def _read_look(self, clause_index: int, pairs: Sequence[SeatAnswer]) -> None:
        """Collect the results of a look, or keep its seats open for an answer."""
        self._add_reports(pairs, clause_index)
        unanswered_seats = [s for s in self.clauses[clause_index].seats if s not in self.reports]
        if unanswered_seats and (
            value := self._answer_before_seat(self.clauses[clause_index].text)
        ):
            self._add_reports([(unanswered_seats, value)], clause_index)
        elif unanswered_seats and not pairs:
            self.open_seats, self.is_look_named, self.clauses_since_open = unanswered_seats, True, 0
        # "@4 is clean, i looked"
        for earlier in range(max(0, clause_index - MAX_CLAUSES_BACK), clause_index):
            self._add_reports(list(self._seat_answers(self.clauses[earlier].text)), earlier)

    def _read_open_answer(self, clause_index: int) -> bool:
        """Collect the answer of a clause to the open seats. Return whether there is one."""
        clause = self.clauses[clause_index]
        text, seats = clause.text, clause.seats or self.open_seats
        answers = list(PATTERNS.answer.finditer(text))
        is_only_answer = answers and PATTERNS.between.fullmatch(text[: answers[0].start()] or " ")
        values = [value for answer in answers if (value := self._answer_value(answer, text))]
        is_of_look = self.is_look_named or is_only_answer
        if not values or not is_of_look or not set(seats) <= set(self.open_seats):
            return False
        if seats is self.open_seats and PATTERNS.guess.search(text):  # "I see your point, I am a …"
            return False
        self._add_reports([(seats, values[0])], clause_index)
        self.open_seats = [s for s in self.open_seats if s not in self.reports]
        return True

    def _is_bare_result(self, text: str, was_announced: bool) -> bool:
        """Return whether results without a verb of looking still come from a look."""
        if not PATTERNS.lead.fullmatch(text.partition("@")[0]):
            return False
        continues_list = self.reports and not PATTERNS.seat_is.search(text)  # "…, @6 wolf"
        return self.is_claimed or self.is_numbered or was_announced or bool(continues_list)

    def _add_reports(self, pairs: Sequence[SeatAnswer], clause_index: int) -> None:
        for seats, value in pairs:
            is_one_of_several = value == self.hunted_value and PATTERNS.one_of.search(
                self.clauses[clause_index].text
            )
            for seat in seats:
                targets = tuple(sorted(map(int, seats))) if is_one_of_several else (int(seat),)
                self.reports.setdefault(
                    seat, LookReport(self.role, targets, value, frozenset({clause_index}))
                )

    def _seat_answers(self, text: str) -> Iterator[SeatAnswer]:
        """Yield (seats, answer) of every mention in `text` directly followed by an answer."""
        mentions = list(MENTION.finditer(text))
        ends = [mention.start() for mention in mentions[1:]] + [len(text)]
        for mention, end in zip(mentions, ends, strict=False):
            part = text[mention.end() : end]
            answer = PATTERNS.answer.search(part)
            if not answer or not PATTERNS.between.fullmatch(part[: answer.start()]):
                continue
            if value := self._answer_value(answer, part):
                yield mentioned_seats(mention[0]), value

    def _answer_before_seat(self, text: str) -> str:
        """Return the answer directly before the first seat of a look, "" for none."""
        text_before_seat = text.partition("@")[0]
        for answer in PATTERNS.answer.finditer(text_before_seat):
            if PATTERNS.before.fullmatch(text_before_seat[answer.end() :]):
                return self._answer_value(answer, text)
        return ""

    def _answer_value(self, answer: re.Match[str], text: str) -> str:
        """Return the value of an answer in the look's terms.

        Returns "" for a role that the look cannot tell.
        """
        is_negated = bool(PATTERNS.no_answer.search(text[: answer.start()]))
        if not answer["role"]:
            return self.hunted_value if bool(answer["bad"]) != is_negated else self.clean_value
        key = role_key(answer["role"], self.pack)
        if key == role_key(self.role, self.pack):
            return ""
        value = next((v for v, roles in self.answers if key in roles), self.clean_value)
        if is_negated:
            return self.clean_value if value == self.hunted_value else ""
        return value
