"""Answers of the house player to the contest agent's requests (SPEC 2.7, 2.10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents import contest
from agents.claims.claim_reading import read_by_rule
from agents.claims.talk_summary import lines_by_rule
from agents.decision import Decision, Reply
from agents.faculties.guess import options
from agents.house.mindset import Mindset
from agents.house.passes import build_phrase, has_said_all
from agents.house.stance import Stance
from agents.packs import Result
from agents.personas.characters import character

MIN_CHANCE_RATIO = 1.5  # of a guessed role's probability to its frequency in the deck
MAX_LINES = 7  # of a character's description
PLAIN_HABITS = (
    "Speaks plainly, in short sentences.",
    "Says what is on the mind, and then listens.",
)


def build_contest_reply(kind: str, decision: Decision, brief: Mapping[str, Any]) -> Reply | None:
    """Return the reply to a request of the contest agent's faculties, None for other kinds."""
    match kind:
        case contest.CHARACTER:
            return {"lines": _describe_character(decision)}
        case contest.SUMMARY:
            return {"lines": lines_by_rule(decision)}
        case contest.CLAIMS:
            return {"claims": _read_claims(decision, brief[contest.CLAIMS]["turns"])}
        case contest.VOTES:
            rows = _read_claims(decision, brief[contest.VOTES]["turns"], votes=True)
            return {"votes": [row for row in rows if not row["role"]]}
        case contest.GUESS:
            return _guess(Mindset(decision, brief))
    return None


def _describe_character(decision: Decision) -> list[str]:
    """Return a description and habits of speech, from the profile or the persona."""
    persona = decision.persona
    if persona and persona.character and not decision.profile:
        written = character(persona.character)
        return [f"{written.description} Aged {written.age}.", *written.habits][:MAX_LINES]
    habits = persona.measures() if persona else []
    if profile_facts := [f"{key}: {value}" for key, value in decision.profile.items()]:
        return ["; ".join(profile_facts), *(habits or PLAIN_HABITS)][:MAX_LINES]
    return [
        (persona.summary() if persona else "") or "An ordinary person among friends.",
        *(habits or PLAIN_HABITS),
    ][:MAX_LINES]


def _read_claims(
    decision: Decision, numbers: list[int], *, votes: bool = False
) -> list[dict[str, Any]]:
    """Return the claims in the turns of these numbers, with announced votes on request."""
    turns = [turn for turn in decision.view.turns if turn.number in numbers]
    reading = read_by_rule(decision, turns, votes=votes)
    return [{"turn": int(number), **row} for number, rows in reading.items() for row in rows]


def _guess(mind: Mindset) -> Reply:
    """Return the likeliest true looker and the likeliest hunted player, if any stands out."""
    legal = options(mind.decision)
    looker = mind.pack.role("looker")
    guesses = {"looker": 0, "hunted": 0}
    for key, roles in (("looker", (looker,)), ("hunted", mind.pack.hunted)):
        candidates = [seat for seat in legal if seat not in guesses.values()]
        shares = {s: sum(mind.believed[s].get(r, 0.0) for r in roles) for s in candidates}
        best = max(shares, key=lambda seat: shares[seat], default=0)
        chance = sum(mind.pack.deck.count(r) for r in roles) / len(mind.pack.deck)
        if best and shares[best] > MIN_CHANCE_RATIO * chance:
            guesses[key] = best
    return {**guesses, "why": {}}


def apply_guess(mind: Mindset, brief: Mapping[str, Any]) -> None:
    """Make the player pose as the role of the brief's invented result, and report it."""
    if not (role := brief.get("role")):
        return
    mind.invented_look = Result(role, (brief["target"],), brief["result"])
    if not mind.claimed:
        mind.stance = replace(mind.stance, pose=role, when=1)


def build_inducing_statement(mind: Mindset, offer: Mapping[str, Any]) -> tuple[str, Stance] | None:
    """Return a statement that presses the offer's target and the stance after it.

    Returns None if the player still has other things to say.
    """
    if not offer or not (offer["last"] or has_said_all(mind)):
        return None
    text = build_phrase(mind, f"induce_{offer['manner']}", {"t": mind.view.name(offer["target"])})
    return text, replace(mind.stance, aim=offer["target"])
