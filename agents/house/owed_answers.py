"""What I owe an answer: the questions put to me, and the reasons given against me.

Who is addressed answers in its next words: with what was asked for, with a refusal and its reason,
or with a word on the reason itself. What is left open then is owed once more; what was met is
forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agents.house.mindset import Mindset
from agents.house.remark_rules import build_remarks
from agents.house.remarks import Remark, RemarkPlace
from agents.understanding.demands import Demand

LIGHT = ("open", "plan", "mind", "why", "opinion")  # before a night: how I mean to play
ANNOUNCING = (RemarkPlace.TURN, RemarkPlace.LEAD)  # remarks that others follow as the answer


def owed_answers(m: Mindset) -> Iterator[Remark]:
    """Yield the answer to one question, and to one charge a speaker."""
    for number, demand in reversed([(n, d) for n, d in m.demands if d.is_charge]):
        is_vague = demand.intent == "evaded" and not demand.direct  # it names no question
        if is_vague or (demand.intent == "doubt" and _answered_elsewhere(m, number, demand)):
            continue
        move = next(answer_demand(m, demand), None)
        if move and move.key not in m.stance.said_keys and number >= m.first_new_number:
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
        for move in answer_demand(m, demand):
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


def answer_demand(m: Mindset, p: Demand) -> Iterator[Remark]:
    """Yield what `p` asks for, or a word on it. Weights are added to that of the answer."""
    slots = {**vars(p), "x": p.by, "w": p.word}
    is_light = m.has_no_evidence and p.intent in LIGHT and not (p.roles or p.of)
    answers = list(build_remarks(m, "never_claimed", slots)) if p.quotes_claim else []
    answers = answers or list(build_remarks(m, "style" if is_light else p.intent, slots))
    if not (answers or p.is_charge):
        answers = list(build_remarks(m, "open", {**slots, "of": ()}))
    for answer in answers:
        position = answer.position if answer.position in ANNOUNCING else RemarkPlace.ANSWER
        if answer.kind.startswith("charge_") and not p.direct:
            position = RemarkPlace.REPLY
        yield replace(answer, position=position)
