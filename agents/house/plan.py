"""Plan of a house player for the round, in words and as part of its stance (SPEC 2.3)."""

from __future__ import annotations

from dataclasses import replace

from agents.house.mindset import Mindset
from agents.house.stance import POSE_EVASIVE, POSE_TURNCOAT, Stance
from agents.language import join_names, small_words

MIN_FRIEND_PROBABILITY = 0.85  # of the village, to be left alone
MAX_FRIENDS = 2


def build_plan_stance(m: Mindset) -> Stance:
    """Return the stance with the players whom the plan presses and leaves alone."""
    return replace(m.stance, aim=m.target if m.dialogue.said else 0, spared=tuple(_friends(m)))


def build_plan(m: Mindset) -> str:
    """Return the plan for this round, at most 80 words."""
    sentences = [_role_sentence(m, m.stance), _target_sentence(m)]
    if friends := _friends(m):
        sentences.append(_sentence("spare", names=join_names([m.view.name(s) for s in friends])))
    lookers = [s for s in m.dialogue.lookers if s != m.me]
    if m.is_villain and lookers:
        sentences.append(_sentence("looker", names=m.view.name(lookers[0])))
    if m.is_bait:
        sentences.append(_sentence("bait"))
    return " ".join(sentences)


def _sentence(key: str, **slots: object) -> str:
    """Return a sentence or part of one from `words.toml`, with its slots filled."""
    text: str = small_words()["plan"][key]
    return text.format(**slots)


def _friends(m: Mindset) -> list[int]:
    """Return the players to leave alone, none in the first round."""
    if m.round == 1:
        return []
    friends = [s for s in m.others if m.village_probability(s) > MIN_FRIEND_PROBABILITY]
    return friends[:MAX_FRIENDS]


def _role_sentence(m: Mindset, stance: Stance) -> str:
    """Return which role the player has claimed, or will claim and when."""
    if m.claimed:
        return _sentence("claimed", role=m.pack.name(m.claimed))
    when = _sentence("now") if m.round >= stance.when else _time_phrase(m, stance.when)
    return _sentence("pose", Pose=_pose_phrase(m, stance.pose).capitalize(), when=when)


def _time_phrase(m: Mindset, number: int) -> str:
    """Return when the game's round `number` is: "in round 2" or "on day 2"."""
    ruleset, state = m.decision.ruleset, m.view.state
    first = (*state.rounds, state.moment)[0].day
    if not ruleset.rounds:
        return _sentence("day", day=first + number - 1)
    days, rounds = divmod(number - 1, ruleset.rounds)
    key = "round" if ruleset.days == 1 else "round_of_day"
    return _sentence(key, round=rounds + 1, day=first + days)


def _pose_phrase(m: Mindset, pose: str) -> str:
    """Return the pose as a phrase: a role, an evasion, or a change of roles."""
    pack = m.pack
    if pose == POSE_EVASIVE:
        return _sentence("evades")
    if pose == POSE_TURNCOAT:
        return _sentence(
            "turns", plain=pack.name(pack.plain_role), looker=pack.name(pack.role("looker"))
        )
    return _sentence("poses", one=pack.one(pose))


def _target_sentence(m: Mindset) -> str:
    """Return whom the player presses and how likely it takes them for hunted."""
    if m.round == 1 and not m.dialogue.said:
        return _sentence("listen")
    wolf = _sentence("or").join(map(m.pack.one, m.pack.hunted))
    share, target = round(100 * m.hunted_probability(m.target)), m.view.name(m.target)
    return _sentence("press", target=target, wolf=wolf, share=share)
