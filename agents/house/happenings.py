"""Remarks on results, nights, exiles, ballots and the badge, and speeches about an office.

Slots: x is another player; d and e may be out of the game.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.house.doubts import can_voice_suspicion
from agents.house.mindset import MIN_TARGET_SCORE, Mindset
from agents.house.observations import DOUBTED_CLAIM
from agents.house.remarks import (
    MIN_REMARK_WEIGHT,
    NEWS_WEIGHT,
    Remark,
    RemarkPlace,
    look_slots,
    remark,
)
from agents.language import number_word
from agents.packs import Result
from agents.understanding.statements import result_of

MENTION_PENALTY = 0.8  # weight taken off for each mention of the same players by others
MAX_MENTIONS = 5
MAX_RESULT_REPLIES = 2  # a result that so many have taken up is no news any more
TIE_WEIGHT = 8.1  # weight of the remark of a day's first two speakers that nobody was voted out
BROKEN_PLEDGE_WEIGHT = 8.6  # weight of the remark on a broken word that nobody has mentioned today
# Weight of a reason to be elected, and of a leader's summary: above most others.
CANDIDACY_WEIGHT = 8.0
# Probabilities of being of the village: below the first, the exile of a player was right; above the
# second, wrong. I trust a badge's holder above the third, one who voted as I did above the fourth.
GUILTY_EXILE, INNOCENT_EXILE, TRUSTED_LEADER, TRUSTED_VOTER = 0.4, 0.6, 0.75, 0.5
NEW_NAME_MARGIN = 0.3  # a leader names whom nobody has named if its score is so much higher
NIGHT_FIRST_PERCENT = 55  # how often a day's first speaker begins with the night
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
        r
        for build in (
            _remark_on_night,
            _remark_on_legacy,
            *votes,
            _remark_on_badge,
            _remark_on_counts,
        )
        for r in build(m)
    ):
        mentions = min(sum(candidate.seats <= s.names for s in today), MAX_MENTIONS)
        lot = m.draw(f"happening/{m.pack.spelled(candidate.kind)}", 14) / 10
        weight = candidate.weight + lot - MENTION_PENALTY * mentions
        if weight > MIN_REMARK_WEIGHT and candidate.key not in m.stance.said_keys:
            yield replace(candidate, weight=weight)
    yield from _remark_on_results(m)


def _remark_on_results(m: Mindset) -> Iterator[Remark]:
    """Yield what I make of the newest result that few have taken up, as the first thing I say.

    A result at me gets a reply (`agents.house.replies`), a rival's result a dispute.
    """
    new = m.new_talk_today
    for number, statement in reversed([*enumerate(new)]) if not m.claims_a("looker") else ():
        x = statement.seat
        replies = sum(x in s.names for s in new[number + 1 :])
        if x not in m.others or replies >= MAX_RESULT_REPLIES:
            continue
        earlier = [a for s in m.dialogue.turns(x) if s is not statement for a in s.acts]
        earlier_looks = [(a.targets, a.value) for a in earlier if a.kind == "report"]
        for act in statement.acts:
            look = result_of(act, m.pack)
            if look is None or m.me in look.targets or (act.targets, act.value) in earlier_looks:
                continue
            if look in m.dialogue.looks.get(x, ()) and (kind := _judge_result(m, x, look)):
                slots = {**look_slots(look), "x": x}
                reply = remark(kind, slots, weight=NEWS_WEIGHT, role=look.source, look=look)
                yield replace(reply, position=RemarkPlace.OPEN)
                return


def _judge_result(m: Mindset, x: int, look: Result) -> str:
    """Return the kind of my remark on a result of `x`, "" if my suspicion takes it up."""
    if m.claim_probability(x) < DOUBTED_CLAIM or x == m.target:
        return "looker_doubted"
    if not m.pack.accuses(look):
        return "report_clears"
    if m.target in look.targets:
        return "report_finds" if not can_voice_suspicion(m) or m.speech_purpose == "stand" else ""
    return "report_open"


def _remark_on_night(m: Mindset) -> Iterator[Remark]:
    """Yield what happened at night. Who speaks first today begins with it."""
    dialogue = m.dialogue
    for candidate in _describe_night(m):
        is_first = not m.talk_today and m.chance("night first", NIGHT_FIRST_PERCENT)
        if is_first and not m.in_passes:
            yield replace(candidate, weight=NEWS_WEIGHT, position=RemarkPlace.OPEN)
        elif candidate.kind != "night_kill_early" or not any(
            candidate.seats <= s.names for s in dialogue.statements
        ):
            yield candidate


def _remark_on_legacy(m: Mindset) -> Iterator[Remark]:
    """Yield whom a believed looker that was killed had cleared."""
    for d in (h.seat for h in m.dialogue.course.killed):
        for look in m.dialogue.looks.get(d, ()) if not m.claims_a("looker") else ():
            if m.claim_probability(d) > MIN_LOOKER_CREDIBILITY and not m.pack.accuses(look):
                yield remark("left_clean", d=d, a=look.targets[0])


def _describe_night(m: Mindset) -> Iterator[Remark]:
    """Yield that nobody died in the last night, or who did."""
    dialogue, course = m.dialogue, m.dialogue.course
    if course.nights in course.quiet_nights:
        yield remark("night_quiet_again" if len(course.quiet_nights) > 1 else "night_quiet")
    for d in m.killed_last_night:
        is_rival = m.claims_a("looker") and dialogue.claims.get(d) == m.claimed
        if d in dialogue.looks and m.claim_probability(d) > MIN_LOOKER_CREDIBILITY and not is_rival:
            yield remark("night_looker", d=d, role=dialogue.claims[d])
        else:
            yield remark("night_kill" if dialogue.turns(d) else "night_kill_early", d=d)


def _remark_on_exile(m: Mindset) -> Iterator[Remark]:
    """Yield a tie, or what I think of the player who was voted out."""
    course = m.dialogue.course
    d = next((h.seat for h in course.exiled if h.when == course.last_ballot_day), 0)
    if not d:
        weight = None if len(m.talk_today) > 1 else TIE_WEIGHT
        counts = Counter(course.last_votes().values())
        first, second, *rest = [*sorted(counts, key=lambda s: (-counts[s], s)), 0, 0]
        is_pair = counts[first] == counts[second] > counts[rest[0]] if rest and second else False
        if is_pair and any({first, second} <= s.names for s in m.talk_today):
            return  # somebody has said it
        if is_pair and m.me not in (first, second):
            yield remark("ballots_tied", d=first, e=second, weight=weight)
        else:
            yield remark("ballots_split", weight=weight)
    elif any(d in s.names for s in m.talk_today):
        return
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
        has_explained = any(s.seat == x and {d, e} & s.names for s in m.talk_today)
        is_news = not any({x, d} <= s.names or {x, e} <= s.names for s in m.talk_today)
        has_cause = bool(m.dialogue.reporters(e, is_accused=True))  # a look changed its mind
        if m.me not in (d, e) and x != m.target and is_news and not (has_explained or has_cause):
            yield remark("pledge_broken", x=x, d=d, e=e, weight=BROKEN_PLEDGE_WEIGHT)
    own = votes.get(m.me, 0)
    if m.me in _word_breakers(m):
        yield remark("own_ballot", d=m.last_pressed_before_vote(m.me), e=own)
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
    if m.me not in _explainers(m):
        return
    if m.me in _followers(m):
        yield remark("lead_followed", d=leader, e=e)
    elif m.me in _refusers(m):
        yield remark("lead_refused", d=advised, e=e)


def _explainers(m: Mindset) -> list[int]:
    """Return the one player who explains its last vote unasked, [] if no vote looks odd.

    It is the first by seat, living, that voted against its word, else that followed a leader
    against its word, else that refused a leader where the vote ended in a tie.
    """
    explainers = _word_breakers(m) or _followers(m) or _refusers(m)
    return explainers[:1]


def _word_breakers(m: Mindset) -> list[int]:
    """Return the living players that voted for another than the last they pressed before."""
    course = m.dialogue.course
    advised = m.dialogue.recommendations.get(course.last_ballot_day, (0, 0))[1]
    return [
        seat
        for seat, vote in sorted(course.last_votes().items())
        if seat not in course.out
        and (pressed := m.last_pressed_before_vote(seat))
        and vote not in (pressed, advised)
    ]


def _followers(m: Mindset) -> list[int]:
    """Return the living players that took a leader's advice after announcing another vote."""
    course, dialogue = m.dialogue.course, m.dialogue
    voted = course.last_ballot_day
    leader, advised = dialogue.recommendations.get(voted, (0, 0))
    followers = []
    for seat, vote in sorted(course.last_votes().items()):
        if vote != advised or seat == leader or seat in course.out:
            continue
        pressed = m.last_pressed_before_vote(seat)
        statements = (s for s in dialogue.statements if s.day == voted and vote in s.presses())
        speakers = [s.seat for s in statements if s.seat in (seat, leader)]
        if pressed not in (0, vote) and speakers[:1] == [leader]:
            followers.append(seat)
    return followers


def _refusers(m: Mindset) -> list[int]:
    """Return the living players whose votes against a leader's advice left the vote tied."""
    course = m.dialogue.course
    leader, advised = m.dialogue.recommendations.get(course.last_ballot_day, (0, 0))
    is_tied = not any(h.when == course.last_ballot_day for h in course.exiled)
    is_leader = leader in m.view.state.badges.values()  # "the Sheriff" is still the same player
    if not (is_tied and is_leader):
        return []
    votes = sorted(course.last_votes().items())
    return [s for s, v in votes if v != advised and s != leader and s not in course.out]


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


def _remark_on_counts(m: Mindset) -> Iterator[Remark]:
    """Yield that a player's results are too many to be right, or fewer than the nights."""
    for x in m.others:
        if x != m.target and (finds := m.find_impossible_count(x)):
            numbers = {"n": number_word(finds), "k": number_word(m.hunted_count)}
            kind = "looker_overcount" if finds > m.hunted_count else "looker_not_over"
            yield remark(kind, numbers, x=x, role=m.dialogue.claims[x])
            continue
        looks = m.dialogue.looks.get(x, ())
        rule = m.pack.look(looks[0].source) if looks else None
        is_short = rule is not None and not rule.is_of_exiled
        has_had_turn = any(s.seat == x for s in m.talk_today)  # else the newest look may follow
        is_short = is_short and len(looks) < m.dialogue.course.nights - (not has_had_turn)
        if is_short and not m.in_passes and m.is_unasked("result", x):
            yield remark("looker_owes_look", x=x, role=looks[0].source)


def build_office_remarks(m: Mindset, claim: Sequence[Remark]) -> Iterator[Remark]:
    """Yield the speech of a candidate or of the badge's holder.

    claim: the remarks in which the player claims a role in the same statement.
    """
    if m.speech_purpose == "stand":
        role = next((c.role for c in claim), m.claimed)
        yield from _candidacy(m, role, bool(m.look) or any(c.look for c in claim))
    elif m.speech_purpose == "lead":
        yield from _sum_up(m)


def count_votes_today(m: Mindset) -> Counter[int]:
    """Return seat -> how many others have announced a vote for it today."""
    pledges = m.dialogue.pledges
    return Counter(p for s in m.others if (p := pledges.get((m.view.state.day, s))))


def settle_target(m: Mindset) -> None:
    """Press a player whom this statement reports, or as a leader one whom others have named.

    A leader names somebody else only if that player looks clearly worse.
    """
    if not m.has_attacks or m.in_passes:
        return
    found = [k.targets[0] for k in m.announced_looks if m.pack.accuses(k) and len(k.targets) == 1]
    named = [s for s in count_votes_today(m) if s in m.scores]
    if found and m.target not in found:
        m.target = next((s for s in found if s in m.scores), m.target)
    elif m.speech_purpose == "lead" and named and not (found or m.is_grounded(m.target)):
        best = max(named, key=lambda s: (m.scores[s], -s))
        if m.scores[best] > max(m.scores[m.target] - NEW_NAME_MARGIN, MIN_TARGET_SCORE):
            m.target = best


def _sum_up(m: Mindset) -> Iterator[Remark]:
    """Yield how the announced votes stand, "nothing yet" for none."""
    counts = count_votes_today(m)
    first, second, third, *_ = [*sorted(counts, key=lambda s: (-counts[s], s)), 0, 0, 0]
    n, k = number_word(counts[first]), number_word(counts[second])
    weight = CANDIDACY_WEIGHT
    if counts[first] < 2:
        yield remark("lead_sum", weight=weight)
    elif m.me == first:
        yield remark("lead_count_me", n=n, weight=weight)
    elif m.me == second and not third:
        yield remark("lead_count_or_me", x=first, n=n, k=k, weight=weight)
    elif second not in (0, m.me) and (not third or counts[second] > 1):
        yield remark("lead_count_two", x=first, y=second, n=n, k=k, weight=weight)
    else:
        yield remark("lead_count", x=first, n=n, weight=weight)


def _candidacy(m: Mindset, role: str, has_look: bool) -> Iterator[Remark]:
    """Yield a reason to be elected that fits my claim, and a promise.

    role: the claimed role, "" for none; has_look: whether I have a look to tell of.
    """
    is_looker = m.pack.part(role) == "looker" and has_look
    if is_looker or role in ("", m.pack.plain_role):
        yield remark("stand_looker" if is_looker else "stand", weight=CANDIDACY_WEIGHT)
    if role not in ("", m.pack.plain_role) or not m.chance("promise", 30):
        yield remark("stand_promise", weight=CANDIDACY_WEIGHT - 0.2)
    rivals = [s.seat for s in m.dialogue.statements if s.round == m.round and s.seat != m.me]
    if rivals and not m.chance("alone", 45):
        yield remark("stand_rival", x=rivals[-1])
