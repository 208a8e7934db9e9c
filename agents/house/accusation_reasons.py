"""Remarks against the suspect (`Mindset.target`): reasons that are facts of the talk, and votes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from agents.house.fact_checks import stands_against
from agents.house.happenings import build_course_reasons
from agents.house.mindset import MIN_FINDER_CREDIBILITY, Mindset
from agents.house.remarks import CROWD, CROWD_PENALTY, Named, Remark, counted, remark

MIN_GROUND = 0.25  # probability of being hunted, to be suspected in the first round
MIN_SUSPICION = 0.02  # the same later
WEAK_SUSPICION = 0.2  # below it a doubt is voiced only sometimes in a day's first round
WEAK_DOUBT_PERCENT = 65
UNSURE_BELOW = 0.3  # probability below which a vote is announced as unsure
ASKED_BONUS = 3.5  # weight added to reasons that a question asks for
CHANGED_BONUS = 1.5  # weight added to reasons for a change of mind
MAX_REASONS = 4
NAME_INTENTS = ("whom", "vote", "why")  # questions whose answer is a name


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


def build_doubts(m: Mindset) -> Iterator[Remark]:
    """Yield a change of mind, the suspicion with its reasons, and the vote."""
    t, previous = m.target, m.previous_target
    if m.speech_purpose == "lead":  # the last speaker always says whom to vote for
        yield remark("lead_vote", t=t)
    if m.allies:  # they win by their votes and need no reason
        yield from _announce_vote(m, t)
        return
    if not (can_voice_suspicion(m) or (m.has_fixed_target and previous == t)):
        return
    has_changed = bool(previous) and previous != t and not m.has_fixed_target
    if has_changed:
        yield _explain_change(m, previous)
    if m.is_adored(t):
        yield remark("despite_liking", t=t)
    yield from _choose_reasons(m, t, has_changed)
    if (m.is_last_round or m.is_vote_owed) and m.speech_purpose != "lead":
        yield from _announce_vote(m, t)


def _choose_reasons(m: Mindset, t: int, has_changed: bool) -> Iterator[Remark]:
    """Yield the best new reasons against `t`, or that I stay with my suspicion.

    has_changed: whether the statement says that I changed my mind.
    """
    reasons = _rank_by_weight(m, build_reasons(m, t))
    new_reasons = [reason for reason in reasons if reason.key not in m.stance.said_keys]
    asks_name = any(d.intent in NAME_INTENTS for _, d in m.demands)
    is_asked = m.has_fixed_target or m.is_vote_owed or asks_name
    # a vote without a reason convinces nobody
    is_expected = has_changed or is_asked or m.is_last_round
    is_weak = m.round == 1 and m.hunted_probability(t) < WEAK_SUSPICION and not is_expected
    if new_reasons and (not is_weak or m.chance("voice a doubt", WEAK_DOUBT_PERCENT)):
        bonus = ASKED_BONUS if is_asked else CHANGED_BONUS if has_changed else 0.0
        yield from (replace(r, weight=r.weight + bonus) for r in new_reasons[:MAX_REASONS])
    elif m.has_fixed_target and reasons:  # asked again: the best reason in other words
        yield replace(reasons[0], weight=reasons[0].weight + ASKED_BONUS)
    elif m.previous_target == t and not is_weak:
        yield remark("hold", t=t, weight=7.0 if is_asked else 5.0)


def _rank_by_weight(m: Mindset, remarks: Iterable[Remark]) -> list[Remark]:
    """Return the remarks, heaviest first.

    A lot adds to each weight, and mentions of the same players by others take from it.
    """
    spelled = m.pack.spelled
    ranked = [
        replace(
            r,
            weight=r.weight - 0.4 * m.count_mentions(r.seats) + m.draw(spelled(r.kind), 9) / 10,
        )
        for r in remarks
    ]
    return sorted(ranked, key=lambda r: (-r.weight, spelled(r.kind)))


def _announce_vote(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield an announcement of my vote for `t`. In passes I announce the same vote once a day."""
    own_acts = (a for s in m.statements_today for a in s.acts)
    was_announced = any(a.kind == "vote" and t in a.targets for a in own_acts)
    if m.in_passes and not m.is_vote_owed and was_announced:
        return
    others = [s for s in m.dialogue.pressing(t) if s != m.me and stands_against(m.dialogue, s, t)]
    if others and m.chance("vote with", 40):
        yield remark("vote_with", t=t, x=others[-1])
    elif m.hunted_probability(t) < UNSURE_BELOW:
        yield remark("vote_unsure", t=t)
    else:
        yield remark("vote", t=t)


def _explain_change(m: Mindset, previous: int) -> Remark:
    """Return why I no longer press `previous`."""
    clearing = [
        s for s in m.dialogue.reporters(previous, is_accused=False) if s not in (m.me, previous)
    ]
    if clearing and m.hunted_probability(previous) < 0.1:
        return remark("turn_cleared", x=previous, y=clearing[0])
    if (partner := m.dialogue.partner(previous)) not in (0, m.me):
        return remark("turn_mate", x=previous, y=partner, role=m.dialogue.claims[previous])
    if m.is_grounded(previous) and not m.is_cleared(previous):
        return remark("turn_stands", x=previous)
    return remark("turn", x=previous)


def build_reasons(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield all true reasons against `t`, with their weights."""
    yield from _found_by_look(m, t)
    yield from _false_looker(m, t)
    yield from _doubtful_claim(m, t)
    yield from _missing_claim(m, t)
    yield from _conduct(m, t)
    yield from _agreement_and_elimination(m, t)
    yield from build_course_reasons(m, t)
    if m.has_attacks and t in m.dialogue.saves and not m.dialogue.course.quiet:
        yield remark("doubt_save", t=t, d=m.dialogue.saves[t])
    if m.dialogue.silent[t]:
        yield remark("doubt_silent", t=t)
    elif m.dialogue.turns(t):
        yield remark("doubt_gut", t=t)
    elif m.round > 1:
        yield remark("doubt_unheard", t=t)


def _found_by_look(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield looks that found `t` hunted, or one of two players of whom `t` is one."""
    for seat, report in m.dialogue.reported_looks:
        if not m.pack.accuses(report) or t not in report.targets or seat == t:
            continue
        role, rivals = report.source, {*m.dialogue.claimants(report.source)} - {seat}
        is_believed = (
            m.claim_probability(seat) > MIN_FINDER_CREDIBILITY and not rivals & m.defended_seats
        )
        u = next((s for s in report.targets if s != t), 0)
        if not u:
            if seat == m.me:
                yield remark("own_find", t=t, role=role, look=report)
            elif is_believed:
                is_out = seat in m.dialogue.course.out
                kind, names = "doubt_left_found" if is_out else "doubt_found", {"t": t}
                names |= {"d" if is_out else "x": seat}
                yield remark(kind, names, role=role, look=report)
        elif seat == m.me:
            kind = "own_look_sure" if m.is_certainly_cleared(u) else "own_look"
            yield remark(kind, t=t, y=u, role=role, look=report)
        elif u != m.me and is_believed:
            names = {"t": t, "x": seat, "y": u}
            if m.is_certainly_cleared(u):
                yield remark("doubt_other_cleared", names, role=role, look=report)
            else:
                yield remark("doubt_reported", names, role=role, look=report)


def _false_looker(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield what speaks against `t` as a claimant of a role that looks."""
    role = m.dialogue.claims.get(t, "")
    lookers, is_my_role = m.dialogue.claimants(role), (m.claimed or m.stance.pose) == role
    if m.pack.part(role) != "looker":
        return
    if len(lookers) > m.pack.deck.count(role):
        rival = next(s for s in lookers if s != t)
        if is_my_role:
            yield remark("doubt_my_rival", t=t, role=role)
        elif lookers.index(t) > lookers.index(rival):
            yield remark("doubt_second_looker", t=t, x=rival, role=role)
        else:
            yield remark("doubt_first_looker", t=t, x=rival, role=role)
    elif t in m.dialogue.reports and not is_my_role:
        yield remark("doubt_lone_looker", t=t, role=role)


def _doubtful_claim(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield what speaks against the claim of `t`: a change, mates who deny it, a crowd."""
    dialogue = m.dialogue
    claim = dialogue.claims.get(t)
    if t in dialogue.changed:
        first, later = (m.pack.name(r) for r in dialogue.changed[t])
        yield remark("doubt_changed", t=t, r=first, q=later)
    if claim is None:
        return
    if m.pack.part(claim) == "mate" and t not in {s for p in dialogue.pairs for s in p}:
        mates = [s for p in dialogue.pairs for s in p]
        if m.mate or m.me in mates:
            yield remark("doubt_false_mate", t=t, role=claim)
        elif mates:
            yield remark("doubt_third_mate", t=t, x=mates[0], y=mates[1], role=claim)
        elif t not in dialogue.companions:
            yield remark("doubt_mate_alone", t=t, role=claim)
    if m.pack.part(claim) == "plain":
        capacity = max(m.pack.deck.count(claim) - 1, 1)  # for others than `t`
        penalty = CROWD_PENALTY * (capacity > 1)
        claimants = [s for s in dialogue.claimants(claim) if s in m.others]
        names: dict[str, Named] = {"t": t}
        if len(claimants) > CROWD:
            pass
        elif m.claimed == claim and len(claimants) > capacity:
            names |= {"x": next(s for s in reversed(claimants) if s != t)}
            names |= counted(m.pack, claim, len(claimants) + 1)
            yield remark("doubt_plain_room", names, weight=5.8 - penalty, role=claim)
        elif len(claimants) > capacity + 1:
            names |= {"all": tuple(claimants), **counted(m.pack, claim, len(claimants))}
            yield remark("doubt_plain_crowd", names, weight=5.6 - penalty, role=claim)
        elif claim not in (m.claimed, m.stance.pose):  # a claimant of the role cannot blame it
            yield remark("doubt_plain", t=t, role=claim)


def _missing_claim(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield that `t` has confessed, or has claimed no role although it could."""
    dialogue = m.dialogue
    if any(a.role in m.pack.wolves for a in dialogue.acts("claim", by=t)):
        yield remark("doubt_confessed", t=t)
    if dialogue.claims.get(t) is None and m.round > 1 and dialogue.turns(t):
        if (asker := dialogue.evaded(t)) and asker not in (m.me, t):
            yield remark("doubt_evaded", t=t, x=asker)
        elif asker == m.me:
            yield remark("doubt_evaded_me", t=t)
        else:
            yield remark("doubt_unclaimed", t=t)


def _conduct(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield what speaks against the way `t` has argued."""
    dialogue, turns = m.dialogue, m.dialogue.turns(t)
    pressed = [s for s in dialogue.pressed_by(t) if s != m.me]
    if not turns:
        return
    only_greets = m.round == 1 and all(turn.greets or turn.only_listens for turn in turns)
    if not dialogue.pressed_by(t) and dialogue.claims.get(t) is None and not only_greets:
        yield remark("doubt_nothing", t=t)
    if len(pressed) > 1:
        yield remark("doubt_flip", t=t, x=pressed[-2], y=pressed[-1])
    if pressed:
        u = pressed[-1]
        leader = dialogue.first_against(u)
        if leader not in (0, t, m.me):
            yield remark("doubt_echo", t=t, x=leader, y=u)
        elif turns[0].round == 1 and u in turns[0].presses() and not _has_report_before(m, t):
            yield remark("doubt_early", t=t, x=u)
        if m.village_probability(u) > 0.85:
            yield remark("doubt_pusher", t=t, x=u)
    if dialogue.suspect_of(t) == m.me:
        yield remark("doubt_at_me", t=t)
    for act in dialogue.acts("defend", by=t):
        u = act.targets[0]
        if u != m.me and m.hunted_probability(u) > 0.25 and len(act.targets) == 1:
            yield remark("doubt_defender", t=t, x=u)
            break


def _agreement_and_elimination(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield that another presses `t` too, and that few remain besides the trusted players."""
    new = [s for s in m.dialogue.since(m.me) if t in s.presses() and s.seat != m.me]
    if new and new[-1].seat != m.target:
        yield remark("doubt_agree", t=t, x=new[-1].seat)
    suspects = [s for s in m.others if m.hunted_probability(s) > 0.06]
    are_few = 2 <= len(suspects) <= 3 and len(suspects) < len(m.others)
    if t in suspects and m.round > 1 and are_few:
        other_suspects = [s for s in suspects if s != t]
        kind = "doubt_left_two" if len(suspects) == 2 else "doubt_left_three"
        yield remark(kind, t=t, x=other_suspects[0], y=other_suspects[-1])


def _has_report_before(m: Mindset, seat: int) -> bool:
    """Return whether a look had been reported when `seat` first spoke."""
    for statement in m.dialogue.said:
        if statement.seat == seat:
            return False
        if any(a.kind == "report" for a in statement.acts):
            return True
    return False
