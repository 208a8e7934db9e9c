"""A house player's plan for the round, in words (SPEC 2.3); it acts on the same stance."""

from __future__ import annotations

from dataclasses import replace

from agents.house.mindset import Mindset
from agents.house.stance import EVADES, TURNS, Stance
from agents.language import join_names, small_words


def aimed(m: Mindset) -> Stance:
    """Return the stance with what the plan is about: whom it presses, whom it leaves alone."""
    return replace(m.stance, aim=m.target if m.dialogue.said else 0, spared=tuple(_friends(m)))


def plan(m: Mindset) -> str:
    """Return what it means to do this round: at most 80 words."""
    parts = [_role(m, m.stance), _target(m)]
    if friends := _friends(m):
        parts.append(_say("spare", names=join_names([m.view.name(s) for s in friends])))
    lookers = [s for s in m.dialogue.lookers if s != m.me]
    if m.villain and lookers:
        parts.append(_say("looker", names=m.view.name(lookers[0])))
    if m.bait:
        parts.append(_say("bait"))
    return " ".join(parts)


def _say(key: str, **filling: object) -> str:
    text: str = small_words()["plan"][key]
    return text.format(**filling)


def _friends(m: Mindset) -> list[int]:
    return [s for s in m.others if m.good(s) > 0.85 and m.round > 1][:2]


def _role(m: Mindset, stance: Stance) -> str:
    if m.claimed:
        return _say("claimed", role=m.pack.name(m.claimed))
    when = _say("now") if m.round >= stance.when else _round(m, stance.when)
    return _say("pose", Pose=_pose(m, stance.pose).capitalize(), when=when)


def _round(m: Mindset, number: int) -> str:
    """Return when the game's round `number` comes: "in round 2" or "on day 2"."""
    ruleset, state = m.decision.ruleset, m.view.state
    first = (*state.rounds, state.moment)[0].day
    if not ruleset.rounds:
        return _say("day", day=first + number - 1)
    days, rounds = divmod(number - 1, ruleset.rounds)
    key = "round" if ruleset.days == 1 else "round_of_day"
    return _say(key, round=rounds + 1, day=first + days)


def _pose(m: Mindset, pose: str) -> str:
    pack = m.pack
    if pose == EVADES:
        return _say("evades")
    if pose == TURNS:
        return _say(
            "turns", plain=pack.name(pack.plain_role), looker=pack.name(pack.role("looker"))
        )
    return _say("poses", one=pack.one(pose))


def _target(m: Mindset) -> str:
    if m.round == 1 and not m.dialogue.said:
        return _say("listen")
    wolf = _say("or").join(map(m.pack.one, m.pack.hunted))
    share, target = round(100 * m.wolf(m.target)), m.view.name(m.target)
    return _say("press", target=target, wolf=wolf, share=share)
