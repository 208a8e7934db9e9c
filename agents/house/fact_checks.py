"""Checks that what a remark says about others is true, before it is said.

`remark_facts.toml` lists every kind of remark that names another player, either with the facts that
it states or as a mere opinion. A kind that is not listed is never said, and a test names it.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from agents.house.mindset import Mindset
from agents.house.remarks import Remark
from agents.talk.dialogue import Dialogue
from agents.understanding.speech_acts import STRENGTH

Fact = Callable[..., bool]  # takes a mind and seats
Seats = dict[str, tuple[int, ...]]  # slot -> the seats that fill it
Check = Callable[[Mindset, Seats], bool]


def is_true(m: Mindset, remark: Remark) -> bool:
    """Return whether the others have said and done what `remark` says they have."""
    if remark.kind in OWN_VIEW or not remark.seats:
        return True
    seats: Seats = {s: (seat,) for s, seat in remark.names.items() if isinstance(seat, int)}
    seats |= {"me": (m.me,), "all": tuple(remark.seats)}
    checks = CHECKS.get(remark.kind, ())
    return bool(checks) and all(check(m, seats) for check in checks)


def _build_check(fact: str) -> Check:
    """Return the check of a fact in the form of `remark_facts.toml`.

    Raises:
        KeyError: there is no such fact.
    """
    name, *slots = fact.removeprefix("not ").split()
    key, colon, options = name.partition(":")
    is_fact = FACTS_OF[key](*filter(None, options.split(","))) if colon else FACTS[key]

    def check(m: Mindset, seats: Seats) -> bool:
        filled = (seat for slot in slots for seat in seats.get(slot, ()))
        return bool(is_fact(m, *filled)) != fact.startswith("not ")

    return check


def stands_against(dialogue: Dialogue, seat: int, target: int) -> bool:
    """Return whether `seat` still presses `target`, after an accusation or an announced vote."""
    has_accused = any(
        target in act.targets and act.strength >= STRENGTH["accuse"]
        for act in dialogue.acts("accuse", "vote", by=seat)
    )
    return has_accused and dialogue.suspect_of(seat) == target


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
    return stands_against(m.dialogue, x, t) and any(t in s.presses() for s in statements)


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


def _all_claimants(m: Mindset, *seats: int) -> bool:
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
    "pressed": lambda m, x, y: y in m.dialogue.pressed_by(x),
    "suspects": lambda m, x, t: m.dialogue.suspect_of(x) == t,
    "joins": _joins,
    "follows": lambda m, later, first, t: _in_order(m, (first, t), (later, t)),
    "turned": lambda m, x, old, new: _in_order(m, (x, old), (x, new)),
    "presses_me": _presses_me,
    "pressed_me_or_bait": lambda m, x: m.is_bait or m.me in m.dialogue.pressed_by(x),
    # in its first statement, in the game's first round
    "pressed_early": lambda m, t, x: any(
        s.round == 1 and x in s.presses() for s in m.dialogue.turns(t)[:1]
    ),
    "began_against": lambda m, x, y: m.dialogue.first_against(y) == x,
    "crowd": lambda m, t: len({*m.dialogue.pressing(t)} - {m.me}) > 2,
    "vouched": lambda m, y: y in m.defended_seats,
    "grounded": lambda m, x: m.is_grounded(x),
    "denies": lambda m, x: m.has_denied(x),
    "claim_alike": _claim_alike,
    "all_claimants": _all_claimants,
    "first_to_claim": _first_to_claim,
    "undisputed": _undisputed,
    "uncontradicted": lambda m, y: not m.dialogue.is_contradicted(y),
    "changed": lambda m, t: t in m.dialogue.changed,
    "has_reported": lambda m, x: x in m.dialogue.looks,
    "confessed": lambda m, t: any(a.role in m.pack.wolves for a in m.dialogue.acts("claim", by=t)),
    "claims_my_role": lambda m, x: m.dialogue.claims.get(x) == m.role,
    # the very role that I claim, or am about to
    "claims_mine": lambda m, x: m.dialogue.claims.get(x) == (m.claimed or m.stance.pose),
    "proposes": lambda m, x: any(m.dialogue.acts("propose", by=x)),
    "retracts": lambda m, x: any(m.dialogue.acts("retract", by=x)),
    "evaded": lambda m, t, x: m.dialogue.evaded(t) == x,
    # it has spoken, and named neither a role nor a suspect
    "nothing_said": lambda m, t: (
        bool(m.dialogue.turns(t)) and not (m.dialogue.pressed_by(t) or t in m.dialogue.claims)
    ),
    "silent": lambda m, t: bool(m.dialogue.silent[t]),
    "saved": lambda m, x, d: m.dialogue.saves.get(x) == d,
    "night_without_victim": lambda m: bool(m.dialogue.course.quiet),
    "kept": lambda m, d: d in {k.target for k in m.dialogue.course.protections},
    "greets": lambda m, x: any(s.greets for s in m.dialogue.turns(x)),
    "spoken": lambda m, x: bool(m.dialogue.turns(x)),
    "pair": lambda m, a, b: (min(a, b), max(a, b)) in m.dialogue.pairs,
    # I and another have named each other
    "mutual": lambda m, y: (
        m.dialogue.companions.get(m.me) == y and m.dialogue.companions.get(y) == m.me
    ),
    "names_partner": lambda m, x, y: m.dialogue.companions.get(x) == y,
    "is_mate": lambda m, x: x == m.mate,
    "let_pass": _let_pass,
    "voted": lambda m, x, y: m.dialogue.course.last_votes().get(x) == y,
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
FACTS_OF: dict[str, Callable[..., Fact]] = {
    "did": _did,
    "claims": _claims,
    "reported": _reported,
    "unasked": _unasked,
}
_TABLE = tomllib.loads(Path(__file__).with_name("remark_facts.toml").read_text("utf-8"))
OWN_VIEW = frozenset(_TABLE["own_view"].split())
CHECKS = {
    kind: tuple(map(_build_check, facts.split(" & ")))
    for facts, kinds in _TABLE["facts"].items()
    for kind in kinds.split()
}
