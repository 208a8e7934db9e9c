"""The paper's scores of a whole game (Humanized G.1 to G.3), and their critics.

Each criterion has its own critic, who knows the true roles and reasons before the score. Decimals
are possible.
"""

from dataclasses import dataclass

from webapp.study.toml_files import read_tables

LOW, HIGH = 1.0, 10.0  # ends of the scale


@dataclass(frozen=True)
class Criterion:
    """One score of a game."""

    key: str
    label: str
    question: str
    persona: str  # default persona of the criterion's critic
    low: str = ""  # the poles of its scale, "" if the score is computed from lists
    high: str = ""


_CRITICS = read_tables(__file__, "criteria.toml")
RATER_PERSONA: str = _CRITICS["rater_persona"]
CRITERIA = tuple(Criterion(**fields) for fields in _CRITICS["criteria"])
# Scores that are computed from the lists of a judge.
LIST_CRITERIA = tuple(Criterion(**fields) for fields in _CRITICS["list_criteria"])
VARIATION, MEMORABILITY = "variation", "memorability"  # their keys
