"""Speech acts: the little of what was said that the game turns on.

`docs/house-player.md` lists them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agents.packs import Result

Kind = Literal[
    "claim",  # the speaker says it holds `role`
    "deny",  # the speaker says it does not hold `role`
    "retract",  # the speaker takes back what it claimed before (`role`, "" where it isn't named)
    "companion",  # the speaker says it and `targets` share `role`
    "report",  # the speaker says it looked at `targets` as `role` does, and learnt `value`
    "accuse",  # `targets` is hunted, or lies
    "suspect",  # the speaker distrusts `targets`; `role`: what it takes them for, if not the hunted
    "defend",  # `targets` is honest, or not hunted
    "vote",  # the speaker will vote for `targets`
    "agree",  # what `targets` said is right; `role`: the claim that is believed
    "disagree",  # what `targets` said is wrong
    "question",  # something is asked of `targets`; `about`: role, suspect, result, reason or ""
    "propose",  # what `role` should do; `about`: speak or wait
    "prey",  # whispered: `targets` are to be attacked at night
    "spare",  # whispered: `targets` are to be left alive
    "unread",  # the statement exceeds the limits of the understanding
]
# What the others check, count or remember: who holds what, who saw what, who votes for whom.
FACTS = ("claim", "deny", "retract", "companion", "report", "vote")
STRENGTH = {"suspect": 1, "accuse": 2, "vote": 3}


@dataclass(frozen=True)
class SpeechAct:
    """One speech act of `speaker`.

    Seats count from 1, roles are keys of the ruleset.
    """

    kind: Kind
    speaker: int
    targets: tuple[int, ...] = ()
    role: str = ""
    value: str = ""
    about: str = ""

    @property
    def strength(self) -> int:
        """How hard it presses its targets: 1 doubt, 2 accusation, 3 vote.

        Returns 0 for other acts.
        """
        if self.kind == "suspect" and self.role:
            return 0  # taken for a helper or a loner: nobody's candidate for the hunted one
        return STRENGTH.get(self.kind, 0)

    @property
    def result(self) -> Result:
        """Return what a report tells."""
        return Result(self.role, tuple(sorted(self.targets)), self.value)


# Of two verdicts on one player in one statement the stronger is meant: who says "leave Beta alone,
# she's just nervous" defends Beta; who says "I don't believe Beta, that's a lie" accuses, and
# disagrees no more. (what is meant, what it outdoes); a suspicion beside an accusation does no
# harm; "taken": suspected of being a helper or a loner.
_OUTDOES = (
    ("accuse", "taken"),
    ("accuse", "disagree"),
    ("accuse", "agree"),
    ("accuse", "defend"),
    ("defend", "suspect"),
    ("taken", "suspect"),
    ("disagree", "agree"),
)


def settled(acts: Sequence[SpeechAct]) -> Iterable[SpeechAct]:
    """Return `acts` without those that a stronger one toward the same player outdoes."""
    kinds_by_target: dict[int, set[str]] = {}
    for act in acts:
        for target in act.targets:
            kinds_by_target.setdefault(target, set()).add(_kind(act))
    for act in acts:
        kind = _kind(act)
        beaten = {s for s, k in _OUTDOES if k == kind}
        left = tuple(t for t in act.targets if not kinds_by_target[t] & beaten)
        if left == act.targets:
            yield act
        elif left:
            yield replace(act, targets=left)


def _kind(act: SpeechAct) -> str:
    """Return the kind as `_OUTDOES` names it.

    Returns "" for what nothing outdoes (a role's claim is a matter of its own: "you don't hold that
    role, you lie" says both).
    """
    if act.kind == "suspect":
        return "taken" if act.role else "suspect"
    return "" if act.role and act.kind in ("agree", "disagree") else act.kind
