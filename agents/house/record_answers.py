"""Answers from the record of the table: who has claimed what, who has spoken most, how votes stand.

And what I would do with another role than my own, where I am asked to imagine it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from agents.house.mindset import Mindset
from agents.house.remarks import Remark, remark
from agents.language import join_names
from agents.understanding.demands import Demand


def never_claimed(m: Mindset, p: Demand) -> str:
    """Return the role that `p` says I claimed though I never did, "" for none."""
    claimed_roles = {act.role for act in m.dialogue.acts("claim", "report", by=m.me)}
    return next((r for r in p.roles if r not in claimed_roles), "")


def supposed(m: Mindset, p: Demand) -> Iterator[Remark]:
    """Return what I would do as a holder of the role that `p` names."""
    if not p.roles or {*p.roles} & {*m.pack.liars}:
        yield remark("owed_suppose_wolf", x=p.by)
    else:
        early = m.chance(f"suppose {m.pack.spelled('looker')}", 50)
        yield remark("owed_suppose_speak" if early else "owed_suppose_wait", x=p.by)


def recorded(m: Mindset, p: Demand) -> Iterator[Remark]:
    """Return a fact of the record: claims, statements or votes, by the intent of `p`.

    Where all are asked, the first who speaks answers.
    """
    question = next(s for s in reversed(m.dialogue.said) if s.seat == p.by)
    if m.me not in question.names and question is not m.dialogue.said[-1]:
        return
    living = (m.me, *m.others)
    if p.intent == "claimed":
        claims = m.dialogue.claims
        seats = [s for s in living if claims.get(s, "") in (p.roles or claims.values())]
    else:
        today = Counter(s.seat for s in m.dialogue.said if s.day == m.view.state.day)
        seats = [s for s, number in today.items() if number == max(today.values())]
    if p.intent == "ballots":
        yield _vote_count(m, p)
    elif seats:
        yield remark(f"owed_{p.intent}", x=p.by, y=_listed(m, p, seats))
    else:
        yield remark("owed_claimed_none", x=p.by)


def _vote_count(m: Mindset, p: Demand) -> Remark:
    """Return the votes announced today, else those of the last ballot."""
    pledges, day = m.dialogue.pledges, m.view.state.day
    votes = {s: t for (d, s), t in pledges.items() if d == day}
    kind = "owed_ballots" if votes else "owed_ballots_last"
    counts = Counter((votes or m.dialogue.course.last_votes()).values()).most_common()
    if not counts:
        return remark("owed_ballots_none", x=p.by)
    return remark(kind, x=p.by, y=join_names([f"{n} for {_listed(m, p, [s])}" for s, n in counts]))


def _listed(m: Mindset, p: Demand, seats: list[int]) -> str:
    """Return the names of `seats`, as "you" and "me" where they are the asker's and mine."""
    names = {p.by: "you", m.me: "me"}
    return join_names(
        [names.get(s, m.view.name(s)) for s in sorted(seats, key=lambda s: s in names)]
    )
