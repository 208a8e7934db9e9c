"""Speech acts: the parts of a statement that matter to the game (docs/house-player.md)."""

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
    "suspect",  # the speaker distrusts `targets`; `role`: the suspected role, if not the hunted
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
# Acts that other players check, count or remember: roles, results of looks, votes.
FACTS = ("claim", "deny", "retract", "companion", "report", "vote")
SIDE_SUSPICION = "side suspicion"  # the kind of a suspicion of being a helper or a loner
STRENGTH = {"suspect": 1, "accuse": 2, "vote": 3}


@dataclass(frozen=True)
class SpeechAct:
    """One speech act of `speaker`. Seats count from 1, roles are keys of the ruleset."""

    kind: Kind
    speaker: int
    targets: tuple[int, ...] = ()
    role: str = ""
    value: str = ""
    about: str = ""

    @property
    def strength(self) -> int:
        """How hard the act presses its targets: 1 doubt, 2 accusation, 3 vote, 0 other acts."""
        if self.kind == "suspect" and self.role:
            return 0  # suspected of being a helper or a loner, not the hunted one
        return STRENGTH.get(self.kind, 0)

    @property
    def result(self) -> Result:
        """Return the result that a report states."""
        return Result(self.role, tuple(sorted(self.targets)), self.value)


# (stronger kind, weaker kind) of verdicts on one player in one statement. Only the stronger counts:
# "leave Beta alone, she's just nervous" defends, "I don't believe Beta, that's a lie" accuses.
# A suspicion beside an accusation is kept, as it does no harm.
_OUTDONE_KINDS = (
    ("accuse", SIDE_SUSPICION),
    ("accuse", "disagree"),
    ("accuse", "agree"),
    ("accuse", "defend"),
    ("defend", "suspect"),
    (SIDE_SUSPICION, "suspect"),
    ("disagree", "agree"),
)


def remove_outdone(acts: Sequence[SpeechAct]) -> Iterable[SpeechAct]:
    """Yield `acts` without targets that another act judges more strongly (`_OUTDONE_KINDS`)."""
    kinds_by_target: dict[int, set[str]] = {}
    for act in acts:
        for target in act.targets:
            kinds_by_target.setdefault(target, set()).add(_verdict_kind(act))
    for act in acts:
        kind = _verdict_kind(act)
        outdone_kinds = {s for s, k in _OUTDONE_KINDS if k == kind}
        kept_targets = tuple(t for t in act.targets if not kinds_by_target[t] & outdone_kinds)
        if kept_targets == act.targets:
            yield act
        elif kept_targets:
            yield replace(act, targets=kept_targets)


def exclusion_kind(act: SpeechAct) -> str:
    """Return the kind of an act, SIDE_SUSPICION for a suspicion of a role."""
    return SIDE_SUSPICION if act.kind == "suspect" and act.role else act.kind


def _verdict_kind(act: SpeechAct) -> str:
    """Return the kind of an act as `_OUTDONE_KINDS` names it.

    Returns "" for a verdict on a role claim, which nothing outdoes: "you don't hold that role, you
    lie" means both.
    """
    return "" if act.role and act.kind in ("agree", "disagree") else exclusion_kind(act)
