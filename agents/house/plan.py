"""A house player's plan for the round, in words (SPEC 2.3); it acts on the same stance."""

from __future__ import annotations

from agents.house.mindset import TEAM, Mindset
from agents.house.stance import Stance

POSE = {
    "seer": "be taken for the Seer",
    "mason": "be taken for a Mason",
    "villager": "be taken for a Villager",
    "turncoat": "say Villager first and Seer at the end",
    "none": "give no role away",
}


def plan(m: Mindset) -> str:
    """What it means to do this round: at most 80 words."""
    parts = [_role(m, m.stance), _target(m)]
    if friends := [s for s in m.others if m.good(s) > 0.85 and m.round > 1][:2]:
        parts.append(f"Leave {_names(m, friends)} alone.")
    seers = [s for s in m.heard.claimants("seer") if s != m.me]
    if m.role in TEAM and seers:
        parts.append(f"Doubt what {_names(m, seers[:1])} claims to have seen.")
    if m.role == "tanner":
        parts.append("Draw votes, but never ask for them.")
    return " ".join(parts)


def _role(m: Mindset, stance: Stance) -> str:
    if m.claimed:
        return f"Stand by what I said: {m.claimed.title()}."
    when = "now" if m.round >= stance.when else f"in round {stance.when}"
    return f"{POSE.get(stance.pose, 'play it as it comes').capitalize()}, {when}."


def _target(m: Mindset) -> str:
    if m.round == 1 and not m.heard.said:
        return "Listen, and ask whoever says little."
    share = round(100 * m.wolf(m.target))
    return f"Press {m.view.name(m.target)} (the Werewolf at {share} %, as far as I can show)."


def _names(m: Mindset, seats: list[int]) -> str:
    return " and ".join(m.view.name(s) for s in seats)
