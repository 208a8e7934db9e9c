"""Remarks against the suspect (`Mindset.target`): reasons from the talk and the course, and votes.

Slots: t is the suspect, x and y are other players, d and e may be out of the game; `all` are the
claimants of a role.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from agents.house.mindset import MIN_FINDER_CREDIBILITY, Mindset
from agents.house.remarks import CROWD, Remark, counted, crowd_weight, remark
from agents.packs import Result
from agents.understanding.speech_acts import STRENGTH

MIN_GROUND = 0.25  # probability of being hunted, to be suspected in the first round
MIN_SUSPICION = 0.02  # the same later
WEAK_SUSPICION = 0.2  # below it a doubt is voiced only sometimes in a day's first round
WEAK_DOUBT_PERCENT = 65
SURE_VOTE = 0.3  # probability of being hunted, to announce a vote without a reservation
JOIN_VOTE_PERCENT = 40  # of the votes that follow another name the other voter
ASKED_BONUS = 3.5  # weight added to reasons that a question asks for
CHANGED_BONUS = 1.5  # weight added to reasons for a change of mind
MAX_REASONS = 4
OWN_EVIDENCE = ("own_find", "own_look_sure")  # certain to the speaker
REPEAT_PENALTY = 0.8  # of a reason, for each player who has given it today
MIN_REMAINING_PROBABILITY = 0.06  # of being hunted, to count as one of the last suspects
# Probabilities of the village: of a player whom the suspect presses, votes for, or has exiled.
INNOCENT_PRESSED, INNOCENT_BALLOT, INNOCENT_EXILED = 0.85, 0.75, 0.6
MIN_DEFENDED = 0.25  # probability of being hunted, of a player whom the suspect defends
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
    speakers = {s.seat for s in m.dialogue.statements} - {m.me}
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
        yield _explain_change_of_mind(m, previous)
    if m.is_adored(t):
        yield remark("despite_liking", t=t)
    yield from _choose_reasons(m, t, has_changed)
    if (m.is_last_round or m.is_vote_owed) and m.speech_purpose != "lead":
        yield from _announce_vote(m, t)


def _explain_change_of_mind(m: Mindset, x: int) -> Remark:
    """Return why I no longer press `x`."""
    for y in m.dialogue.reporters(x, is_accused=False):
        if y not in (m.me, x) and m.hunted_probability(x) < 0.1:
            return remark("turn_cleared", x=x, y=y)
    if (y := m.dialogue.partner(x)) and y != m.me:
        return remark("turn_mate", x=x, y=y, role=m.dialogue.claims[x])
    return remark("turn_stands" if m.is_grounded(x) and not m.is_cleared(x) else "turn", x=x)


def _choose_reasons(m: Mindset, t: int, has_changed: bool) -> Iterator[Remark]:
    """Yield the best new reasons against `t`, or that I stay with my suspicion.

    has_changed: whether the statement says that I changed my mind.
    """
    up_to_date = (reason for reason in build_reasons(m, t) if is_up_to_date(m, reason))
    reasons = _rank_by_weight(m, up_to_date)
    if own := [r for r in reasons if r.kind in OWN_EVIDENCE]:  # nothing else matters beside it
        reasons = own
    new_reasons = [reason for reason in reasons if reason.key not in m.stance.said_keys]
    asks_name = any(d.intent in NAME_INTENTS for _, d in m.demands)
    is_asked = m.has_fixed_target or m.is_vote_owed or asks_name
    # a vote without a reason convinces nobody
    is_expected = has_changed or is_asked or m.is_last_round
    is_weak = m.round == 1 and m.hunted_probability(t) < WEAK_SUSPICION and not is_expected
    if new_reasons and (not is_weak or m.chance("voice a doubt", WEAK_DOUBT_PERCENT)):
        bonus = ASKED_BONUS if is_asked else CHANGED_BONUS if has_changed else 0.0
        yield from (replace(r, weight=r.weight + bonus) for r in new_reasons[:MAX_REASONS])
    elif reasons and (m.has_fixed_target or (m.is_last_round and not m.in_passes)):
        # Asked again, or before the vote: the best reason in other words.
        yield replace(reasons[0], weight=reasons[0].weight + ASKED_BONUS * m.has_fixed_target)
    elif m.previous_target == t and not (is_weak or m.has_confessed(t)):
        yield remark("hold", t=t, weight=7.0 if is_asked else 5.0)


def _rank_by_weight(m: Mindset, remarks: Iterable[Remark]) -> list[Remark]:
    """Return the remarks, heaviest first.

    A lot adds to each weight. What others have said today, too, loses weight unless it is hard
    evidence.
    """
    spelled = m.pack.spelled

    def penalty(r: Remark) -> float:
        repeats = 0 if r.is_hard_evidence else m.count_arguments(m.target, r.seats, r.role)
        return REPEAT_PENALTY * repeats

    ranked = [
        replace(r, weight=r.weight - penalty(r) + m.draw(spelled(r.kind), 9) / 10) for r in remarks
    ]
    return sorted(ranked, key=lambda r: (-r.weight, spelled(r.kind)))


def is_up_to_date(m: Mindset, reason: Remark) -> bool:
    """Return whether the players whom a reason names still press whom it says.

    The player who pressed another first is the source; only the later one may agree.
    """
    names: Mapping[str, Any] = reason.names
    x, y, t = (int(names.get(slot, 0)) for slot in "xyt")
    match reason.kind:
        case "doubt_agree":
            return m.can_agree_with(x, t)
        case "doubt_flip":
            return m.is_pressing_order((t, x), (t, y)) and m.dialogue.suspect_of(t) == y
        case "doubt_pusher":
            return m.dialogue.suspect_of(t) == x
    return True


# -- votes


def _announce_vote(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield the announcement of my vote. In passes I announce the same vote once a day."""
    own_acts = (a for s in m.statements_today for a in s.acts)
    has_announced = any(a.kind == "vote" and t in a.targets for a in own_acts)
    if m.in_passes and not m.is_vote_owed and has_announced:
        return
    believed = [s for s in m.dialogue.pressing(t) if s != m.me and not m.is_refuted(s)]
    voters = [s for s in believed if _stands_against(m, s, t)]
    has_found = m.look is not None and t in m.look.targets and m.pack.accuses(m.look)
    if voters and not has_found and m.chance("vote with", JOIN_VOTE_PERCENT):
        yield remark("vote_with", t=t, x=voters[-1])
    else:
        is_sure = m.has_confessed(t) or m.hunted_probability(t) >= SURE_VOTE
        yield remark("vote" if is_sure else "vote_unsure", t=t)


def _stands_against(m: Mindset, seat: int, target: int) -> bool:
    """Return whether `seat`, who presses `target`, has accused it or announced a vote for it."""
    return any(
        target in act.targets and act.strength >= STRENGTH["accuse"]
        for act in m.dialogue.acts("accuse", "vote", by=seat)
    )


# -- reasons


def build_reasons(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield all reasons against `t`."""
    own_looks = ((m.me, look) for look in m.announced_looks)
    for x, look in (*own_looks, *m.dialogue.reported_looks):
        if m.pack.accuses(look) and t in look.targets and x != t:
            yield from _reason_of_look(m, t, x, look)
    yield from _reasons_of_claim(m, t)
    if m.dialogue.turns(t):
        yield from _reasons_of_conduct(m, t)
    if (accuser := m.newest_accuser(t)) not in (0, m.target):
        yield remark("doubt_agree", t=t, x=accuser)
    yield from _reason_of_remaining_suspects(m, t)
    if m.has_attacks:
        yield from _reasons_of_course(m, t)
    if m.dialogue.silent[t]:
        yield remark("doubt_silent", t=t)
    elif m.dialogue.turns(t):
        if not (m.is_grounded(t) or m.is_refuted(t)):
            yield remark("doubt_gut", t=t)
    elif m.round > 1:
        yield remark("doubt_unheard", t=t)


def _reason_of_look(m: Mindset, t: int, x: int, look: Result) -> Iterator[Remark]:
    """Yield that a look of `x` found `t`, alone or as one of two."""
    role, dialogue = look.source, m.dialogue
    rivals = {*dialogue.claimants(role)} - {x}
    chance = m.claim_probability(x)
    is_best = all(m.claim_probability(rival) <= chance for rival in rivals & {*m.others})
    is_credible = chance > MIN_FINDER_CREDIBILITY and is_best and not rivals & m.defended_seats
    y = next((s for s in look.targets if s != t), 0)
    if x == m.me:
        kind = "own_look_sure" if y and m.is_certainly_cleared(y) else "own_look"
        yield remark(kind if y else "own_find", {"t": t, "y": y} if y else {"t": t},
                     role=role, look=look)  # fmt: skip
    elif not is_credible or y == m.me:
        return
    elif y:
        kind = "doubt_other_cleared" if m.is_certainly_cleared(y) else "doubt_reported"
        yield remark(kind, t=t, x=x, y=y, role=role, look=look)
    elif x in dialogue.course.out:
        yield remark("doubt_left_found", t=t, d=x, role=role, look=look)
    else:
        yield remark("doubt_found", t=t, x=x, role=role, look=look)


def _reasons_of_claim(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield what speaks against the claims of `t`, or against its silence on its role."""
    dialogue, role = m.dialogue, m.dialogue.claims.get(t, "")
    match m.pack.part(role):
        case "looker":
            yield from _reason_of_false_looker(m, t, role)
        case "mate" if not dialogue.partner(t):
            yield from _reason_of_false_mate(m, t, role)
        case "plain":
            yield from _reason_of_doubtful_plain(m, t, role)
    if changed := dialogue.changed.get(t):
        yield remark("doubt_changed", t=t, r=m.pack.name(changed[0]), q=m.pack.name(changed[1]))
    if m.has_confessed(t):
        yield remark("doubt_confessed", t=t)
    if not role and m.claimed and m.round > 1 and _has_spoken_since_night(m, t):
        asker = dialogue.find_evaded_asker(t)
        if asker == m.me:
            yield remark("doubt_evaded_me", t=t)
        elif asker:
            yield remark("doubt_evaded", t=t, x=asker)
        else:
            yield remark("doubt_unclaimed", t=t)


def _reason_of_false_looker(m: Mindset, t: int, role: str) -> Iterator[Remark]:
    claimants = m.dialogue.claimants(role)
    is_my_rival = role == (m.claimed or m.stance.pose)
    rival = next((s for s in claimants if s != t), 0)
    if rival and m.dialogue.is_crowded(role):
        if is_my_rival:
            yield remark("doubt_my_rival", t=t, role=role)
        else:
            order = claimants.index(t)
            if order < 2:  # a third is neither
                kind = ("doubt_first_looker", "doubt_second_looker")[order]
                yield remark(kind, t=t, x=rival, role=role)
    elif not rival and t in m.dialogue.reports and not is_my_rival:
        yield remark("doubt_lone_looker", t=t, role=role)


def _reason_of_false_mate(m: Mindset, t: int, role: str) -> Iterator[Remark]:
    pairs = m.dialogue.pairs
    if m.mate or any(m.me in pair for pair in pairs):
        yield remark("doubt_false_mate", t=t, role=role)
    elif pairs:
        yield remark("doubt_third_mate", t=t, x=pairs[0][0], y=pairs[0][1], role=role)
    elif not m.dialogue.companions.get(t):
        yield remark("doubt_mate_alone", t=t, role=role)


def _reason_of_doubtful_plain(m: Mindset, t: int, role: str) -> Iterator[Remark]:
    """Yield that too many claim the role of `t`, or that it proves nothing."""
    claimants = tuple(s for s in m.dialogue.claimants(role) if s in m.others)
    excess = len(claimants) - max(m.pack.deck.count(role) - 1, 1)
    if len(claimants) > CROWD:
        return
    if m.claimed == role and excess > 0:
        x = next(s for s in reversed(claimants) if s != t)
        numbers = counted(m.pack, role, len(claimants) + 1)
        weight = crowd_weight(m.pack, role, 5.8)
        yield remark("doubt_plain_room", numbers, t=t, x=x, weight=weight, role=role)
    elif excess > 1:
        numbers = {"all": claimants, **counted(m.pack, role, len(claimants))}
        weight = crowd_weight(m.pack, role, 5.6)
        yield remark("doubt_plain_crowd", numbers, t=t, weight=weight, role=role)
    elif role not in (m.claimed, m.stance.pose):
        yield remark("doubt_plain", t=t, role=role)


def _reasons_of_conduct(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield whom `t` presses and defends, and how it came to that."""
    dialogue = m.dialogue
    turns, pressed = dialogue.turns(t), [s for s in dialogue.pressed_by(t) if s != m.me]
    has_only_greeted = m.round == 1 and all(s.greets or s.only_listens for s in turns)
    has_said_nothing = not (dialogue.pressed_by(t) or t in dialogue.claims or has_only_greeted)
    am_alike = dialogue.turns(m.me) and not (m.claimed or dialogue.pressed_by(m.me))
    if has_said_nothing and not am_alike and _has_spoken_since_night(m, t):
        yield remark("doubt_nothing", t=t)
    if len(pressed) > 1 and not dialogue.reporters(pressed[-2], is_accused=False):
        yield remark("doubt_flip", t=t, x=pressed[-2], y=pressed[-1])
    if pressed and pressed[-1] not in dialogue.pressed_by(m.me):  # else I did the same
        y, first = pressed[-1], dialogue.first_accuser_of(pressed[-1])
        is_early = turns[0].round == 1 and y in turns[0].presses()
        has_looked = any(y in look.targets for look in dialogue.looks.get(t, ()))
        is_paired = any({t, y} <= {*look.targets} for _seat, look in dialogue.reported_looks)
        if first not in (t, m.me, *dialogue.lookers) and not (has_looked or is_paired):
            yield remark("doubt_echo", t=t, x=first, y=y)
        elif is_early and not has_looked and not _has_report_before(m, t):
            yield remark("doubt_early", t=t, x=y)
        if m.village_probability(y) > INNOCENT_PRESSED:
            yield remark("doubt_pusher", t=t, x=y)
    if dialogue.suspect_of(t) == m.me:
        yield remark("doubt_at_me", t=t)
    for act in dialogue.acts("defend", by=t):
        x = act.targets[0] if len(act.targets) == 1 else m.me
        has_defended = any(x in a.targets for a in dialogue.acts("defend", by=m.me))
        if x != m.me and m.hunted_probability(x) > MIN_DEFENDED and not has_defended:
            yield remark("doubt_defender", t=t, x=x)
            break


def _has_spoken_since_night(m: Mindset, seat: int) -> bool:
    """Return whether `seat` has spoken on a day that follows a night."""
    return any(s.day > 0 for s in m.dialogue.turns(seat))


def _has_report_before(m: Mindset, seat: int) -> bool:
    """Return whether a look had been reported when `seat` first spoke."""
    for statement in m.dialogue.statements:
        if statement.seat == seat:
            return False
        if any(a.kind == "report" for a in statement.acts):
            return True
    return False


def _reason_of_remaining_suspects(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield that `t` is the only one, or one of the last two or three, who can be hunted."""
    suspects = [s for s in m.others if m.hunted_probability(s) > MIN_REMAINING_PROBABILITY]
    if suspects == [t] and len(m.others) > 1:
        yield remark("doubt_only", t=t)
    if len(suspects) in (2, 3) and len(suspects) < len(m.others) and t in suspects and m.round > 1:
        suspects.remove(t)
        kind = "doubt_left_three" if suspects[1:] else "doubt_left_two"
        yield remark(kind, t=t, x=suspects[0], y=suspects[-1])


def _reasons_of_course(m: Mindset, t: int) -> Iterator[Remark]:
    """Yield what nights and ballots say against `t`."""
    course = m.dialogue.course
    for d in m.killed_last_night:
        if m.dialogue.suspect_of(d) == t:
            yield remark("doubt_dead_pressed", t=t, d=d)
    votes = course.last_votes()
    vote, pressed = votes.get(t, 0), m.last_pressed_before_vote(t)
    if vote == votes.get(m.me):  # I did the same
        vote = 0
    if vote in {death.seat for death in course.killed}:
        yield remark("doubt_dead_ballot", t=t, d=vote)
    elif vote == m.me:
        yield remark("doubt_ballot_me", t=t)
    elif vote in m.others and vote != t and m.village_probability(vote) > INNOCENT_BALLOT:
        yield remark("doubt_ballot_friend", t=t, y=vote)
    broke_own_word = any(seat == m.me for _day, seat in m.dialogue.broken_pledges)
    if pressed and vote not in (0, pressed, m.me) and pressed != m.me and not broke_own_word:
        yield remark("doubt_ballot_word", t=t, d=pressed, e=vote)
    was_exiled = any(h.seat == pressed and h.when == course.last_ballot_day for h in course.exiled)
    is_leader = t in m.view.state.badges.values()
    if is_leader and was_exiled and m.village_probability(pressed) > INNOCENT_EXILED:
        yield remark("doubt_lead", t=t, d=pressed)
    if (saved := m.dialogue.claimed_saves.get(t)) and not course.quiet_nights:
        yield remark("doubt_save", t=t, d=saved)
