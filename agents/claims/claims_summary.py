"""Steps of claims in a dialogue: those of other players, and the viewer's own story.

Steps contain seats, role keys of the deck, results and rounds, but no text of a player. Text built
from them therefore contains nothing that a player wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from agents.deduction.likelihoods import Knowledge
from agents.packs import Pack, pack_of
from agents.talk.claim_steps import ClaimStep, contested_roles, current_claims, drop_repeats
from agents.talk.dialogue import Dialogue
from agents.understanding.speech_acts import SpeechAct
from agents.understanding.statements import result_of
from game.engine.ruleset import Ruleset
from game.engine.visibility import View


def read_steps(dialogue: Dialogue) -> list[ClaimStep]:
    """Return all players' steps in a dialogue, without repeats."""
    return drop_repeats(
        step
        for statement in dialogue.said
        for act in statement.acts
        for step in stated_steps(act, dialogue.pack, statement.round, statement.day)
    )


def stated_steps(act: SpeechAct, pack: Pack, round_: int, day: int) -> Iterator[ClaimStep]:
    """Yield the steps that an act states, whatever its speaker stated before."""
    step = partial(ClaimStep, act.speaker, round_, day=day)
    role = act.role
    if act.kind in ("claim", "report", "companion") and role in pack.deck:
        yield step("role", role)
        if result := result_of(act, pack):
            yield step("look", role, result.targets, result.value)
        elif act.kind == "report" and len(act.targets) > 1:  # more targets than the look has
            yield step("look", role, act.targets, act.value)
        if act.kind == "companion" and act.targets:
            yield step("partner", role, act.targets[:1])
    elif act.kind == "retract":
        yield step("back")
    elif act.kind == "deny" and role:
        yield step("back", role)
    elif act.kind == "vote" and act.targets:
        yield step("vote", targets=act.targets[:1])


def claims_by_seat(steps: Iterable[ClaimStep], view: View) -> dict[int, list[ClaimStep]]:
    """Return seat -> steps without votes of every other player, dead or alive, [] for none."""
    claims: dict[int, list[ClaimStep]] = {
        seat: [] for seat in range(1, len(view.state.seats) + 1) if seat != view.seat
    }
    for step in steps:
        if step.seat in claims and step.kind != "vote":
            claims[step.seat].append(step)
    return claims


def contested_claims(steps: Iterable[ClaimStep], ruleset: Ruleset) -> dict[str, list[int]]:
    """Return the roles with too many claimants after these steps (`contested_roles`)."""
    return contested_roles(current_claims(steps), ruleset.deck)


def voters_by_target(steps: Iterable[ClaimStep]) -> dict[int, list[int]]:
    """Return seat -> voters whose last announced vote is for it, most voters first."""
    last_votes = {s.seat: s.targets[0] for s in steps if s.kind == "vote"}
    voters: dict[int, list[int]] = {}
    for voter, target in sorted(last_votes.items()):
        voters.setdefault(target, []).append(voter)
    return dict(sorted(voters.items(), key=lambda row: (-len(row[1]), row[0])))


def own_story(steps: Iterable[ClaimStep], view: View, ruleset: Ruleset) -> list[ClaimStep]:
    """Return the viewer's own steps, announced votes included, each with its truth."""
    knowledge = Knowledge.of(view, pack_of(ruleset))
    own = (step for step in steps if step.seat == view.seat)
    return [replace(step, is_true=is_true(step, view, knowledge)) for step in own]


def is_true(step: ClaimStep, view: View, knowledge: Knowledge) -> bool | None:
    """Return whether the viewer's own step is true, None if it is neither true nor false."""
    match step.kind:
        case "role":
            return step.role == view.role
        case "partner":
            roles = [view.state.roles.get(seat) for seat in step.targets]
            return view.role == step.role and all(role == step.role for role in roles)
        case "look":
            return step.result in knowledge.looks
    return None
