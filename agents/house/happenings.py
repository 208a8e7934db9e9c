"""Remarks on deaths, ballots and a badge, and the speeches of candidates and of who has the badge.

Everything said of it is a fact that everybody saw; who is gone stands in the slots `d` and `e`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.house.mindset import Mindset
from agents.house.remarks import Remark, remark

FRIEND = 0.75  # how likely somebody must be of the village for a vote against it to be held against
OWN = ("own_ballot", "lead_refused")  # explains my own vote, whoever else has spoken of it
CANDIDACY_WEIGHT = 7.4  # whoever stands for an office says why, whatever else there is to say
LOST = 0.4  # whoever is less likely of the village was rightly sent away


def build_happenings(m: Mindset) -> Iterator[Remark]:
    """Return what may be said of it now. The more others have spoken of the same, the less."""
    if not m.has_attacks:
        return
    new = [statement for statement in m.dialogue.said if statement.round >= m.dialogue.today]
    for move in (*_night(m), *_exile_remarks(m), *_ballots(m), *_badge(m)):
        mentions = sum(move.seats <= s.names for s in new)
        worn = 0.0 if move.kind in OWN else 0.8 * min(mentions, 5)
        lot = m.draw(f"happening/{m.pack.spelled(move.kind)}", 14) / 10
        if (weight := move.weight + lot - worn) > 2.5 and move.key not in m.stance.said_keys:
            yield replace(move, weight=weight)


def build_course_reasons(m: Mindset, t: int) -> Iterator[Remark]:
    """Return what of it speaks against `t`."""
    if not m.has_attacks or not (course := m.dialogue.course).killed + course.ballots:
        return
    killed, votes = {h.seat: h.when for h in course.killed}, course.last_votes()
    pressed = m.dialogue.suspect_of
    for d, night in killed.items():
        if night == course.nights and t == pressed(d):
            yield remark("doubt_dead_pressed", t=t, d=d)
    if (d := votes.get(t, 0)) in killed:
        yield remark("doubt_dead_ballot", t=t, d=d)
    elif d == m.me:
        yield remark("doubt_ballot_me", t=t)
    elif d in m.others and d != t and m.village_probability(d) > FRIEND:
        yield remark("doubt_ballot_friend", t=t, y=d)
    yield from _against_the_word(m, t)


def _against_the_word(m: Mindset, t: int) -> Iterator[Remark]:
    """Return what `t` said before a vote, and what came of it."""
    course, votes = m.dialogue.course, m.dialogue.course.last_votes()
    spoken = [s for s in m.dialogue.said if s.seat == t and s.day == course.voted and s.presses()]
    d = spoken[-1].presses()[-1] if spoken else 0  # whom it spoke against last
    if d and t in votes and m.me not in (d, votes[t]) and d != votes[t]:
        yield remark("doubt_ballot_word", t=t, d=d, e=votes[t])
    exiled_seats = {h.seat for h in course.exiled if h.when == course.voted}
    if (
        t in m.view.state.badges.values()
        and d in exiled_seats
        and m.village_probability(d) > 1 - LOST
    ):
        yield remark("doubt_lead", t=t, d=d)


def _night(m: Mindset) -> Iterator[Remark]:
    """Return who died in the night, or that nobody did."""
    course = m.dialogue.course
    if course.nights in course.quiet:
        yield remark("night_quiet")
    for d in (h.seat for h in course.killed if h.when == course.nights):
        claim = m.dialogue.claims.get(d, "")
        if m.dialogue.looks.get(d) and m.professed[d].get(claim, 0.0) > FRIEND:
            yield remark("night_looker", d=d, role=claim)
        elif m.dialogue.turns(d):
            yield remark("night_kill", d=d)
        else:
            yield remark("night_kill_early", d=d)


def _exile_remarks(m: Mindset) -> Iterator[Remark]:
    """Return whom the last vote put out, or that it put out nobody."""
    course = m.dialogue.course
    if not course.voted or course.voted == m.view.state.day:
        return
    exiled_seats = [h.seat for h in course.exiled if h.when == course.voted]
    if not exiled_seats:
        yield remark("ballots_split")
        return
    d, good = exiled_seats[0], m.village_probability(exiled_seats[0])
    reporters = m.dialogue.reporters(d, accused=True)  # a Medium's result, say
    if good < LOST and len(course.killed) < len(m.view.state.seats):
        yield remark("exiled_right", d=d)
    elif good > 1 - LOST and not reporters:
        yield remark("exiled_wrong", d=d)


def _ballots(m: Mindset) -> Iterator[Remark]:
    """Return who voted for whom when that was last asked."""
    course, votes = m.dialogue.course, m.dialogue.course.last_votes()
    if course.voted == m.view.state.day:
        return
    counted = Counter(votes.values()).most_common(2)
    if len(counted) == 2 and counted[0][1] == counted[1][1] + 1:
        (d, _), (e, _) = counted
        if m.me not in (d, e):
            yield remark("ballots_close", d=d, e=e)
    yield from _lead(m, votes.get(m.me, 0))
    for x in m.others:
        d, e = m.dialogue.broken_pledges.get((course.voted, x), (0, 0))
        if d and m.me not in (d, e) and x != m.target:
            yield remark("pledge_broken", x=x, d=d, e=e)
    if own := _own_word(m, votes.get(m.me, 0)):
        yield remark("own_ballot", d=own, e=votes[m.me])
    for x, d in votes.items():
        if x == m.me or x in course.out or d == x:
            continue
        if d == m.me and x != m.target:
            yield remark("ballot_me", x=x)
        elif votes.get(m.me) == d and m.village_probability(x) > 0.5:
            yield remark("ballot_alike", x=x, d=d)


def _lead(m: Mindset, voted: int) -> Iterator[Remark]:
    """Return whether I followed whoever had the badge and recommended a vote."""
    leader, advised = m.dialogue.recommended.get(m.dialogue.course.voted, (0, 0))
    if not voted or leader in (0, m.me) or advised == m.me:
        return
    if voted == advised:
        yield remark("lead_followed", d=leader, e=advised)
    else:
        yield remark("lead_refused", d=advised, e=voted)


def _own_word(m: Mindset, voted: int) -> int:
    """Return whom I spoke against last before I voted for somebody else. Returns 0 for nobody."""
    day = m.dialogue.course.voted
    targets = [t for s in m.dialogue.turns(m.me) if s.day == day for t in s.presses()]
    return targets[-1] if voted and targets and targets[-1] != voted else 0


def _badge(m: Mindset) -> Iterator[Remark]:
    """Return who has the badge, and from whom."""
    for handover in m.dialogue.course.passed[-1:]:
        x, d = handover.seat, handover.target
        if x in m.view.state.out or m.speech_purpose:
            continue
        fresh = any(
            h.seat == d and h.when == m.dialogue.course.nights for h in m.dialogue.course.killed
        )
        if d and x != m.me and (fresh or handover.when == m.view.state.day - 1):
            killed = d in {h.seat for h in m.dialogue.course.killed}
            kind = "badge_passed" if killed else "badge_handed"
            yield remark(kind, x=x, d=d)
        elif x not in (m.me, m.target):
            kind = "badge_trusted" if m.village_probability(x) > FRIEND else "badge_watched"
            yield remark(kind, x=x)


def build_office_remarks(m: Mindset, claim: Sequence[Remark]) -> Iterator[Remark]:
    """claim: what is said of itself in the same breath."""
    if m.speech_purpose == "stand":
        role = next((move.role for move in claim), m.claimed)
        yield from _stand(m, role, bool(m.look) or any(move.look for move in claim))
    elif m.speech_purpose == "lead":
        yield remark("lead_sum", weight=CANDIDACY_WEIGHT)
        if any(h.seat == m.me and h.when == m.view.state.day for h in m.dialogue.course.passed):
            yield remark("lead_thanks")


def _stand(m: Mindset, role: str, looked: bool) -> Iterator[Remark]:
    """Yield a reason that fits what I say I am, and what I would do.

    role: what I have claimed, "" for nothing; looked: whether I have a look to tell of.
    """
    looks = m.pack.part(role) == "looker" and looked
    if looks or role in ("", m.pack.plain_role):
        kind = "stand_looker" if looks else "stand_known" if role else "stand"
        yield remark(kind, weight=CANDIDACY_WEIGHT)
    if role not in ("", m.pack.plain_role) or not m.chance("promise", 30):
        yield remark("stand_promise", weight=CANDIDACY_WEIGHT - 0.2)
    here = [s for s in m.dialogue.said if s.round == m.round]
    rivals = [s.seat for s in here if s.seat != m.me]
    if rivals and not m.chance("alone", 45):
        yield remark("stand_rival", x=rivals[-1])
