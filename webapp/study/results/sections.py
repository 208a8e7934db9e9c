"""Sections of a study's results: lines with estimates, and comparisons.

A line says what was measured, of whom and in which condition, and has the estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from webapp.statistics.reported_statistics import Outcome
from webapp.study.results.estimates import Groups, Observation, compare_sides, estimate
from webapp.study.results.study_rows import StudyRows

ALL = ""  # in place of a condition: all conditions together
TOGETHER, EACH, BOTH = "together", "each", "both"  # a line of all conditions, lines of each
Line = dict[str, Any]


class Section:
    """The lines and comparisons of one section.

    Attributes:
        condition: Code of a game -> its condition.
        extra: Name -> other JSON-shaped data of the section, such as counts of choices.
    """

    def __init__(self, key: str, rows: StudyRows, groups: Groups) -> None:
        self.key, self.rows, self.groups = key, rows, groups
        self.condition = {game.code: game.condition for game in rows.games}
        self.lines: list[Line] = []
        self.comparisons: list[Outcome] = []
        self.extra: dict[str, Any] = {}

    def add(
        self,
        measure: str,
        observations: Sequence[Observation],
        *,
        item: str = "",
        group: str = "",
        is_share: bool = False,
        is_tested: bool = False,
        lines: str = BOTH,
        is_always_shown: bool = False,
    ) -> None:
        """Add a line for all conditions together and, where there are several, one for each.

        Args:
            group: Whose values they are.
            is_share: Whether the values are 0 or 1.
            is_tested: Whether conditions are compared, too.
            lines: Which lines are added: TOGETHER, EACH or BOTH. With one condition, EACH adds the
                line for all.
            is_always_shown: Whether a line is added even without values.
        """
        names = {"section": self.key, "measure": measure, "item": item, "group": group}
        is_shown = bool(observations) or is_always_shown
        for condition, own in self.by_condition(observations) if is_shown else ():
            left_out = {TOGETHER: condition != ALL, EACH: condition == ALL and self.is_compared}
            if not left_out.get(lines):
                outcome = estimate(own, self.groups, is_share=is_share)
                self.lines.append({**names, "condition": condition, "share": is_share, **outcome})
        if is_tested and self.is_compared:
            sided = [
                replace(o, side=self.condition[o.game]) for o in observations if not o.in_several
            ]
            for comparison in compare_sides(sided, self.rows.conditions, self.groups):
                sides = {"condition": ALL, "of": "condition", "share": is_share}
                self.comparisons.append({**names, **sides, **comparison})

    def add_contrast(
        self, measure: str, observations: Sequence[Observation], sides: Sequence[str], item: str
    ) -> None:
        """Add the comparison of two sides within games, over all conditions and in each one."""
        names = {"section": self.key, "measure": measure, "item": item, "group": ""}
        for condition, own in self.by_condition(observations):
            for comparison in compare_sides(own, sides, self.groups):
                self.comparisons.append(
                    {**names, "condition": condition, "of": "kind", **comparison}
                )

    @property
    def is_compared(self) -> bool:
        """Whether there are several conditions."""
        return len(self.rows.conditions) > 1

    def by_condition(
        self, observations: Sequence[Observation]
    ) -> Iterable[tuple[str, Sequence[Observation]]]:
        """Yield ALL with all observations, then each of several conditions with its own."""
        yield ALL, observations
        if self.is_compared:
            for name in self.rows.conditions:
                here = [entry for entry in observations if self.condition[entry.game] == name]
                yield name, [entry for entry in here if not entry.in_several]

    def data(self) -> dict[str, Any]:
        """Return the section JSON-shaped."""
        return {"lines": self.lines, "comparisons": self.comparisons, **self.extra}


SectionBuilder = Callable[[StudyRows, Groups], Section]
