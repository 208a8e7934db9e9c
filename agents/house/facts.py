"""The facts that the rules of remarks name (`agents.house.remark_rules`), besides the members of
`Mindset`, `Dialogue` and `Course`.

A fact takes a mind and what stands in the slots it is about. It is true or false, or has a content:
a seat, a role, a look or a text; several alternatives are a list. None and 0 are no content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from agents.house.answer_facts import ANSWER_FACTS
from agents.house.case_facts import CASE_FACTS, CASE_FACTS_WITH_OPTIONS, stands_against
from agents.house.mindset import Mindset

Fact = Callable[..., Any]  # takes a mind and the contents of slots
MIN_GROUND = 0.25  # probability of being hunted, to be suspected in the first round
MIN_SUSPICION = 0.02  # the same later


def can_voice_suspicion(m: Mindset) -> bool:
    """Return whether the talk so far supports a suspicion of the target.

    In a game's first round a suspicion needs a ground, because a guess can only hit players who
    spoke early. Before the first night, only a changed story or a reported look is a ground.
    """
    looks = m.dialogue.reported_looks
    accountable = {*m.dialogue.changed, *(s for seat, look in looks for s in (seat, *look.targets))}
    if not m.has_night_passed and m.target not in accountable:
        return False
    speakers = {s.seat for s in m.dialogue.said} - {m.me}
    is_first_round = m.round == 1 and m.view.state.day == 1
    least = MIN_GROUND if is_first_round else MIN_SUSPICION
    return len(speakers) > 1 and m.hunted_probability(m.target) >= least


# -- who pressed whom, and when


def _in_order(m: Mindset, *pairs: tuple[int, int]) -> bool:
    """Return whether the (seat, target) `pairs` began to press in this order."""
    statements = m.dialogue.said

    def first(seat: int, target: int) -> int:
        """Return the number of the first statement that presses `target`, or one past all."""
        pressing = (n for n, s in enumerate(statements) if s.seat == seat and target in s.presses())
        return next(pressing, len(statements))

    numbers = [first(seat, target) for seat, target in pairs]
    return numbers[-1] < len(statements) and all(a < b for a, b in pairwise(numbers))


def _joins(m: Mindset, x: int, t: int) -> bool:
    """Return whether `x` stands against `t` and has said so today."""
    today = {turn.round for turn in m.view.turns if turn.moment.day == m.view.state.day}
    statements = (s for s in m.dialogue.said if s.seat == x and s.round in today)
    return stands_against(m, x, t) and any(t in s.presses() for s in statements)


def _presses_me(m: Mindset, x: int) -> bool:
    """Return whether `x` has pressed me since I last spoke."""
    return any(s.seat == x and m.me in s.presses() for s in m.dialogue.since(m.me))


# -- what they said


def _did(*kinds: str) -> Fact:
    """Return the fact that one player has made an act of `kinds` toward another.

    With "since" among the kinds, only acts since I last spoke count.
    """

    def fact(m: Mindset, x: int, y: int) -> bool:
        statements = m.dialogue.since(m.me) if "since" in kinds else m.dialogue.said
        acts = (a for s in statements if s.seat == x for a in s.acts)
        return any(a.kind in kinds and y in a.targets for a in acts)

    return fact


def _claims(*parts: str) -> Fact:
    """Return the fact that a player claims a role of these parts, of any part without them.

    With "only" among the parts, it must be the only claimant of its role.
    """

    def fact(m: Mindset, x: int) -> bool:
        role = m.dialogue.claims.get(x)
        if role is None or (parts and m.pack.part(role) not in parts):
            return False
        return "only" not in parts or m.dialogue.claimants(role) == [x]

    return fact


def _reported(value: str) -> Fact:
    """Return the fact that a player stands by a look at the given seats, or at me without them.

    value: "found", "clear" or "any".
    """

    def fact(m: Mindset, x: int, *seats: int) -> bool:
        about = {*(seats or (m.me,))}
        looks = (look for look in m.dialogue.looks.get(x, ()) if about <= {*look.targets})
        return any(value in ("any", "found" if m.pack.accuses(k) else "clear") for k in looks)

    return fact


def _unasked(about: str) -> Fact:
    """Return the fact that a question about `about` is still open to be put to a player.

    Nobody has asked it, or the player has changed its story since. A second seat is the one that
    the question is about.
    """

    def fact(m: Mindset, x: int, of: int = 0) -> bool:
        statements = m.dialogue.said
        numbers = m.dialogue.questions.get((about, x), ())
        last = max((n for n in numbers if of in (0, *statements[n].names)), default=-1)
        earlier, later = (
            {a.role for s in part if s.seat == x for a in s.acts if a.kind in ("claim", "report")}
            for part in (statements[: max(last, 0)], statements[max(last, 0) :])
        )
        return last < 0 or (bool(later - earlier) and len(earlier | later) > 1)

    return fact


def _claim_alike(m: Mindset, *seats: int) -> bool:
    claims = {m.dialogue.claims.get(seat) for seat in seats}
    return len(claims) == 1 and None not in claims


def _all_claimants(m: Mindset, seats: tuple[int, ...]) -> bool:
    """Return whether these seats are all living claimants of one role, me excepted."""
    claimants = m.dialogue.claimants(m.dialogue.claims.get(seats[0], ""))
    return {*seats} == {*claimants} & {*m.others}


def _first_to_claim(m: Mindset, first: int, later: int) -> bool:
    """Return whether both claim one role, `first` before `later`."""
    order = m.dialogue.claimants(m.dialogue.claims.get(first, ""))
    return {first, later} <= {*order} and order.index(first) < order.index(later)


def _undisputed(m: Mindset, x: int) -> bool:
    """Return whether nobody has disputed the claim of `x` or called it a lie."""
    acts = [a for a in m.dialogue.acts("disagree", "accuse") if x in a.targets]
    return not any(act.kind == "accuse" or act.role for act in acts)


def _let_pass(m: Mindset, x: int, y: int) -> bool:
    """Return whether `y` has spoken since `x` named it as its partner, but never named `x`."""
    statements = iter(m.dialogue.said)
    for statement in statements:
        partners = (t for a in statement.acts if a.kind == "companion" for t in a.targets)
        if statement.seat == x and y in partners:
            break
    later = [s for s in statements if s.seat == y]
    return bool(later) and not any(x in s.names for s in later)


def _one_vote_apart(m: Mindset, d: int, e: int) -> bool:
    votes = Counter(m.dialogue.course.last_votes().values())
    return votes[d] == votes[e] + 1


def _recommended(m: Mindset) -> tuple[int, int]:
    """Return (holder of the badge at the last vote, seat that it recommended), or (0, 0)."""
    return m.dialogue.recommended.get(m.dialogue.course.voted, (0, 0))


def _was_led(m: Mindset, d: int, e: int) -> bool:
    """Return whether, on the day of the last vote, I did not press `e` before `d` had."""
    statements = (s for s in m.dialogue.said if s.day == m.dialogue.course.voted)
    speakers = [s.seat for s in statements if s.seat in (m.me, d) and e in s.presses()]
    return d in speakers and m.me not in speakers[: len(speakers) - speakers[::-1].index(d)]


FACTS: dict[str, Fact] = {
    **ANSWER_FACTS,
    **CASE_FACTS,
    "size": lambda m, several: len(several),
    "differs": lambda m, x, *others: x not in others,
    "first": lambda m, several: several[0] if several else None,
    "each_of": lambda m, several: list(several),
    "only": lambda m, one: (one,),
    "is_first_round": lambda m: m.round == 1 and m.view.state.day == 1,
    "can_voice_suspicion": can_voice_suspicion,
    "is_my_claim": lambda m, roles: m.claimed in roles,
    "is_looker": lambda m: m.poses_as("looker") or m.claims_a("looker"),
    "accuses": lambda m, look: m.pack.accuses(look),
    "first_target": lambda m, look: look.targets[0],
    "cleared_by": lambda m, y: m.dialogue.reporters(y, is_accused=False),
    "pressed": lambda m, x, y: y in m.dialogue.pressed_by(x),
    "joins": _joins,
    "follows": lambda m, later, first, t: _in_order(m, (first, t), (later, t)),
    "turned": lambda m, x, old, new: _in_order(m, (x, old), (x, new)),
    "presses_me": _presses_me,
    "pressed_me_or_bait": lambda m, x: m.is_bait or m.me in m.dialogue.pressed_by(x),
    # in its first statement, in the game's first round
    "pressed_early": lambda m, t, x: any(
        s.round == 1 and x in s.presses() for s in m.dialogue.turns(t)[:1]
    ),
    "crowd": lambda m, t: len({*m.dialogue.pressing(t)} - {m.me}) > 2,
    "claim_alike": _claim_alike,
    "all_claimants": _all_claimants,
    "first_to_claim": _first_to_claim,
    "undisputed": _undisputed,
    "confessed": lambda m, t: any(a.role in m.pack.wolves for a in m.dialogue.acts("claim", by=t)),
    "claims_my_role": lambda m, x: m.dialogue.claims.get(x) == m.role,
    # the very role that I claim, or am about to
    "claims_mine": lambda m, x: m.dialogue.claims.get(x) == (m.claimed or m.stance.pose),
    "proposes": lambda m, x: any(m.dialogue.acts("propose", by=x)),
    "retracts": lambda m, x: any(m.dialogue.acts("retract", by=x)),
    "evaded": lambda m, t, x=0: m.dialogue.evaded(t) == x if x else m.dialogue.evaded(t),
    # it has spoken, and named neither a role nor a suspect
    "nothing_said": lambda m, t: (
        bool(m.dialogue.turns(t)) and not (m.dialogue.pressed_by(t) or t in m.dialogue.claims)
    ),
    "night_without_victim": lambda m: bool(m.dialogue.course.quiet),
    "kept": lambda m, d: d in {k.target for k in m.dialogue.course.protections},
    "greets": lambda m, x: any(s.greets for s in m.dialogue.turns(x)),
    "pair": lambda m, a, b: (min(a, b), max(a, b)) in m.dialogue.pairs,
    # I and another have named each other
    "mutual": lambda m, y: (
        m.dialogue.companions.get(m.me) == y and m.dialogue.companions.get(y) == m.me
    ),
    "let_pass": _let_pass,
    # it said before the last vote that it would vote for `d`, and voted for `e`
    "broke_pledge": lambda m, x, d, e: (
        m.dialogue.broken_pledges.get((m.dialogue.course.voted, x)) == (d, e)
    ),
    "led": lambda m, x, y: _recommended(m) == (x, y),
    "was_led": _was_led,
    "advised": lambda m, y: _recommended(m)[1] == y,
    "one_vote_apart": _one_vote_apart,
    "is_out": lambda m, *seats: {*seats} <= m.dialogue.course.out,
    # with a second seat: it got the badge from there
    "badge": lambda m, x, d=0: any(
        h.seat == x and d in (0, h.target) for h in m.dialogue.course.passed[-1:]
    ),
}
# facts with options: "did:agree,since"
FACTS_WITH_OPTIONS: dict[str, Callable[..., Fact]] = {
    **CASE_FACTS_WITH_OPTIONS,
    "did": _did,
    "claims": _claims,
    "reported": _reported,
    "unasked": _unasked,
}
