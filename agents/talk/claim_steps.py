"""Steps of players' claims: a claimed role, a reported look, a withdrawal, an announced vote.

`agents.claims.claim_reading` reads the steps in a dialogue. This module reads no text, so a web
process can import it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from agents.packs import Result

StepKind = Literal["role", "partner", "look", "back", "vote"]


@dataclass(frozen=True)
class ClaimStep:
    """One step of a player's claims."""

    seat: int
    round: int  # round of talk, from 1, over all days
    # `role` (claims `role`), `partner` (shares `role` with `targets`), `look` (as `role`, looked at
    # `targets` and got the answer `value`), `back` (withdraws the claim of `role`), `vote`
    # (announces a vote for `targets`).
    kind: StepKind
    role: str = ""
    targets: tuple[int, ...] = ()
    value: str = ""
    # Whether the claim is true, as the claimant knows. None for claims of other players.
    is_true: bool | None = None
    # Day of the round. It follows from the round, so comparisons ignore it.
    day: int = field(default=0, compare=False)

    @property
    def result(self) -> Result:
        return Result(self.role, self.targets, self.value)

    @property
    def repeat_key(self) -> tuple[object, ...]:
        """Key that two equal steps of one player share."""
        return self.kind, self.role, self.targets, self.value


def drop_repeats(steps: Iterable[ClaimStep]) -> list[ClaimStep]:
    """Return the steps that say something new, oldest first.

    A step is new again after it was withdrawn, and an announced vote is new on another day. A step
    `back` needs a claim of its role; without a role it withdraws any claim.
    """
    new_steps: list[ClaimStep] = []
    claims: dict[int, str] = {}  # seat -> the role it claims
    # Seat -> the keys of its valid steps.
    stated_by_seat: defaultdict[int, set[tuple[object, ...]]] = defaultdict(set)
    day = 0
    for step in steps:
        if day != (day := step.day):
            for stated in stated_by_seat.values():
                stated -= {key for key in stated if key[0] == "vote"}
        claimed_role, stated = claims.get(step.seat, ""), stated_by_seat[step.seat]
        if step.kind == "back":
            if claimed_role and step.role in ("", claimed_role):
                new_steps.append(replace(step, role=claimed_role))
                stated.clear()
                del claims[step.seat]
            continue
        if step.repeat_key in stated or (step.kind == "role" and step.role == claimed_role):
            continue
        new_steps.append(step)
        if step.kind == "role":
            claims[step.seat] = step.role
        if step.kind in ("role", "vote"):  # the step replaces the one before
            stated -= {key for key in stated if key[0] == step.kind}
        stated.add(step.repeat_key)
    return new_steps


def current_claims(steps: Iterable[ClaimStep]) -> dict[int, str]:
    """Return seat -> the role it claims after these steps."""
    claims: dict[int, str] = {}
    for step in steps:
        if step.kind == "back":
            claims.pop(step.seat, None)
        elif step.kind == "role":
            claims[step.seat] = step.role
    return claims


def contested_roles(claims: Mapping[int, str], deck: Sequence[str]) -> dict[str, list[int]]:
    """Return role -> seats that claim it, for roles with more claimants than the deck holds."""
    claimants = {role: sorted(s for s, r in claims.items() if r == role) for role in deck}
    return {role: seats for role, seats in claimants.items() if len(seats) > deck.count(role)}
