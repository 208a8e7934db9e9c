"""How much talk weighs: how likely each role says such a thing (SPEC 2.10).

The figures are ours, set so that the house player's talk is read about as it is meant; the
papers give none.
"""

from __future__ import annotations

from agents.deduction import Belief
from agents.heard import Heard
from game.engine.roles import Ruleset
from game.engine.views import View

# What is claimed -> by whom, how likely. Roles not named: OTHER.
CLAIMS: dict[str, dict[str, float]] = {
    "seer": {"seer": 0.8, "werewolf": 0.16, "minion": 0.24, "tanner": 0.2},
    "mason": {"mason": 0.8, "werewolf": 0.09, "minion": 0.1, "tanner": 0.06},
    "villager": {
        "villager": 0.75,
        "seer": 0.1,
        "mason": 0.1,
        "werewolf": 0.5,
        "minion": 0.45,
        "tanner": 0.35,
    },
    "tanner": {"tanner": 0.2, "werewolf": 0.06, "minion": 0.06},
    "werewolf": {"tanner": 0.3, "minion": 0.06},
    "minion": {"tanner": 0.2, "minion": 0.05},
}
OTHER = 0.015
LIES = ("werewolf", "minion", "tanner")


def judge(ruleset: Ruleset, view: View, heard: Heard, *, private: bool = True) -> Belief:
    """The belief that follows from the talk, and with `private` from what the viewer knows."""
    belief = Belief(tuple(ruleset.deck))
    if private:
        _facts(belief, view)
    for seat, role in heard.claims().items():
        if role in CLAIMS and not (private and seat == view.seat):
            belief.hint_by_role(seat, CLAIMS[role], OTHER)
    for seat in heard.changed():
        belief.hint_by_role(seat, dict.fromkeys(LIES, 0.6), 0.15)
    _reports(belief, view, heard, private)
    for seat, other in heard.companions().items():
        if not (private and seat == view.seat):
            both = belief.holds(seat, "mason") & belief.holds(other, "mason")
            one = belief.holds(seat, "mason") & ~belief.holds(other, "mason")
            belief.hint(both, 0.8, 0.08)
            belief.hint(one, 0.02, 1.0)
    _opinions(belief, view, heard, private)
    return belief


def _facts(belief: Belief, view: View) -> None:
    for seat, role in view.state.roles.items():
        belief.fact(belief.holds(seat, role))
    for event in view.events:
        if event.kind == "divined":
            among = belief.any_holds(event["targets"], "werewolf")
            belief.fact(among if event["found"] else ~among)


def _reports(belief: Belief, view: View, heard: Heard, private: bool) -> None:
    """A true Seer reports the truth; a liar reports anything but itself as found."""
    for seat, report in heard.reports().items():
        if private and seat == view.seat:
            continue
        among = belief.any_holds(report.targets, "werewolf")
        seer = belief.holds(seat, "seer")
        belief.hint(seer & (among != report.found), 0.002, 1.0)
        wolf = belief.holds(seat, "werewolf")
        belief.hint(wolf & (not report.found), 0.7, 1.0)


def _opinions(belief: Belief, view: View, heard: Heard, private: bool) -> None:
    """Who presses whom: villagers press the Werewolf a little more often than it presses itself."""
    pressed = {(a.speaker, t) for a in heard.acts("accuse", "vote") for t in a.targets}
    doubted = {(a.speaker, t) for a in heard.acts("suspect") for t in a.targets} - pressed
    for pairs, weight in ((pressed, 1.25), (doubted, 1.12)):
        for speaker, target in sorted(pairs):
            if not (private and speaker == view.seat):
                belief.hint(belief.holds(target, "werewolf"), weight, 1.0)
    for act in set(heard.acts("defend")):
        if not (private and act.speaker == view.seat):
            wolf = belief.holds(act.targets[0], "werewolf")
            helper = belief.holds(act.speaker, "minion")
            belief.hint(wolf & helper, 1.3, 1.0)
            belief.hint(wolf & ~helper, 0.9, 1.0)
