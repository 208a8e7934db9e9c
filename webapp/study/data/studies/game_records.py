"""Records of an experiment's games by condition, for the papers' metrics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from webapp.lab.stored_games import record
from webapp.measures.game_record import GameRecord
from webapp.study.models import Slot, Study


def records_by_condition(study: Study) -> dict[str, list[GameRecord]]:
    """Return condition's name -> the records of its games that count, in the slots' order.

    In a league the systems have the league's names. Conditions without a game have no record.
    """
    records: dict[str, list[GameRecord]] = {row.name: [] for row in study.conditions.all()}
    done = study.slots.filter(state=Slot.DONE, game__isnull=False)
    for slot in done.select_related("game", "condition"):
        assert slot.game
        found = record(slot.game)
        if slot.systems:
            found = replace(found, systems=dict(enumerate(slot.systems, 1)))
        records[slot.condition.name].append(found)
    return records


def baseline_of(conditions: Iterable[str]) -> str:
    """Return the condition called "baseline", or else the first one; "" if there is none."""
    names = list(conditions)
    return "baseline" if "baseline" in names else next(iter(names), "")
