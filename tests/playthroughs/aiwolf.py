"""Games of the contest, each for one rule: what happens in them is read in their files."""

from __future__ import annotations

from collections.abc import Callable

from game.engine.forms import Action, pick, say
from game.engine.windows import Window
from tests.engine.aiwolf import CONTEST, LARGE, OVER, SMALL, all_for, dealt, led
from tests.engine.playing import Round

ROLES, FEW = dealt(LARGE), dealt(SMALL)
WOLVES, (SEER,), (MEDIUM,) = ROLES["werewolf"], ROLES["seer"], ROLES["medium"]
VILLAGERS = ROLES["villager"]
SMALL_WOLF, (SMALL_SEER,) = FEW["werewolf"][0], FEW["seer"]


def tie_drawn() -> Round:
    """Two have equally many votes, and one of them is drawn at once."""
    return led(SMALL, {"max_day": 1, "allow_self_vote": True}, vote=_even_split)


def _even_split(window: Window, seat: int) -> Action | None:
    """The first two have two votes each; the fifth lets the time run out."""
    return None if seat == window.seats[-1] else pick(window.seats[seat % 2])


def second_ballot() -> Round:
    """After a tie all vote anew, and the second ballot alone counts."""

    def vote(window: Window, seat: int) -> Action | None:
        if window.key.endswith("again"):
            return pick(VILLAGERS[0])
        return _even_split(window, seat) if window.moment.day == 1 else pick(VILLAGERS[1])

    settings = {**CONTEST, "vote_max_count": 2, "max_day": 2}
    return led(LARGE, settings, vote=vote, attack=all_for(VILLAGERS[2], VILLAGERS[3]))


def no_vote() -> Round:
    """At a table of the contest everybody is late: nobody is voted out."""
    return led(SMALL, {**CONTEST, "max_day": 1}, vote=all_for(0), attack=all_for(0))


def guarded_attack() -> Round:
    """The Bodyguard protects the Seer, whom the Werewolves attack."""
    return led(
        LARGE, {"max_day": 1}, vote=all_for(VILLAGERS[0]), guard=all_for(SEER), attack=all_for(SEER)
    )


def wolves_disagree() -> Round:
    """Three Werewolves choose three players: one of these is drawn."""

    def attack(window: Window, seat: int) -> Action | None:
        return pick(VILLAGERS[1 + WOLVES.index(seat)])

    return led(LARGE, {"max_day": 1}, vote=all_for(VILLAGERS[0]), attack=attack)


def everybody_over() -> Round:
    """Nobody says anything but Over: each talk is one pass."""
    return led(SMALL, {"max_day": 1})


def pass_limit() -> Round:
    """All would talk four times, and the cap ends the talk after two passes."""

    def talk(window: Window, seat: int) -> Action:
        return say(f"Pass {window.moment.pass_}.")

    return led(SMALL, {"max_day": 1, "talk_per_day": 2}, statement=talk)


def skips() -> Round:
    """One Skip in a row is allowed: the second becomes Over, a silence counts as neither."""

    def talk(window: Window, seat: int) -> Action | None:
        manners: dict[int, tuple[Action | None, ...]] = {
            1: (Action("skip"), Action("skip")),
            2: (Action("skip"), say("Hello."), Action("skip"), Action("skip")),
            3: (None, None, Action("skip"), None),
        }
        return manners.get(seat, (OVER,))[window.moment.pass_ - 1]

    return led(SMALL, {"max_day": 0, "talk_max_skip": 1}, statement=talk)


def lone_werewolf() -> Round:
    """Two Werewolves are voted out: the third whispers with nobody. The Medium learns it."""
    return led(LARGE, {}, vote=all_for(*WOLVES), attack=all_for(*VILLAGERS), whisper=_whisper)


def _whisper(window: Window, seat: int) -> Action:
    return say("Listen.") if window.moment.pass_ == 1 else OVER


def equal_after_exile() -> Round:
    """Two humans are left with the Werewolf: a human is voted out, and it wins."""
    humans = [s for s in range(1, 6) if s != SMALL_WOLF]
    return led(SMALL, {}, vote=all_for(humans[0], humans[2]), attack=all_for(humans[1]))


def equal_after_attack() -> Round:
    """One attack fails. After the one of day 4 there are three Werewolves and three humans."""
    humans = [s for s in range(1, 14) if s not in WOLVES]
    order = [*VILLAGERS, *(s for s in humans if s not in VILLAGERS)]
    guard = all_for(order[1], WOLVES[0])
    attack = all_for(order[1], *order[1:8:2])
    return led(LARGE, {}, vote=all_for(*order[0:8:2]), attack=attack, guard=guard)


STORIES: dict[str, Callable[[], Round]] = {
    f"aiwolf-{story.__name__.strip('_').replace('_', '-')}": story
    for story in (
        *(tie_drawn, second_ballot, no_vote, guarded_attack, wolves_disagree, everybody_over),
        *(pass_limit, skips, lone_werewolf, equal_after_exile, equal_after_attack),
    )
}
