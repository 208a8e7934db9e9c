"""Speech acts: the little of what was said that the game turns on. `docs/house-player.md` lists
them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "claim",  # the speaker says it is `role`
    "deny",  # the speaker says it is not `role`
    "companion",  # the speaker says it and `targets` share `role`
    "report",  # the speaker says it looked at `targets`; `found`: the Werewolf is among them
    "accuse",  # `targets` is evil or lies
    "suspect",  # the speaker distrusts `targets`
    "defend",  # `targets` is honest, or not the Werewolf
    "vote",  # the speaker will vote for `targets`
    "question",  # something is asked of `targets`
]


@dataclass(frozen=True)
class Act:
    """One speech act of `speaker`; seats count from 1."""

    kind: Kind
    speaker: int
    targets: tuple[int, ...] = ()
    role: str = ""
    found: bool = False
