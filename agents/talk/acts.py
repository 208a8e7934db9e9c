"""Speech acts: the little of what was said that the game turns on. `docs/house-player.md` lists
them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "claim",  # the speaker says it holds `role`
    "deny",  # the speaker says it does not hold `role`
    "retract",  # the speaker takes back what it claimed before (`role`, "" where it isn't named)
    "companion",  # the speaker says it and `targets` share `role`
    "report",  # the speaker says it looked at `targets`; `found`: the Werewolf is among them
    "accuse",  # `targets` is the Werewolf, or lies
    "suspect",  # the speaker distrusts `targets`; `role`: what it takes them for
    "defend",  # `targets` is honest, or not the Werewolf
    "vote",  # the speaker will vote for `targets`
    "agree",  # what `targets` said is right; `role`: the claim that is believed
    "disagree",  # what `targets` said is wrong
    "question",  # something is asked of `targets`; `about`: role, suspect, result, reason or ""
    "propose",  # what `role` (seer, mason) should do; `about`: speak or wait
]
# What the others check, count or remember: who holds what, who saw what, who votes for whom.
FACTS = ("claim", "deny", "retract", "companion", "report", "vote")
STRENGTH = {"suspect": 1, "accuse": 2, "vote": 3}


@dataclass(frozen=True)
class Act:
    """One speech act of `speaker`; seats count from 1."""

    kind: Kind
    speaker: int
    targets: tuple[int, ...] = ()
    role: str = ""
    found: bool = False
    about: str = ""

    @property
    def strength(self) -> int:
        """How hard it presses its targets: 1 doubt, 2 accusation, 3 vote; 0 for other acts."""
        if self.kind == "suspect" and self.role not in ("", "werewolf"):
            return 0  # taken for the Tanner or the Minion: nobody's candidate for the Werewolf
        return STRENGTH.get(self.kind, 0)
