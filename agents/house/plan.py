"""A house player's plan for the round, in words (SPEC 2.3); it acts on the same stance."""

from __future__ import annotations

from dataclasses import replace

from agents.house.stance import EVADES, TURNS, Stance
from agents.house.suspicion import Mindset


def aimed(m: Mindset) -> Stance:
    """Return the stance with what the plan is about: whom it presses, whom it leaves alone."""
    return replace(m.stance, aim=m.target if m.dialogue.said else 0, spared=tuple(_friends(m)))


def plan(m: Mindset) -> str:
    """Return what it means to do this round: at most 80 words."""
    parts = [_role(m, m.stance), _target(m)]
    if friends := _friends(m):
        parts.append(f"Leave {_names(m, friends)} alone.")
    lookers = [s for s in m.dialogue.lookers if s != m.me]
    if m.villain and lookers:
        parts.append(f"Doubt what {_names(m, lookers[:1])} claims to have seen.")
    if m.bait:
        parts.append("Draw votes, but never ask for them.")
    return " ".join(parts)


def _friends(m: Mindset) -> list[int]:
    return [s for s in m.others if m.good(s) > 0.85 and m.round > 1][:2]


def _role(m: Mindset, stance: Stance) -> str:
    if m.claimed:
        return f"Stand by what I said: {m.pack.name(m.claimed)}."
    when = "now" if m.round >= stance.when else _round(m, stance.when)
    return f"{_pose(m, stance.pose).capitalize()}, {when}."


def _round(m: Mindset, number: int) -> str:
    """Return when the game's round `number` comes: "in round 2" or "on day 2"."""
    ruleset, state = m.decision.ruleset, m.view.state
    first = (*state.rounds, state.moment)[0].day
    if not ruleset.rounds:
        return f"on day {first + number - 1}"
    days, rounds = divmod(number - 1, ruleset.rounds)
    return f"in round {rounds + 1}{'' if ruleset.days == 1 else f' on day {first + days}'}"


def _pose(m: Mindset, pose: str) -> str:
    pack = m.pack
    if pose == EVADES:
        return "give no role away"
    if pose == TURNS:
        return f"say {pack.name(pack.plain)} first and {pack.name(pack.role('looker'))} at the end"
    return f"be taken for {pack.one(pose)}"


def _target(m: Mindset) -> str:
    if m.round == 1 and not m.dialogue.said:
        return "Listen, and ask whoever says little."
    share, wolf = round(100 * m.wolf(m.target)), " or ".join(map(m.pack.one, m.pack.hunted))
    return f"Press {m.view.name(m.target)} ({wolf} at {share} %, as far as I can show)."


def _names(m: Mindset, seats: list[int]) -> str:
    return " and ".join(m.view.name(s) for s in seats)
