"""Replies to statements since I last spoke that address me or are about me."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agents.house.facts import can_voice_suspicion
from agents.house.mindset import Mindset
from agents.house.owed_answers import owed_answers
from agents.house.remarks import Remark, remark
from agents.language import is_addressed_to
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import Statement, result_of

REBUTTAL_WEIGHT = 7.5
MIN_COUNTER_SCORE = 0.12  # of the accuser, to accuse it in turn
MIN_THANKED_PROBABILITY = 0.3  # of a claim, to thank for its report


def _build_acknowledgements(m: Mindset) -> Iterator[Remark]:
    """Yield words on acts about me or to me, each of them at most once in a game."""
    statements = m.dialogue.since(m.me)
    for statement in statements:
        is_to_me = is_addressed_to(statement.text, m.view.name(m.me))
        is_last = statement is statements[-1]
        for act in statement.acts:
            if m.me in act.targets:
                candidates = _reply_to_act_about_me(m, act)
            else:
                candidates = _reply_to_act_about_others(m, statement, act, is_to_me, is_last)
            yield from (c for c in candidates if c.key not in m.stance.said_keys)


def _reply_to_act_about_me(m: Mindset, act: SpeechAct) -> Iterator[Remark]:
    """Yield a reply to praise, agreement, dissent, or a role that I am taken for."""
    x = act.speaker
    weight = 7.6 if m.dialogue.said[-1].seat == x else 6.4  # the last speaker waits for a word
    if act.kind == "defend" or (act.kind == "agree" and act.role and act.role == m.claimed):
        yield remark("thanks", x=x)
    elif act.kind == "agree" and not act.role:
        yield remark("agreed", x=x)
    elif act.kind == "disagree" and not act.role:
        yield remark("disagreed", x=x, weight=weight - 0.6)
    elif act.kind == "disagree" and act.role == m.claimed:
        yield remark("disbelieved", x=x, r=m.pack.name(act.role), weight=weight)
    elif act.kind == "suspect" and not act.strength:
        kind = "rebut_tease" if m.is_bait else "called_names"
        yield remark(kind, x=x, r=m.pack.name(act.role))


def _reply_to_act_about_others(
    m: Mindset, statement: Statement, act: SpeechAct, is_to_me: bool, is_last: bool
) -> Iterator[Remark]:
    """Yield a reply to a claim, a denial, a proposal or an accusation that is put to me.

    A retraction in the last statement is answered by the next speaker.
    """
    x, kinds = act.speaker, {a.kind for a in statement.acts}
    if act.kind == "deny" and x == m.target == m.previous_target and m.has_only_denied(x):
        yield remark("denial_stands", x=x, weight=7.8 if is_last else 6.8)
        return
    if act.kind == "retract" and (is_to_me or is_last) and "report" not in kinds:
        yield remark("note_retract", x=x, weight=7.7 if is_last else 6.0)
    if not is_to_me:
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
        if y == m.target and can_voice_suspicion(m):
            yield remark("join_in", x=x, t=y)
        else:
            yield remark("hold_back", x=x, y=y)


def build_replies(m: Mindset) -> Iterator[Remark]:
    """Yield replies to reports, companions, accusers, demands, other acts, and greetings."""
    toward = m.dialogue.toward(m.me)
    report_remarks = list(_reports(m, toward))
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


def _reports(m: Mindset, toward: list[SpeechAct]) -> Iterator[Remark]:
    """Yield replies to reported looks at me, unless I claim or will claim looks myself."""
    for act in toward:
        look = result_of(act, m.pack)
        if look is None or m.claims_a("looker") or m.poses_as("looker"):
            continue
        x, role = act.speaker, look.source
        if not m.pack.accuses(look):
            if m.professed[x].get(role, 0.0) >= MIN_THANKED_PROBABILITY:
                yield remark("thanks_clean", x=x, role=role)
            continue
        other_targets = [t for t in act.targets if t != m.me]
        if not other_targets:
            yield remark("rebut_report_me", x=x, role=role)
            continue
        y = other_targets[0]
        kind = "lie" if m.is_certainly_cleared(y) else "other" if y == m.target else "open"
        yield remark(f"rebut_report_{kind}", x=x, y=y, role=role)


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
