"""Sheriff games for one rule each. Their JSON files record the events."""

from __future__ import annotations

from collections.abc import Callable

from game.engine.forms import Action, pick
from game.engine.windows import Window
from tests.engine.playing import GameRun
from tests.engine.sheriff import SEER, VILLAGERS, WOLVES, all_for, calm, run


def election_tie() -> GameRun:
    """Two candidates get two votes each, and the badge goes to the one drawn first."""

    def elect(window: Window, seat: int) -> Action:
        later = window.pick.options[1:]
        if seat > 4:
            return calm(window, seat)
        return pick(later[seat % 2])

    return run({"max_rounds": 1}, election=elect)


def first_night() -> GameRun:
    """The drawn Sheriff dies in the first night, so the game is void."""
    return run({"election": False, "first_sheriff": "seer"}, attack=all_for(SEER))


def badge_passed() -> GameRun:
    """A person is the exiled Sheriff and passes the badge to the highest living seat."""
    person = VILLAGERS[0]

    def bequeath(window: Window, seat: int) -> Action:
        return pick(window.options_for(seat)[-1])

    settings = {"election": False, "first_sheriff": "person", "max_rounds": 2}
    return run(settings, people=[person], vote=all_for(person, 0), heir=bequeath)


def guards_save() -> GameRun:
    """Both Werewolves choose the Seer, whom the Guard protects."""
    return run({"max_rounds": 1}, attack=all_for(SEER), protection=all_for(SEER))


def disagreement() -> GameRun:
    """The Werewolves disagree in night 1 and agree in night 2."""
    return run({"max_rounds": 2}, attack=all_for(0, SEER))


def max_rounds() -> GameRun:
    """Both Werewolves are exiled in two days.

    The day limit ends the game without a winner, although no Werewolf is left.
    """
    return run({"max_rounds": 2}, vote=all_for(*WOLVES))


STORIES: dict[str, Callable[[], GameRun]] = {
    f"sheriff-{story.__name__.replace('_', '-')}": story
    for story in (election_tie, first_night, badge_passed, guards_save, disagreement, max_rounds)
}
