"""Checks that what a remark says about others is true, before it is said.

Every kind of remark with the name of another player in it stands in `remark_facts.toml`, with the
facts that it states or as a mere view. One that stands in neither is not said, and a test names it.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from agents.dialogue import Dialogue
from agents.house.remarks import Remark
from agents.house.suspicion import Mindset
from agents.understanding.speech_acts import STRENGTH

Fact = Callable[..., bool]  # of a mind and of seats
Seats = dict[str, tuple[int, ...]]  # slot -> the seats that fill it
Check = Callable[[Mindset, Seats], bool]


def is_true(m: Mindset, move: Remark) -> bool:
    """Return whether the others have said and done what `move` says they have."""
    if move.kind in OWN_VIEW or not move.seats:
        return True
    seats: Seats = {s: (seat,) for s, seat in move.names.items() if isinstance(seat, int)}
    seats |= {"me": (m.me,), "all": tuple(move.seats)}
    facts = CHECKS.get(move.kind, ())
    return bool(facts) and all(check(m, seats) for check in facts)


def _check(fact: str) -> Check:
    """Return the check of a fact as `remark_facts.toml` writes it. KeyError: there is none."""
    name, *slots = fact.removeprefix("not ").split()
    key, colon, options = name.partition(":")
    holds: Any = globals()[f"_{key}"]
    if colon:
        holds = holds(*filter(None, options.split(",")))

    def check(m: Mindset, seats: Seats) -> bool:
        filled = (seat for slot in slots for seat in seats.get(slot, ()))
        return bool(holds(m, *filled)) != fact.startswith("not ")

    return check


def stands_against(dialogue: Dialogue, seat: int, target: int) -> bool:
    """Whether `seat` still presses `target`, and has accused it or said it will vote for it."""
    hard = any(
        target in act.targets and act.strength >= STRENGTH["accuse"]
        for act in dialogue.acts("accuse", "vote", by=seat)
    )
    return hard and dialogue.suspect_of(seat) == target


# -- who pressed whom, and when


def _first(m: Mindset, seat: int, target: int) -> int:
    """Return the number of the statement in which `seat` first pressed `target`, or past all."""
    statements = enumerate(m.dialogue.said)
    pressing = (n for n, s in statements if s.seat == seat and target in s.presses())
    return next(pressing, len(m.dialogue.said))


def _in_order(m: Mindset, *pairs: tuple[int, int]) -> bool:
    """Whether each (seat, target) of `pairs` has pressed, one after the other."""
    numbers = [_first(m, seat, target) for seat, target in pairs]
    rising = all(a < b for a, b in pairwise(numbers))
    return rising and numbers[-1] < len(m.dialogue.said)


def _joins(m: Mindset, x: int, t: int) -> bool:
    """Whether `x` stands against `t`, and has said so today."""
    today = {turn.round for turn in m.view.turns if turn.moment.day == m.view.state.day}
    statements = (s for s in m.dialogue.said if s.seat == x and s.round in today)
    return stands_against(m.dialogue, x, t) and any(t in s.presses() for s in statements)


def _pressed_me_or_bait(m: Mindset, x: int) -> bool:
    return m.bait or _pressed(m, x, m.me)


def _began_against(m: Mindset, x: int, y: int) -> bool:
    return m.dialogue.first_against(y) == x


def _vouched(m: Mindset, y: int) -> bool:
    return y in m.vouched


def _grounded(m: Mindset, x: int) -> bool:
    return m.is_grounded(x)


def _denies(m: Mindset, x: int) -> bool:
    return m.denies(x)


def _suspects(m: Mindset, x: int, t: int) -> bool:
    return m.dialogue.suspect_of(x) == t


def _pressed(m: Mindset, x: int, y: int) -> bool:
    return y in m.dialogue.pressed_by(x)


def _presses_me(m: Mindset, x: int) -> bool:
    """Whether `x` has pressed me since I last spoke."""
    return any(s.seat == x and m.me in s.presses() for s in m.dialogue.since(m.me))


def _follows(m: Mindset, later: int, first: int, target: int) -> bool:
    """Whether both have pressed `target`, `first` before `later`."""
    return _in_order(m, (first, target), (later, target))


def _turned(m: Mindset, seat: int, old: int, new: int) -> bool:
    """Whether `seat` pressed `old` before `new`."""
    return _in_order(m, (seat, old), (seat, new))


def _pressed_early(m: Mindset, t: int, x: int) -> bool:
    """Whether `t` pressed `x` in its first statement, in the first round."""
    return any(s.round == 1 and x in s.presses() for s in m.dialogue.turns(t)[:1])


def _crowd(m: Mindset, t: int) -> bool:
    return len([s for s in m.dialogue.pressing(t) if s != m.me]) > 2


# -- what they said


def _did(*kinds: str) -> Fact:
    """Return the fact that one player has done one of `kinds` to another.

    With "since" among them, only what was said since I last spoke counts.
    """

    def fact(m: Mindset, x: int, y: int) -> bool:
        statements = m.dialogue.since(m.me) if "since" in kinds else m.dialogue.said
        acts = (a for s in statements if s.seat == x for a in s.acts)
        return any(a.kind in kinds and y in a.targets for a in acts)

    return fact


def _claims(*parts: str) -> Fact:
    """Return the fact that a player claims a role of these parts, with "only" alone."""

    def fact(m: Mindset, x: int) -> bool:
        role = m.dialogue.claims.get(x)
        if role is None or (parts and m.pack.part(role) not in parts):
            return False
        return "only" not in parts or m.dialogue.claimants(role) == [x]

    return fact


def _reported(value: str) -> Fact:
    """Return the fact that one stands by a look at others, or at me where none is given.

    value: "found", "clear" or "any".
    """

    def fact(m: Mindset, x: int, *seats: int) -> bool:
        about = {*(seats or (m.me,))}
        looks = (look for look in m.dialogue.looks.get(x, ()) if about <= {*look.targets})
        return any(value in ("any", "found" if m.pack.accuses(k) else "clear") for k in looks)

    return fact


def _claim_alike(m: Mindset, *seats: int) -> bool:
    claims = {m.dialogue.claims.get(seat) for seat in seats}
    return len(claims) == 1 and None not in claims


def _all_claimants(m: Mindset, *seats: int) -> bool:
    """Whether those, and nobody else of the living but me, claim one and the same role."""
    claimants = m.dialogue.claimants(m.dialogue.claims.get(seats[0], ""))
    return {*seats} == {*claimants} & {*m.others}


def _first_to_claim(m: Mindset, first: int, later: int) -> bool:
    """Whether both claim one role, `first` before `later`."""
    order = m.dialogue.claimants(m.dialogue.claims.get(first, ""))
    return {first, later} <= {*order} and order.index(first) < order.index(later)


def _undisputed(m: Mindset, x: int) -> bool:
    """Whether nobody has denied what `x` claims, or called it a lie."""
    acts = [a for a in m.dialogue.acts("disagree", "accuse") if x in a.targets]
    return not any(act.kind == "accuse" or act.role for act in acts)


def _uncontradicted(m: Mindset, y: int) -> bool:
    """Whether no look that is stood by finds `y`, and `y` has told one story."""
    return not m.dialogue.reporters(y, accused=True) and not _changed(m, y)


def _changed(m: Mindset, t: int) -> bool:
    return t in m.dialogue.changed


def _has_reported(m: Mindset, x: int) -> bool:
    return x in m.dialogue.looks


def _confessed(m: Mindset, t: int) -> bool:
    return any(a.role in m.pack.wolves for a in m.dialogue.acts("claim", by=t))


def _claims_my_role(m: Mindset, x: int) -> bool:
    return m.dialogue.claims.get(x) == m.role


def _claims_mine(m: Mindset, x: int) -> bool:
    """Whether `x` claims the very role that I claim, or am about to."""
    return m.dialogue.claims.get(x) == (m.claimed or m.stance.pose)


def _proposes(m: Mindset, x: int) -> bool:
    return any(m.dialogue.acts("propose", by=x))


def _retracts(m: Mindset, x: int) -> bool:
    return any(m.dialogue.acts("retract", by=x))


def _evaded(m: Mindset, t: int, x: int) -> bool:
    """Whether `t` left `x` without the role it asked for."""
    return m.dialogue.evaded(t) == x


def _nothing_said(m: Mindset, t: int) -> bool:
    """Whether `t` has spoken, and named neither a role nor a suspect."""
    role_or_suspects = m.dialogue.pressed_by(t) or t in m.dialogue.claims
    return bool(m.dialogue.turns(t)) and not role_or_suspects


def _silent(m: Mindset, t: int) -> bool:
    return bool(m.dialogue.silent[t]) or not m.dialogue.turns(t)


def _greets(m: Mindset, x: int) -> bool:
    return any(s.greets for s in m.dialogue.turns(x))


def _spoken(m: Mindset, x: int) -> bool:
    return bool(m.dialogue.turns(x))


# -- partners


def _pair(m: Mindset, a: int, b: int) -> bool:
    return (min(a, b), max(a, b)) in m.dialogue.pairs


def _mutual(m: Mindset, y: int) -> bool:
    """Whether `y` and I have named each other."""
    return _names_partner(m, m.me, y) and _names_partner(m, y, m.me)


def _names_partner(m: Mindset, x: int, y: int) -> bool:
    return m.dialogue.companions.get(x) == y


def _is_mate(m: Mindset, x: int) -> bool:
    return x == m.mate


def _let_pass(m: Mindset, x: int, y: int) -> bool:
    """Whether `y` has spoken since `x` named it, and never of `x`."""
    statements = iter(m.dialogue.said)
    for statement in statements:
        partners = (t for a in statement.acts if a.kind == "companion" for t in a.targets)
        if statement.seat == x and y in partners:
            break
    later = [s for s in statements if s.seat == y]
    return bool(later) and not any(x in s.names for s in later)


# -- ballots, deaths, a badge


def _voted(m: Mindset, x: int, y: int) -> bool:
    return m.dialogue.course.last_votes().get(x) == y


def _broke_pledge(m: Mindset, x: int, d: int, e: int) -> bool:
    """Whether `x` said before the last vote that it would vote for `d`, and voted for `e`."""
    return m.dialogue.broken_pledges.get((m.dialogue.course.voted, x)) == (d, e)


def _led(m: Mindset, x: int, y: int) -> bool:
    """Whether `x` had a badge at the last vote and recommended to vote for `y`."""
    return m.dialogue.recommended.get(m.dialogue.course.voted) == (x, y)


def _advised(m: Mindset, y: int) -> bool:
    """Whether whoever had a badge at the last vote recommended to vote for `y`."""
    return m.dialogue.recommended.get(m.dialogue.course.voted, (0, 0))[1] == y


def _one_vote_apart(m: Mindset, d: int, e: int) -> bool:
    votes = Counter(m.dialogue.course.last_votes().values())
    return votes[d] == votes[e] + 1


def _is_out(m: Mindset, *seats: int) -> bool:
    return {*seats} <= m.dialogue.course.out


def _badge(m: Mindset, x: int, d: int = 0) -> bool:
    """Whether `x` has a badge, from `d` where that is named."""
    passed = m.dialogue.course.passed[-1:]
    return any(h.seat == x and d in (0, h.target) for h in passed)


_TABLE = tomllib.loads(Path(__file__).with_name("remark_facts.toml").read_text("utf-8"))
OWN_VIEW = frozenset(_TABLE["own_view"].split())
CHECKS = {
    kind: tuple(map(_check, facts.split(" & ")))
    for facts, kinds in _TABLE["facts"].items()
    for kind in kinds.split()
}
