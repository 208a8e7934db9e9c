"""Claims of other players and the viewer's own story, read by rule from the talk.

Rows hold seats, role keys of the deck, results and rounds, but no words of a player. Text built
from them therefore contains nothing that a player wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agents.claim_steps import ClaimStep, claim_steps
from agents.dialogue import Dialogue
from agents.likelihoods import Knowledge
from agents.packs import pack_of
from game.engine.ruleset import Ruleset
from game.engine.visibility import View


def steps_of(view: View, ruleset: Ruleset) -> list[ClaimStep]:
    """Return all players' steps in the talk that `view` contains (`claim_steps`)."""
    return claim_steps(Dialogue.of(view, pack_of(ruleset)))


def claimed(steps: Iterable[ClaimStep], view: View) -> dict[int, list[ClaimStep]]:
    """Return seat -> claims of every other player, dead or alive, [] for no claims."""
    rows: dict[int, list[ClaimStep]] = {
        seat: [] for seat in range(1, len(view.state.seats) + 1) if seat != view.seat
    }
    for step in steps:
        if step.seat in rows and step.kind != "vote":
            rows[step.seat].append(step)
    return rows


def standing(steps: Iterable[ClaimStep]) -> dict[int, str]:
    """Return seat -> its claimed role after these steps."""
    claims: dict[int, str] = {}
    for step in steps:
        if step.kind == "back":
            claims.pop(step.seat, None)
        elif step.kind == "role":
            claims[step.seat] = step.role
    return claims


def contested(steps: Iterable[ClaimStep], ruleset: Ruleset) -> dict[str, list[int]]:
    """Return the roles with too many claimants after these steps (`contested_roles`)."""
    return contested_roles(standing(steps), ruleset.deck)


def contested_roles(claims: Mapping[int, str], deck: Sequence[str]) -> dict[str, list[int]]:
    """Return role -> seats that claim it, for roles with more claimants than the deck holds."""
    claimants = {role: sorted(s for s, r in claims.items() if r == role) for role in deck}
    return {role: seats for role, seats in claimants.items() if len(seats) > deck.count(role)}


def announced(steps: Iterable[ClaimStep]) -> dict[int, list[int]]:
    """Return seat -> voters whose last announced vote is for it, in order of seats.

    Seats with the most votes come first.
    """
    last = {s.seat: s.targets[0] for s in steps if s.kind == "vote"}
    voters_by_target: dict[int, list[int]] = {}
    for voter, target in sorted(last.items()):
        voters_by_target.setdefault(target, []).append(voter)
    return dict(sorted(voters_by_target.items(), key=lambda row: (-len(row[1]), row[0])))


def own_story(steps: Iterable[ClaimStep], view: View, ruleset: Ruleset) -> list[ClaimStep]:
    """Return the viewer's own steps, announced votes included, each with its truth."""
    knowledge = Knowledge.of(view, pack_of(ruleset))
    own = (step for step in steps if step.seat == view.seat)
    return [replace(step, true=_true(step, view, knowledge)) for step in own]


def _true(step: ClaimStep, view: View, knowledge: Knowledge) -> bool | None:
    """Check whether the viewer knows its own step to be true.

    Returns None for steps that are neither true nor false.
    """
    match step.kind:
        case "role":
            return step.role == view.role
        case "partner":
            roles = [view.state.roles.get(seat) for seat in step.targets]
            return view.role == step.role and all(role == step.role for role in roles)
        case "look":
            return step.result in knowledge.looks
    return None
