"""Answers to questions, one function for each intent of a question.

A function takes the demand `p` and returns its answer, or None if the player has nothing to say to
it. Slots of the answers: x is the player who asks, y the player whom it is about.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from agents.house.conduct_answers import (
    CONDUCT_ANSWERS,
    answer_doubt,
    answer_side,
    explain_act_toward,
    find_motive,
    give_reason,
    say,
    suspect_when_asked,
)
from agents.house.doubts import can_voice_suspicion
from agents.house.mindset import Mindset
from agents.house.remarks import Remark, counted, look_slots, remark
from agents.understanding.demands import Demand

MIN_DOUBT_PROBABILITY = 0.15  # I may say that I doubt a player who is likelier hunted than this
MIN_CLAIM_PROBABILITY = 0.4  # a claim likelier to be true than this is taken as true
MIN_TRUST = 0.5  # players who are likelier of the village than this are trusted
MIN_TRUST_AMONG_NAMED = 0.3  # the same if a question asks which of several players I trust
MIN_GUESS_RATIO = 1.5  # a guess needs more than this many times the probability of an even chance
ANY_MARGIN = 9.0  # exceeds any difference of scores, so a question can move me to any suspect


# -- roles and looks


def _answer_role(m: Mindset, p: Demand) -> Remark:
    if m.claimed and (m.claimed in p.roles or len(p.roles) != 1):
        return say(p, "answer_claimed", r=m.pack.name(m.claimed))
    if not (m.claimed or m.stance.pose in m.pack.parts):
        return say(p, "owed_role_kept" if p.roles else "answer_evade")
    if len(p.roles) == 1 and p.roles[0] not in (m.claimed, m.stance.pose):
        return say(p, "owed_denial", role=p.roles[0])
    return say(p, "answer_role")


def answer_false_claim(m: Mindset, p: Demand) -> Remark | None:
    """Answer that I never claimed the first of the roles that I am said to have claimed."""
    role = next((r for r in p.roles if r not in m.claimed_roles), None)
    return None if role is None else say(p, "owed_never_claimed", role=role)


def _answer_result(m: Mindset, p: Demand) -> Remark:
    """Answer with the look that I have reported at one of the seats, else the one to report."""
    own_looks = m.dialogue.looks.get(m.me, ())
    look = next((k for k in own_looks if {*p.of} & {*k.targets}), m.look)
    if look and look in own_looks:
        end = "found" if m.pack.accuses(look) else "clean"
        if m.pack.can_choose_target(look.source):
            if not {*look.targets} <= {*m.others}:  # of a player who is out; other looks are secret
                return say(p, "owed_look_later")
            slots = {"x": p.by, **look_slots(look)}
            return remark(f"repeat_{end}", slots, weight=0, role=m.claimed, look=look)
        return remark(f"exiled_{end}", d=look.targets[0], weight=0, role=m.claimed, look=look)
    if m.poses_as("looker") or m.claims_a("looker"):
        return say(p, "owed_look_later" if m.claimed and not m.look else "answer_role")
    return say(p, "answer_no_look")


def _answer_partner(m: Mindset, p: Demand) -> Remark | None:
    if y := m.dialogue.companions.get(m.me):
        if y == p.by:
            return None
        return say(p, "partner_again", y=y, role=m.claimed)
    if m.mate:
        return say(p, "answer_role")
    if m.claims_a("mate"):
        return say(p, "owed_partner_kept")
    asks_of_mates = not p.roles or any(m.pack.part(role) == "mate" for role in p.roles)
    if not asks_of_mates:  # the question hardly means a partner
        return answer_open(m, p)
    return _answer_role(m, replace(p, roles=()))


def _answer_plan(m: Mindset, p: Demand) -> Remark | None:
    """Answer what a holder of the named role should do, or what I plan if none is named."""
    looker = m.pack.role("looker")
    role = next((r for r in p.roles if r not in m.pack.liars), "")
    if not role:
        return _answer_vote(m, replace(p, roles=()))
    if role == m.claimed:  # the question is what the others should do with me
        return answer_doubt(m, p)
    if {*m.dialogue.claimants(role)} & {*m.scores}:
        return _name_holder(m, p, role)
    speaks_early = role == looker and m.draw(f"{m.pack.spelled('looker')} early", 2)
    should_wait = m.round == 1 and not speaks_early
    return say(p, "owed_plan_wait" if should_wait else "owed_plan_speak", role=role)


# -- suspicions


def _answer_whom(m: Mindset, p: Demand) -> Remark | None:
    """Answer whom I suspect among the named players or holders of a role, or among all."""
    options = [s for s in p.of if s in m.scores]
    if options and len(p.of) > 1:
        return _choose_between(m, p, options)
    if options and can_voice_suspicion(m):
        return _answer_opinion(m, p)
    role = next((r for r in p.roles if r in m.pack.parts and r not in m.pack.hunted), "")
    if role and not options and not p.excluded:
        return _name_holder(m, p, role)
    if not can_voice_suspicion(m):
        return _name_nobody(m, p)
    _avoid_excluded(m, p)
    return say(p, "answer_suspect")


def _avoid_excluded(m: Mindset, p: Demand) -> None:
    """Speak of another suspect than those whom the question excludes, if there is one."""
    remaining = [s for s in m.scores if s not in p.excluded]
    if m.target in p.excluded and remaining:
        m.try_fix_target(_worst(m, remaining), ANY_MARGIN)


def _choose_between(m: Mindset, p: Demand, options: Sequence[int]) -> Remark:
    """Answer "Beta or Gamma?"."""
    y, z = min(options, key=lambda s: (m.scores[s], s)), _worst(m, options)
    if not can_voice_suspicion(m):
        return say(p, "owed_lean_you" if y == p.by else "owed_lean", y=y)
    if suspect_when_asked(m, z):
        return say(p, "answer_suspect")
    return say(p, "owed_none" if y == z or p.by in (y, z) else "owed_neither", y=y, z=z)


def _worst(m: Mindset, options: Sequence[int]) -> int:
    """Return whom of `options` I suspect most, the one pressed last if it is as good as any."""
    return max(options, key=lambda s: (m.scores[s] + 0.05 * (s == m.previous_target), -s))


def _name_nobody(m: Mindset, p: Demand) -> Remark:
    """Answer that it is too early (only before there is something to go on), or that I can't."""
    is_early = m.round == 1 and m.view.state.day == 1 and not m.dialogue.reports
    return say(p, "answer_nobody" if is_early else "owed_nobody")


def _name_holder(m: Mindset, p: Demand, role: str) -> Remark:
    """Answer who holds `role`. For a village role, name only a player who claims it."""
    if role in (m.claimed, m.stance.pose):
        return _answer_role(m, replace(p, roles=(role,)))
    is_guess = role in m.pack.liars
    options = m.scores if is_guess else m.dialogue.claimants(role)
    odds = {s: (m.professed[s].get(role, 0.0), -s) for s in options if s in m.scores and s != p.by}
    if not odds:
        return say(p, "owed_holder_open" if is_guess else "owed_holder_none", role=role)
    y = max(odds, key=lambda s: odds[s])
    chance = m.pack.deck.count(role) / len(m.view.state.seats)
    if odds[y][0] > (MIN_GUESS_RATIO * chance if is_guess else MIN_CLAIM_PROBABILITY):
        return say(p, "owed_guess" if is_guess else "owed_holder", y=y, role=role)
    return say(p, "owed_holder_open", role=role)


def _guess_role(m: Mindset, p: Demand, y: int, roles: Sequence[str]) -> Remark:
    """Answer which of `roles` `y` holds most probably."""
    return say(p, "owed_guess", y=y, role=max(roles, key=lambda r: m.professed[y].get(r, 0.0)))


def _answer_vote(m: Mindset, p: Demand) -> Remark | None:
    """Answer whom I vote for, or whether I vote for the only player named."""
    if len(p.of) > 1:
        return _answer_whom(m, p)
    _avoid_excluded(m, p)
    joins = can_voice_suspicion(m) and not (p.of and not suspect_when_asked(m, p.of[0]))
    m.is_vote_owed |= joins
    if p.of:
        return say(p, "owed_join" if joins else "owed_no_join", y=p.of[0])
    return say(p, "answer_suspect") if joins else _name_nobody(m, p)


def _answer_why(m: Mindset, p: Demand) -> Remark | None:
    """Answer why I press the player that is meant, or else what I did about the player."""
    if u := _seat_meant_by_why(m, p):
        return give_reason(m, p, u) if suspect_when_asked(m, u) else remark("turn", x=u, weight=0)
    if not p.of:
        is_asked_in_time = m.previous_target and can_voice_suspicion(m)
        return say(p, "answer_suspect") if is_asked_in_time else _answer_motive(m, p)
    y = p.of[0]
    if "defence" in p.topics:
        return _answer_opinion(m, p) if is_trusted(m, y) else answer_side(m, p)
    if answer := explain_act_toward(m, p, y):
        return answer
    if p.of == (p.by,):
        return say(p, "owed_not_you")
    return say(p, "owed_never_pressed", y=y) if "accusation" in p.topics else _answer_opinion(m, p)


def _answer_motive(m: Mindset, p: Demand) -> Remark:
    """Answer why I did or said something, or what I think of the player whom it concerns."""
    answer = find_motive(m, p)
    if not answer and any(y in m.others and y != p.by for y in p.of):
        answer = _answer_opinion(m, replace(p, of=tuple(y for y in p.of if y in m.others)))
    return answer or say(p, "owed_no_motive")


def _answer_evaded(m: Mindset, p: Demand) -> Remark:
    """Answer a question that I left open: with my role, else with my suspicion."""
    if not m.claimed and m.stance.pose in m.pack.parts:
        return say(p, "answer_role")
    return say(p, "answer_suspect" if can_voice_suspicion(m) else "charge_evaded")


def _seat_meant_by_why(m: Mindset, p: Demand) -> int:
    """Return the living player whom I pressed and whom a "why" means. "Why me?" is the asker."""
    pressed = m.dialogue.pressed_by(m.me)
    if p.of:
        return next((s for s in reversed(p.of) if s in pressed and s in m.scores), 0)
    return p.by if p.by in pressed and p.by in m.scores else m.previous_target


def _answer_unequal(m: Mindset, p: Demand) -> Remark | None:
    """Answer what speaks against one player and not another, or why I am to be believed."""
    if "own_card" in p.topics and m.claimed:
        return say(p, "owed_own_card")
    options = [s for s in p.of if s in m.scores]
    if len(options) < 2 or (p.by in options and p.by not in m.dialogue.pressed_by(m.me)):
        return _answer_why(m, replace(p, of=(p.by,) if p.by in options else p.of))
    y = _worst(m, options)
    best = min(options, key=lambda s: (m.scores[s], s))
    if y != p.by and can_voice_suspicion(m) and suspect_when_asked(m, y):
        return give_reason(m, p, y)
    return _trust(m, p, best) if is_trusted(m, best) else _choose_between(m, p, options)


def _answer_source(m: Mindset, p: Demand) -> Remark | None:
    """Answer how I know what I said of a player."""
    looks = (*m.dialogue.looks.get(m.me, ()), *filter(None, [m.look]))
    if any({*p.of} & {*look.targets} for look in looks):
        return _answer_result(m, p)
    for y in (*p.of, m.previous_target):
        if y and y == m.dialogue.companions.get(m.me):
            return say(p, "partner_again", y=y, role=m.claimed)
        if y in m.others and y != p.by and is_trusted(m, y):
            return _trust(m, p, y)
    return say(p, "owed_guessed")


def _answer_then(m: Mindset, p: Demand) -> Remark:
    """Answer whom I would suspect if something were so: one of a choice, or of the others.

    If the question is what I would be then, I answer what I am.
    """
    if "look" in p.topics and not p.of and m.dialogue.looks.get(m.me):
        return say(p, "owed_stand")
    if "self" in p.topics:
        if m.claimed and m.claimed not in m.pack.liars:
            return say(p, "owed_then_same", role=m.claimed)
        named_role = next((r for r in p.roles if r in m.pack.liars), m.pack.hunted[0])
        return say(p, "owed_denial", role=named_role)
    hidden_roles = [r for r in p.roles if r in m.pack.liars]
    if hidden_roles and p.of and p.of[0] in m.scores:  # "what would Beta be then, the Minion?"
        return _guess_role(m, p, p.of[0], hidden_roles)
    options = [s for s in m.scores if s not in (*p.of, *p.excluded, p.by)]
    if "choice" in p.topics:
        options = [s for s in p.of if s in m.scores and s != p.by] or options
    if not (options and can_voice_suspicion(m)):
        return say(p, "owed_then")
    return say(p, "owed_then_next", y=_worst(m, options))


def _answer_deal(m: Mindset, p: Demand) -> Remark | None:
    """Answer an offer to vote together, to exchange claims or a partner's name, or any other."""
    if p.of and "claim" not in p.topics:
        return _answer_vote(m, p)
    if "team" in p.topics and m.claims_a("mate"):
        return _answer_partner(m, p)
    return _answer_role(m, p) if "claim" in p.topics else say(p, "owed_no_deal")


# -- trust


def _answer_trust(m: Mindset, p: Demand) -> Remark | None:
    """Answer whom I trust, of the players that are named or of all."""
    if len(p.of) == 1:
        return _answer_opinion(m, p)
    pressed = () if p.of else m.dialogue.pressed_by(m.me)
    claimants = [s for role in p.roles for s in m.dialogue.claimants(role)]
    seats = p.of or claimants or m.scores
    options = [s for s in seats if s in m.scores and s != p.by and s not in pressed]
    if not options:
        return None
    y = max(options, key=lambda s: (round(m.village_probability(s), 4), -s))
    is_trustworthy = m.village_probability(y) > (MIN_TRUST_AMONG_NAMED if p.of else MIN_TRUST)
    return _trust(m, p, y) if is_trustworthy else say(p, "owed_trusts_nobody")


def _answer_opinion(m: Mindset, p: Demand) -> Remark | None:
    """Answer what I think of the first player that is named, or of the asker's suspect."""
    y = p.of[0] if p.of else m.dialogue.suspect_of(p.by)
    if y == p.by:
        if is_trusted(m, y) and y != m.target:
            return say(p, "owed_you_trusted")
        is_doubted = can_voice_suspicion(m) and suspect_when_asked(m, y)
        return say(p, "owed_you_doubted" if is_doubted else "owed_you_open")
    if y not in m.others:
        return None
    if any(y in look.targets for look in m.dialogue.looks.get(m.me, ())):
        return _answer_result(m, replace(p, of=(y,)))
    if len(p.roles) > 1:  # "is Beta the Tanner or the Werewolf?"
        return _guess_role(m, p, y, p.roles)
    is_suspect = m.hunted_probability(y) > MIN_DOUBT_PROBABILITY and not is_trusted(m, y)
    is_doubted = (y == m.target or is_suspect) and can_voice_suspicion(m)
    if is_doubted and suspect_when_asked(m, y):
        return say(p, "answer_suspect")
    if is_trusted(m, y):
        has_turned = y == m.previous_target and can_voice_suspicion(m)
        return remark("turn", x=y, weight=0) if has_turned else _trust(m, p, y)
    if _is_false_looker(m, y):
        return remark("looker_impossible", x=y, weight=0, role=m.dialogue.claims[y])
    return say(p, "owed_open" if y in m.dialogue.claims else "owed_open_unclaimed", y=y)


def _trust(m: Mindset, p: Demand, y: int) -> Remark:
    """Answer that I trust `y`, with the reason that the talk gives for it."""
    if y == m.dialogue.companions.get(m.me):
        return say(p, "partner_again", y=y, role=m.claimed)
    if y == m.mate and not m.claimed:
        return say(p, "answer_role")
    if (z := m.dialogue.partner(y)) and z not in (m.me, p.by):
        return say(p, "owed_trust_pair", y=y, z=z)
    for z in m.dialogue.reporters(y, is_accused=False):
        if z not in (m.me, p.by, y) and m.claim_probability(z) > MIN_TRUST:
            return say(p, "owed_trust_cleared", y=y, z=z)
    if y in m.dialogue.reporters(m.me, is_accused=False):
        return say(p, "owed_trust_about_me", y=y)
    return say(p, "owed_trust_despite" if m.dialogue.is_contradicted(y) else "owed_trust", y=y)


def is_trusted(m: Mindset, seat: int) -> bool:
    """Return whether I may say that I trust `seat`."""
    accused = any({m.me, seat} <= {*r.targets} and m.pack.accuses(r)
                  for _, r in m.dialogue.reported_looks)  # fmt: skip
    if _is_false_looker(m, seat) or (accused and seat not in m.partners):  # else I seem hunted
        return False
    return (
        m.village_probability(seat) > MIN_TRUST
        or m.claim_probability(seat) > MIN_CLAIM_PROBABILITY
        or m.is_cleared(seat)
        or seat in m.partners
    )


def _is_false_looker(m: Mindset, seat: int) -> bool:
    """Return whether `seat` claims a role that looks, and can't hold it."""
    return seat in m.dialogue.lookers and m.is_refuted(seat)


# -- questions of no known kind


def answer_open(m: Mindset, p: Demand) -> Remark | None:
    """Answer a question of no known kind by what it names, or by my suspicion."""
    is_about_asker = not p.of and not p.roles and p.by in m.dialogue.pressed_by(m.me)
    if is_about_asker and suspect_when_asked(m, p.by):
        return give_reason(m, p, p.by)
    for y in p.of:
        if y in m.scores and y != p.by:
            return _answer_opinion(m, replace(p, of=(y,)))
    if p.roles and p.roles[0] in m.pack.deck:
        return say(p, "owed_deck", role=p.roles[0], **counted(m.pack, p.roles[0], 0))
    if can_voice_suspicion(m):
        return replace(say(p, "answer_suspect"), weight=-1.5)
    return say(p, "answer_open")


ANSWERS: Mapping[str, Callable[[Mindset, Demand], Remark | None]] = {
    "role": _answer_role,
    "result": _answer_result,
    "partner": _answer_partner,
    "plan": _answer_plan,
    "whom": _answer_whom,
    "vote": _answer_vote,
    "why": _answer_why,
    "trust": _answer_trust,
    "opinion": _answer_opinion,
    "style": lambda m, p: say(p, "answer_style"),
    "chat": lambda m, p: say(p, "answer_chat"),
    "unequal": _answer_unequal,
    "source": _answer_source,
    "then": _answer_then,
    "deal": _answer_deal,
    **CONDUCT_ANSWERS,
    "motive": _answer_motive,
    "evaded": _answer_evaded,
    **dict.fromkeys(("open", "spoken"), answer_open),
}
