"""The house player's answers about claims, talk and votes, and about hypothetical roles.

A hypothetical question asks what the player would do with another role.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from agents.house.mindset import Mindset
from agents.house.remarks import Remark, remark
from agents.language import join_names
from agents.understanding.demands import Demand


def find_unclaimed_role(m: Mindset, p: Demand) -> str:
    """Return the role that `p` says I claimed although I never did, "" for none."""
    claimed_roles = {act.role for act in m.dialogue.acts("claim", "report", by=m.me)}
    return next((r for r in p.roles if r not in claimed_roles), "")


def answer_supposition(m: Mindset, p: Demand) -> Iterator[Remark]:
    """Yield what I would do as a holder of the role that `p` names."""
    if not p.roles or {*p.roles} & {*m.pack.liars}:
        yield remark("owed_suppose_wolf", x=p.by)
    else:
        early = m.chance(f"suppose {m.pack.spelled('looker')}", 50)
        yield remark("owed_suppose_speak" if early else "owed_suppose_wait", x=p.by)


def answer_from_record(m: Mindset, p: Demand) -> Iterator[Remark]:
    """Yield a fact of the record by the intent of `p`: claims, statements or votes.

    A question to all is answered only by the next speaker.
    """
    question = next(s for s in reversed(m.dialogue.said) if s.seat == p.by)
    if m.me not in question.names and question is not m.dialogue.said[-1]:
        return
    if p.intent == "ballots":
        yield _vote_count(m, p)
        return
    if p.intent == "claimed":
        claims = m.dialogue.claims
        living = (m.me, *m.others)
        seats = [s for s in living if claims.get(s, "") in (p.roles or claims.values())]
    else:  # "spoken"
        today = Counter(s.seat for s in m.dialogue.said if s.day == m.view.state.day)
        seats = [s for s, number in today.items() if number == max(today.values())]
    if seats:
        yield remark(f"owed_{p.intent}", x=p.by, y=_list_names(m, p, seats))
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
    return remark(
        kind, x=p.by, y=join_names([f"{n} for {_list_names(m, p, [s])}" for s, n in counts])
    )


def _list_names(m: Mindset, p: Demand, seats: list[int]) -> str:
    """Return the names of `seats`, "you" for the asker and "me" for myself."""
    names = {p.by: "you", m.me: "me"}
    return join_names(
        [names.get(s, m.view.name(s)) for s in sorted(seats, key=lambda s: s in names)]
    )
