"""Pages that ask for one value in so many words: who reads them gets them right."""

from __future__ import annotations

from game.engine.seeded_random import SeededRandom
from webapp.study.instruments import Instrument
from webapp.study.models import Campaign, Unit
from webapp.study.stimuli import Drawn


def drawn(campaign: Campaign) -> list[Drawn]:
    """The checks of a campaign: each asks for one value, which every question offers."""
    asked = Instrument.of(campaign.instrument).asked_of(Unit.ATTENTION)
    low, high = max(d.min for d in asked), min(d.max for d in asked)
    draws = SeededRandom(campaign.seed)
    values = range(low, high + 1)
    if not values:
        return []
    return [
        Drawn(Unit.ATTENTION, expected=draws.choice(f"check/{n}", values))
        for n in range(campaign.attention)
    ]
