"""Find what a role's holder reports of others.

A looker's report is collected over all clauses of a statement. A mate names its fellow mate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.language.patterns import LEXICON, load
from agents.packs import Pack
from agents.understanding.clauses import MENTION
from agents.understanding.role_tokens import role_key
from agents.understanding.self_claims import P as SELF
from agents.understanding.self_claims import is_denied
from game.engine.roles import Look

P = load("reports")
MAX_CLAUSE_DISTANCE = 4  # from a look to its seats, and from these to its result
MAX_CLAUSES_BACK = 2  # from a look back to its seats


@dataclass
class ScannedClause:
    """A clause as it is searched.

    Attributes:
        seats: The seats in it, or the one it addresses.
        is_idle: Whether it asserts nothing (`clauses.Clause`).
    """

    text: str
    seats: tuple[str, ...]
    is_idle: bool = False


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


def find_report(clauses: Sequence[ScannedClause], claimed: str, pack: Pack) -> LookReport | None:
    """Return the look that a statement reports, None if there is none.

    Args:
        claimed: The looking role that the speaker claims, as a token, "" for none.
    """
    role = claimed or "looker"
    look = pack.look(role_key(role, pack))
    return _LookSearch(clauses, role, look).find_look(bool(claimed)) if look else None


def is_look(text: str) -> bool:
    """Return whether a clause mentions a look at night."""
    match = P.looked.search(text)
    if not match or P.no_look.search(text):
        return False
    return "@" in text or not P.weak.search(match[0])


class _LookSearch:
    """The search for one look of `role` at several players."""

    def __init__(self, clauses: Sequence[ScannedClause], role: str, look: Look) -> None:
        self.clauses, self.role, self.look = clauses, role, look

    def find_look(self, claims_looker: bool) -> LookReport | None:
        """Return the first complete report, None if there is none."""
        live_indices = [i for i, clause in enumerate(self.clauses) if not clause.is_idle]
        look_indices = [i for i in live_indices if is_look(self.clauses[i].text)]
        for start in look_indices:
            if look_report := self._find_at_look(start):
                return look_report
        if claims_looker or look_indices:
            for i in live_indices:
                if len(self.clauses[i].seats) == self.look.seats and (
                    look_report := self._find_at_seats(i)
                ):
                    return look_report
        return None

    def _find_at_seats(self, i: int) -> LookReport | None:
        """Return the report whose seats are in clause `i` and its result there or in the next."""
        text, at = self.clauses[i].text, i
        value = self._answer_value(text)
        if not value and i + 1 < len(self.clauses) and not self.clauses[i + 1].seats:
            value, at = self._answer_value(self.clauses[i + 1].text), i + 1
        if not value:
            return None
        return self._build_report(self.clauses[i].seats, value, {i, at})

    def _find_at_look(self, start: int) -> LookReport | None:
        """Return the report whose seats and result follow the look in clause `start`.

        The seats, or some of them, may also stand just before it.
        """
        seats: list[str] = []
        used, seat_count = {start}, self.look.seats
        for i in range(start, min(start + MAX_CLAUSE_DISTANCE + 1, len(self.clauses))):
            clause = self.clauses[i]
            if clause.is_idle or len(seats) >= seat_count:
                break
            new_seats = [s for s in clause.seats if s not in seats]
            if new_seats and (i == start or not seats or len(seats) + len(new_seats) <= seat_count):
                seats += new_seats
                used.add(i)
        if len(seats) < seat_count:
            return self._find_before_look(start, seats, used)
        seats = seats[:seat_count]
        for i in range(start, min(max(used) + MAX_CLAUSE_DISTANCE + 1, len(self.clauses))):
            clause = self.clauses[i]
            if clause.is_idle or (clause.seats and not set(clause.seats) & set(seats)):
                continue
            if value := self._answer_value(clause.text):
                return self._build_report(seats, value, used | set(range(start, i + 1)))
        return None

    def _find_before_look(self, start: int, seats: list[str], used: set[int]) -> LookReport | None:
        """Return the report whose seats, except `seats`, stand before the look."""
        if not P.both.search(self.clauses[start].text):
            return None
        first = max(0, start - MAX_CLAUSES_BACK)
        before = [s for c in self.clauses[first:start] if not c.is_idle for s in c.seats]
        both = list(dict.fromkeys(before + seats))
        if len(both) != self.look.seats:
            return None
        for i in range(first, min(start + MAX_CLAUSE_DISTANCE + 1, len(self.clauses))):
            if (value := self._answer_value(self.clauses[i].text)) and not self.clauses[i].is_idle:
                return self._build_report(both, value, used | set(range(first, start)) | {i})
        return None

    def _answer_value(self, text: str) -> str:
        """Return the look's answer in a clause, "" for none."""
        answers = self.look.answers
        if P.sure_wolf.search(text) and P.found.search(text):
            return answers[0][0]
        if P.clean.search(text):
            return answers[-1][0]
        return answers[0][0] if P.found.search(text) else ""

    def _build_report(self, seats: Sequence[str], value: str, used: set[int]) -> LookReport:
        return LookReport(self.role, tuple(map(int, seats)), value, frozenset(used))


def shared_mate(text: str, statement: str, claims_mate: bool, last: str = "") -> str:
    """Return the seat that a clause calls the speaker's fellow mate, "" for none.

    Args:
        text: The clause.
        statement: The whole statement.
        claims_mate: Whether the speaker claims to be a mate.
        last: The seat named before.
    """
    if last and "@" not in text and _is_pair_with_last(text, statement):
        return last
    if is_denied(text) or LEXICON.hearsay.search(text):
        return ""
    mentions = list(MENTION.finditer(text))
    single_seats = [m[1] for m in mentions if m[1].isdigit()]
    about = P.mates.search(statement)
    if shared_mentions := [P.plus_me.sub("", m[1]) for m in mentions if "me" in m[1]]:
        return shared_mentions[0] if shared_mentions[0].isdigit() and about else ""
    if not single_seats or (mentions[-1][2] and not P.mate.search(text)):
        return ""
    if P.my_partner.search(text):
        return single_seats[0]
    if not (about or claims_mate):
        return ""
    if P.others_words.search(text.split("@")[0]):
        return ""
    if claims_mate and (P.partner.search(text) or P.so_is.fullmatch(text)):
        return single_seats[-1]
    is_near = P.mate_seat.search(text) or P.seat_mate.search(text)
    is_of_speaker = SELF.me.search(text) or P.mate_first.match(text)
    return single_seats[-1] if is_near and is_of_speaker and P.together.search(text) else ""


def _is_pair_with_last(text: str, statement: str) -> bool:
    """Return whether a clause without a name pairs the speaker with the seat named before."""
    if P.other_mate.search(text):
        return True
    if is_denied(text) or not P.mate.search(statement):
        return False
    return bool(P.we.search(text))
