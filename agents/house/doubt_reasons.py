"""Reasons against a suspect: its claims and conduct, looks at it, nights and ballots.

Slots of phrases: t is the suspect, x and y are other players, d and e may be out of the game; `all`
are the claimants of a role.
"""

from collections.abc import Iterator

from agents.house.mindset import MIN_FINDER_CREDIBILITY, Mindset
from agents.house.remarks import (
    CROWD,
    WEAK_REASON_WEIGHT,
    Remark,
    counted,
    crowd_weight,
    look_slots,
    remark,
)
from agents.house.stance import POSE_TURNCOAT
from agents.language import is_bare, number_word
from agents.packs import Result

# Only players likelier hunted than this count as remaining suspects.
MIN_REMAINING_PROBABILITY = 0.06
MIN_DEFENDED_PROBABILITY = 0.25  # a suspect should not defend a player likelier hunted than this
# A player who is likelier of the village than this should not be pressed, voted for, or exiled on a
# leader's word.
INNOCENT_PRESSED, INNOCENT_BALLOT, INNOCENT_EXILED = 0.85, 0.75, 0.6
MIN_TURNS_FOR_STAND = 2  # after fewer turns nobody is blamed for having taken no stand
# Weights of the doubt that too many claim a role: if I claim it and the others are one too many
# beside me, and if they are at least two too many.
OWN_ROLE_CROWD_WEIGHT, CROWD_WEIGHT = 5.8, 5.6


def build_reasons(mind: Mindset, suspect: int) -> Iterator[Remark]:
    """Yield all reasons against `suspect`."""
    own_looks = ((mind.me, look) for look in mind.announced_looks)
    for looker, look in (*own_looks, *mind.dialogue.reported_looks):
        if mind.pack.accuses(look) and suspect in look.targets and looker != suspect:
            yield from _reason_of_look(mind, suspect, looker, look)
    if any({*r.targets} == {mind.me} and mind.pack.accuses(r)
           for r in mind.dialogue.looks.get(suspect, ())):  # fmt: skip
        yield remark("doubt_false_find", t=suspect)
    yield from _reasons_of_rival_looks(mind, suspect)
    yield from _reasons_of_claim(mind, suspect)
    if mind.dialogue.turns(suspect):
        yield from _reasons_of_conduct(mind, suspect)
    accuser = mind.newest_accuser(suspect)
    has_point = not mind.has_attacks or mind.has_reasoned(accuser)
    if accuser not in (0, mind.target) and has_point:
        yield remark("doubt_agree", t=suspect, x=accuser)
    yield from _reason_of_remaining_suspects(mind, suspect)
    if mind.has_attacks:
        yield from _reasons_of_course(mind, suspect)
    elif mind.round > 1 and _is_left_alone(mind, suspect):
        yield remark("doubt_untouched", t=suspect)
    if mind.dialogue.silent[suspect]:
        yield remark("doubt_silent", t=suspect)
    elif mind.dialogue.turns(suspect):
        if not (mind.is_grounded(suspect) or mind.is_refuted(suspect)):
            yield remark("doubt_gut", t=suspect)
    elif mind.round > 1:
        yield remark("doubt_unheard", t=suspect)


def _reason_of_look(mind: Mindset, suspect: int, looker: int, look: Result) -> Iterator[Remark]:
    """Yield that a look of `looker` found `suspect`, alone or as one of two.

    Looks of others count only if I believe the looker more than any rival who claims its role.
    """
    role, dialogue = look.source, mind.dialogue
    rivals = {*dialogue.claimants(role)} - {looker}
    belief = mind.claim_probability(looker)
    is_best = all(mind.claim_probability(rival) <= belief for rival in rivals & {*mind.others})
    is_credible = belief > MIN_FINDER_CREDIBILITY and is_best and not rivals & mind.defended_seats
    second_seat = next((s for s in look.targets if s != suspect), 0)  # 0: only one was seen
    if second_seat in rivals - {mind.me}:  # who lies about the role that found it
        return
    if looker == mind.me and second_seat:
        slots = {"t": suspect, "y": second_seat}
        if mind.is_certainly_cleared(second_seat):
            yield remark("own_look_sure", slots, role=role, look=look)
        elif suspect in rivals:
            yield remark("own_look_rival", slots, role=role, look=look)
        elif (z := dialogue.partner(second_seat)) and z not in (mind.me, suspect):
            yield remark("own_look_paired", slots, z=z, role=role, look=look)
        else:
            yield remark("own_look", slots, role=role, look=look)
    elif looker == mind.me:
        yield remark("own_find", t=suspect, role=role, look=look)
    elif not is_credible or second_seat == mind.me:
        return
    elif second_seat:
        slots = {"t": suspect, "x": looker, "y": second_seat}
        if mind.is_certainly_cleared(second_seat):
            yield remark("doubt_other_cleared", slots, role=role, look=look)
        elif suspect in rivals:
            yield remark("doubt_other_rival", slots, role=role, look=look)
        elif (z := dialogue.partner(second_seat)) and z not in (mind.me, suspect, looker):
            yield remark("doubt_other_paired", slots, z=z, role=role, look=look)
        else:
            yield remark("doubt_reported", slots, role=role, look=look)
    elif looker in dialogue.course.out:
        yield remark("doubt_left_found", t=suspect, d=looker, role=role, look=look)
    else:
        yield remark("doubt_found", t=suspect, x=looker, role=role, look=look)


def _reasons_of_rival_looks(mind: Mindset, suspect: int) -> Iterator[Remark]:
    """Yield that two rivals both found `suspect`, or found it beside a player cleared by one.

    Slot a is that player.
    """
    for x, first, y, second in mind.dialogue.rival_looks:
        finding = [k for k in (first, second) if mind.pack.accuses(k)]
        both = {*first.targets} & {*second.targets}
        if len(both) != 1 or {mind.me, suspect} & {x, y}:
            continue
        if len(finding) == 2 and suspect in both:
            yield remark("doubt_overlap", t=suspect, x=x, y=y)
        elif len(finding) == 1 and suspect in {*finding[0].targets} - both:
            if mind.dialogue.reporters(suspect, is_accused=False):
                continue
            a = next(iter(both))
            if a not in (mind.me, x, y):
                yield remark("doubt_combined", t=suspect, x=x, y=y, a=a)


def _reasons_of_claim(mind: Mindset, suspect: int) -> Iterator[Remark]:
    """Yield what speaks against the claims of `suspect`, or against its silence on its role."""
    dialogue, role = mind.dialogue, mind.dialogue.claims.get(suspect, "")
    match mind.pack.part(role):
        case "looker":
            yield from _reason_of_false_looker(mind, suspect, role)
        case "mate" if not dialogue.partner(suspect):
            yield from _reason_of_false_mate(mind, suspect, role)
        case "plain":
            yield from _reason_of_doubtful_plain(mind, suspect, role)
    if changed := dialogue.changed.get(suspect):
        before, now = map(mind.pack.name, changed)
        yield remark("doubt_changed", t=suspect, r=before, q=now)
    if mind.has_confessed(suspect):
        yield remark("doubt_confessed", t=suspect)
    if not role and mind.has_attacks and not mind.in_passes:
        acts = mind.dialogue.acts("question", by=suspect)
        asked_seats = [s for a in acts if a.about == "role" for s in a.targets]
        if asked_seats and asked_seats[-1] in {*mind.others} - {suspect}:
            yield remark("doubt_asker", t=suspect, x=asked_seats[-1])
    if not role and mind.claimed and mind.round > 1 and _has_spoken_since_night(mind, suspect):
        asker = dialogue.find_evaded_asker(suspect)
        if asker == mind.me:
            yield remark("doubt_evaded_me", t=suspect)
        elif asker:
            yield remark("doubt_evaded", t=suspect, x=asker)
        else:
            yield remark("doubt_unclaimed", t=suspect)


def _reason_of_false_looker(mind: Mindset, suspect: int, role: str) -> Iterator[Remark]:
    """Yield that `suspect`, who claims to look, has a rival or nobody who confirms it."""
    claimants = mind.dialogue.claimants(role)
    is_my_rival = role == (mind.claimed or mind.stance.pose)
    rival = next((s for s in claimants if s != suspect), 0)
    killed = (h.seat for h in mind.dialogue.course.killed)
    if d := next((s for s in killed if mind.dialogue.claims.get(s) == role), 0):
        yield remark("doubt_dead_rival", t=suspect, d=d, role=role)
    if rival and mind.dialogue.is_crowded(role):
        if is_my_rival:
            yield remark("doubt_my_rival", t=suspect, role=role)
        else:
            if claimants.index(suspect) == 1:
                yield remark("doubt_second_looker", t=suspect, x=rival, role=role)
    if finds := mind.find_impossible_count(suspect):
        numbers = {"n": number_word(finds), "k": number_word(mind.hunted_count)}
        kind = "doubt_overcount" if finds > mind.hunted_count else "doubt_not_over"
        yield remark(kind, numbers, t=suspect)
    look = mind.dialogue.reports.get(suspect)
    if look and not mind.pack.accuses(look) and not mind.has_attacks:
        yield remark("doubt_safe_look", look_slots(look), t=suspect, role=role)
    for x, first, y, second in mind.dialogue.rival_looks:
        if y == suspect and {*first.targets} == {*second.targets}:
            yield remark("doubt_same_look", look_slots(first), t=suspect, x=x, role=role)


def _reason_of_false_mate(mind: Mindset, suspect: int, role: str) -> Iterator[Remark]:
    """Yield that others share the role, or that `suspect` has named nobody who shares it."""
    pairs = mind.dialogue.pairs
    if mind.mate or any(mind.me in pair for pair in pairs):
        yield remark("doubt_false_mate", t=suspect, role=role)
    elif pairs:
        yield remark("doubt_third_mate", t=suspect, x=pairs[0][0], y=pairs[0][1], role=role)
    elif not mind.dialogue.companions.get(suspect):
        earlier_turns = mind.dialogue.turns(suspect)[:-1]  # all have had a turn since
        if any(a.kind == "claim" and a.role == role for s in earlier_turns for a in s.acts):
            yield remark("doubt_mate_alone", t=suspect, role=role)


def _reason_of_doubtful_plain(mind: Mindset, suspect: int, role: str) -> Iterator[Remark]:
    """Yield that too many claim the role of `suspect`, that it did so last, or proves nothing."""
    in_order = mind.dialogue.claimants(role)
    claimants = tuple(s for s in in_order if s in mind.others)
    will_claim = mind.stance.pose == role and not mind.claimed  # then I am the last
    if (
        len(in_order) > mind.pack.deck.count(role) > 1
        and in_order[-1] == suspect
        and not will_claim
    ):
        yield remark("doubt_plain_late", t=suspect, role=role)
    excess = len(claimants) - max(mind.pack.deck.count(role) - 1, 1)
    if len(claimants) > CROWD or mind.has_been_counted(role):
        pass  # one count a game is enough
    elif mind.claimed == role and excess == 1:
        last_claimant = next(s for s in reversed(claimants) if s != suspect)
        numbers = counted(mind.pack, role, len(claimants) + 1)
        weight = crowd_weight(mind.pack, role, OWN_ROLE_CROWD_WEIGHT)
        slots = {**numbers, "t": suspect, "x": last_claimant}
        yield remark("doubt_plain_room", slots, weight=weight, role=role)
    elif excess > 1 and (mind.claimed or mind.stance.pose != role):  # else I am about to claim it
        is_mine = mind.claimed == role
        numbers = {"all": claimants, **counted(mind.pack, role, len(claimants) + is_mine)}
        weight = crowd_weight(mind.pack, role, CROWD_WEIGHT)
        kind = "doubt_plain_crowd_me" if is_mine else "doubt_plain_crowd"
        yield remark(kind, numbers, t=suspect, weight=weight, role=role)
    elif role not in (mind.claimed, mind.stance.pose) and mind.stance.pose != POSE_TURNCOAT:
        yield remark("doubt_plain", t=suspect, role=role)


def _reasons_of_conduct(mind: Mindset, suspect: int) -> Iterator[Remark]:
    """Yield what speaks against how `suspect` presses and defends players.

    I do not blame the suspect for what I have done, too.
    """
    dialogue = mind.dialogue
    pressed = [s for s in dialogue.pressed_by(suspect) if s != mind.me]  # the newest last
    if _has_taken_no_stand(mind, suspect):
        yield remark("doubt_nothing", t=suspect)
    if len(pressed) > 1 and not dialogue.reporters(pressed[-2], is_accused=False):
        yield remark("doubt_flip", t=suspect, x=pressed[-2], y=pressed[-1])
    if pressed and pressed[-1] not in dialogue.pressed_by(mind.me):
        yield from _reasons_of_accusation(mind, suspect, pressed[-1])
    if dialogue.suspect_of(suspect) == mind.me:
        yield _reason_of_attack_on_me(mind, suspect)
    if defended := _find_wrongly_defended(mind, suspect):
        yield remark("doubt_defender", t=suspect, x=defended)


def _reason_of_attack_on_me(mind: Mindset, suspect: int) -> Remark:
    """Return what is wrong with how `suspect` presses me. That it does is a weak reason."""
    if not mind.has_attacks:
        return remark("doubt_at_me", t=suspect)
    attacks = [s for s in mind.dialogue.turns(suspect) if mind.me in s.presses()]
    if all(is_bare(s.text) for s in attacks):
        return remark("doubt_at_me_bare", t=suspect)
    return remark("doubt_at_me", t=suspect, weight=WEAK_REASON_WEIGHT)


def _has_taken_no_stand(mind: Mindset, suspect: int) -> bool:
    """Return whether `suspect` has neither pressed anybody nor claimed a role, unlike me.

    The suspect must have had a chance to: a turn after a night, and more than greetings in the
    first round. Where days follow, it must have spoken more often than I have, and not only in a
    first day's speech for an office.
    """
    dialogue = mind.dialogue
    turns = dialogue.turns(suspect)
    if (
        mind.has_attacks
        and not mind.in_passes
        and (len(turns) < MIN_TURNS_FOR_STAND or len(turns) < len(dialogue.turns(mind.me)))
    ):
        return False
    has_only_greeted = mind.round == 1 and all(s.greets or s.only_listens for s in turns)
    has_taken_stand = dialogue.pressed_by(suspect) or suspect in dialogue.claims
    have_i_taken_none = dialogue.turns(mind.me) and not (
        mind.claimed or dialogue.pressed_by(mind.me)
    )
    if has_taken_stand or has_only_greeted or have_i_taken_none:
        return False
    return _has_spoken_since_night(mind, suspect)


def _reasons_of_accusation(mind: Mindset, suspect: int, pressed: int) -> Iterator[Remark]:
    """Yield what is wrong with how `suspect` presses `pressed`."""
    dialogue = mind.dialogue
    has_looked = any(pressed in look.targets for look in dialogue.looks.get(suspect, ()))
    both = {suspect, pressed}
    is_paired = any(both <= {*look.targets} for _seat, look in dialogue.reported_looks)
    is_current = dialogue.suspect_of(suspect) == pressed
    if is_current and any(pressed in a.targets for a in dialogue.acts("defend", by=suspect)):
        yield remark("doubt_turned", t=suspect, x=pressed)
    for x in dialogue.reporters(pressed, is_accused=False):
        if is_current and x in mind.others and x != suspect and not mind.is_refuted(x):
            yield remark("doubt_ignores", t=suspect, x=x, y=pressed)
    if mind.village_probability(pressed) > INNOCENT_PRESSED:
        yield remark("doubt_pusher", t=suspect, x=pressed)
    accusations = [s for s in dialogue.turns(suspect) if pressed in s.presses()]
    if all(is_bare(s.text) for s in accusations) and not (has_looked or is_paired):
        yield remark("doubt_bare", t=suspect, x=pressed)


def _find_wrongly_defended(mind: Mindset, suspect: int) -> int:
    """Return the first likely hunted player whom `suspect` defends, 0 for none."""
    dialogue = mind.dialogue
    defended_by_me = {s for a in dialogue.acts("defend", by=mind.me) for s in a.targets}
    for act in dialogue.acts("defend", by=suspect):
        defended = act.targets[0] if len(act.targets) == 1 else mind.me
        if defended in {mind.me, *defended_by_me}:
            continue
        if mind.hunted_probability(defended) > MIN_DEFENDED_PROBABILITY:
            return defended
    return 0


def _is_left_alone(mind: Mindset, seat: int) -> bool:
    """Return whether nobody has pressed `seat`, but most of the others have been pressed."""
    pressed = {s for s in mind.others if mind.dialogue.first_accuser_of(s)}
    return seat not in pressed and 2 * len(pressed) > len(mind.others)


def _has_spoken_since_night(mind: Mindset, seat: int) -> bool:
    """Return whether `seat` has spoken on a day that follows a night."""
    return any(s.day > 0 for s in mind.dialogue.turns(seat))


def _reason_of_remaining_suspects(mind: Mindset, suspect: int) -> Iterator[Remark]:
    """Yield that at most two others can hold a hunted role beside `suspect`."""
    suspects = [s for s in mind.others if mind.hunted_probability(s) > MIN_REMAINING_PROBABILITY]
    cleared = len(mind.others) - len(suspects)  # the phrases speak of several
    if suspects == [suspect] and cleared > 1:
        yield remark("doubt_only", t=suspect)
    are_few = len(suspects) in (2, 3) and cleared > mind.has_attacks
    if are_few and suspect in suspects and mind.round > 1:
        suspects.remove(suspect)
        kind = "doubt_left_three" if suspects[1:] else "doubt_left_two"
        yield remark(kind, t=suspect, x=suspects[0], y=suspects[-1])


def _reasons_of_course(mind: Mindset, suspect: int) -> Iterator[Remark]:
    """Yield what nights and ballots say against `suspect`."""
    for victim in mind.killed_last_night:
        if mind.dialogue.suspect_of(victim) == suspect:
            yield remark("doubt_dead_pressed", t=suspect, d=victim)
    yield from _reasons_of_ballot(mind, suspect)
    saved = mind.dialogue.claimed_saves.get(suspect)
    if saved and not mind.dialogue.course.quiet_nights:
        yield remark("doubt_save", t=suspect, d=saved)


def _reasons_of_ballot(mind: Mindset, suspect: int) -> Iterator[Remark]:
    """Yield what the last ballot says against `suspect`."""
    course = mind.dialogue.course
    votes = course.last_votes()
    vote, pressed = votes.get(suspect, 0), mind.last_pressed_before_vote(suspect)
    if vote == votes.get(mind.me):  # I did the same
        vote = 0
    if vote in {death.seat for death in course.killed}:
        yield remark("doubt_dead_ballot", t=suspect, d=vote)
    elif vote == mind.me:
        yield remark("doubt_ballot_me", t=suspect)
    elif vote in {*mind.others} - {suspect} and mind.village_probability(vote) > INNOCENT_BALLOT:
        yield remark("doubt_ballot_friend", t=suspect, y=vote)
    have_i_broken_word = any(seat == mind.me for _day, seat in mind.dialogue.broken_pledges)
    has_broken_word = pressed not in (0, mind.me) and vote not in (0, pressed, mind.me)
    has_broken_word &= not mind.dialogue.reporters(vote, is_accused=True)  # a look changed its mind
    if has_broken_word and not have_i_broken_word:
        yield remark("doubt_ballot_word", t=suspect, d=pressed, e=vote)
    was_exiled = any(h.seat == pressed and h.when == course.last_ballot_day for h in course.exiled)
    is_leader = suspect == mind.dialogue.recommendations.get(course.last_ballot_day, (0, 0))[0]
    if is_leader and was_exiled and mind.village_probability(pressed) > INNOCENT_EXILED:
        yield remark("doubt_lead", t=suspect, d=pressed)
