"""Whom a house player is after, whom it trusts, whom it votes for: beliefs seen through the
role's aim."""

from __future__ import annotations

from collections.abc import Mapping

from agents.heard import Heard
from agents.house.stance import Stance
from agents.scene import Scene

Table = Mapping[str, Mapping[str, float]]  # seat (as str) -> role -> probability

GUT = 0.06  # how far a gut feeling moves a probability


def suspicion(
    scene: Scene, heard: Heard, stance: Stance, brief: Mapping[str, Table]
) -> dict[int, float]:
    """seat -> how much this player wants it out, for every other seat."""
    mine, open_ = brief["private"], brief["public"]
    seats = [s for s in scene.view.state.living() if s != scene.seat]
    role = scene.view.role
    found = {}
    for seat in seats:
        own, shown = mine[str(seat)], open_[str(seat)]
        gut = GUT * stance.gut[seat - 1]
        if role == "werewolf":
            helper = own.get("minion", 0)
            score = shown.get("werewolf", 0) - 0.6 * own.get("tanner", 0) - 0.3 * helper
        elif role == "minion":
            score = shown.get("werewolf", 0) - 1.6 * own.get("werewolf", 0)
            score -= 0.4 * own.get("tanner", 0)
        elif role == "tanner":
            score = 0.5 * own.get("seer", 0) - 0.5 * shown.get("werewolf", 0)
        else:
            score = own.get("werewolf", 0) - 0.3 * own.get("tanner", 0)
        pressed = len({a.speaker for a in heard.against(seat)})
        if role in ("werewolf", "minion"):
            score += 0.03 * pressed  # it is easiest to go along
        found[seat] = score + gut
    return found


def most(scores: Mapping[int, float]) -> int:
    """The seat with the highest score; the lower seat where two are equal."""
    return max(scores, key=lambda seat: (scores[seat], -seat))


def trusted(scene: Scene, brief: Mapping[str, Table]) -> int:
    """The other seat that looks most like the village to this player, 0 where none stands out."""
    good = {}
    for seat, row in brief["private"].items():
        if int(seat) != scene.seat:
            good[int(seat)] = 1 - sum(row.get(r, 0) for r in ("werewolf", "minion", "tanner"))
    best = most(good)
    return best if good[best] > 0.72 else 0


def suspect_for_poll(scene: Scene, stance: Stance, brief: Mapping[str, Table]) -> int:
    """Whom this player really takes for the Werewolf (the Werewolf: whom it would name)."""
    table = brief["public" if scene.view.role == "werewolf" else "private"]
    return most(
        {
            int(seat): row.get("werewolf", 0) + 0.3 * GUT * stance.gut[int(seat) - 1]
            for seat, row in table.items()
            if int(seat) != scene.seat
        }
    )
