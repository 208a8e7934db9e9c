"""Remarks on nights, exiles, ballots and the badge, and speeches about an office.

Slots: x is another player; d and e may be out of the game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.house.mindset import Mindset
from agents.house.remarks import MIN_REMARK_WEIGHT, Remark, remark

MENTION_PENALTY = 0.8  # weight taken off for each mention of the same players by others
MAX_MENTIONS = 5
FIRST_SPEAKER_WEIGHT = 6.4  # weight of the remark on a quiet night if nobody has spoken today
CHANGED_VOTE_WEIGHT = 7.9  # weight of the remark that a leader made me change an announced vote
# Weight of a reason to be elected, and of a leader's summary: above most others.
CANDIDACY_WEIGHT = 7.4
OWN_VOTE_KINDS = ("own_ballot", "lead_refused")  # these explain my vote, whatever others said of it
# Probabilities of being of the village: below the first, the exile of a player was right; above the
# second, wrong. I trust a badge's holder above the third, one who voted as I did above the fourth.
GUILTY_EXILE, INNOCENT_EXILE, TRUSTED_LEADER, TRUSTED_VOTER = 0.4, 0.6, 0.75, 0.5
MIN_LOOKER_CREDIBILITY = 0.75  # a killed player's claim to look counts as true above this


def build_happenings(m: Mindset) -> Iterator[Remark]:
    """Yield remarks on the night, the last exile, the ballots and the badge.

    A lot adds to each weight, and mentions of the same players today take from it.
    """
    if not m.has_attacks:
        return
    today = [
        statement for statement in m.dialogue.statements if statement.round >= m.dialogue.today
    ]
    has_vote_passed = m.dialogue.course.last_ballot_day not in (0, m.view.state.day)
    votes = (_remark_on_exile, _remark_on_ballots, _remark_on_lead) if has_vote_passed else ()
    for candidate in (
        r for build in (_remark_on_night, *votes, _remark_on_badge) for r in build(m)
    ):
        mentions = min(sum(candidate.seats <= s.names for s in today), MAX_MENTIONS)
        penalty = 0.0 if candidate.kind in OWN_VOTE_KINDS else MENTION_PENALTY * mentions
        lot = m.draw(f"happening/{m.pack.spelled(candidate.kind)}", 14) / 10
        weight = candidate.weight + lot - penalty
        if weight > MIN_REMARK_WEIGHT and candidate.key not in m.stance.said_keys:
            yield replace(candidate, weight=weight)


def _remark_on_night(m: Mindset) -> Iterator[Remark]:
    dialogue = m.dialogue
    if dialogue.course.nights in dialogue.course.quiet_nights:
        has_talk_begun = any(s.day == m.view.state.day for s in dialogue.statements)
        yield remark("night_quiet", weight=None if has_talk_begun else FIRST_SPEAKER_WEIGHT)
    for d in m.killed_last_night:
        is_rival = m.claims_a("looker") and dialogue.claims.get(d) == m.claimed
        if d in dialogue.looks and m.claim_probability(d) > MIN_LOOKER_CREDIBILITY and not is_rival:
            yield remark("night_looker", d=d, role=dialogue.claims[d])
        else:
            yield remark("night_kill" if dialogue.turns(d) else "night_kill_early", d=d)


def _remark_on_exile(m: Mindset) -> Iterator[Remark]:
    course = m.dialogue.course
    d = next((h.seat for h in course.exiled if h.when == course.last_ballot_day), 0)
    if not d:
        yield remark("ballots_split")
    elif (p := m.village_probability(d)) < GUILTY_EXILE:
        yield remark("exiled_right", d=d)
    elif p > INNOCENT_EXILE and not m.dialogue.reporters(d, is_accused=True):
        yield remark("exiled_wrong", d=d)


def _remark_on_ballots(m: Mindset) -> Iterator[Remark]:
    """Yield a close result, votes that broke a word, my own, and those that concern me."""
    course, votes = m.dialogue.course, m.dialogue.course.last_votes()
    counts = Counter(votes.values()).most_common(2)
    if len(counts) == 2 and counts[0][1] == counts[1][1] + 1:
        d, e = counts[0][0], counts[1][0]
        if m.me not in (d, e):
            yield remark("ballots_close", d=d, e=e)
    for x in m.others:
        d, e = m.dialogue.broken_pledges.get((course.last_ballot_day, x), (m.me, 0))
        # A player who has spoken today could explain the vote.
        has_spoken = any(s.day == m.view.state.day for s in m.dialogue.turns(x))
        if m.me not in (d, e) and x != m.target and not has_spoken:
            yield remark("pledge_broken", x=x, d=d, e=e)
    pressed, own = m.last_pressed_before_vote(m.me), votes.get(m.me, 0)
    advised = m.dialogue.recommendations.get(course.last_ballot_day, (0, 0))[1]
    if pressed and own not in (0, pressed, advised):
        yield remark("own_ballot", d=pressed, e=own)
    for x, d in votes.items():
        if x == m.me or x in course.out or d == x:
            continue
        if d == m.me and x != m.target:
            yield remark("ballot_me", x=x)
        elif own == d and m.village_probability(x) > TRUSTED_VOTER:
            yield remark("ballot_alike", x=x, d=d)


def _remark_on_lead(m: Mindset) -> Iterator[Remark]:
    """Yield whether I followed the recommendation of the badge's holder at the last vote."""
    voted = m.dialogue.course.last_ballot_day
    leader, advised = m.dialogue.recommendations.get(voted, (0, 0))
    e = m.dialogue.course.last_votes().get(m.me, 0)
    if leader in (0, m.me) or advised == m.me or not e:
        return
    if advised != e:
        yield remark("lead_refused", d=advised, e=e)
        return
    statements = (s for s in m.dialogue.statements if s.day == voted and e in s.presses())
    speakers = [s.seat for s in statements if s.seat in (m.me, leader)]
    own = speakers.index(m.me) if m.me in speakers else len(speakers)
    if leader in speakers and leader not in speakers[own:]:  # I did not press it before
        has_announced = m.last_pressed_before_vote(m.me) not in (0, e)
        weight = CHANGED_VOTE_WEIGHT if has_announced else None
        yield remark("lead_followed", d=leader, e=e, weight=weight)


def _remark_on_badge(m: Mindset) -> Iterator[Remark]:
    """Yield who got the badge, or what I think of its holder, except in speeches about it."""
    for badge in m.dialogue.course.given_badges[-1:]:
        x, d = badge.seat, badge.target
        if m.speech_purpose or x == m.me or x in m.view.state.out:
            continue
        if d and (d in m.killed_last_night or badge.when == m.view.state.day - 1):
            was_killed = any(d == h.seat for h in m.dialogue.course.killed)
            yield remark("badge_passed" if was_killed else "badge_handed", x=x, d=d)
        elif x != m.target:
            is_trusted = m.village_probability(x) > TRUSTED_LEADER
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
    rivals = [s.seat for s in m.dialogue.statements if s.round == m.round and s.seat != m.me]
    if rivals and not m.chance("alone", 45):
        yield remark("stand_rival", x=rivals[-1])
