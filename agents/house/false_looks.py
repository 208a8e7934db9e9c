"""Invents the result that a player who falsely claims a looker's role reports."""

from __future__ import annotations

from agents.house.suspicion import Mindset, least, share
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
    ranked = [s for s in reversed(open_to) if s not in _spared(mind)]
    if len(pressed) <= look.seats and finds and mind.chance("false find", 45):
        seen = [s for s in pressed if s not in mates]
        seen += [s for s in ranked if s not in seen]
        if len(seen) >= look.seats:
            return Result(source, tuple(sorted(seen[: look.seats])), finds[0])
    clean = [s for s in _spared(mind) if s not in pressed]
    clean += [s for s in least(scores, mind.others) if s not in pressed and s not in clean]
    seen = (clean + mind.others)[: look.seats]
    return Result(source, tuple(sorted(seen)), (clears or finds)[-1])


def _spared(mind: Mindset) -> list[int]:
    """Whom a helper takes for hunted, and known mates: it clears them, and never names them."""
    known = [s for s in mind.others if s in mind.mates] if mind.villain else []
    if mind.part != "helper" or known:
        return known
    hunted = mind.pack.hunted
    return least({s: -share(mind.believed[s], hunted) for s in mind.others}, mind.others)[:1]
