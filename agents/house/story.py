"""The lies that need making up: what a false Seer says it saw."""

from __future__ import annotations

from agents.house.mindset import Mindset, least


def false_look(mind: Mindset) -> tuple[int, int, bool]:
    """Two seats and a result that fit what I said so far and what the table believes.

    Whom I pressed before I can't have cleared; if I found the Werewolf, it is among those I
    pressed. Seats that pass for Masons are left out of a finding.
    """
    heard, scores = mind.heard, mind.scores
    pressed = [s for s in heard.pressed_by(mind.me) if s in mind.others]
    vouched = {t for a in heard.acts("defend", by=mind.me) for t in a.targets}
    masons = {s for pair in heard.pairs for s in pair}
    open_to = [s for s in least(scores, mind.others) if s not in vouched and s not in masons]
    ranked = [s for s in reversed(open_to) if s not in _spared(mind)]
    if len(pressed) <= 2 and mind.chance("false find", 45):
        pair = [s for s in pressed if s not in masons]
        pair += [s for s in ranked if s not in pair]
        if len(pair) >= 2:
            return min(pair[:2]), max(pair[:2]), True
    clean = [s for s in _spared(mind) if s not in pressed]
    clean += [s for s in least(scores, mind.others) if s not in pressed and s not in clean]
    pair = (clean + mind.others)[:2]
    return min(pair), max(pair), False


def _spared(mind: Mindset) -> list[int]:
    """Whom the Minion takes for its Werewolf: it clears it, and never names it."""
    if mind.role != "minion":
        return []
    return least({s: -mind.believed[s].get("werewolf", 0.0) for s in mind.others}, mind.others)[:1]
