"""A stance: what a house player decides once a game (whom to pose as, when to say so, a gut
feeling about everyone, a manner of speaking), and then keeps. It is a note of its mind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agents.decision import Decision
from agents.language import MANNERS
from agents.language.style import manner_of
from agents.packs import Pack, Part
from agents.talk.dialogue import Dialogue

EVADES = "none"  # names no role
TURNS = "turncoat"  # a plain role first, a looker's in the last round
# Part of the true role -> (part to pose as, weight), where a pack doesn't say. Who is of the
# village poses as what it is.
POSES: dict[Part, Sequence[tuple[Part, int]]] = {
    "wolf": (("plain", 8), ("looker", 1), ("mate", 1)),
    "helper": (("plain", 5), ("looker", 4), ("mate", 1)),
    "loner": (("plain", 1),),
}
# Part posed as, or way of posing -> in which round it is told: weights for rounds 1, 2, 3.
WHEN: dict[str, Sequence[int]] = {
    "looker": (4, 6, 1),
    "mate": (3, 5, 3),
    "plain": (5, 4, 2),
    EVADES: (0, 0, 1),
    TURNS: (1, 0, 0),
}


@dataclass(frozen=True)
class Stance:
    """pose: the role to claim, EVADES or TURNS. when: the round to claim it in.

    gut: a feeling toward seat n at `gut[n - 1]`, -1..1: it makes honest players differ and err.
    said_keys: what has been argued before, as "kind:seat"; one does not repeat oneself; and which
    statements were answered, as "met:number". aim, spared: whom its plan for the round is to press,
    and to leave alone.
    """

    pose: str
    when: int
    gut: tuple[float, ...]
    manner: str
    said_keys: tuple[str, ...] = ()
    aim: int = 0
    spared: tuple[int, ...] = ()

    def data(self) -> dict[str, Any]:
        """Return the stance as the data of a note, which calls the keys of remarks `said`."""
        row = {"said" if key == "said_keys" else key: v for key, v in asdict(self).items()}
        return {key: list(v) if isinstance(v, tuple) else v for key, v in row.items()}


def stance_of(decision: Decision, dialogue: Dialogue) -> Stance:
    """Return the stance kept in the mind, or a new one that fits what was said already."""
    if saved := decision.mind.latest("stance"):
        gut, said_keys, spared = (tuple(saved.get(key, ())) for key in ("gut", "said", "spared"))
        words = (saved["pose"], saved["when"], gut, saved["manner"])
        return Stance(*words, said_keys, saved.get("aim", 0), spared)
    rng, pack = decision.rng, dialogue.pack
    pose = dialogue.claims.get(decision.seat) or _weighted(
        decision, "pose", _poses(pack, decision.view.role)
    )
    rounds = pack.data.when.get(pose) or WHEN.get(pack.part(pose) or pose, (1, 1, 1))
    when = _weighted(decision, "when", [(str(i), w) for i, w in enumerate(rounds, 1)])
    seats = range(1, len(decision.view.state.seats) + 1)
    gut = tuple(rng.below(f"gut/{s}", 2001) / 1000 - 1 for s in seats)
    return Stance(pose, int(when), gut, _manner(decision))


def _poses(pack: Pack, role: str) -> Sequence[tuple[str, int]]:
    """Return what a holder of `role` may pose as, with weights."""
    if role in pack.data.poses:
        return pack.data.poses[role]
    part = pack.part(role)
    if part in ("looker", "mate", "plain"):
        return ((role, 1),)
    open_to = POSES[part] if part else ()
    return [(pack.role(p), w) for p, w in open_to if pack.role(p)] or [(EVADES, 1)]


def _manner(decision: Decision) -> str:
    """Return the persona's, or one that is drawn.

    "plain" where the table asked for plain speech.
    """
    if decision.has_plain_speech:
        return MANNERS[0]
    return (
        manner_of(decision.persona) if decision.persona else decision.rng.choice("manner", MANNERS)
    )


def _weighted(decision: Decision, purpose: str, options: Sequence[tuple[str, int]]) -> str:
    bag = [key for key, weight in options for _ in range(weight)]
    return decision.rng.choice(purpose, bag)
