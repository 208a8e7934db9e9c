"""Answers to what was said to or of me since I last spoke."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agents.house.accusation_reasons import voices
from agents.house.mindset import Mindset
from agents.house.owed_answers import owed_answers
from agents.house.remarks import Remark, remark
from agents.language import is_addressed_to
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import Statement, result_of


def notices(m: Mindset) -> Iterator[Remark]:
    """Yield a word to a claim, a denial, a proposal or a candidate put to me.

    To praise and dissent.

    The same is not said to anybody twice.
    """
    since = m.dialogue.since(m.me)
    for statement in since:
        to_me = is_addressed_to(statement.text, m.view.name(m.me))
        last = statement is since[-1]
        for act in statement.acts:
            moves = (
                _of_me(m, act) if m.me in act.targets else _to_me(m, statement, act, to_me, last)
            )
            yield from (mv for mv in moves if mv.key not in m.stance.said_keys)


def _of_me(m: Mindset, act: SpeechAct) -> Iterator[Remark]:
    """Return what was said of me: praise, agreement, dissent, a role I am taken for."""
    x = act.speaker
    doubts = 7.6 if m.dialogue.said[-1].seat == x else 6.4  # who spoke just now waits for a word
    if act.kind == "defend" or (act.kind == "agree" and act.role and act.role == m.claimed):
        yield remark("thanks", x=x)
    elif act.kind == "agree" and not act.role:
        yield remark("agreed", x=x)
    elif act.kind == "disagree" and not act.role:
        yield remark("disagreed", x=x, weight=doubts - 0.6)
    elif act.kind == "disagree" and act.role == m.claimed:
        yield remark("disbelieved", x=x, r=m.pack.name(act.role), weight=doubts)
    elif act.kind == "suspect" and not act.strength:
        kind = "rebut_tease" if m.bait else "called_names"
        yield remark(kind, x=x, r=m.pack.name(act.role))


def _to_me(
    m: Mindset, statement: Statement, act: SpeechAct, to_me: bool, last: bool
) -> Iterator[Remark]:
    """Return what was said to me of other things. A retraction is anybody's who speaks next."""
    x, kinds = act.speaker, {a.kind for a in statement.acts}
    if act.kind == "deny" and x == m.target == m.before and m.only_denies(x):
        yield remark("denial_stands", x=x, weight=7.8 if last else 6.8)
        return
    if act.kind == "retract" and (to_me or last) and "report" not in kinds:
        yield remark("note_retract", x=x, weight=7.7 if last else 6.0)
    if not to_me:
        return
    if act.kind == "claim" and not kinds & {"report", "companion", "retract"}:
        if m.pack.part(act.role) != "looker":  # of a look there is more to say
            yield remark("note_claim", x=x, r=m.pack.name(act.role))
    elif act.kind == "deny" and not kinds & {"claim", "retract"}:
        yield remark("note_denial", x=x)
    elif act.kind == "propose" and not m.dialogue.claimants(act.role):
        side = "with" if m.chance("agree to it", 50) else "against"
        if (part := m.pack.part(act.role)) in ("looker", "mate"):
            kind = f"{side}_{part}_{act.about}"
            yield remark(kind, x=x, role=act.role)
    elif act.strength and len(act.targets) == 1:
        y = act.targets[0]
        if y == m.mate:
            return
        if y == m.target and voices(m):
            yield remark("join_in", x=x, t=y)
        else:
            yield remark("hold_back", x=x, y=y)


def replies(m: Mindset) -> Iterator[Remark]:
    """Reports that name me first, then false friends, accusers, questions, all the rest."""
    toward = m.dialogue.toward(m.me)
    report_remarks = list(_reports(m, toward))
    yield from report_remarks
    false = [a for a in toward if a.kind == "companion" and a.speaker != m.mate]
    if false and not m.mate:  # who has a mate exposes it (agents/house/observations.py)
        role = false[-1].role or m.pack.role("mate")
        yield remark("deny_partner", x=false[-1].speaker, role=role)
    reporters = {mv.names["x"] for mv in report_remarks}
    accusers = list(dict.fromkeys(a.speaker for a in toward if a.strength))
    accusers = [s for s in accusers if s not in reporters and s in m.others]
    answers = list(owed_answers(m))
    if accusers:
        rebuttal = _rebuttal(m, accusers, toward)
        if any(a.names.get("x") == rebuttal.names["x"] for a in answers):  # it asks for more
            rebuttal = replace(rebuttal, weight=7.5)
        yield rebuttal
    yield from answers
    yield from notices(m)
    yield from _greetings(m)


def _greetings(m: Mindset) -> Iterator[Remark]:
    """Return a greeting to each who greeted me by name, or the table without an answer yet."""
    for statement in m.dialogue.since(m.me):
        move = remark("greet", x=statement.seat)
        if not statement.greets or move.key in m.stance.said_keys:
            continue
        to_me = m.me in statement.names
        if to_me or not (statement.names or m.worn({statement.seat})):
            yield move if to_me else replace(move, weight=5.4)


def _reports(m: Mindset, toward: list[SpeechAct]) -> Iterator[Remark]:
    for act in toward:
        look = result_of(act, m.pack)
        if look is None or m.claims_a("looker") or m.poses_as("looker"):
            continue
        x, role = act.speaker, look.source
        if not m.pack.accuses(look):
            if m.professed[x].get(role, 0.0) >= 0.3:
                yield remark("thanks_clean", x=x, role=role)
            continue
        other_targets = [t for t in act.targets if t != m.me]
        if not other_targets:
            yield remark("rebut_report_me", x=x, role=role)
            continue
        y = other_targets[0]
        kind = "lie" if m.certain(y) else "other" if y == m.target else "open"
        yield remark(f"rebut_report_{kind}", x=x, y=y, role=role)


def _rebuttal(m: Mindset, accusers: list[int], toward: list[SpeechAct]) -> Remark:
    """Return the answer to the accuser that presses hardest, by what can be held against it."""
    pressing = [a for a in toward if a.strength and a.speaker in accusers]
    x = max(reversed(pressing), key=lambda a: a.strength).speaker
    weight = 8.5 if m.dialogue.said[-1].seat in accusers else 7.5  # who spoke just now waits for it
    if len(accusers) > 1 and m.chance("many", 60):
        began = [s.seat for s in m.dialogue.said if m.me in s.presses()]
        pair = (x, next(s for s in reversed(accusers) if s != x))
        y, x = sorted(pair, key=lambda s: began.index(s) if s in began else 0)
        return remark("rebut_many", x=x, y=y, weight=weight)
    options: list[tuple[str, dict[str, int | str]]] = [("rebut", {"x": x})]
    dialogue = m.dialogue
    history = [s for s in dialogue.pressed_by(x) if s != m.me]
    mine = [s for s in dialogue.said if s.seat == x and m.me in s.presses()]
    if dialogue.claims.get(x) is None:
        options.append(("rebut_unclaimed", {"x": x}))
    if history and len(mine) == 1:
        options.append(("rebut_flip", {"x": x, "y": history[-1]}))
    if (leader := dialogue.first_against(m.me)) not in (0, x, m.me):
        options.append(("rebut_echo", {"x": x, "y": leader}))
    if m.mate and m.claimed == m.role == m.dialogue.claims.get(m.mate):
        options += [("rebut_mate", {"x": x, "y": m.mate})] * 3
    elif m.claims_a("plain"):
        options.append(("rebut_claimed", {"x": x}))
    elif m.claims_a("looker"):
        options += [("rebut_looker", {"x": x})] * 2
    if x == m.target and m.scores[x] > 0.12 and (m.slept or voices(m)):
        options += [("rebut_back", {"x": x})] * 2
    if m.claimed and m.target in dialogue.pressed_by(m.me) and m.target != x:
        options += [("rebut_record", {"x": x, "y": m.target})] * 2
    if len(dialogue.turns(m.me)) == 1 and m.round == 1:
        options.append(("rebut_once", {"x": x}))
    if m.bait:
        options += [("rebut_tease", {"x": x})] * 3
    options = [o for o in options if f"{o[0]}:{x}" not in m.stance.said_keys] or options
    kind, names = options[m.draw("rebuttal", len(options))]
    return remark(kind, names, weight=weight, role=m.claimed)
