"""Games with a Sheriff, each for one rule: what happens in them is read in their files."""

from __future__ import annotations

from collections.abc import Callable

from game.engine.forms import Action, pick
from game.engine.windows import Window
from tests.engine.playing import Round
from tests.engine.sheriff import SEER, VILLAGERS, WOLVES, all_for, calm, led


def election_tie() -> Round:
    """Two candidates get two votes each: the badge goes to the one who was drawn first."""

    def elect(window: Window, seat: int) -> Action:
        later = window.pick.options[1:]
        if seat > 4:
            return calm(window, seat)
        return pick(later[seat % 2])

    return led({"max_rounds": 1}, election=elect)


def first_night() -> Round:
    """The Sheriff that was drawn dies in the first night: the game is void."""
    return led({"election": False, "first_sheriff": "seer"}, attack=all_for(SEER))


def badge_passed() -> Round:
    """A person is the Sheriff, is voted out, and hands the badge to the highest seat that lives."""
    person = VILLAGERS[0]

    def bequeath(window: Window, seat: int) -> Action:
        return pick(window.options_for(seat)[-1])

    settings = {"election": False, "first_sheriff": "person", "max_rounds": 2}
    return led(settings, people=[person], vote=all_for(person, 0), heir=bequeath)


def guards_save() -> Round:
    """Both Werewolves choose the Seer, whom the Guard protects: nobody dies."""
    return led({"max_rounds": 1}, attack=all_for(SEER), protection=all_for(SEER))


def disagreement() -> Round:
    """The Werewolves choose two players: nobody dies. Next night they choose the same one."""
    return led({"max_rounds": 2}, attack=all_for(0, SEER))


def max_rounds() -> Round:
    """A Werewolf is voted out on each of two days.

    The second is the last day that there is, so the game ends without a winner, though no Werewolf
    is left.
    """
    return led({"max_rounds": 2}, vote=all_for(*WOLVES))


STORIES: dict[str, Callable[[], Round]] = {
    f"sheriff-{story.__name__.replace('_', '-')}": story
    for story in (election_tie, first_night, badge_passed, guards_save, disagreement, max_rounds)
}
