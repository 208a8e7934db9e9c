"""House players do not contradict their claims, looks, partners and denials.

This file plays a few games; `python -m tests.bench consistency` plays two hundred.
"""

from __future__ import annotations

from tests.agents.stories import Story, find_contradictions, play_and_find_contradictions
from tests.agents.table import NAMES, understand

GAMES = 5


def test_house_players_do_not_contradict_themselves() -> None:
    errors = [error for number in range(GAMES) for error in play_and_find_contradictions(number)]
    assert not errors, "\n".join(errors)


def test_contradictions_are_detected() -> None:
    """The detector itself can find errors."""
    for first, second in (
        ("I'm a Villager.", "I'm the Seer."),
        ("I'm the Seer. I checked Gamma and Delta, both are clean.", "I'm a Mason."),
        ("I looked at Gamma and Delta: both are clean.", "I looked at Eta and Zeta: both clean."),
        ("I'm a Mason, my partner is Gamma.", "I'm a Mason, my partner is Delta."),
        ("I'm not a Mason.", "I'm a Mason."),
    ):
        story = Story()
        assert not list(find_contradictions(story, understand(first, 1, NAMES)))
        assert list(find_contradictions(story, understand(second, 1, NAMES))), (first, second)
    story = Story()
    assert not list(find_contradictions(story, understand("I'm a Villager.", 1, NAMES)))
    back = "I take back what I said. I'm the Seer."
    assert not list(find_contradictions(story, understand(back, 1, NAMES)))
