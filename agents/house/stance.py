"""Stance: what a house player decides once a game and then keeps, as a note of its mind.

These are the role to pose as, when to claim it, gut feelings, and a manner of speaking.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from agents.decision import Decision
from agents.language import MANNERS
from agents.language.style import manner_of
from agents.packs import Pack, Part
from agents.talk.dialogue import Dialogue

GUT_STEPS = 1000  # a gut feeling has this many steps on either side of 0
POSE_EVASIVE = "none"  # a pose that claims no role
# A pose that claims a plain role first, and a looking one in the last round.
POSE_TURNCOAT = "turncoat"
# Part of the true role -> (part to pose as, weight), unless the pack has weights for the role.
# Players of the village pose as what they are.
POSE_WEIGHTS: dict[Part, Sequence[tuple[Part, int]]] = {
    "wolf": (("plain", 8), ("looker", 1), ("mate", 1)),
    "helper": (("plain", 5), ("looker", 4), ("mate", 1)),
    "loner": (("plain", 1),),
}
# Part to pose as, or pose without a part -> weights of rounds 1, 2, 3 to claim it in.
ROUND_WEIGHTS: dict[str, Sequence[int]] = {
    "looker": (4, 6, 1),
    "mate": (3, 5, 3),
    "plain": (5, 4, 2),
    POSE_EVASIVE: (0, 0, 1),
    POSE_TURNCOAT: (1, 0, 0),
}


@dataclass(frozen=True)
class MannerHabits:
    """How a manner of speaking shapes a statement.

    Attributes:
        words: usual length of a statement.
        bonuses: beginning of the kinds of remarks -> weight added to them. They say what the player
            likes to argue from: numbers, results, conduct, or people.
    """

    words: int
    bonuses: Mapping[str, float] = field(default_factory=dict)

    def bonus(self, kind: str) -> float:
        """Return the weight added to remarks of `kind`, by the longest beginning that fits."""
        fitting = [start for start in self.bonuses if kind.startswith(start)]
        return self.bonuses[max(fitting, key=len)] if fitting else 0.0


HABITS: Mapping[str, MannerHabits] = {
    "plain": MannerHabits(
        30, {"report_": 0.8, "doubt_reported": 0.8, "doubt_left": 0.6, "lookers_lean": 0.8}
    ),
    "warm": MannerHabits(
        46,
        {"thanks": 2.0, "agreed": 2.0, "spare": 1.5, "mates_known": 1.0,
         "ask_suspect": 1.2, "doubt_gut": -1.5, "join_in": 0.8},
    ),
    "blunt": MannerHabits(
        11,
        {"ask_reason": 0.6, "ask_last_role": 1.5, "ask_role": 0.8, "disagreed": 1.0,
         "story_changed": 1.0, "doubt_at_me": 1.0, "doubt_unclaimed": 1.2, "doubt_evaded": 1.0,
         "hold": 1.0, "two_lookers": -1.0},
    ),
    "careful": MannerHabits(
        34,
        {"hold_back": 1.5, "ask_reason": 0.8, "looks_": 1.0, "many_": 1.0,
         "doubt_plain_": 1.0, "doubt_left": 1.0, "doubt_gut": -1.0},
    ),
    "wry": MannerHabits(
        26,
        {"doubt_flip": 1.4, "doubt_bare": 1.4, "doubt_pusher": 0.8, "doubt_turned": 1.2,
         "rebut_echo": 1.0, "story_changed": 1.0, "crowd": 1.5, "doubt_defender": 1.0},
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Stance:
    """Decisions of one player for a game.

    Attributes:
        pose: the role to claim, POSE_EVASIVE or POSE_TURNCOAT.
        when: the round to claim it in, from 1.
        gut: feeling toward seat n at `gut[n - 1]`, -1 to 1 (most hostile). Gut feelings
            make honest players differ and err.
        manner: manner of speaking (`agents.language.MANNERS`).
        said_keys: remarks made before, as "kind:seat", so that they are not repeated; and answered
            statements, as "met:number".
        aim: the seat to press by the plan for the round, 0 for none.
        spared: the seats to leave alone by that plan.
    """

    pose: str
    when: int
    gut: tuple[float, ...]
    manner: str
    said_keys: tuple[str, ...] = ()
    aim: int = 0
    spared: tuple[int, ...] = ()

    @property
    def habits(self) -> MannerHabits:
        """The habits of the manner of speaking."""
        return HABITS[self.manner]

    def to_note_data(self) -> dict[str, Any]:
        """Return the stance as the data of a note. Stored notes call `said_keys` `said`."""
        row = {"said" if key == "said_keys" else key: v for key, v in asdict(self).items()}
        return {key: list(v) if isinstance(v, tuple) else v for key, v in row.items()}


def load_or_draw_stance(decision: Decision, dialogue: Dialogue) -> Stance:
    """Return the stance noted in the mind, or draw one that fits the player's own claim."""
    if saved := decision.mind.latest("stance"):
        return Stance(
            pose=saved["pose"],
            when=saved["when"],
            gut=tuple(saved.get("gut", ())),
            manner=saved["manner"],
            said_keys=tuple(saved.get("said", ())),
            aim=saved.get("aim", 0),
            spared=tuple(saved.get("spared", ())),
        )
    rng, pack = decision.rng, dialogue.pack
    pose = dialogue.claims.get(decision.seat) or _choose_weighted(
        decision, "pose", _pose_weights(pack, decision.view.role)
    )
    weights = pack.data.when.get(pose) or ROUND_WEIGHTS.get(pack.part(pose) or pose, (1, 1, 1))
    rounds = [(str(number), weight) for number, weight in enumerate(weights, 1)]
    when = _choose_weighted(decision, "when", rounds)
    seats = range(1, len(decision.view.state.seats) + 1)
    gut = tuple(rng.below(f"gut/{s}", 2 * GUT_STEPS + 1) / GUT_STEPS - 1 for s in seats)
    return Stance(pose, int(when), gut, _choose_manner(decision))


def _pose_weights(pack: Pack, role: str) -> Sequence[tuple[str, int]]:
    """Return (pose, weight) for the poses open to a holder of `role`."""
    if role in pack.data.poses:
        return pack.data.poses[role]
    part = pack.part(role)
    if part in ("looker", "mate", "plain"):
        return ((role, 1),)
    open_to = POSE_WEIGHTS[part] if part else ()
    return [(pack.role(p), w) for p, w in open_to if pack.role(p)] or [(POSE_EVASIVE, 1)]


def _choose_manner(decision: Decision) -> str:
    """Return the persona's manner or a drawn one, "plain" at a table of plain speech."""
    if decision.has_plain_speech:
        return MANNERS[0]
    return (
        manner_of(decision.persona) if decision.persona else decision.rng.choice("manner", MANNERS)
    )


def _choose_weighted(decision: Decision, purpose: str, options: Sequence[tuple[str, int]]) -> str:
    """Draw one of `options`, pairs of an option and its weight."""
    bag = [key for key, weight in options for _ in range(weight)]
    return decision.rng.choice(purpose, bag)
