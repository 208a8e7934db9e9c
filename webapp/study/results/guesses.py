"""How often participants identified people and roles correctly."""

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


def guesses(rows: StudyRows, groups: Groups) -> Section:
    """Return the section of guesses. A guess is one participant's about one seat.

    "Can't tell" is neither right nor wrong: it only counts in its own rate.
    """
    section = Section("guesses", rows, groups)
    for item in dict.fromkeys(row.item for row in rows.guesses):
        own = [row for row in rows.guesses if row.item == item]
        _item(section, item, own)
    section.beside["confusion"] = _confusion(section)
    return section


def _item(section: Section, item: str, own: Sequence[GuessRow]) -> None:
    decided = [row for row in own if row.guess != UNSURE]
    right = _observed(decided, "right")
    section.add(RIGHT, right, item=item, share=True, tested=True)
    if own[0].asked == HUMAN:
        for kind in KINDS:
            those = [row for row in decided if row.truth == kind]
            observed, tested = (
                _observed(those, "right"),
                kind == COMPUTER,
            )  # who is taken for a person
            section.add(RIGHT, observed, item=item, group=kind, share=True, tested=tested)
        # If nobody can tell, people are taken for people as often as computer players are.
        told_apart = [
            Observation(float(row.guess == PERSON), row.game, row.participant, row.truth)
            for row in decided
        ]
        section.contrast(TOLD_APART, told_apart, (COMPUTER, PERSON), item)
    unsure = [Observation(float(r.guess == UNSURE), r.game, r.participant) for r in own]
    if any(one.value for one in unsure):
        section.add(CANT_TELL, unsure, item=item, share=True)
    for group, hit in (("right", True), ("wrong", False)):
        with_certainty = [row for row in decided if row.sure is not None and row.right == hit]
        section.add(SURE, _observed(with_certainty, "sure"), item=item, group=group)


def _observed(rows: Sequence[GuessRow], field: str) -> list[Observation]:
    return [Observation(float(getattr(row, field)), row.game, row.participant) for row in rows]


def _confusion(section: Section) -> list[dict[str, object]]:
    """Return how often seats of each kind were taken for what, by condition."""
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
