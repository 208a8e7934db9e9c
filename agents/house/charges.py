"""Answers to charges, one function for each intent of a charge. They fit what I did in truth.

A function takes the demand `p` and returns its answer, or None if the player has nothing to say to
it. Slots of the answers: x is the player who makes the charge, y the player whom it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agents.house.mindset import Mindset
from agents.house.remarks import Named, Remark, remark
from agents.understanding.demands import Demand


def say(p: Demand, kind: str, role: str = "", **slots: Named) -> Remark:
    """Return an answer to the player who makes the demand `p`."""
    return remark(kind, {"x": p.by, **slots}, role=role)


def _has_opposed(m: Mindset, seat: int) -> bool:
    """Return whether I have pressed `seat` or disputed its claim."""
    disputed = (t for act in m.dialogue.acts("disagree", by=m.me) for t in act.targets)
    return seat in m.dialogue.pressed_by(m.me) or seat in disputed


def _pressed_besides(m: Mindset, accuser: int) -> list[int]:
    """Return the living players whom I pressed, without the accuser, the newest first."""
    return [s for s in reversed(m.dialogue.pressed_by(m.me)) if s in m.others and s != accuser]


def _answer_silent(m: Mindset, p: Demand) -> Remark | None:
    dialogue, pressed = m.dialogue, _pressed_besides(m, p.by)
    if not dialogue.has_had_turn(m.me):
        return say(p, "charge_turnless")
    if dialogue.quiet[m.me]:
        return say(p, "charge_silent")
    if pressed:
        return say(p, "charge_named", y=pressed[0])
    if p.by in dialogue.pressed_by(m.me):
        return say(p, "charge_named_you")
    has_named = dialogue.pressed_by(m.me) or any(v.seat == m.me for v in dialogue.course.votes)
    return None if has_named else say(p, "charge_noside")


def _answer_changed(m: Mindset, p: Demand) -> Remark:
    pressed = _pressed_besides(m, p.by)
    if m.me in m.dialogue.changed or m.has_told_both(p.roles):
        return say(p, "charge_changed")
    if m.target in pressed and m.target in p.of and m.try_fix_target(m.target, 0):
        return say(p, "owed_about", y=m.target)
    if not p.roles and len(pressed) > 1:
        return say(p, "charge_flip")
    named_seats = () if p.roles else (s for s in p.of if s in m.others and s != p.by)
    if y := next((s for s in named_seats if not _has_opposed(m, s)), 0):
        return say(p, "charge_pressed_not", y=y)
    if m.claimed:
        return say(p, "charge_same")
    if p.of and pressed:
        if m.previous_target == m.target:
            return say(p, "charge_steady")
        return remark("turn", x=m.previous_target, weight=0)
    return say(p, "charge_untold")


def _answer_echo(m: Mindset, p: Demand) -> Remark | None:
    if not m.dialogue.turns(m.me):
        return None
    for y in _pressed_besides(m, p.by):
        if m.dialogue.first_accuser_of(y) == m.me:
            return say(p, "charge_first", y=y)
    return say(p, "charge_echo")


def _answer_timing(m: Mindset, p: Demand) -> Remark | None:
    if m.claimed and p.roles:
        return say(p, "charge_late")
    if p.attacks and m.dialogue.pressed_by(m.me):
        return say(p, "charge_early")
    if y := next((s for s in p.of if s in m.others), 0):
        if y != p.by and not _has_opposed(m, y):
            return say(p, "charge_pressed_not", y=y)
        return None if y == p.by else say(p, "charge_early")
    if any(s.seat == m.me and s.presses() for s in m.dialogue.statements[:1]):
        return say(p, "charge_early")
    if not m.claimed and _pressed_besides(m, p.by):
        return say(p, "charge_early_not")
    return say(p, "charge_late") if m.claimed or m.round > 1 else None


def answer_side(m: Mindset, p: Demand) -> Remark | None:
    """Answer that I played with, defended or pressed a player."""
    y = next((s for s in p.of if s in m.others and s != p.by), 0)
    if not y:
        return None
    if p.together and y not in (m.mate, m.dialogue.companions.get(m.me)):
        return say(p, "charge_together", y=y)
    kind = "charge_defended" if p.defends else "charge_pressed"
    has_done = y in m.defended_seats if p.defends else _has_opposed(m, y)
    return say(p, kind if has_done else f"{kind}_not", y=y)


CHARGE_ANSWERS: Mapping[str, Callable[[Mindset, Demand], Remark | None]] = {
    "silent": _answer_silent,
    "changed": _answer_changed,
    "echo": _answer_echo,
    "timing": _answer_timing,
    "side": answer_side,
    "evaded": lambda m, p: say(p, "charge_evaded"),
    "manner": lambda m, p: say(p, "charge_manner", w=p.word),
    "doubt": lambda m, p: say(p, "charge_cheap" if m.claimed and p.roles else "charge_untrusted"),
}
