"""The section of guesses: how often participants identified people and roles correctly."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.study.results.estimates import Groups, Observation
from webapp.study.results.sections import ALL, Section
from webapp.study.results.study_rows import (
    COMPUTER,
    HUMAN,
    PERSON,
    RIGHT,
    TOLD_APART,
    UNSURE,
    GuessRow,
    StudyRows,
)

CANT_TELL, SURE = "unsure", "sure"
KINDS = (PERSON, COMPUTER)
GUESSES = (PERSON, COMPUTER, UNSURE)


def guess_section(rows: StudyRows, groups: Groups) -> Section:
    """Return the section of guesses. A guess is by one participant about one seat.

    "Can't tell" is neither right nor wrong: it counts only in its own rate.
    """
    section = Section("guesses", rows, groups)
    for item in dict.fromkeys(row.item for row in rows.guesses):
        own = [row for row in rows.guesses if row.item == item]
        _add_item(section, item, own)
    section.extra["confusion"] = _confusion_rows(section)
    return section


def _add_item(section: Section, item: str, own: Sequence[GuessRow]) -> None:
    decided = [row for row in own if row.guess != UNSURE]
    right = _observations(decided, "is_right")
    section.add(RIGHT, right, item=item, is_share=True, is_tested=True)
    if own[0].asked == HUMAN:
        for kind in KINDS:
            right = _observations([row for row in decided if row.truth == kind], "is_right")
            # Conditions are compared by how often computer players are recognised.
            section.add(
                RIGHT, right, item=item, group=kind, is_share=True, is_tested=kind == COMPUTER
            )
        # If they cannot be distinguished, both kinds are taken for people equally often.
        told_apart = [
            Observation(float(row.guess == PERSON), row.game, row.participant, row.truth)
            for row in decided
        ]
        section.add_contrast(TOLD_APART, told_apart, (COMPUTER, PERSON), item)
    unsure = [Observation(float(r.guess == UNSURE), r.game, r.participant) for r in own]
    if any(observation.value for observation in unsure):
        section.add(CANT_TELL, unsure, item=item, is_share=True)
    for group, is_right in (("right", True), ("wrong", False)):
        with_certainty = [r for r in decided if r.sure is not None and r.is_right == is_right]
        section.add(SURE, _observations(with_certainty, "sure"), item=item, group=group)


def _observations(rows: Sequence[GuessRow], field: str) -> list[Observation]:
    return [Observation(float(getattr(row, field)), row.game, row.participant) for row in rows]


def _confusion_rows(section: Section) -> list[dict[str, object]]:
    """Return the counts of each guess by item, condition and true kind."""
    rows = section.rows
    table_rows = []
    several = rows.conditions if len(rows.conditions) > 1 else ()
    for item in dict.fromkeys(row.item for row in rows.guesses if row.asked == HUMAN):
        for condition in (ALL, *several):
            for truth in KINDS:
                guesses_of_cell = [
                    row.guess
                    for row in rows.guesses
                    if (row.item, row.truth) == (item, truth)
                    and condition in (ALL, section.condition[row.game])
                ]
                counts = {guess: guesses_of_cell.count(guess) for guess in GUESSES}
                table_rows.append({"item": item, "condition": condition, "truth": truth, **counts})
    return table_rows
