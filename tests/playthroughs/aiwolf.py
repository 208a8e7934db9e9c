"""Contest games for one rule each. Their JSON files record the events."""

from __future__ import annotations

from collections.abc import Callable

from game.engine.events import Action, pick, say
from game.engine.windows import Window
from tests.engine.aiwolf import CONTEST, LARGE, OVER, SMALL, all_for, run, seats_by_role
from tests.engine.playing import GameRun

ROLES, FEW = seats_by_role(LARGE), seats_by_role(SMALL)
WOLVES, (SEER,), (MEDIUM,) = ROLES["werewolf"], ROLES["seer"], ROLES["medium"]
VILLAGERS = ROLES["villager"]
SMALL_WOLF, (SMALL_SEER,) = FEW["werewolf"][0], FEW["seer"]


def tie_drawn() -> GameRun:
    """A tied vote is decided by a draw at once."""
    return run(SMALL, {"max_day": 1, "allow_self_vote": True}, vote=_even_split)


def _even_split(window: Window, seat: int) -> Action | None:
    """The first two seats get two votes each, and the fifth seat times out."""
    return None if seat == window.seats[-1] else pick(window.seats[seat % 2])


def second_ballot() -> GameRun:
    """After a tie there is a second ballot, and only it counts."""

    def vote(window: Window, seat: int) -> Action | None:
        if window.key.endswith("again"):
            return pick(VILLAGERS[0])
        return _even_split(window, seat) if window.moment.day == 1 else pick(VILLAGERS[1])

    settings = {**CONTEST, "vote_max_count": 2, "max_day": 2}
    return run(LARGE, settings, vote=vote, attack=all_for(VILLAGERS[2], VILLAGERS[3]))


def no_vote() -> GameRun:
    """All votes of a contest game time out, so no player is out."""
    return run(SMALL, {**CONTEST, "max_day": 1}, vote=all_for(0), attack=all_for(0))


def guarded_attack() -> GameRun:
    """The Bodyguard protects the Seer, whom the Werewolves attack."""
    return run(
        LARGE, {"max_day": 1}, vote=all_for(VILLAGERS[0]), guard=all_for(SEER), attack=all_for(SEER)
    )


def wolves_disagree() -> GameRun:
    """Three Werewolves choose three players, and one of these is drawn."""

    def attack(window: Window, seat: int) -> Action | None:
        return pick(VILLAGERS[1 + WOLVES.index(seat)])

    return run(LARGE, {"max_day": 1}, vote=all_for(VILLAGERS[0]), attack=attack)


def everybody_over() -> GameRun:
    """All players say Over at once, so each talk is one pass."""
    return run(SMALL, {"max_day": 1})


def pass_limit() -> GameRun:
    """All players would talk four times, but the limit ends the talk after two passes."""

    def talk(window: Window, seat: int) -> Action:
        return say(f"Pass {window.moment.pass_}.")

    return run(SMALL, {"max_day": 1, "talk_per_day": 2}, statement=talk)


def skips() -> GameRun:
    """A second Skip in a row becomes Over. A timeout counts as neither."""

    def talk(window: Window, seat: int) -> Action | None:
        manners: dict[int, tuple[Action | None, ...]] = {
            1: (Action("skip"), Action("skip")),
            2: (Action("skip"), say("Hello."), Action("skip"), Action("skip")),
            3: (None, None, Action("skip"), None),
        }
        return manners.get(seat, (OVER,))[window.moment.pass_ - 1]

    return run(SMALL, {"max_day": 0, "talk_max_skip": 1}, statement=talk)


def lone_werewolf() -> GameRun:
    """After two exiled Werewolves the third has no whispers. The Medium learns the roles."""
    return run(LARGE, {}, vote=all_for(*WOLVES), attack=all_for(*VILLAGERS), whisper=_whisper)


def _whisper(window: Window, seat: int) -> Action:
    return say("Listen.") if window.moment.pass_ == 1 else OVER


def equal_after_exile() -> GameRun:
    """The Werewolf wins when one of the last two humans is voted out."""
    humans = [s for s in range(1, 6) if s != SMALL_WOLF]
    return run(SMALL, {}, vote=all_for(humans[0], humans[2]), attack=all_for(humans[1]))


def equal_after_attack() -> GameRun:
    """One attack fails. After the attack of day 4 three Werewolves face three humans."""
    humans = [s for s in range(1, 14) if s not in WOLVES]
    order = [*VILLAGERS, *(s for s in humans if s not in VILLAGERS)]
    guard = all_for(order[1], WOLVES[0])
    attack = all_for(order[1], *order[1:8:2])
    return run(LARGE, {}, vote=all_for(*order[0:8:2]), attack=attack, guard=guard)


STORIES: dict[str, Callable[[], GameRun]] = {
    f"aiwolf-{story.__name__.strip('_').replace('_', '-')}": story
    for story in (
        *(tie_drawn, second_ballot, no_vote, guarded_attack, wolves_disagree, everybody_over),
        *(pass_limit, skips, lone_werewolf, equal_after_exile, equal_after_attack),
    )
}
