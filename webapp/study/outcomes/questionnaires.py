"""What people answered in questionnaires, by condition: means of scales, counts of choices."""

from __future__ import annotations

from collections import Counter
from typing import Any

from webapp.study.outcomes.estimates import Groups, Observation
from webapp.study.outcomes.rows import CHOICE, NUMBER, SCALE, AnswerRow, ItemRow, StudyRows
from webapp.study.outcomes.sections import ALL, Section

MEAN = "mean"


def questionnaires(rows: StudyRows, groups: Groups) -> Section:
    """An answer of no game hangs together with its participant's games: it counts where their
    first one does, and in no condition where they played in several."""
    section = Section("questionnaires", rows, groups)
    played: dict[str, list[str]] = {}
    for game in rows.games:
        for who in game.people:
            played.setdefault(who, []).append(game.code)
    choices = []
    for item in rows.items:
        own = [row for row in rows.answers if row.item == item.key]
        if item.kind in (SCALE, NUMBER):
            found = [
                Observation(
                    row.value,
                    row.game or played[row.participant][0],
                    row.participant,
                    anywhere=not row.condition,
                )
                for row in own
                if row.value is not None
            ]
            section.add(MEAN, found, item=item.key, tested=item.kind == SCALE)
        elif item.kind == CHOICE:
            choices += _counts(item, own, rows.conditions)
    section.beside["choices"] = choices
    return section


def _counts(
    item: ItemRow, own: list[AnswerRow], conditions: tuple[str, ...]
) -> list[dict[str, Any]]:
    """One row a condition: how many people answered, and how many times each option was chosen,
    in the order in which they are offered."""
    found = []
    for condition in (ALL, *(conditions if len(conditions) > 1 else ())):
        those = [row for row in own if condition in (ALL, row.condition)]
        counts = Counter(option for row in those for option in row.chosen)
        people = len({row.participant for row in those})
        found.append({"item": item.key, "condition": condition, "people": people,
                      "counts": [[option, counts[option]] for option in item.options]})  # fmt: skip
    return found
