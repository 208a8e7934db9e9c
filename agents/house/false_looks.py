"""Invents the result that a player who falsely claims a looker's role reports."""

from __future__ import annotations

from agents.house.scores import least, share
from agents.house.suspicion import Mindset
from agents.packs import Result


def false_look(mind: Mindset, source: str) -> Result:
    """A look that fits what I said so far and what the table believes, of a holder of `source`.

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
    told = {t for r in dialogue.looks.get(mind.me, ()) for t in r.targets}
    others = [s for s in mind.others if s not in told] or mind.others
    spared = _spared(mind)
    ranked = [s for s in reversed(open_to) if s not in spared and s in others]
    pressed = [s for s in pressed if s not in mind.mates and s in others]
    if len(pressed) <= look.seats and finds and mind.chance("false find", 45):
        seen = [s for s in pressed if s not in mates]
        seen += [s for s in ranked if s not in seen]
        if len(seen) >= look.seats:
            return Result(source, tuple(sorted(seen[: look.seats])), finds[0])
    clean = [s for s in spared if s not in pressed and s in others]
    clean += [s for s in least(scores, others) if s not in pressed and s not in clean]
    seen = (clean + others)[: look.seats]
    claims = {dialogue.claims.get(s, "") for s in seen}
    said = [
        v for v, roles in look.answers if v in clears and len(claims) == 1 and claims <= {*roles}
    ]
    return Result(source, tuple(sorted(seen)), (said or clears or finds)[-1])


def _spared(mind: Mindset) -> list[int]:
    """Return whom a helper takes for hunted, and known mates.

    It clears them, and never names them.
    """
    known = [s for s in mind.others if s in mind.mates] if mind.villain else []
    if mind.part != "helper" or known:
        return known
    hunted = mind.pack.hunted
    return least({s: -share(mind.believed[s], hunted) for s in mind.others}, mind.others)[:1]
