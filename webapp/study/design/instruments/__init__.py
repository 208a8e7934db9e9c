"""Instruments: questions for raters and participants (docs/instruments.md).

`items` and `instrument` have their classes, `built_in` the instruments that Fabula offers.
"""

from webapp.study.design.instruments.built_in import (
    PARTICIPANT_KEYS,
    blank_instrument,
    for_participants,
    for_raters,
    get,
    resolve,
    why_not_askable,
)
from webapp.study.design.instruments.instrument import Instrument
from webapp.study.design.instruments.items import Dimension, Item, Option

__all__ = [
    "PARTICIPANT_KEYS", "Dimension", "Instrument", "Item", "Option", "blank_instrument",
    "for_participants", "for_raters", "get", "resolve", "why_not_askable",
]  # fmt: skip
