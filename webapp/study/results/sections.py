"""A line of the results: what was measured, of whom, in which condition, with its estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from webapp.statistics.reported_statistics import Outcome
from webapp.study.results.estimates import Groups, Observation, compare_sides, estimate
from webapp.study.results.study_rows import StudyRows

ALL = ""  # in the place of a condition: all of them together
TOGETHER, EACH, BOTH = "together", "each", "both"  # lines: of all conditions, of each one
Line = dict[str, Any]


class Section:
    """The lines and comparisons of one section, and whatever is counted beside them."""

    def __init__(self, key: str, rows: StudyRows, groups: Groups) -> None:
        self.key, self.rows, self.groups = key, rows, groups
        self.condition = {game.code: game.condition for game in rows.games}
        self.lines: list[Line] = []
        self.comparisons: list[Outcome] = []
        self.beside: dict[str, Any] = {}

    def add(
        self,
        measure: str,
        observations: Sequence[Observation],
        *,
        item: str = "",
        group: str = "",
        share: bool = False,
        tested: bool = False,
        lines: str = BOTH,
        always: bool = False,
    ) -> None:
        """Add a line for all conditions together and, where there are several, one for each.

        Args:
            group: Of whom it is.
            tested: Whether conditions are compared, too.
            lines: Which lines are added: TOGETHER, EACH or BOTH. EACH has the line for all where
                there are no several conditions.
            always: Whether a line without a value is added.
        """
        of = {"section": self.key, "measure": measure, "item": item, "group": group}
        for condition, those in self.by_condition(observations) if observations or always else ():
            left_out = {TOGETHER: condition != ALL, EACH: condition == ALL and self.is_compared}
            if not left_out.get(lines):
                outcome = estimate(those, self.groups, share=share)
                self.lines.append({**of, "condition": condition, "share": share, **outcome})
        if tested and self.is_compared:
            sided = [
                replace(o, side=self.condition[o.game]) for o in observations if not o.anywhere
            ]
            for one in compare_sides(sided, self.rows.conditions, self.groups):
                of_sides = {"condition": ALL, "of": "condition", "share": share}
                self.comparisons.append({**of, **of_sides, **one})

    def contrast(
        self, measure: str, observations: Sequence[Observation], sides: Sequence[str], item: str
    ) -> None:
        """Two sides within games, over all conditions and, beside that test, in each."""
        of = {"section": self.key, "measure": measure, "item": item, "group": ""}
        for condition, those in self.by_condition(observations):
            for one in compare_sides(those, sides, self.groups):
                self.comparisons.append({**of, "condition": condition, "of": "kind", **one})

    @property
    def is_compared(self) -> bool:
        """Whether there are several conditions."""
        return len(self.rows.conditions) > 1

    def by_condition(
        self, observations: Sequence[Observation]
    ) -> Iterable[tuple[str, Sequence[Observation]]]:
        yield ALL, observations
        if self.is_compared:
            for name in self.rows.conditions:
                here = [one for one in observations if self.condition[one.game] == name]
                yield name, [one for one in here if not one.anywhere]

    def data(self) -> dict[str, Any]:
        """Return it JSON-shaped."""
        return {"lines": self.lines, "comparisons": self.comparisons, **self.beside}


Maker = Callable[[StudyRows, Groups], Section]
