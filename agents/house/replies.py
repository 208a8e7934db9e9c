"""Replies to statements since I last spoke that address me or are about me."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from agents.house.facts import can_voice_suspicion
from agents.house.mindset import Mindset
from agents.house.owed_answers import owed_answers
from agents.house.remark_rules import build_remarks
from agents.house.remarks import Remark, remark
from agents.language import is_addressed_to
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import result_of

REBUTTAL_WEIGHT = 7.5
MIN_COUNTER_SCORE = 0.12  # of the accuser, to accuse it in turn
ACTS_ABOUT_ME = ("defend", "agree", "disagree", "suspect")  # that get a reply


def _build_acknowledgements(m: Mindset) -> Iterator[Remark]:
    """Yield words on acts about me or to me, each of them at most once in a game."""
    statements = m.dialogue.since(m.me)
    for statement in statements:
        flags = {
            "is_to_me": is_addressed_to(statement.text, m.view.name(m.me)),
            "is_last": statement is statements[-1],
            "with": {act.kind for act in statement.acts},
        }
        for act in statement.acts:
            candidates = _reply_to_act(m, act, flags)
            yield from (c for c in candidates if c.key not in m.stance.said_keys)


def _reply_to_act(m: Mindset, act: SpeechAct, flags: Mapping[str, Any]) -> Iterator[Remark]:
    """Yield a reply to one act, by the lists for acts about me and about others."""
    slots = {**flags, "x": act.speaker, "role": act.role, "strength": act.strength}
    if m.me in act.targets:
        if act.kind in ACTS_ABOUT_ME:
            yield from build_remarks(m, f"my_{act.kind}", slots)
    elif act.kind in ("claim", "deny", "retract"):
        yield from build_remarks(m, f"to_{act.kind}", slots)
    elif act.kind == "propose" and flags["is_to_me"] and not m.dialogue.claimants(act.role):
        side = "with" if m.chance("agree to it", 50) else "against"
        if (part := m.pack.part(act.role)) in ("looker", "mate"):
            yield remark(f"{side}_{part}_{act.about}", x=act.speaker, role=act.role)
    elif act.strength and len(act.targets) == 1:
        yield from build_remarks(m, "to_press", {**slots, "y": act.targets[0]})


def build_replies(m: Mindset) -> Iterator[Remark]:
    """Yield replies to reports, companions, accusers, demands, other acts, and greetings."""
    toward = m.dialogue.toward(m.me)
    looks = [(act.speaker, look) for act in toward if (look := result_of(act, m.pack))]
    report_remarks = [
        reply
        for x, look in looks
        for reply in build_remarks(m, "my_report", {"x": x, "look": look, "role": look.source})
    ]
    yield from report_remarks
    companions = [a for a in toward if a.kind == "companion" and a.speaker != m.mate]
    if companions and not m.mate:  # a player with a mate exposes it (agents/house/observations.py)
        role = companions[-1].role or m.pack.role("mate")
        yield remark("deny_partner", x=companions[-1].speaker, role=role)
    reporters = {r.names["x"] for r in report_remarks}
    accusers = list(dict.fromkeys(a.speaker for a in toward if a.strength))
    accusers = [s for s in accusers if s not in reporters and s in m.others]
    answers = list(owed_answers(m))
    if accusers:
        rebuttal = _rebuttal(m, accusers, toward)
        if any(a.names.get("x") == rebuttal.names["x"] for a in answers):  # it asks for more
            rebuttal = replace(rebuttal, weight=REBUTTAL_WEIGHT)
        yield rebuttal
    yield from answers
    yield from _build_acknowledgements(m)
    yield from _greetings(m)


def _greetings(m: Mindset) -> Iterator[Remark]:
    """Yield a greeting to players who greeted me, or who greeted the table without an answer."""
    for statement in m.dialogue.since(m.me):
        greeting = remark("greet", x=statement.seat)
        if not statement.greets or greeting.key in m.stance.said_keys:
            continue
        is_to_me = m.me in statement.names
        if is_to_me or not (statement.names or m.count_mentions({statement.seat})):
            yield greeting if is_to_me else replace(greeting, weight=5.4)


def _rebuttal(m: Mindset, accusers: list[int], toward: list[SpeechAct]) -> Remark:
    """Return a drawn reply to the accuser that presses hardest, or to all of several."""
    pressing = [a for a in toward if a.strength and a.speaker in accusers]
    x = max(reversed(pressing), key=lambda a: a.strength).speaker
    weight = 8.5 if m.dialogue.said[-1].seat in accusers else REBUTTAL_WEIGHT
    if len(accusers) > 1 and m.chance("many", 60):
        order = [s.seat for s in m.dialogue.said if m.me in s.presses()]
        pair = (x, next(s for s in reversed(accusers) if s != x))
        first, later = sorted(pair, key=lambda s: order.index(s) if s in order else 0)
        return remark("rebut_many", x=later, y=first, weight=weight)
    options = list(_rebuttal_options(m, x))
    options = [o for o in options if f"{o[0]}:{x}" not in m.stance.said_keys] or options
    kind, names = options[m.draw("rebuttal", len(options))]
    return remark(kind, names, weight=weight, role=m.claimed)


def _rebuttal_options(m: Mindset, x: int) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield (kind, slots) of the true replies to the accuser `x`. Strong ones come repeatedly."""
    dialogue, names = m.dialogue, {"x": x}
    yield "rebut", names
    earlier_targets = [s for s in dialogue.pressed_by(x) if s != m.me]
    accusations = [s for s in dialogue.said if s.seat == x and m.me in s.presses()]
    if dialogue.claims.get(x) is None:
        yield "rebut_unclaimed", names
    if earlier_targets and len(accusations) == 1:
        yield "rebut_flip", {"x": x, "y": earlier_targets[-1]}
    if (leader := dialogue.first_against(m.me)) not in (0, x, m.me):
        yield "rebut_echo", {"x": x, "y": leader}
    if m.mate and m.claimed == m.role == dialogue.claims.get(m.mate):
        yield from [("rebut_mate", {"x": x, "y": m.mate})] * 3
    elif m.claims_a("plain"):
        yield "rebut_claimed", names
    elif m.claims_a("looker"):
        yield from [("rebut_looker", names)] * 2
    is_suspect = x == m.target and m.scores[x] > MIN_COUNTER_SCORE
    if is_suspect and (m.has_night_passed or can_voice_suspicion(m)):
        yield from [("rebut_back", names)] * 2
    if m.claimed and m.target in dialogue.pressed_by(m.me) and m.target != x:
        yield from [("rebut_record", {"x": x, "y": m.target})] * 2
    if len(dialogue.turns(m.me)) == 1 and m.round == 1:
        yield "rebut_once", names
    if m.is_bait:
        yield from [("rebut_tease", names)] * 3
