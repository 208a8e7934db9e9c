"""Sections of a study's results: lines with estimates, comparisons, and their labels.

A line names the measure, its item, the group of players and the condition, and has the estimate.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from webapp.statistics.reported_statistics import Outcome
from webapp.study.results.estimates import Groups, compare_sides, estimate
from webapp.study.results.study_rows import Observation, StudyRows
from webapp.study.toml_files import read_tables

Text = str | Promise
ALL_CONDITIONS = ""  # stands in place of a condition's name
# Which lines `Section.add` adds: one of all conditions together, one of each, or both.
Lines = Literal["together", "each", "both"]
EstimateLine = dict[str, Any]


class Section:
    """The lines and comparisons of one section.

    Attributes:
        condition: Code of a game -> its condition.
        extra: Other JSON-shaped data of the section by name, such as counts of choices.
    """

    def __init__(self, key: str, rows: StudyRows, groups: Groups) -> None:
        self.key, self.rows, self.groups = key, rows, groups
        self.condition = {game.code: game.condition for game in rows.games}
        self.lines: list[EstimateLine] = []
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
        lines: Lines = "both",
        is_always_shown: bool = False,
    ) -> None:
        """Add a line for all conditions together and, where there are several, one for each.

        Args:
            group: The players that have the values, such as "person" or "computer/team:village".
            is_share: Whether the values are 0 or 1.
            lines: With one condition, "each" adds the line of all conditions.
        """
        names = {"section": self.key, "measure": measure, "item": item, "group": group}
        is_shown = bool(observations) or is_always_shown
        for condition, selected in self.by_condition(observations) if is_shown else ():
            is_total = condition == ALL_CONDITIONS
            is_left_out = self.is_compared and lines == ("each" if is_total else "together")
            if not is_left_out:
                outcome = estimate(selected, self.groups, is_share=is_share)
                self.lines.append({**names, "condition": condition, "share": is_share, **outcome})
        if is_tested and self.is_compared:
            sided = [
                replace(o, side=self.condition[o.game])
                for o in observations
                if not o.has_several_conditions
            ]
            for comparison in compare_sides(sided, self.rows.conditions, self.groups):
                sides = {"condition": ALL_CONDITIONS, "of": "condition", "share": is_share}
                self.comparisons.append({**names, **sides, **comparison})

    def add_contrast(
        self, measure: str, observations: Sequence[Observation], sides: Sequence[str], item: str
    ) -> None:
        """Add the comparison of two sides within games, over all conditions and in each one."""
        names = {"section": self.key, "measure": measure, "item": item, "group": ""}
        for condition, selected in self.by_condition(observations):
            for comparison in compare_sides(selected, sides, self.groups):
                facts = {"condition": condition, "of": "kind"}
                self.comparisons.append({**names, **facts, **comparison})

    @property
    def is_compared(self) -> bool:
        """Whether there are several conditions."""
        return len(self.rows.conditions) > 1

    @property
    def shown_conditions(self) -> tuple[str, ...]:
        """ALL_CONDITIONS, and each condition if there are several."""
        return (ALL_CONDITIONS, *(self.rows.conditions if self.is_compared else ()))

    def by_condition(
        self, observations: Sequence[Observation]
    ) -> Iterable[tuple[str, Sequence[Observation]]]:
        """Yield ALL_CONDITIONS with all observations, then each of several conditions."""
        yield ALL_CONDITIONS, observations
        for name in self.shown_conditions[1:]:
            selected = (o for o in observations if self.condition[o.game] == name)
            yield name, [o for o in selected if not o.has_several_conditions]

    def to_json(self) -> dict[str, Any]:
        return {"lines": self.lines, "comparisons": self.comparisons, **self.extra}


SectionBuilder = Callable[[StudyRows, Groups], Section]


@dataclass(frozen=True)
class SectionTexts:
    """The texts of one section on pages (`sections.toml`)."""

    title: Text
    help: Text
    measures: Mapping[str, Text]  # measure -> its label
    drawn_measures: tuple[str, ...]  # those with a figure for each item
    digits: int


SECTION_TEXTS = {
    key: SectionTexts(
        title=gettext_lazy(data["title"]),
        help=gettext_lazy(data["help"]),
        measures={name: gettext_lazy(text) for name, text in data.get("measures", {}).items()},
        drawn_measures=tuple(data["drawn_measures"]),
        digits=data.get("digits", 2),
    )
    for key, data in read_tables(__file__, "sections.toml").items()
}
MEASURE_LABELS = {
    measure: label for texts in SECTION_TEXTS.values() for measure, label in texts.measures.items()
}
