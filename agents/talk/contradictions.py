"""Two verdicts on one player in one statement: the stronger is meant.

Who says "leave Beta alone, she's just nervous" defends Beta; who says "I don't believe Beta, that's
a lie" accuses, and disagrees no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.talk.acts import Act

# (what is meant, what it outdoes); a suspicion beside an accusation does no harm; "taken": a
# suspicion of being the Tanner or the Minion
_OUTDOES = (
    ("accuse", "taken"),
    ("accuse", "disagree"),
    ("accuse", "agree"),
    ("accuse", "defend"),
    ("defend", "suspect"),
    ("taken", "suspect"),
    ("disagree", "agree"),
)


def settled(acts: Sequence[Act]) -> Iterable[Act]:
    """`acts` without those that a stronger one toward the same player outdoes."""
    said: dict[int, set[str]] = {}
    for act in acts:
        for target in act.targets:
            said.setdefault(target, set()).add(_kind(act))
    for act in acts:
        kind = _kind(act)
        beaten = {s for s, k in _OUTDOES if k == kind}
        left = tuple(t for t in act.targets if not said[t] & beaten)
        if left == act.targets:
            yield act
        elif left:
            yield replace(act, targets=left)


def _kind(act: Act) -> str:
    """The kind as `_OUTDOES` names it; "" for what nothing outdoes (a role's claim is a matter of
    its own: "you're no Seer, you lie" says both)."""
    if act.kind == "suspect":
        return "suspect" if act.role in ("", "werewolf") else "taken"
    return "" if act.role and act.kind in ("agree", "disagree") else act.kind
