"""Sections of a study's results: lines with estimates, comparisons, and their labels.

A line names the measure, its item, the group of players and the condition, and has the estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from webapp.statistics.reported_statistics import Outcome
from webapp.study.results.estimates import Groups, compare_sides, estimate
from webapp.study.results.study_rows import Observation, StudyRows

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
    """The texts of one section on pages."""

    title: Text
    help: Text
    # Measure -> its label. The lines of a measure without one have its questions.
    measures: Mapping[str, Text] = field(default_factory=dict)
    # The measures with a figure for each item, in the order of the figures.
    drawn_measures: tuple[str, ...] = ()
    digits: int = 2


SECTION_TEXTS = {
    "guesses": SectionTexts(
        _("Guesses of who is human"),
        _(
            "Whether each guess was right. “I can’t tell” is a category of its own. Guesses about a"
            " player who was replaced by a computer player are counted separately."
        ),
        {
            "right": _("Correct guesses"),
            "unsure": _("Can’t tell"),
            "sure": _("Confidence"),
            "told_apart": _("Identified as human"),
        },
        ("right",),
    ),
    "questionnaires": SectionTexts(
        _("Questionnaires"),
        _(
            "The mean answer, on the scale of the question. Answers count if they were submitted,"
            " or entered when the time ran out."
        ),
        drawn_measures=("mean",),
    ),
    "endings": SectionTexts(
        _("Winning and survival"),
        _("Shares of seats. Seats with a replacement player are excluded."),
        {"won": _("Won"), "survived": _("Survived to the end")},
        ("won", "survived"),
    ),
    "votes": SectionTexts(
        _("Correct votes"),
        _(
            "For each player who must find opponents: the share of their final ballots of each day"
            " that named an opponent. Abstentions and randomly drawn votes are excluded."
        ),
        {"accurate": _("Correct votes")},
        ("accurate",),
    ),
    "leadership": SectionTexts(
        _("Influence of the Sheriff"),
        _(
            "Ratio: trust in the Sheriff, divided by the mean trust among the others. DC: the share"
            " of the others who changed their vote to the Sheriff’s once the Sheriff had spoken."
            " Both are for the participant on days with another Sheriff, and for the computer"
            " players on days when the participant was the Sheriff; in an experiment, on all days."
        ),
        {
            "ratio": _("Ratio"),
            "dc": _("DC, decisions changed"),
            "correlation": _("Correlation of scores, participants and computer players"),
        },
        ("ratio", "dc", "correlation"),
        digits=3,
    ),
}
MEASURE_LABELS = {
    measure: label for texts in SECTION_TEXTS.values() for measure, label in texts.measures.items()
}
