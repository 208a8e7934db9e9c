"""Answers to what was said to or of me since I last spoke."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agents.dialogue import result_of
from agents.house.acknowledgements import notices
from agents.house.owed_answers import owed_answers
from agents.house.remarks import Remark, RemarkPlace
from agents.house.suspicion import Mindset
from agents.understanding.speech_acts import SpeechAct

REPLY = RemarkPlace.REPLY


def replies(m: Mindset) -> Iterator[Remark]:
    """Reports that name me first, then false friends, accusers, questions, all the rest."""
    toward = m.dialogue.toward(m.me)
    report_remarks = list(_reports(m, toward))
    yield from report_remarks
    false = [a for a in toward if a.kind == "companion" and a.speaker != m.mate]
    if false and not m.mate:  # who has a mate exposes it (agents/house/observations.py)
        role = false[-1].role or m.pack.role("mate")
        yield Remark("deny_partner", 9.0, REPLY, {"x": false[-1].speaker}, role=role)
    reporters = {mv.names["x"] for mv in report_remarks}
    accusers = list(dict.fromkeys(a.speaker for a in toward if a.strength))
    accusers = [s for s in accusers if s not in reporters and s in m.others]
    if accusers:
        yield _rebuttal(m, accusers, toward)
    yield from owed_answers(m)
    yield from notices(m)


def _reports(m: Mindset, toward: list[SpeechAct]) -> Iterator[Remark]:
    for act in toward:
        look = result_of(act, m.pack)
        if look is None or m.claims_a("looker") or m.poses_as("looker"):
            continue
        x, role = act.speaker, look.source
        if not m.pack.accuses(look):
            if m.shown[x].get(role, 0.0) >= 0.3:
                yield Remark("thanks_clean", 4.2, REPLY, {"x": x}, role=role)
            continue
        other_targets = [t for t in act.targets if t != m.me]
        if not other_targets:
            yield Remark("rebut_report_me", 8.5, REPLY, {"x": x}, role=role)
            continue
        y = other_targets[0]
        kind = "lie" if m.certain(y) else "other" if y == m.target else "open"
        yield Remark(f"rebut_report_{kind}", 8.5, REPLY, {"x": x, "y": y}, role=role)


def _rebuttal(m: Mindset, accusers: list[int], toward: list[SpeechAct]) -> Remark:
    """The answer to the accuser that presses hardest, by what can be held against it."""
    pressing = [a for a in toward if a.strength and a.speaker in accusers]
    x = max(reversed(pressing), key=lambda a: a.strength).speaker
    weight = 8.5 if m.dialogue.said[-1].seat in accusers else 7.5  # who spoke just now waits for it
    if len(accusers) > 1 and m.chance("many", 60):
        y, x = sorted((x, next(s for s in reversed(accusers) if s != x)), key=_since(m))
        return Remark("rebut_many", weight, REPLY, {"x": x, "y": y})
    options: list[tuple[str, dict[str, int | str]]] = [("rebut", {"x": x})]
    dialogue = m.dialogue
    history = [s for s in dialogue.pressed_by(x) if s != m.me]
    mine = [s for s in dialogue.said if s.seat == x and m.me in s.presses()]
    if dialogue.claims.get(x) is None:
        options.append(("rebut_unclaimed", {"x": x}))
    if history and len(mine) == 1:
        options.append(("rebut_flip", {"x": x, "y": history[-1]}))
    if leader := _leader(m, x):
        options.append(("rebut_echo", {"x": x, "y": leader}))
    if m.mate and m.claimed == m.role == m.dialogue.claims.get(m.mate):
        options += [("rebut_mate", {"x": x, "y": m.mate})] * 3
    elif m.claims_a("plain"):
        options.append(("rebut_claimed", {"x": x}))
    elif m.claims_a("looker"):
        options += [("rebut_looker", {"x": x})] * 2
    if x == m.target and m.scores[x] > 0.12:
        options += [("rebut_back", {"x": x})] * 2
    if len(dialogue.turns(m.me)) == 1 and m.round == 1:
        options.append(("rebut_once", {"x": x}))
    if m.bait:
        options += [("rebut_tease", {"x": x})] * 3
    options = [o for o in options if f"{o[0]}:{x}" not in m.stance.said] or options
    kind, names = options[m.draw("rebuttal", len(options))]
    return Remark(kind, weight, REPLY, names, about=x, role=m.claimed)


def _since(m: Mindset) -> Callable[[int], int]:
    """Return who began to press me when: seat -> the number of the statement."""
    first: dict[int, int] = {}
    for number, statement in enumerate(m.dialogue.said):
        if m.me in statement.presses():
            first.setdefault(statement.seat, number)
    return lambda seat: first.get(seat, 0)


def _leader(m: Mindset, follower: int) -> int:
    """Return who pressed me before `follower` did, 0 for nobody."""
    for statement in m.dialogue.said:
        if m.me in statement.presses() and statement.seat != m.me:
            return 0 if statement.seat == follower else statement.seat
    return 0
