"""How much talk weighs: how likely each role says such a thing (SPEC 2.10).

The figures are ours, set so that the house player's talk is read about as it is meant; the
papers give none. A clue is a plain tuple, so its weights over the deals are computed once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from agents.deduction import Belief, Deals, Logs, deals
from agents.heard import Heard
from game.engine.views import View

Clue = tuple[str, int, tuple[int | str, ...]]  # (kind, whose words, what)
Table = dict[int, dict[str, float]]  # seat -> role -> probability

# What is claimed -> by whom, how likely. Roles not named: OTHER.
CLAIMS: dict[str, dict[str, float]] = {
    "seer": {"seer": 0.9, "werewolf": 0.18, "minion": 0.4, "tanner": 0.35},
    "mason": {"mason": 0.8, "werewolf": 0.1, "minion": 0.06, "tanner": 0.14},
    "villager": {
        "villager": 0.8,
        "seer": 0.04,
        "mason": 0.04,
        "werewolf": 0.68,
        "minion": 0.5,
        "tanner": 0.35,
    },
    "tanner": {"tanner": 0.2, "werewolf": 0.08, "minion": 0.06},
    "werewolf": {"tanner": 0.3, "minion": 0.08},
    "minion": {"tanner": 0.15, "minion": 0.05, "werewolf": 0.03},
}
OTHER = 0.015
CHANGED = {"werewolf": 0.25, "minion": 0.25, "tanner": 0.6}
LIES = ("werewolf", "minion", "tanner")
FOUND_BY_LIARS = {True: 0.4, False: 0.55}  # how often a made-up look finds, or clears
KEEP_BELOW = 20_000  # deals: 80 kB a clue in the one-night game


@dataclass(frozen=True)
class Known:
    """What a seat knows for certain, or would if its story were true.

    roles: (seat, role); looks: (seats looked at, whether the Werewolf is among them).
    """

    seat: int
    roles: tuple[tuple[int, str], ...]
    looks: tuple[tuple[tuple[int, ...], bool], ...] = ()

    @classmethod
    def of(cls, view: View) -> Known:
        """What `view`'s own seat knows."""
        looks = [
            (tuple(e["targets"]), bool(e["found"]))
            for e in view.events
            if e.kind == "divined" and "found" in e.data
        ]
        return cls(view.seat, tuple(sorted(view.state.roles.items())), tuple(looks))


def clues(heard: Heard) -> tuple[Clue, ...]:
    """What the talk says about the deal, in a fixed order."""
    found: list[Clue] = [("claim", s, (r,)) for s, r in heard.claims.items() if r in CLAIMS]
    found += [("changed", seat, ()) for seat in heard.changed]
    found += [("report", s, (*sorted(r.targets), r.found)) for s, r in heard.reports.items()]
    found += [("companion", s, (other,)) for s, other in heard.companions.items()]
    found += [("unclaimed", seat, ()) for seat in _no_rival(heard)]
    for act in heard.acts("suspect", "accuse", "vote"):
        found += [("presses", act.speaker, (t,)) for t in act.targets if act.strength]
    for act in heard.acts("defend"):
        found += [("defends", act.speaker, (t,)) for t in act.targets]
    return tuple(sorted(set(found), key=repr))


def _no_rival(heard: Heard) -> set[int]:
    """Seats that heard somebody claim the Seer and did not object: hardly the Seer."""
    open_to: set[int] = set()
    quiet: set[int] = set()
    for said in heard.said:
        if open_to - {said.seat} and heard.claims.get(said.seat) != "seer":
            quiet.add(said.seat)
        if heard.claims.get(said.seat) == "seer" and any(
            a.kind == "report" or a.role == "seer" for a in said.acts
        ):
            open_to.add(said.seat)
    return quiet


def judge(deck: tuple[str, ...], known: Known, found: tuple[Clue, ...]) -> Table:
    """seat -> role -> probability, for one who knows `known` and heard `found`.

    A seat's own words tell it nothing, so they are left out.
    """
    belief = Belief(deck)
    for seat, role in known.roles:
        belief.fact(belief.deals.holds(seat, role))
    for targets, hit in known.looks:
        among = belief.deals.any_holds(targets, "werewolf")
        belief.fact(among if hit else ~among)
    for clue in found:
        if clue[1] != known.seat:
            belief.clue(_weights(deck, clue))
    return belief.probabilities()


def _weights(deck: tuple[str, ...], clue: Clue) -> Logs:
    """The log-likelihood of `clue` in every deal; kept where the deck is small enough."""
    return (_kept if len(deals(deck).rows) <= KEEP_BELOW else _weigh)(deck, clue)


def _weigh(deck: tuple[str, ...], clue: Clue) -> Logs:
    logs = _WEIGH[clue[0]](deals(deck), clue[1], *clue[2])
    logs.setflags(write=False)
    return logs


_kept = lru_cache(maxsize=600)(_weigh)


def _claim(all_: Deals, seat: int, role: str) -> Logs:
    return all_.by_role(seat, CLAIMS[role], OTHER)


def _changed(all_: Deals, seat: int) -> Logs:
    return all_.by_role(seat, CHANGED, 0.04)


def _unclaimed(all_: Deals, seat: int) -> Logs:
    return all_.by_role(seat, {"seer": 0.2}, 1.0)


def _report(all_: Deals, seat: int, a: int, b: int, found: bool) -> Logs:
    """A true Seer tells what the deal makes of its pair; a liar finds or clears as it likes."""
    wrong = all_.any_holds((a, b), "werewolf") != found
    true = np.where(wrong, np.log(0.002), 0.0)
    return np.where(all_.holds(seat, "seer"), true, np.log(FOUND_BY_LIARS[found]))


def _companion(all_: Deals, seat: int, other: int) -> Logs:
    mason, mate = all_.holds(seat, "mason"), all_.holds(other, "mason")
    return np.where(mason & mate, 0.0, np.where(mason, np.log(0.01), np.log(0.12)))


def _presses(all_: Deals, seat: int, target: int) -> Logs:
    """The village presses the Werewolf a little more often; Masons spare each other."""
    wolf, helper = all_.holds(target, "werewolf"), all_.holds(seat, "minion")
    masons = all_.holds(seat, "mason") & all_.holds(target, "mason")
    return np.where(masons, np.log(0.1), np.where(wolf, np.where(helper, -0.1, np.log(1.15)), 0.0))


def _defends(all_: Deals, seat: int, target: int) -> Logs:
    wolf, helper = all_.holds(target, "werewolf"), all_.holds(seat, "minion")
    return np.where(wolf, np.where(helper, np.log(1.3), np.log(0.85)), 0.0)


_WEIGH: dict[str, Callable[..., Logs]] = {
    "claim": _claim,
    "changed": _changed,
    "unclaimed": _unclaimed,
    "report": _report,
    "companion": _companion,
    "presses": _presses,
    "defends": _defends,
}
