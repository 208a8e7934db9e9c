"""Titles, help and labels of the sections of a study's results, for pages, tables and figures.

A new section needs an entry here and its builder in `study_results.SECTIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


@dataclass(frozen=True)
class SectionTexts:
    """What readers see of one section.

    Attributes:
        measures: Measure -> its label. A measure without one is labelled by its questions.
        drawn_measures: The measures with a figure for each item, in the order of the figures.
        digits: Decimal places of values on pages.
    """

    title: Text
    help: Text
    measures: Mapping[str, Text] = field(default_factory=dict)
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
