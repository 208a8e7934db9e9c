"""What I owe an answer: the questions put to me, and the reasons given against me.

Who is addressed answers in its next words: with what was asked for, with a refusal and its reason,
or with a word on the reason itself. What is left open then is owed once more; what was met is
forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from agents.house.accusation_reasons import can_voice_suspicion
from agents.house.charges import answer_to_charge
from agents.house.mindset import Mindset
from agents.house.record_answers import answer_from_record, answer_supposition, find_unclaimed_role
from agents.house.remarks import Remark, RemarkPlace, counted, look_slots, remark
from agents.understanding.demands import Demand

ANSWER = RemarkPlace.ANSWER
NEAR = 0.15  # how much less suspected than my first choice one may be whom I name when asked
NEAR_LAST = 0.05  # the same when the vote is next
SUSPECT = 0.15  # from here on I may say that I doubt whoever I am asked about
BELIEVED = 0.4  # from here on I build on what somebody claims
DOUBTED = 0.3  # of several that I am asked about, I trust none up to here
LIGHT = ("open", "plan", "mind", "why", "opinion")  # before a night: how I mean to play
HONEST = 0.5  # from here on I say that I trust somebody


def owed_answers(m: Mindset) -> Iterator[Remark]:
    """Yield the answer to one question, and to one charge a speaker."""
    for number, demand in reversed([(n, d) for n, d in m.demands if d.is_charge]):
        is_vague = demand.intent == "evaded" and not demand.direct  # it names no question
        if is_vague or (demand.intent == "doubt" and _answered_elsewhere(m, number, demand)):
            continue
        move = answer_to_charge(m, demand)
        if move.kind and move.key not in m.stance.said_keys and number >= m.first_new_number:
            last = m.dialogue.said[-1].seat == demand.by
            # A reason is answered, rather than told that it is wrong.
            weight = 7.65 + 0.4 * demand.direct + 0.01 * (number - m.first_new_number)
            has_question = any(n == number and not d.is_charge for n, d in m.demands)
            weight = max(weight, 8.3 if has_question else 8.6) if last else weight
            yield replace(move, weight=weight, meets=number)
    questions = [
        (n, replace(d, intent="role") if d.is_charge else d)
        for n, d in m.demands
        if not d.is_charge or (d.intent == "doubt" and _denied(m, d))
    ]
    questions.sort(key=lambda question: (question[1].intent == "open", -question[0]))
    for number, demand in questions[:2]:
        demand = _with_subject(m, number, demand)
        last = m.dialogue.said[-1].seat == demand.by
        weight = (
            8.4
            if last
            else 8.0 + 0.01 * (number - m.first_new_number)
            if number >= m.first_new_number
            else 6.8
        )
        for move in _answer(m, demand):
            yield replace(move, weight=weight + move.weight, meets=number)


def _with_subject(m: Mindset, number: int, p: Demand) -> Demand:
    """Return `p`, about the only other player that its statement names, where it names nobody.

    "You keep saying Gamma is fine. What makes you so sure?" is about Gamma.
    """
    mentioned = [s for s in m.dialogue.said[number - 1].names if s in m.scores and s != p.by]
    about_one = p.intent in ("why", "opinion", "open") and not p.of and len(mentioned) == 1
    return replace(p, of=tuple(mentioned)) if about_one else p


def _answered_elsewhere(m: Mindset, number: int, demand: Demand) -> bool:
    """Check whether a doubt is an accusation (`replies`) or asks for a denial of a role."""
    return m.me in m.dialogue.said[number - 1].opposes() or bool(_denied(m, demand))


def _denied(m: Mindset, demand: Demand) -> str:
    """The one role that is held against me to my face and that I neither claim nor pose as."""
    role = demand.roles[0] if len(demand.roles) == 1 and demand.direct else ""
    return role if role not in (m.claimed, m.stance.pose) else ""


def _answer(m: Mindset, p: Demand) -> Iterator[Remark]:
    """Return what `p` asks for. Weights are added to that of the answer."""
    if p.quotes_claim and (role := find_unclaimed_role(m, p)):
        yield remark("owed_never_claimed", x=p.by, role=role)
        return
    is_light = m.has_no_evidence and p.intent in LIGHT and not (p.roles or p.of)
    answers = list(_ANSWERS["style" if is_light else p.intent](m, p))
    yield from answers or _open(m, replace(p, of=()))


def _open(m: Mindset, p: Demand) -> Iterator[Remark]:
    """The answer to a question of no known kind: what it names, my suspicion of the asker, or
    whom the asker suspects.
    """
    suspect = m.dialogue.suspect_of(p.by)
    if not p.of and not p.roles and _explain(m, p, p.by):
        yield remark("answer_reason", x=p.by)
        return
    seat = next((s for s in (*p.of, suspect) if s in m.scores and s != p.by), 0)
    if seat:
        yield from _opinion(m, replace(p, of=(seat,)))
    elif p.roles and p.roles[0] in m.pack.deck:
        yield remark("owed_deck", counted(m.pack, p.roles[0], 0), x=p.by, role=p.roles[0])
    elif can_voice_suspicion(m):
        yield remark("answer_suspect", x=p.by, weight=-1.5)
    else:
        yield remark("answer_open", x=p.by)


def _explain(m: Mindset, p: Demand, seat: int) -> bool:
    """Whether I pressed `seat` and speak of it again, with a reason."""
    pressed = seat in m.dialogue.pressed_by(m.me)
    return pressed and seat in m.scores and m.try_fix_target(seat, _margin(m))


def _role(m: Mindset, p: Demand) -> Iterator[Remark]:
    x, pose = {"x": p.by}, m.stance.pose
    if m.claimed in p.roles or (m.claimed and len(p.roles) != 1):
        yield remark("answer_claimed", x, r=m.pack.name(m.claimed))
    elif p.roles and (m.claimed or pose in m.pack.parts) and p.roles[0] not in (m.claimed, pose):
        if len(p.roles) == 1:
            yield remark("owed_denial", x, role=p.roles[0])
        else:
            yield remark("answer_role", x)
    elif not m.claimed and pose not in m.pack.parts:
        yield remark("owed_role_kept" if p.roles else "answer_evade", x)
    else:  # the claim follows
        yield remark("answer_role", x)


def _answer_whom(m: Mindset, p: Demand) -> Iterator[Remark]:
    options = [s for s in p.of if s in m.scores]
    role = next((r for r in p.roles if r in m.pack.parts and r not in m.pack.hunted), "")
    if role and not options:
        yield from _holder(m, p, role)
    elif len(p.of) > 1 and options:
        if not can_voice_suspicion(m):
            yield _leaning(m, p, options)
        elif m.try_fix_target(worst := _worst(m, options), _margin(m)):
            yield remark("owed_which", x=p.by)
        else:
            better = min(options, key=lambda s: (m.scores[s], s))
            yield remark(
                "owed_none" if worst == better else "owed_neither", x=p.by, y=better, z=worst
            )
    elif not can_voice_suspicion(m):
        yield _nobody(m, p)
    elif options:  # "Is it Beta?"
        yield from _opinion(m, p)
    else:
        remaining = [s for s in m.scores if s not in p.excluded]
        if m.target in p.excluded and remaining:
            m.try_fix_target(_worst(m, remaining), 9.0)
        yield remark("answer_suspect", x=p.by)


def _leaning(m: Mindset, p: Demand, options: list[int]) -> Remark:
    """Return whom of `options` I would keep, as long as there is no case against anybody."""
    better = min(options, key=lambda s: (m.scores[s], s))
    return remark("owed_lean", x=p.by, y=better)


def _holder(m: Mindset, p: Demand, role: str) -> Iterator[Remark]:
    """Return whom I take for the holder of `role`: of the village, one that claims it."""
    if role in (m.claimed, m.stance.pose):
        yield from _role(m, replace(p, roles=(role,)))
        return
    secret = role in m.pack.liars
    options = [s for s in (m.scores if secret else m.dialogue.claimants(role)) if s in m.scores]
    likeliest = max(options, key=lambda s: (m.professed[s].get(role, 0.0), -s), default=0)
    odds = m.professed[likeliest].get(role, 0.0) if likeliest else 0.0
    names = {"x": p.by, "y": likeliest}
    if secret and odds > 1.5 * m.pack.deck.count(role) / len(m.view.state.seats):
        yield remark("owed_guess", names, role=role)
    elif odds > BELIEVED and not secret:
        yield remark("owed_holder", names, role=role)
    else:
        kind = "owed_holder_open" if secret or options else "owed_holder_none"
        yield remark(kind, x=p.by, role=role)


def _nobody(m: Mindset, p: Demand) -> Remark:
    """That I have no name: it is too early only before there is something to go on."""
    early = m.round == 1 and m.view.state.day == 1 and not m.dialogue.reports
    return remark("answer_nobody" if early else "owed_nobody", x=p.by)


def _vote(m: Mindset, p: Demand) -> Iterator[Remark]:
    if len(p.of) > 1:
        yield from _answer_whom(m, p)
    elif p.of:
        yield from _join(m, p.by, p.of[0])
    elif can_voice_suspicion(m):
        m.is_vote_owed = True
        yield remark("owed_vote", x=p.by)
    else:
        yield _nobody(m, p)


def _join(m: Mindset, x: int, y: int) -> Iterator[Remark]:
    """Yield whether I vote for `y`, as `x` does."""
    names = {"x": x, "y": y}
    if y in m.scores and can_voice_suspicion(m) and m.try_fix_target(y, _margin(m)):
        m.is_vote_owed = True
        yield remark("owed_join", names)
    else:
        yield remark("owed_no_join", names)


def _answer_why(m: Mindset, p: Demand) -> Iterator[Remark]:
    pressed = m.dialogue.pressed_by(m.me)
    meant_seats = [s for s in p.of if s in pressed and s in m.scores]
    if not p.of:  # "Why me?" is about who asks
        meant_seats = [p.by] if p.by in pressed and p.by in m.scores else [m.previous_target]
    if meant_seats and meant_seats[-1]:
        if m.try_fix_target(meant_seats[-1], _margin(m)):
            yield remark("answer_reason", x=p.by)
        else:
            yield remark("turn", x=meant_seats[-1], weight=0.0)
    elif p.of and (kind := _choice(m, p, p.of[0])):
        yield remark(kind, x=p.by, d=p.of[0])
    elif p.of == (p.by,):
        yield remark("owed_not_you", x=p.by)
    elif p.of and not (p.of[0] in m.defended_seats or _trusted(m, p.of[0])):
        if p.defends:
            yield answer_to_charge(m, replace(p, intent="side"))
        else:
            yield remark("owed_never_pressed", x=p.by, y=p.of[0])
    elif p.of:
        yield from _opinion(m, p)
    elif not m.previous_target and p.by in m.scores:
        yield remark("owed_not_you", x=p.by)
    elif can_voice_suspicion(m):
        yield remark("answer_reason", x=p.by)


def _choice(m: Mindset, p: Demand, seat: int) -> str:
    """Return the kind of answer to "why did you choose `seat`": at night or in a vote, or ""."""
    own_looks = [k for k in m.dialogue.looks.get(m.me, ()) if seat in k.targets]
    if not p.votes and any(m.pack.can_choose_target(k.source) for k in own_looks):
        return "owed_chose_look"
    if (
        not p.votes
        and m.claimed == m.role
        and seat in {k.target for k in m.dialogue.course.protections}
    ):
        return "owed_chose_kept"
    return "owed_chose_vote" if m.dialogue.course.last_votes().get(m.me) == seat else ""


def _trust(m: Mindset, p: Demand) -> Iterator[Remark]:
    if len(p.of) == 1:  # "Do you trust Beta?"
        yield from _opinion(m, p)
        return
    options = [s for s in p.of or m.scores if s in m.scores and s != p.by]
    if options:
        y = max(options, key=lambda s: (round(m.village_probability(s), 4), -s))
        if m.village_probability(y) > (DOUBTED if p.of else HONEST):
            yield _trusting(m, p.by, y)
        else:
            yield remark("owed_trusts_nobody", x=p.by)


def _opinion(m: Mindset, p: Demand) -> Iterator[Remark]:
    y = p.of[0] if p.of else m.dialogue.suspect_of(p.by)
    if y == p.by:
        yield _of_asker(m, y)
        return
    names = {"x": p.by, "y": y}
    if y not in m.scores:
        return
    trusted = _trusted(m, y)
    doubted = y == m.target or (not trusted and m.hunted_probability(y) > SUSPECT)
    if doubted and can_voice_suspicion(m) and m.try_fix_target(y, _margin(m)):
        yield remark("owed_about", names)
    elif trusted:
        yield _trusting(m, p.by, y)
    elif _is_false_looker(m, y):
        yield Remark("looker_impossible", 0.0, ANSWER, {"x": y}, y, m.dialogue.claims[y])
    elif m.dialogue.claims.get(y) is None:
        yield remark("owed_open_unclaimed", names)
    else:
        yield remark("owed_open", names)


def _trusted(m: Mindset, seat: int) -> bool:
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


def _of_asker(m: Mindset, x: int) -> Remark:
    """Return whether I believe who asks me so."""
    if _trusted(m, x) and x != m.target:
        return remark("owed_you_trusted", x=x)
    if x in m.scores and can_voice_suspicion(m) and m.try_fix_target(x, _margin(m)):
        return remark("owed_you_doubted", x=x)
    return remark("owed_you_open", x=x)


def _trusting(m: Mindset, x: int, y: int) -> Remark:
    """That I trust `y`, with the reason the talk gives for it."""
    if (z := m.dialogue.partner(y)) not in (0, m.me, x):
        return remark("owed_trust_pair", x=x, y=y, z=z)
    for z in m.dialogue.reporters(y, is_accused=False):
        if z not in (m.me, x, y) and m.claim_probability(z) > 0.5:
            return remark("owed_trust_cleared", x=x, y=y, z=z)
    kind = "owed_trust_despite" if m.dialogue.is_contradicted(y) else "owed_trust"
    return remark(kind, x=x, y=y)


def _result(m: Mindset, p: Demand) -> Iterator[Remark]:
    own_looks = m.dialogue.looks.get(m.me, ())
    look = next((k for k in own_looks if {*p.of} & {*k.targets}), m.look)
    if look and look in own_looks:
        is_chosen = m.pack.can_choose_target(look.source)
        kind = "repeat" if is_chosen else "exiled"
        kind += "_found" if m.pack.accuses(look) else "_clean"
        names = {**look_slots(look), "x": p.by} if is_chosen else {"d": look.targets[0]}
        yield Remark(kind, 0.0, ANSWER, names, role=m.claimed, look=look)
    elif m.poses_as("looker") or m.claims_a("looker"):
        follows = m.look or not m.claimed  # the claim, or the result
        yield remark("answer_role" if follows else "owed_look_later", x=p.by)
    else:
        yield remark("answer_no_look", x=p.by)


def _partner(m: Mindset, p: Demand) -> Iterator[Remark]:
    if mate := m.dialogue.companions.get(m.me):
        yield remark("partner_again", x=p.by, y=mate, role=m.claimed)
    elif m.mate:
        yield remark("answer_role", x=p.by)
    elif m.dialogue.is_mate(m.me):
        yield remark("owed_partner_kept", x=p.by)
    else:
        yield remark("owed_no_partner", x=p.by)


def _plan(m: Mindset, p: Demand) -> Iterator[Remark]:
    """Return what a holder of the role should do: hidden ones may wait in the first round.

    Where no role is named, my own plan: my vote.
    """
    if not p.roles:
        yield from _vote(m, p)
        return
    looker = m.pack.role("looker")
    role = next((r for r in p.roles if r in m.pack.deck), looker)
    if {*m.dialogue.claimants(role)} & {*m.scores}:  # who it is matters more by now
        yield from _holder(m, p, role)
        return
    early = m.round == 1
    waits = early and (role != looker or not m.draw(f"{m.pack.spelled('looker')} early", 2))
    kind = "owed_plan_wait" if waits else "owed_plan_speak"
    yield remark(kind, x=p.by, role=role)


_ANSWERS: dict[str, Callable[[Mindset, Demand], Iterator[Remark]]] = {
    "role": _role,
    "why": _answer_why,
    "whom": _answer_whom,
    "trust": _trust,
    "opinion": _opinion,
    "vote": _vote,
    "result": _result,
    "partner": _partner,
    "plan": _plan,
    "mind": lambda m, p: iter((remark("owed_mind", x=p.by),)),
    "open": _open,
    "style": lambda m, p: iter((remark("answer_style", x=p.by),)),
    "wrong": lambda m, p: iter((remark("owed_wrong", x=p.by),)),
    "suppose": answer_supposition,
    "claimed": answer_from_record,
    "spoken": answer_from_record,
    "ballots": answer_from_record,
}


def _worst(m: Mindset, options: list[int]) -> int:
    """Return whom of `options` I suspect most.

    The one I pressed last where it is as good as any.
    """
    return max(options, key=lambda s: (m.scores[s] + 0.05 * (s == m.previous_target), -s))


def _margin(m: Mindset) -> float:
    return NEAR_LAST if m.is_last_round else NEAR
