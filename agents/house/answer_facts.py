"""Facts for the answers to questions and charges: whom I may name, and what the record says.

In the rules `x` is the player who asks, `of` the seats and `roles` the roles that it names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agents.house.mindset import Mindset
from agents.language import join_names
from agents.packs import Result

NEAR = 0.15  # how much less suspected than my first choice one may be whom I name when asked
NEAR_LAST = 0.05  # the same when the vote is next
SUSPECT = 0.15  # from here on I may say that I doubt whoever I am asked about
BELIEVED = 0.4  # from here on I build on what somebody claims
DOUBTED = 0.3  # of several that I am asked about, I trust none up to here
HONEST = 0.5  # from here on I say that I trust somebody
MIN_GUESS_RATIO = 1.5  # of a guessed role's probability to an even chance
ANY_MARGIN = 9.0  # of a target that a question forces on me


def _suspect_when_asked(m: Mindset, seat: int) -> bool:
    """Speak of `seat` as my suspect, if it is near my first choice. Return whether I do."""
    return m.try_fix_target(seat, NEAR_LAST if m.is_last_round else NEAR)


def _avoid(m: Mindset, excluded: Sequence[int]) -> bool:
    """Turn to another suspect if mine is among the `excluded` ones."""
    remaining = [s for s in m.scores if s not in excluded]
    if m.target in excluded and remaining:
        m.try_fix_target(_worst(m, remaining), ANY_MARGIN)
    return True


def _promise_vote(m: Mindset) -> bool:
    m.is_vote_owed = True
    return True


def _living(m: Mindset, seats: Iterable[int]) -> tuple[int, ...]:
    return tuple(s for s in seats if s in m.scores)


def _worst(m: Mindset, options: Sequence[int]) -> int:
    """Return whom of `options` I suspect most, the one pressed last if it is as good as any."""
    return max(options, key=lambda s: (m.scores[s] + 0.05 * (s == m.previous_target), -s))


def _best(m: Mindset, options: Sequence[int]) -> int:
    return min(options, key=lambda s: (m.scores[s], s))


def _role_held_against_me(m: Mindset, roles: Sequence[str]) -> str | None:
    """Return the first of `roles` if I neither claim nor pose as it, although I do as another."""
    own = (m.claimed, m.stance.pose)
    has_role = m.claimed or m.stance.pose in m.pack.parts
    return roles[0] if roles and has_role and roles[0] not in own else None


def _village_role(m: Mindset, roles: Sequence[str]) -> str | None:
    return next((r for r in roles if r in m.pack.parts and r not in m.pack.hunted), "") or None


def _likeliest_holder(m: Mindset, role: str) -> int:
    """Return whom I take for the holder of `role`: of the village, a player who claims it."""
    options = m.scores if role in m.pack.liars else m.dialogue.claimants(role)
    odds = {s: (m.professed[s].get(role, 0.0), -s) for s in options if s in m.scores}
    return max(odds, key=lambda s: odds[s], default=0)


def _is_good_guess(m: Mindset, seat: int, role: str) -> bool:
    """Return whether `seat` holds `role` much likelier than by chance."""
    chance = m.pack.deck.count(role) / len(m.view.state.seats)
    return m.professed[seat].get(role, 0.0) > MIN_GUESS_RATIO * chance


def _planned_role(m: Mindset, roles: Sequence[str]) -> str:
    return next((r for r in roles if r in m.pack.deck), m.pack.role("looker"))


def _may_wait(m: Mindset, role: str) -> bool:
    """Return whether a hidden holder of `role` may wait, as I see it in the first round."""
    looker = m.pack.role("looker")
    speaks_early = role == looker and m.draw(f"{m.pack.spelled('looker')} early", 2)
    return m.round == 1 and not speaks_early


def _seat_meant_by_why(m: Mindset, of: Sequence[int], asker: int) -> int:
    """Return the living player whom I pressed and whom a "why" means. "Why me?" is the asker."""
    pressed = m.dialogue.pressed_by(m.me)
    if of:
        return next((s for s in reversed(of) if s in pressed and s in m.scores), 0)
    return asker if asker in pressed and asker in m.scores else m.previous_target


def _most_trusted(m: Mindset, of: Sequence[int], asker: int) -> int:
    options = [s for s in of or m.scores if s in m.scores and s != asker]
    odds = {s: (round(m.village_probability(s), 4), -s) for s in options}
    return max(odds, key=lambda s: odds[s], default=0)


def _is_trusted(m: Mindset, seat: int) -> bool:
    """Return whether I may say that I trust `seat`."""
    accused = any({m.me, seat} <= {*r.targets} and m.pack.accuses(r)
                  for _, r in m.dialogue.reported_looks)  # fmt: skip
    if _is_false_looker(m, seat) or (accused and seat not in m.partners):  # it would be me
        return False
    return (
        m.village_probability(seat) > HONEST
        or m.claim_probability(seat) > BELIEVED
        or m.is_cleared(seat)
        or seat in m.partners
    )


def _is_false_looker(m: Mindset, seat: int) -> bool:
    """Return whether `seat` claims a role that looks, and can't hold it."""
    return seat in m.dialogue.lookers and m.is_refuted(seat)


def _is_doubted(m: Mindset, seat: int) -> bool:
    is_suspect = m.hunted_probability(seat) > SUSPECT and not _is_trusted(m, seat)
    return seat == m.target or is_suspect


def _told_look(m: Mindset, of: Sequence[int]) -> Result | None:
    """Return the look that I have reported at one of these seats, else the one I would report."""
    own_looks = m.dialogue.looks.get(m.me, ())
    look = next((k for k in own_looks if {*of} & {*k.targets}), m.look)
    return look if look in own_looks else None


def _has_chosen_to_look_at(m: Mindset, seat: int) -> bool:
    looks = (k for k in m.dialogue.looks.get(m.me, ()) if seat in k.targets)
    return any(m.pack.can_choose_target(k.source) for k in looks)


def _was_opened_by_my_accusation(m: Mindset) -> bool:
    first = m.dialogue.said[:1]
    return any(s.seat == m.me and bool(s.presses()) for s in first)


def _role_never_claimed(m: Mindset, roles: Sequence[str]) -> str | None:
    """Return the first of `roles` that I never claimed."""
    claimed_roles = {act.role for act in m.dialogue.acts("claim", "report", by=m.me)}
    return next((r for r in roles if r not in claimed_roles), None)


def _is_next_to_answer(m: Mindset, asker: int) -> bool:
    """Return whether a question names me or nobody has answered it. One to all has one answer."""
    question = next(s for s in reversed(m.dialogue.said) if s.seat == asker)
    return m.me in question.names or question is m.dialogue.said[-1]


def _claimants_text(m: Mindset, roles: Sequence[str], asker: int) -> str | None:
    """Return the names of the living claimants of `roles`, of any role without them."""
    claims = m.dialogue.claims
    living = (m.me, *m.others)
    return _names(m, asker, [s for s in living if claims.get(s, "") in (roles or claims.values())])


def _talkers_text(m: Mindset, asker: int) -> str | None:
    """Return the names of the players who have spoken most today."""
    counts = Counter(s.seat for s in m.dialogue.said if s.day == m.view.state.day)
    return _names(m, asker, [s for s, count in counts.items() if count == max(counts.values())])


def _votes_text(m: Mindset, asker: int, votes: Mapping[int, int]) -> str | None:
    counts = Counter(votes.values()).most_common()
    return join_names([f"{n} for {_names(m, asker, [s])}" for s, n in counts]) if counts else None


def _votes_announced_today(m: Mindset, asker: int) -> str | None:
    day = m.view.state.day
    votes = {s: t for (d, s), t in m.dialogue.pledges.items() if d == day}
    return _votes_text(m, asker, votes)


def _names(m: Mindset, asker: int, seats: Sequence[int]) -> str | None:
    """Return the names of `seats`, "you" for the asker and "me" for myself, None of no seats."""
    names = {asker: "you", m.me: "me"}
    in_order = sorted(seats, key=lambda s: s in names)
    return join_names([names.get(s, m.view.name(s)) for s in in_order]) if seats else None


ANSWER_FACTS: dict[str, Callable[..., Any]] = {
    "suspect_when_asked": _suspect_when_asked,
    "avoid": _avoid,
    "promise_vote": _promise_vote,
    "living": _living,
    "worst": _worst,
    "best": _best,
    "name_of_my_claim": lambda m: m.pack.name(m.claimed) if m.claimed else None,
    "role_held_against_me": _role_held_against_me,
    "hides_role": lambda m: not m.claimed and m.stance.pose not in m.pack.parts,
    "village_role": _village_role,
    "is_my_role": lambda m, role: role in (m.claimed, m.stance.pose),
    "is_of_liars": lambda m, role: role in m.pack.liars,
    "are_of_liars": lambda m, roles: bool({*roles} & {*m.pack.liars}),
    "likeliest_holder": _likeliest_holder,
    "is_good_guess": _is_good_guess,
    "planned_role": _planned_role,
    "is_claimed_by_others": lambda m, role: bool({*m.dialogue.claimants(role)} & {*m.scores}),
    "may_wait": _may_wait,
    "would_claim_early": lambda m: m.chance(f"suppose {m.pack.spelled('looker')}", 50),
    "is_in_deck": lambda m, role: role in m.pack.deck,
    "seat_meant_by_why": _seat_meant_by_why,
    # of those that the question names, else whom the asker suspects
    "seat_asked_about": lambda m, of, x: of[0] if of else m.dialogue.suspect_of(x),
    "seat_to_speak_of": lambda m, of, x: next(
        (s for s in (*of, m.dialogue.suspect_of(x)) if s in m.scores and s != x), 0
    ),
    "most_trusted": _most_trusted,
    "is_trustworthy": lambda m, y, of: m.village_probability(y) > (DOUBTED if of else HONEST),
    "is_trusted": _is_trusted,
    "is_false_looker": _is_false_looker,
    "is_doubted": _is_doubted,
    "told_look": _told_look,
    "is_chosen": lambda m, look: m.pack.can_choose_target(look.source),
    "has_chosen_to_look_at": _has_chosen_to_look_at,
    "claims_own_role": lambda m: m.claimed == m.role,
    "was_opened_by_my_accusation": _was_opened_by_my_accusation,
    # the living players that I pressed, without the accuser, the newest first
    "pressed_besides": lambda m, x: [
        s for s in [*m.dialogue.pressed_by(m.me)][::-1] if s in m.others and s != x
    ],
    "has_pressed_several": lambda m, x: (
        len([s for s in m.dialogue.pressed_by(m.me) if s in m.others and s != x]) > 1
    ),
    "has_named_anybody": lambda m: (
        bool(m.dialogue.pressed_by(m.me)) or any(b.seat == m.me for b in m.dialogue.course.ballots)
    ),
    "is_my_companion": lambda m, y: y in (m.mate, m.dialogue.companions.get(m.me)),
    "role_never_claimed": _role_never_claimed,
    "is_next_to_answer": _is_next_to_answer,
    "claimants_text": _claimants_text,
    "talkers_text": _talkers_text,
    "votes_announced_today": _votes_announced_today,
    "last_votes_text": lambda m, x: _votes_text(m, x, m.dialogue.course.last_votes()),
}
