"""Remarks on deaths, ballots and a badge, and speeches of candidates and of the badge's holder.

They state public facts only. Players who may be out stand in the slots `d` and `e`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.house.mindset import Mindset
from agents.house.remarks import MIN_REMARK_WEIGHT, Remark, remark

MIN_FRIEND_PROBABILITY = 0.75  # of the village, for a vote against the player to count as hostile
MAX_GUILTY_PROBABILITY = 0.4  # of the village, to call an exile right; wrong above its complement
MENTION_PENALTY = 0.8  # weight taken off for each mention of the same players by others
MAX_MENTIONS = 5
CANDIDACY_WEIGHT = 7.4  # of a candidate's reason: above almost all other remarks
OWN_VOTE_KINDS = ("own_ballot", "lead_refused")  # they explain my vote, whatever others said of it


def build_happenings(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on the night, the last exile, the ballots and the badge.

    A lot adds to each weight, and mentions of the same players today take from it.
    """
    if not m.has_attacks:
        return
    today = [statement for statement in m.dialogue.said if statement.round >= m.dialogue.today]
    for candidate in (*_night(m), *_exile_remarks(m), *_ballots(m), *_badge(m)):
        mentions = min(sum(candidate.seats <= s.names for s in today), MAX_MENTIONS)
        penalty = 0.0 if candidate.kind in OWN_VOTE_KINDS else MENTION_PENALTY * mentions
        lot = m.draw(f"happening/{m.pack.spelled(candidate.kind)}", 14) / 10
        weight = candidate.weight + lot - penalty
        if weight > MIN_REMARK_WEIGHT and candidate.key not in m.stance.said_keys:
            yield replace(candidate, weight=weight)


def build_course_reasons(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield what speaks against `t` in the deaths, the ballots and the badge's use."""
    if not m.has_attacks or not (course := m.dialogue.course).killed + course.ballots:
        return
    killed, votes = {h.seat: h.when for h in course.killed}, course.last_votes()
    for d, night in killed.items():
        if night == course.nights and t == m.dialogue.suspect_of(d):
            yield remark("doubt_dead_pressed", t=t, d=d)
    if (d := votes.get(t, 0)) in killed:
        yield remark("doubt_dead_ballot", t=t, d=d)
    elif d == m.me:
        yield remark("doubt_ballot_me", t=t)
    elif d in m.others and d != t and m.village_probability(d) > MIN_FRIEND_PROBABILITY:
        yield remark("doubt_ballot_friend", t=t, y=d)
    yield from _broken_word(m, t)


def _broken_word(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield that `t` voted otherwise than it spoke, or recommended a wrong exile."""
    course, votes = m.dialogue.course, m.dialogue.course.last_votes()
    spoken = [s for s in m.dialogue.said if s.seat == t and s.day == course.voted and s.presses()]
    d = spoken[-1].presses()[-1] if spoken else 0  # whom it spoke against last
    if d and t in votes and m.me not in (d, votes[t]) and d != votes[t]:
        yield remark("doubt_ballot_word", t=t, d=d, e=votes[t])
    exiled_seats = {h.seat for h in course.exiled if h.when == course.voted}
    if (
        t in m.view.state.badges.values()
        and d in exiled_seats
        and m.village_probability(d) > 1 - MAX_GUILTY_PROBABILITY
    ):
        yield remark("doubt_lead", t=t, d=d)


def _night(m: Mindset) -> Iterator[Remark]:
    """Yield who died in the last night, or that nobody did."""
    course = m.dialogue.course
    if course.nights in course.quiet:
        yield remark("night_quiet")
    for d in (h.seat for h in course.killed if h.when == course.nights):
        claim = m.dialogue.claims.get(d, "")
        if m.dialogue.looks.get(d) and m.professed[d].get(claim, 0.0) > MIN_FRIEND_PROBABILITY:
            yield remark("night_looker", d=d, role=claim)
        elif m.dialogue.turns(d):
            yield remark("night_kill", d=d)
        else:
            yield remark("night_kill_early", d=d)


def _exile_remarks(m: Mindset) -> Iterator[Remark]:
    """Yield what I think of the last exile, or that the vote exiled nobody."""
    course = m.dialogue.course
    if not course.voted or course.voted == m.view.state.day:
        return
    exiled_seats = [h.seat for h in course.exiled if h.when == course.voted]
    if not exiled_seats:
        yield remark("ballots_split")
        return
    d, probability = exiled_seats[0], m.village_probability(exiled_seats[0])
    reporters = m.dialogue.reporters(d, is_accused=True)  # a Medium's result, say
    if probability < MAX_GUILTY_PROBABILITY and len(course.killed) < len(m.view.state.seats):
        yield remark("exiled_right", d=d)
    elif probability > 1 - MAX_GUILTY_PROBABILITY and not reporters:
        yield remark("exiled_wrong", d=d)


def _ballots(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on the votes of the last exile."""
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
    """Yield whether I followed the recommendation of the badge's holder."""
    leader, advised = m.dialogue.recommended.get(m.dialogue.course.voted, (0, 0))
    if not voted or leader in (0, m.me) or advised == m.me:
        return
    if voted == advised:
        yield remark("lead_followed", d=leader, e=advised)
    else:
        yield remark("lead_refused", d=advised, e=voted)


def _own_word(m: Mindset, voted: int) -> int:
    """Return the seat that I pressed last before I voted for another, 0 for none."""
    day = m.dialogue.course.voted
    targets = [t for s in m.dialogue.turns(m.me) if s.day == day for t in s.presses()]
    return targets[-1] if voted and targets and targets[-1] != voted else 0


def _badge(m: Mindset) -> Iterator[Remark]:
    """Yield who has the badge, and from whom."""
    for handover in m.dialogue.course.passed[-1:]:
        x, d = handover.seat, handover.target
        if x in m.view.state.out or m.speech_purpose:
            continue
        died_last_night = any(
            h.seat == d and h.when == m.dialogue.course.nights for h in m.dialogue.course.killed
        )
        if d and x != m.me and (died_last_night or handover.when == m.view.state.day - 1):
            killed = d in {h.seat for h in m.dialogue.course.killed}
            kind = "badge_passed" if killed else "badge_handed"
            yield remark(kind, x=x, d=d)
        elif x not in (m.me, m.target):
            is_trusted = m.village_probability(x) > MIN_FRIEND_PROBABILITY
            yield remark("badge_trusted" if is_trusted else "badge_watched", x=x)


def build_office_remarks(m: Mindset, claim: Sequence[Remark]) -> Iterator[Remark]:
    """Yield the speech of a candidate or of the badge's holder.

    claim: the remarks in which the player claims a role in the same statement.
    """
    if m.speech_purpose == "stand":
        role = next((c.role for c in claim), m.claimed)
        yield from _candidacy(m, role, bool(m.look) or any(c.look for c in claim))
    elif m.speech_purpose == "lead":
        yield remark("lead_sum", weight=CANDIDACY_WEIGHT)
        if any(h.seat == m.me and h.when == m.view.state.day for h in m.dialogue.course.passed):
            yield remark("lead_thanks")


def _candidacy(m: Mindset, role: str, has_look: bool) -> Iterator[Remark]:
    """Yield a reason to be elected that fits my claim, and a promise.

    role: the claimed role, "" for none; has_look: whether I have a look to tell of.
    """
    is_looker = m.pack.part(role) == "looker" and has_look
    if is_looker or role in ("", m.pack.plain_role):
        kind = "stand_looker" if is_looker else "stand_known" if role else "stand"
        yield remark(kind, weight=CANDIDACY_WEIGHT)
    if role not in ("", m.pack.plain_role) or not m.chance("promise", 30):
        yield remark("stand_promise", weight=CANDIDACY_WEIGHT - 0.2)
    rivals = [s.seat for s in m.dialogue.said if s.round == m.round and s.seat != m.me]
    if rivals and not m.chance("alone", 45):
        yield remark("stand_rival", x=rivals[-1])
