"""What a role tells of others.

Whom a looker looked at and what it learnt, gathered over the clauses of a whole statement, and whom
a mate names as the other one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.language.patterns import LEXICON, load
from agents.packs import Pack
from agents.understanding.clauses import MENTION
from agents.understanding.role_tokens import key_of
from agents.understanding.self_claims import P as SELF
from agents.understanding.self_claims import denied
from game.engine.roles import Look

P = load("reports")


REACH = 4  # clauses from a look to its seats, and from these to its result


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
    return _LookSearch(clauses, role, look).find_look(bool(claimed)) if look else None


def looked(text: str) -> bool:
    """Return whether a clause tells of a look in the night."""
    match = P.looked.search(text)
    if not match or P.no_look.search(text):
        return False
    return "@" in text or not P.weak.search(match[0])


class _LookSearch:
    """The search for one look of `role` at several players."""

    def __init__(self, clauses: Sequence[ScannedClause], role: str, look: Look) -> None:
        self.said, self.role, self.look = clauses, role, look

    def find_look(self, claimed: bool) -> LookReport | None:
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
        return None

    def _of_seats(self, i: int) -> LookReport | None:
        """Return the result that stands with the seats in clause `i`, or right after it."""
        text, at = self.said[i].text, i
        value = self._value(text)
        if not value and i + 1 < len(self.said) and not self.said[i + 1].seats:
            value, at = self._value(self.said[i + 1].text), i + 1
        if not value:
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
        if not P.both.search(self.said[start].text):
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

    def _value(self, text: str) -> str:
        """Return the answer in a clause, "" where it tells none."""
        answers = self.look.answers
        if P.sure_wolf.search(text) and P.found.search(text):
            return answers[0][0]
        if P.clean.search(text):
            return answers[-1][0]
        return answers[0][0] if P.found.search(text) else ""

    def _build_report(self, seats: Sequence[str], value: str, used: set[int]) -> LookReport:
        return LookReport(self.role, tuple(map(int, seats)), value, frozenset(used))


def shares(text: str, sentence: str, mate: bool, last: str = "") -> str:
    """Return the seat a clause says is the speaker's fellow mate, "" for none.

    sentence: the statement; mate: its speaker claims to be a mate; last: the seat named before.
    """
    if last and "@" not in text and _with_last(text, sentence):
        return last
    if denied(text) or LEXICON.hearsay.search(text):
        return ""
    mentions = list(MENTION.finditer(text))
    single = [m[1] for m in mentions if m[1].isdigit()]
    about = P.mates.search(sentence)
    if joined := [P.plus_me.sub("", m[1]) for m in mentions if "me" in m[1]]:
        return joined[0] if joined[0].isdigit() and about else ""
    if not single or (mentions[-1][2] and not P.mate.search(text)):
        return ""
    if P.my_partner.search(text):
        return single[0]
    if not (about or mate):
        return ""
    if P.others_words.search(text.split("@")[0]):
        return ""
    if mate and (P.partner.search(text) or P.so_is.fullmatch(text)):
        return single[-1]
    near = P.mate_seat.search(text) or P.seat_mate.search(text)
    mine = SELF.me.search(text) or P.mate_first.match(text)
    return single[-1] if near and mine and P.together.search(text) else ""


def _with_last(text: str, sentence: str) -> bool:
    """Whether a clause without a name makes a pair of the speaker and the seat named before."""
    if P.other_mate.search(text):
        return True
    if denied(text) or not P.mate.search(sentence):
        return False
    return bool(P.we.search(text))
