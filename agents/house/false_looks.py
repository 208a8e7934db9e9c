"""Invents the result that a player who falsely claims a looker's role reports."""

from __future__ import annotations

from agents.house.scores import least, share
from agents.house.suspicion import Mindset
from agents.packs import Result


def false_look(mind: Mindset, source: str) -> Result:
    """Return a look that fits my statements and the table's beliefs, as of a `source`.

    Whom I pressed before I can't have cleared; if I found somebody hunted, it is among those I
    pressed. Seats that pass for mates are left out of a finding.
    """
    dialogue, scores = mind.dialogue, mind.scores
    look = mind.pack.look(source)
    assert look is not None
    answers = [Result(source, (), value) for value, _roles in look.answers]
    finds = [r.value for r in answers if mind.pack.accuses(r)]
    clears = [r.value for r in answers if not mind.pack.accuses(r)]
    pressed = [s for s in dialogue.pressed_by(mind.me) if s in mind.others]
    vouched = {t for a in dialogue.acts("defend", by=mind.me) for t in a.targets}
    mates = {s for pair in dialogue.pairs for s in pair}
    open_to = [s for s in least(scores, mind.others) if s not in vouched and s not in mates]
    reported_seats = {t for r in dialogue.looks.get(mind.me, ()) for t in r.targets}
    others_left = [s for s in mind.others if s not in reported_seats] or mind.others
    spared = _spared(mind)
    ranked = [s for s in reversed(open_to) if s not in spared and s in others_left]
    pressed = [s for s in pressed if s not in mind.mates and s in others_left]
    if len(pressed) <= look.seats and finds and mind.chance("false find", 45):
        looked_at = [s for s in pressed if s not in mates]
        looked_at += [s for s in ranked if s not in looked_at]
        if len(looked_at) >= look.seats:
            return Result(source, tuple(sorted(looked_at[: look.seats])), finds[0])
    clean = [s for s in spared if s not in pressed and s in others_left]
    clean += [s for s in least(scores, others_left) if s not in pressed and s not in clean]
    looked_at = (clean + others_left)[: look.seats]
    claims = {dialogue.claims.get(s, "") for s in looked_at}
    fitting_values = [
        v for v, roles in look.answers if v in clears and len(claims) == 1 and claims <= {*roles}
    ]
    return Result(source, tuple(sorted(looked_at)), (fitting_values or clears or finds)[-1])


def _spared(mind: Mindset) -> list[int]:
    """Return whom a helper takes for hunted, and known mates.

    It clears them, and never names them.
    """
    known_mates = [s for s in mind.others if s in mind.mates] if mind.villain else []
    if mind.part != "helper" or known_mates:
        return known_mates
    hunted = mind.pack.hunted
    return least({s: -share(mind.believed[s], hunted) for s in mind.others}, mind.others)[:1]
