"""Answers to charges against me, such as silence or a changed story.

The kind of an answer fits what I did in truth.
"""

from __future__ import annotations

from collections.abc import Callable

from agents.house.mindset import Mindset
from agents.house.remarks import Named, Remark, RemarkPlace
from agents.understanding.demands import Demand

ANSWER, REPLY = RemarkPlace.ANSWER, RemarkPlace.REPLY


def answer_to_charge(m: Mindset, p: Demand) -> Remark:
    """Return the answer to the charge `p`, with the kind "" if there is none."""
    kind, y = _CHARGES[p.intent](m, p)
    names: dict[str, Named] = {"x": p.by, "y": y} if y else {"x": p.by}
    if p.word:
        names["w"] = p.word
    return Remark(kind, 0.0, ANSWER if p.direct else REPLY, names, p.by)


# (kind of the answer, the seat it is about or 0)
_Answer = tuple[str, int]


def _pressed(m: Mindset, p: Demand) -> list[int]:
    """Return the living seats that I pressed, without the accuser, the newest last."""
    return [s for s in m.dialogue.pressed_by(m.me) if s in m.others and s != p.by]


def _silent(m: Mindset, p: Demand) -> _Answer:
    pressed = _pressed(m, p)
    if not m.dialogue.has_had_turn(m.me):
        return "charge_turnless", 0
    if m.dialogue.quiet[m.me]:
        return "charge_silent", 0
    if pressed:
        return "charge_named", pressed[-1]
    if p.by in m.dialogue.pressed_by(m.me):
        return "charge_named_you", 0
    has_named = m.dialogue.pressed_by(m.me) or any(
        b.seat == m.me for b in m.dialogue.course.ballots
    )
    return (
        "" if has_named else "charge_noside"
    ), 0  # "": the players I named are out, or one is the accuser


def _changed(m: Mindset, p: Demand) -> _Answer:
    pressed = _pressed(m, p)
    if m.me in m.dialogue.changed:
        return "charge_changed", 0
    if len(pressed) > 1 and not p.roles:
        return "charge_flip", 0
    unpressed = [s for s in p.of if s in m.others and s != p.by and s not in pressed]
    if unpressed and not p.roles:  # "first Beta, now Gamma"
        return "charge_pressed_not", unpressed[0]
    if m.claimed:
        return "charge_same", 0
    return ("charge_steady" if pressed and p.of else "charge_untold"), 0


def _echo(m: Mindset, p: Demand) -> _Answer:
    own = [s for s in _pressed(m, p) if m.dialogue.first_against(s) == m.me]
    return ("charge_first", own[-1]) if own else ("charge_echo", 0)


def _timing(m: Mindset, p: Demand) -> _Answer:
    statements, pressed = m.dialogue.said, _pressed(m, p)
    seat = next((s for s in p.of if s in m.others), 0)
    if seat and seat not in pressed:
        return "charge_pressed_not", seat
    if seat or (statements and statements[0].seat == m.me and statements[0].presses()):
        return "charge_early", 0
    if m.claimed or (m.round > 1 and not pressed):
        return "charge_late", 0
    return ("charge_early_not" if pressed else ""), 0


def _side(m: Mindset, p: Demand) -> _Answer:
    seat = next((s for s in p.of if s in m.others and s != p.by), 0)
    if not seat:
        return "", 0
    if p.together and seat not in (m.mate, m.dialogue.companions.get(m.me)):
        return "charge_together", seat
    defends = seat in m.defended_seats
    if p.defends:
        return ("charge_defended" if defends else "charge_defended_not"), seat
    return ("charge_pressed" if seat in _pressed(m, p) else "charge_pressed_not"), seat


_CHARGES: dict[str, Callable[[Mindset, Demand], _Answer]] = {
    "silent": _silent,
    "changed": _changed,
    "echo": _echo,
    "timing": _timing,
    "evaded": lambda m, p: ("charge_evaded", 0),
    "side": _side,
    "manner": lambda m, p: ("charge_manner", 0),
    "doubt": lambda m, p: ("charge_cheap" if m.claimed and p.roles else "charge_untrusted", 0),
}
