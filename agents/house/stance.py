"""A stance: what a house player decides once a game (whom to pose as, when to say so, a gut
feeling about everyone, a manner of speaking), and then keeps. It is a note of its mind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agents.heard import Heard
from agents.house.style import manner_of
from agents.scene import Scene

# True role -> (role to pose as, weight). "turncoat": a Villager first, the Seer in the last round.
POSES: dict[str, Sequence[tuple[str, int]]] = {
    "seer": (("seer", 1),),
    "mason": (("mason", 1),),
    "villager": (("villager", 1),),
    "werewolf": (("villager", 8), ("seer", 1), ("mason", 1)),
    "minion": (("villager", 5), ("seer", 4), ("mason", 1)),
    "tanner": (("mason", 6), ("none", 4), ("turncoat", 2)),
}
# Pose -> in which round it is told, with weights for rounds 1, 2, 3.
WHEN: dict[str, Sequence[int]] = {
    "seer": (4, 6, 1),
    "mason": (3, 5, 3),
    "villager": (5, 4, 2),
    "none": (0, 0, 1),
    "turncoat": (1, 0, 0),
}
MANNERS = ("plain", "warm", "blunt", "careful", "wry")


@dataclass(frozen=True)
class Stance:
    """pose: the role to claim ("none": evade). when: the round to claim it in.

    gut: a feeling toward seat n at `gut[n - 1]`, -1..1: it makes honest players differ and err.
    said: what has been argued before, as "kind:seat"; one does not repeat oneself.
    """

    pose: str
    when: int
    gut: tuple[float, ...]
    manner: str
    said: tuple[str, ...] = ()

    def data(self) -> dict[str, Any]:
        return {**asdict(self), "gut": list(self.gut), "said": list(self.said)}


def stance_of(scene: Scene, heard: Heard) -> Stance:
    """The stance kept in the mind, or a new one that fits what was said already."""
    if kept := scene.mind.latest("stance"):
        said = tuple(kept.get("said", ()))
        return Stance(kept["pose"], kept["when"], tuple(kept["gut"]), kept["manner"], said)
    draws = scene.draws
    role = scene.view.role
    pose = heard.claims.get(scene.seat) or _weighted(scene, "pose", POSES.get(role, (("none", 1),)))
    rounds = WHEN.get(pose, (1, 1, 1))
    when = _weighted(scene, "when", [(str(i), w) for i, w in enumerate(rounds, 1)])
    seats = range(1, len(scene.view.state.seats) + 1)
    gut = tuple(draws.below(f"gut/{s}", 2001) / 1000 - 1 for s in seats)
    return Stance(pose, int(when), gut, _manner(scene))


def _manner(scene: Scene) -> str:
    """The persona's, or one that is drawn; "plain" where the table asked for plain speech."""
    if scene.plain:
        return MANNERS[0]
    return manner_of(scene.persona) if scene.persona else scene.draws.choice("manner", MANNERS)


def _weighted(scene: Scene, purpose: str, options: Sequence[tuple[str, int]]) -> str:
    bag = [key for key, weight in options for _ in range(weight)]
    return scene.draws.choice(purpose, bag)
