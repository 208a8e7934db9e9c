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
    counted = study.slots.filter(state=Slot.DONE, game__isnull=False)
    for slot in counted.select_related("game", "condition"):
        assert slot.game
        game_record = record(slot.game)
        if slot.systems:
            game_record = replace(game_record, systems=dict(enumerate(slot.systems, 1)))
        records[slot.condition.name].append(game_record)
    return records


def baseline_of(conditions: Iterable[str]) -> str:
    """Return the condition called "baseline", or else the first one, "" if there is none."""
    names = list(conditions)
    return "baseline" if "baseline" in names else next(iter(names), "")
