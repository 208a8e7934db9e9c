"""Answers from the record of the talk: who has claimed, who has spoken, how the votes stand.

A function takes the demand `p` and returns its answer, or None if another player answers it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from agents.house.conduct_answers import say
from agents.house.mindset import Mindset
from agents.house.remarks import Remark
from agents.language import join_names
from agents.understanding.demands import Demand


def _answer_claimed(m: Mindset, p: Demand) -> Remark | None:
    """Answer who of the living claims one of the roles, or any role."""
    claims = m.dialogue.claims
    living = (m.me, *m.others)
    seats = [s for s in living if claims.get(s, "") in (p.roles or claims.values())]
    return _name_seats(m, p, "owed_claimed", seats)


def _answer_spoken(m: Mindset, p: Demand) -> Remark | None:
    """Answer who has spoken most today."""
    counts = Counter(s.seat for s in m.dialogue.statements if s.day == m.view.state.day)
    seats = [s for s, count in counts.items() if count == max(counts.values())]
    return _name_seats(m, p, "owed_spoken", seats)


def _name_seats(m: Mindset, p: Demand, kind: str, seats: Sequence[int]) -> Remark | None:
    if not _is_next_to_answer(m, p):
        return None
    return say(p, kind, y=_names(m, p, seats)) if seats else say(p, "owed_claimed_none")


def _answer_ballots(m: Mindset, p: Demand) -> Remark | None:
    """Answer with the votes announced today, else with the last ballot."""
    if not _is_next_to_answer(m, p):
        return None
    day = m.view.state.day
    pledges = {s: t for (d, s), t in m.dialogue.pledges.items() if d == day}
    for kind, votes in (
        ("owed_ballots", pledges),
        ("owed_ballots_last", m.dialogue.course.last_votes()),
    ):
        if votes:
            counts = Counter(votes.values()).most_common()
            return say(p, kind, y=join_names([f"{n} for {_names(m, p, [s])}" for s, n in counts]))
    return say(p, "owed_ballots_none")


def _is_next_to_answer(m: Mindset, p: Demand) -> bool:
    """Return whether a question names me or is unanswered. A question to all gets one answer."""
    question = next(s for s in reversed(m.dialogue.statements) if s.seat == p.by)
    return m.me in question.names or question is m.dialogue.statements[-1]


def _names(m: Mindset, p: Demand, seats: Sequence[int]) -> str:
    """Return the names of `seats`, "you" for the asker and "me" for myself."""
    names = {p.by: "you", m.me: "me"}
    in_order = sorted(seats, key=lambda s: s in names)
    return join_names([names.get(s, m.view.name(s)) for s in in_order])


RECORD_ANSWERS: Mapping[str, Callable[[Mindset, Demand], Remark | None]] = {
    "claimed": _answer_claimed,
    "spoken": _answer_spoken,
    "ballots": _answer_ballots,
}
