"""Facts for doubts, and for remarks on claims and on the course of the game.

In the rules `t` is the suspect, `x` and `y` are other players, `d` and `e` may be out of the game;
`all` are the claimants of `role`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

from agents.house.mindset import MIN_FINDER_CREDIBILITY, Mindset
from agents.house.remarks import CROWD_PENALTY, Named, counted
from agents.house.scores import probability_of_roles
from agents.language import number_word
from agents.understanding.speech_acts import STRENGTH

MAX_FRIEND_PROBABILITY = 0.05  # of being hunted, to defend without a reason
MIN_HUNTED_FOR_HELPER = 0.35  # believed probability from which a helper defends
MIN_REMAINING_PROBABILITY = 0.06  # of being hunted, to count as one of the last suspects
MIN_ODDS_GAP = 0.18  # between two claimants, to lean toward one of them


def stands_against(m: Mindset, seat: int, target: int) -> bool:
    """Return whether `seat` still presses `target`, after an accusation or an announced vote."""
    has_accused = any(
        target in act.targets and act.strength >= STRENGTH["accuse"]
        for act in m.dialogue.acts("accuse", "vote", by=seat)
    )
    return has_accused and m.dialogue.suspect_of(seat) == target


# -- looks and claims


def _is_believed_finder(m: Mindset, x: int, role: str) -> bool:
    """Return whether a claimant is credible, and I have defended none of its rivals."""
    rivals = {*m.dialogue.claimants(role)} - {x}
    is_credible = m.claim_probability(x) > MIN_FINDER_CREDIBILITY
    return is_credible and not rivals & m.defended_seats


def _others_claiming(m: Mindset, role: str) -> tuple[int, ...]:
    return tuple(s for s in m.dialogue.claimants(role) if s in m.others)


def _names_of_changed_claims(m: Mindset, t: int) -> tuple[str, ...]:
    return tuple(m.pack.name(role) for role in m.dialogue.changed.get(t, ()))


def _are_too_many(more: str) -> Callable[..., bool]:
    """Return the fact that more claim a role than its holders besides the suspect, and `more`."""
    return lambda m, several, role: len(several) > max(m.pack.deck.count(role) - 1, 1) + int(more)


def _weight_in_crowd(weight: str) -> Callable[..., float]:
    """Return the fact of a remark's weight, which is less for a role of several players."""
    return lambda m, role: float(weight) - CROWD_PENALTY * (m.pack.deck.count(role) > 2)


def _rivals(m: Mindset, role: str) -> tuple[int, ...]:
    """Return the claimants of `role` besides me, if they are more than the deck holds."""
    claimants = _others_claiming(m, role)
    return claimants if len(claimants) > m.pack.deck.count(role) else ()


def _by_probability(m: Mindset, first: int, second: int) -> list[tuple[int, int]]:
    """Return (better, worse) of two rivals."""
    is_first_better = m.claim_probability(first) >= m.claim_probability(second)
    return [(first, second) if is_first_better else (second, first)]


def _is_clearly_likelier(m: Mindset, better: int, worse: int) -> bool:
    return m.claim_probability(better) - m.claim_probability(worse) > MIN_ODDS_GAP


def _fits_my_suspicion(m: Mindset, looker: int) -> bool:
    """Return whether the report of `looker` fits the player whom I suspect."""
    report = m.dialogue.reports.get(looker)
    return report is None or m.pack.accuses(report) == (m.target in report.targets)


def _found_by_both(m: Mindset, first: int, second: int) -> int:
    """Return the one player whom the looks of both found, 0 for none."""
    reports = [r for s in (first, second) if (r := m.dialogue.reports.get(s))]
    if len(reports) < 2 or not all(map(m.pack.accuses, reports)):
        return 0
    shared = {*reports[0].targets} & {*reports[1].targets}
    return shared.pop() if len(shared) == 1 else 0


def _may_have_no_report(m: Mindset, role: str) -> bool:
    look = m.pack.look(role)
    return not m.has_night_passed or bool(look and look.is_of_exiled)


def _clashing_looks(m: Mindset) -> list[tuple[int, int, int]]:
    """Return (x, y, d): x found d and y cleared it, and nobody has named the three today."""
    looks = [(x, r) for x, r in m.dialogue.reported_looks if x in m.others and len(r.targets) == 1]
    today = [s for s in m.dialogue.said if s.day == m.view.state.day]
    return [
        (x, y, found.targets[0])
        for (x, found), (y, clear) in product(looks, looks)
        if found.targets == clear.targets
        and m.pack.accuses(found)
        and not m.pack.accuses(clear)
        and found.targets[0] in m.dialogue.course.out
        and not any({x, y, found.targets[0]} <= s.names for s in today)
    ]


# -- who pressed whom


def _newest_accuser(m: Mindset, t: int) -> int:
    """Return the player who pressed `t` last since I spoke, 0 for none."""
    return next((s.seat for s in reversed(m.dialogue.since(m.me)) if t in s.presses()), 0)


def _pressed_by(m: Mindset, t: int) -> list[int]:
    """Return the players besides me whom `t` has pressed, the newest last."""
    return [s for s in m.dialogue.pressed_by(t) if s != m.me]


def _crowd_against(m: Mindset, seat: int) -> list[int]:
    return [s for s in m.dialogue.pressing(seat) if s != m.me]


def _pressed_by_others_alone(m: Mindset) -> list[int]:
    """Return the players whom others press, and neither I nor a mate of mine does."""
    excluded = {m.target, m.mate, *m.dialogue.pressed_by(m.me)}
    return [s for s in m.others if s not in excluded and _crowd_against(m, s)]


def _newest_voter_against(m: Mindset, t: int) -> int:
    others = [s for s in _crowd_against(m, t) if stands_against(m, s, t)]
    return others[-1] if others else 0


def _has_announced_vote(m: Mindset, t: int) -> bool:
    own_acts = (a for s in m.statements_today for a in s.acts)
    return any(a.kind == "vote" and t in a.targets for a in own_acts)


def _spoke_after_a_report(m: Mindset, seat: int) -> bool:
    """Return whether a look had been reported when `seat` first spoke."""
    for statement in m.dialogue.said:
        if statement.seat == seat:
            return False
        if any(a.kind == "report" for a in statement.acts):
            return True
    return False


def _suspects(m: Mindset) -> list[int]:
    return [s for s in m.others if m.hunted_probability(s) > MIN_REMAINING_PROBABILITY]


def _remaining_suspects(count: str) -> Callable[..., list[tuple[int, int]]]:
    """Return the fact of the two other suspects (or twice the other one), if `count` are left."""

    def fact(m: Mindset, t: int) -> list[tuple[int, int]]:
        suspects = _suspects(m)
        are_few = len(suspects) == int(count) < len(m.others)
        rest = [s for s in suspects if s != t]
        return [(rest[0], rest[-1])] if are_few and t in suspects and m.round > 1 else []

    return fact


def _is_worth_defending(m: Mindset, y: int) -> bool:
    """Return whether I take `y` for innocent, or help the hunted and take it for one of them."""
    believed = probability_of_roles(m.believed[y], m.pack.hunted)
    is_master = m.part == "helper" and believed > MIN_HUNTED_FOR_HELPER
    return m.hunted_probability(y) < MAX_FRIEND_PROBABILITY or is_master


# -- nights, ballots and badges


def _killed_last_night(m: Mindset) -> list[int]:
    course = m.dialogue.course
    return [h.seat for h in course.killed if h.when == course.nights]


def _exiled_last(m: Mindset) -> int:
    course = m.dialogue.course
    return next((h.seat for h in course.exiled if h.when == course.voted), 0)


def _last_pressed_before_vote(m: Mindset, seat: int) -> int:
    """Return whom `seat` pressed last on the day of the last ballot, 0 for none."""
    day = m.dialogue.course.voted
    return next(
        (s.presses()[-1] for s in reversed(m.dialogue.turns(seat)) if s.day == day and s.presses()),
        0,
    )


def _close_ballot(m: Mindset) -> list[tuple[int, int]]:
    """Return the first two of the last ballot, if one vote decided."""
    counts = Counter(m.dialogue.course.last_votes().values()).most_common(2)
    if len(counts) < 2 or counts[0][1] != counts[1][1] + 1:
        return []
    return [(counts[0][0], counts[1][0])]


def _advice_of_leader(m: Mindset) -> tuple[int, int] | None:
    """Return the badge's holder at the last vote and whom it recommended, both besides me."""
    leader, advised = m.dialogue.recommended.get(m.dialogue.course.voted, (0, 0))
    return None if leader in (0, m.me) or advised == m.me else (leader, advised)


def _pledges_broken_by_others(m: Mindset) -> list[tuple[int, int, int]]:
    broken, day = m.dialogue.broken_pledges, m.dialogue.course.voted
    return [(x, *broken[day, x]) for x in m.others if (day, x) in broken]


def _ballots_of_others(m: Mindset) -> list[tuple[int, int]]:
    """Return (voter, target) of the last ballot's living voters besides me."""
    course = m.dialogue.course
    votes = course.last_votes().items()
    return [(x, d) for x, d in votes if x != m.me and x not in course.out and d != x]


def _newest_badge(m: Mindset) -> list[tuple[int, int]]:
    """Return (holder, former holder or 0) of the newest badge, none in speeches about it."""
    passed = m.dialogue.course.passed[-1:]
    is_said = not m.speech_purpose
    return [(h.seat, h.target) for h in passed if is_said and h.seat not in m.view.state.out]


def _is_badge_news(m: Mindset, x: int, d: int) -> bool:
    """Return whether another player has just got the badge from `d`."""
    if not d or x == m.me:
        return False
    when = m.dialogue.course.passed[-1].when
    return d in _killed_last_night(m) or when == m.view.state.day - 1


CASE_FACTS: dict[str, Callable[..., Any]] = {
    "probability": lambda m, x, role: m.professed[x].get(role, 0.0),
    "name": lambda m, role: m.pack.name(role),
    "spoke_last": lambda m, x: m.dialogue.said[-1].seat == x,
    # (claimant, look) of the looks at t that found a hunted player
    "looks_that_found": lambda m, t: [
        (x, look)
        for x, look in m.dialogue.reported_looks
        if m.pack.accuses(look) and t in look.targets and x != t
    ],
    "source": lambda m, look: look.source,
    "is_lone": lambda m, look: len(look.targets) == 1,
    "other_target": lambda m, look, t: next((s for s in look.targets if s != t), 0),
    "is_look_at": lambda m, look, seat: seat in look.targets,
    "is_any_cleared": lambda m, look: any(map(m.is_cleared, look.targets)),
    "is_believed_finder": _is_believed_finder,
    "rival": lambda m, t, role: next((s for s in m.dialogue.claimants(role) if s != t), 0),
    "rival_besides_me": lambda m, x, role: next(
        (s for s in m.dialogue.claimants(role) if s not in (x, m.me)), 0
    ),
    "rival_in": lambda m, several, t: next(s for s in reversed(several) if s != t),
    "others_claiming": _others_claiming,
    "living_claimants": lambda m, role: tuple(
        s for s in m.dialogue.claimants(role) if s not in m.view.state.out
    ),
    "claimants_with_room": lambda m, role: (
        [] if _rivals(m, role) else list(_others_claiming(m, role))
    ),
    "two_rivals": lambda m, role: [r for r in [_rivals(m, role)] if len(r) == 2],
    "more_than_two_rivals": lambda m, role: [r for r in [_rivals(m, role)] if len(r) > 2],
    "names_of_changed_claims": _names_of_changed_claims,
    "is_paired": lambda m, t: any(t in pair for pair in m.dialogue.pairs),
    "knows_pair": lambda m: bool(m.mate) or any(m.me in pair for pair in m.dialogue.pairs),
    "first_pair_of": lambda m, role: [
        p for p in m.dialogue.pairs if all(m.dialogue.claims.get(s) == role for s in p)
    ][:1],
    "pairs_named": lambda m: [*m.dialogue.companions.items()],
    "has_spoken_since": lambda m, y, x: any(s.seat == y for s in m.dialogue.since(x)),
    "is_true_role": lambda m, role: m.role == role,
    "my_role": lambda m: m.role,
    "is_known_holder": lambda m, x, role: x in m.view.state.holders(role),
    "is_keeper": lambda m, role: m.pack.part(role) == "plain" and role != m.pack.plain_role,
    "is_single": lambda m, role: m.pack.deck.count(role) == 1,
    "fill_deck": lambda m, several, role: len(several) >= max(m.pack.deck.count(role), 2),
    "overfill_deck": lambda m, several, role: len(several) > max(m.pack.deck.count(role), 2),
    "last": lambda m, several: several[-1],
    "last_two": lambda m, several: several[-2:],
    "is_in": lambda m, seat, several: seat in several,
    "numbers_with_me": lambda m, role, several: _numbers(m, role, len(several) + 1),
    # n, the number of these players, and k, how many of the role the deck has
    "numbers": lambda m, role, several=(): _numbers(m, role, len(several)),
    "tells_looks": lambda m: m.claims_a("looker") or (m.look is not None and m.poses_as("looker")),
    "by_probability": _by_probability,
    "is_clearly_likelier": _is_clearly_likelier,
    "fits_my_suspicion": _fits_my_suspicion,
    "found_by_both": _found_by_both,
    "calls_unopposed": lambda m: m.chance("unopposed", 60),
    "may_have_no_report": _may_have_no_report,
    "clashing_looks": _clashing_looks,
    "told_saves": lambda m: [*m.dialogue.saves.items()] if m.has_attacks else [],
    "is_only_suspect": lambda m, t: _suspects(m) == [t] and len(m.others) > 1,
    "is_worth_defending": _is_worth_defending,
    "bait_roles": lambda m: [*m.pack.data.baits],
    "newest_accuser": _newest_accuser,
    "newest_voter_against": _newest_voter_against,
    "joins_votes": lambda m: m.chance("vote with", 40),
    "has_announced_vote": _has_announced_vote,
    "pressed_by_others_alone": _pressed_by_others_alone,
    "is_pressed_by_several": lambda m, y: len(_crowd_against(m, y)) > 1,
    "size_of_crowd": lambda m, t: (
        number_word(len(crowd)) if len(crowd := _crowd_against(m, t)) > 2 else None
    ),
    "last_pressed": lambda m, t: next(reversed(_pressed_by(m, t)), 0),
    "last_two_pressed": lambda m, t: [p for p in [_pressed_by(m, t)[-2:]] if len(p) == 2],
    "defended_alone": lambda m, t: [
        act.targets[0] for act in m.dialogue.acts("defend", by=t) if len(act.targets) == 1
    ],
    "has_only_greeted": lambda m, t: (
        m.round == 1 and all(s.greets or s.only_listens for s in m.dialogue.turns(t))
    ),
    "spoke_after_a_report": _spoke_after_a_report,
    "opens_talk": lambda m: all(s.day < m.view.state.day for s in m.dialogue.said),
    "is_night_quiet": lambda m: m.dialogue.course.nights in m.dialogue.course.quiet,
    "killed_last_night": _killed_last_night,
    "was_killed": lambda m, d: d in {h.seat for h in m.dialogue.course.killed},
    "is_vote_over": lambda m: m.dialogue.course.voted not in (0, m.view.state.day),
    "exiled_last": _exiled_last,
    "was_exiled_last": lambda m, d: any(
        h.seat == d and h.when == m.dialogue.course.voted for h in m.dialogue.course.exiled
    ),
    "was_found": lambda m, d: bool(m.dialogue.reporters(d, is_accused=True)),
    "target_of_vote": lambda m, seat: m.dialogue.course.last_votes().get(seat, 0),
    "last_pressed_before_vote": _last_pressed_before_vote,
    "holds_badge": lambda m, t: t in m.view.state.badges.values(),
    "close_ballot": _close_ballot,
    "advice_of_leader": _advice_of_leader,
    "pledges_broken_by_others": _pledges_broken_by_others,
    "ballots_of_others": _ballots_of_others,
    "newest_badge": _newest_badge,
    "is_badge_news": _is_badge_news,
}
CASE_FACTS_WITH_OPTIONS: dict[str, Callable[..., Callable[..., Any]]] = {
    "are_too_many": _are_too_many,
    "weight_in_crowd": _weight_in_crowd,
    "remaining_suspects": _remaining_suspects,
    "lacks": lambda *kinds: lambda m, present: not present & {*kinds},
    "plays": lambda part: lambda m, role: m.pack.part(role) == part,
    "roles_of": lambda part: lambda m: list(m.pack.roles(part)),
}


def _numbers(m: Mindset, role: str, claims: int) -> list[tuple[Named, ...]]:
    return [tuple(counted(m.pack, role, claims).values())]
