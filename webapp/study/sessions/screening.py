"""Screening of participants who have less experience with the game than the study requires."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.study.design import instruments
from webapp.study.design.instruments import Option
from webapp.study.design.stages import BackgroundStage
from webapp.study.models import Participant
from webapp.study.sessions.participant_state import Step

INSTRUMENT, ITEM = "background", "experience"


def experience_levels(frozen_instruments: Mapping[str, Any]) -> tuple[Option, ...]:
    """Return the levels of experience with the game from none (0), as the study opened."""
    instrument = instruments.resolve(INSTRUMENT, frozen_instruments)
    return next(item.options for item in instrument.items if item.key == ITEM)


def is_below_required_experience(participant: Participant, step: Step) -> bool:
    """Return whether the experience stated at this background stage is below its minimum.

    A missing answer is below any minimum except 0. Other stages have no minimum.
    """
    if not isinstance(step.stage, BackgroundStage) or not step.stage.least_experience:
        return False
    rows = participant.responses.filter(step=step.key, instrument=INSTRUMENT, item=ITEM)
    keys = [option.key for option in experience_levels(participant.study.instruments_at_opening)]
    experience = rows.values_list("choice", flat=True).first()
    return experience not in keys or keys.index(experience) < step.stage.least_experience
