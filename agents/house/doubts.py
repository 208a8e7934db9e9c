"""Remarks against the suspect (`Mindset.target`): change of mind, the best reasons, and the vote.

Slots of phrases: t is the suspect, x and y are other players.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from agents.house.doubt_reasons import build_reasons
from agents.house.mindset import Mindset
from agents.house.remarks import WEAK_REASON_WEIGHT, Remark, remark

# Professed probabilities of being hunted.
MIN_GROUND = 0.25  # in the first round, a less likely target is not suspected aloud
MIN_SUSPICION = 0.02  # later, a less likely target is not suspected aloud
# A vote for a player who is at least this likely is announced without a reservation.
MIN_SURE_VOTE = 0.3
# If a player is less likely, a report that cleared it explains why I no longer press it.
MAX_CLEARED_PROBABILITY = 0.1
WEAK_SUSPICION = 0.2  # a suspicion below this is weak: a day's first round voices only some of them
WEAK_DOUBT_PERCENT = 65  # how often a weak suspicion is voiced nevertheless
WEAK_FEELING_PERCENT = 25  # the same for a weak suspicion without a reason
# How often a player without a reason announces no vote where each has one turn a day: a day's first
# speakers, and the others.
EARLY_UNDECIDED_PERCENT, UNDECIDED_PERCENT = 60, 30
ASKED_BONUS = 3.5  # weight added to reasons that a question asks for
CHANGED_BONUS = 1.5  # weight added to reasons for a change of mind
REPEAT_PENALTY = 1.1  # weight that a reason loses for each statement of others today that gives it
SHARED_PENALTY = 2.0  # weight that a reason for a vote loses if it fits several players
# Weights of the remark that I stay with my suspicion: unasked, and as an answer.
HOLD_WEIGHT, ASKED_HOLD_WEIGHT = 5.0, 7.0
MAX_REASONS = 4
# What a player did first or last says little: each player argues so at most once a game.
TIMING = ("doubt_plain_late", "doubt_second_looker")
OWN_EVIDENCE = ("own_find", "own_look_sure")  # reasons that are certain to the speaker
UNREASONED = ("doubt_agree", "doubt_gut", "doubt_unheard", "hold")  # give no reason of their own
# Reasons that fit several players. A vote needs what sets its target apart.
SHARED = ("doubt_left_two", "doubt_left_three", "doubt_plain_room", "doubt_plain_crowd",
          "doubt_plain_crowd_me", "doubt_reported", "own_look")  # fmt: skip
# Who asks for a reason, or votes, does not want these, if there is another.
POOR_REASONS = (*UNREASONED, "doubt_left_two", "doubt_left_three", "doubt_only")
NAME_INTENTS = ("whom", "vote", "why")  # questions that are answered with my suspicion


def can_voice_suspicion(mind: Mindset) -> bool:
    """Return whether the talk so far supports a suspicion of the target.

    In a game's first round a suspicion needs a ground, because a guess can only hit players who
    spoke early. Before the first night, only a changed story or a reported look is a ground.
    """
    dialogue = mind.dialogue
    in_looks = {s for seat, look in dialogue.reported_looks for s in (seat, *look.targets)}
    accountable = {*dialogue.changed, *in_looks}
    if not mind.has_night_passed and mind.target not in accountable:
        return False
    speakers = {s.seat for s in dialogue.statements} - {mind.me}
    is_first_round = mind.round == 1 and mind.view.state.day == 1
    least = MIN_GROUND if is_first_round else MIN_SUSPICION
    return len(speakers) > 1 and mind.hunted_probability(mind.target) >= least


def build_doubts(mind: Mindset) -> Iterator[Remark]:
    """Yield a change of mind, the suspicion with its reasons, and the vote."""
    suspect, previous = mind.target, mind.previous_target
    if mind.speech_purpose == "lead":  # the last speaker always says whom to vote for
        yield remark("lead_vote", t=suspect)
    if mind.allies:  # allies win by their votes and need no reason
        yield from _announce_vote(mind, suspect)
        return
    if not (can_voice_suspicion(mind) or (mind.has_fixed_target and previous == suspect)):
        return
    has_changed = bool(previous) and previous != suspect and not mind.has_fixed_target
    if suspect in mind.defended_seats and f"turn_trust:{suspect}" not in mind.stance.said_keys:
        yield remark("turn_trust", x=suspect)
    elif has_changed:
        yield _explain_change_of_mind(mind, previous)
    if _is_undecided(mind, suspect):
        yield remark("no_name")
        return
    if mind.is_adored(suspect):
        yield remark("despite_liking", t=suspect)
    yield from _choose_reasons(mind, suspect, has_changed)
    if (mind.is_last_round or mind.is_vote_owed) and mind.speech_purpose != "lead":
        yield from _announce_vote(mind, suspect)


def _is_undecided(mind: Mindset, suspect: int) -> bool:
    """Return whether I announce no vote on the first day, for lack of a reason."""
    if not mind.has_attacks or mind.in_passes or mind.speech_purpose:
        return False
    if mind.view.state.day > 1 or len(mind.dialogue.lookers) > 1:  # there is enough to go by
        return False
    asks_name = any(d.intent in NAME_INTENTS for _, d in mind.demands)
    if asks_name or mind.has_fixed_target or mind.is_vote_owed:
        return False
    percent = UNDECIDED_PERCENT if len(mind.talk_today) > 5 else EARLY_UNDECIDED_PERCENT
    is_reasoned = any(map(_is_reasoned, build_reasons(mind, suspect)))
    return not is_reasoned and mind.chance("no name", percent)


def has_reason(mind: Mindset, suspect: int) -> bool:
    """Return whether I have more against `suspect` than a feeling or that few others are left."""
    return any(r.kind not in POOR_REASONS for r in build_reasons(mind, suspect))


def _explain_change_of_mind(mind: Mindset, previous: int) -> Remark:
    """Return why I no longer press `previous`."""
    for reporter in mind.dialogue.reporters(previous, is_accused=False):
        is_other = reporter not in (mind.me, previous)
        if is_other and mind.hunted_probability(previous) < MAX_CLEARED_PROBABILITY:
            return remark("turn_cleared", x=previous, y=reporter)
    if (mate := mind.dialogue.partner(previous)) and mate != mind.me:
        return remark("turn_mate", x=previous, y=mate, role=mind.dialogue.claims[previous])
    is_still_grounded = mind.is_grounded(previous) and not mind.is_cleared(previous)
    return remark("turn_stands" if is_still_grounded else "turn", x=previous)


def _choose_reasons(mind: Mindset, suspect: int, has_changed: bool) -> Iterator[Remark]:
    """Yield the best new reasons against `suspect`, or that I stay with my suspicion.

    has_changed: whether the statement says that I changed my mind.
    """
    has_argued_from_timing = any(key.startswith(TIMING) for key in mind.stance.said_keys)
    up_to_date = (
        reason
        for reason in build_reasons(mind, suspect)
        if is_up_to_date(mind, reason) and not (has_argued_from_timing and reason.kind in TIMING)
    )
    reasons = _rank_by_weight(mind, up_to_date)
    if own := [r for r in reasons if r.kind in OWN_EVIDENCE]:  # nothing else matters beside it
        reasons = own
    new_reasons = [reason for reason in reasons if reason.key not in mind.stance.said_keys]
    asks_name = any(d.intent in NAME_INTENTS for _, d in mind.demands)
    is_asked = mind.has_fixed_target or mind.is_vote_owed or asks_name
    # A vote without a reason convinces nobody.
    is_expected = has_changed or is_asked or mind.is_last_round
    is_suspicion_weak = mind.hunted_probability(suspect) < WEAK_SUSPICION
    has_reason = any(r.kind not in UNREASONED for r in new_reasons)
    is_weak = mind.round == 1 and not is_expected and (is_suspicion_weak or not has_reason)
    percent = WEAK_DOUBT_PERCENT if has_reason else WEAK_FEELING_PERCENT
    if is_asked or mind.is_last_round:  # what was said already is better than a feeling
        fitting = ([r for r in rs if r.kind not in POOR_REASONS] for rs in (new_reasons, reasons))
        new_reasons = next(filter(None, fitting), new_reasons)
        weighed = (
            replace(r, weight=r.weight - SHARED_PENALTY * _is_shared(r)) for r in new_reasons
        )
        new_reasons = sorted(weighed, key=lambda r: -r.weight)
    if new_reasons and (not is_weak or mind.chance("voice a doubt", percent)):
        bonus = ASKED_BONUS if is_asked else CHANGED_BONUS if has_changed else 0.0
        yield from (replace(r, weight=r.weight + bonus) for r in new_reasons[:MAX_REASONS])
    elif reasons and (mind.has_fixed_target or (mind.is_last_round and not mind.in_passes)):
        # Asked again, or before the vote, I repeat the best reason in other words.
        yield replace(reasons[0], weight=reasons[0].weight + ASKED_BONUS * mind.has_fixed_target)
    elif mind.previous_target == suspect and not (is_weak or mind.has_confessed(suspect)):
        yield remark("hold", t=suspect, weight=ASKED_HOLD_WEIGHT if is_asked else HOLD_WEIGHT)


def _rank_by_weight(mind: Mindset, remarks: Iterable[Remark]) -> list[Remark]:
    """Return the remarks, heaviest first.

    A small random number, 0 to 0.8, is added to each weight. A reason that others have given today
    loses weight, unless it is hard evidence.
    """
    spelled = mind.pack.spelled

    def penalty(r: Remark) -> float:
        if r.is_hard_evidence:
            return 0.0
        # Too many claims of a role are one argument, whichever claimant it is used against.
        targets = {*mind.dialogue.claimants(r.role)} if r.theme == "plains" else {mind.target}
        return REPEAT_PENALTY * mind.count_arguments(targets, r.seats, r.role)

    ranked = [
        replace(r, weight=r.weight - penalty(r) + mind.draw(spelled(r.kind), 9) / 10)
        for r in remarks
    ]
    return sorted(ranked, key=lambda r: (-r.weight, spelled(r.kind)))


def is_up_to_date(mind: Mindset, reason: Remark) -> bool:
    """Return whether the players whom a reason names still press whom the reason says.

    The player who pressed another first is the source; only the later one may agree.
    """
    names: Mapping[str, Any] = reason.names
    suspect, first, second = (int(names.get(slot, 0)) for slot in "txy")
    pressed_now = mind.dialogue.suspect_of(suspect)
    match reason.kind:
        case "doubt_agree":
            return mind.can_agree_with(first, suspect)
        case "doubt_flip":
            is_order = mind.is_pressing_order((suspect, first), (suspect, second))
            return is_order and pressed_now == second
        case "doubt_pusher":
            return pressed_now == first
    return True


def _announce_vote(mind: Mindset, suspect: int) -> Iterator[Remark]:
    """Yield the announcement of my vote. In passes I announce the same vote once a day."""
    own_acts = (a for s in mind.statements_today for a in s.acts)
    has_announced = any(a.kind == "vote" and suspect in a.targets for a in own_acts)
    if mind.in_passes and not mind.is_vote_owed and has_announced:
        return
    is_sure = mind.has_confessed(suspect) or mind.hunted_probability(suspect) >= MIN_SURE_VOTE
    if mind.has_attacks and not mind.in_passes:  # where everybody votes on feelings at first
        is_sure = is_sure and any(map(_is_reasoned, build_reasons(mind, suspect)))
    yield remark("vote" if is_sure else "vote_unsure", t=suspect)


def _is_shared(reason: Remark) -> bool:
    """Return whether a weak reason fits several players."""
    return reason.kind in SHARED and not reason.is_hard_evidence


def _is_reasoned(reason: Remark) -> bool:
    """Return whether a remark against a suspect gives a reason that others can weigh."""
    return reason.kind not in UNREASONED and reason.weight > WEAK_REASON_WEIGHT
