"""Methods of agents: which faculties work together, and from which paper."""

from __future__ import annotations

from dataclasses import dataclass

from agents import contest
from agents.faculties import Faculty
from agents.faculties.character import CharacterFaculty
from agents.faculties.claims import AnalysisFaculty, ClaimsFaculty, PatternsFaculty
from agents.faculties.favor import FavorFaculty
from agents.faculties.guard import GuardFaculty
from agents.faculties.guess import GuessFaculty
from agents.faculties.inducing import ConversationFaculty, InducingFaculty
from agents.faculties.judgement import JudgementFaculty
from agents.faculties.memory import MemoryFaculty
from agents.faculties.persona import PersonaFaculty
from agents.faculties.reliability import ReliabilityFaculty
from agents.faculties.sharing import SharingFaculty
from agents.faculties.strategy import StrategyFaculty
from agents.faculties.summary import SummaryFaculty
from agents.personas.styles import GUARD
from agents.reliability_scale import FACULTY as RELIABILITY
from agents.switches import Switch

_FACULTIES: tuple[Faculty, ...] = (
    PersonaFaculty(),
    FavorFaculty(),
    StrategyFaculty(),
    JudgementFaculty(),
    ReliabilityFaculty(),
    MemoryFaculty(),
    CharacterFaculty(),
    ClaimsFaculty(),
    PatternsFaculty(),
    SummaryFaculty(),
    GuessFaculty(),
    SharingFaculty(),
    InducingFaculty(),
    ConversationFaculty(),
    AnalysisFaculty(),
    GuardFaculty(),
)
FACULTIES: dict[str, Faculty] = {faculty.name: faculty for faculty in _FACULTIES}


@dataclass(frozen=True)
class Method:
    """A method of playing.

    Attributes:
        own_faculties: its faculties without judgement, which every agent has, and memory.
        source: the paper and section that describe it.
        context: how much of the talk a request holds, one of `agents.recipe.CONTEXTS`.
        has_memory: whether it retrieves earlier statements (SPEC 2.4).
    """

    own_faculties: tuple[str, ...]
    source: str
    context: str = "whole"
    has_memory: bool = True

    @property
    def faculties(self) -> tuple[str, ...]:
        """Faculty names in the order they prepare: memory reads the notes of favor."""
        return (*self.own_faculties, "judgement", *(["memory"] if self.has_memory else []))

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The switches of its faculties."""
        return tuple(s for name in self.faculties for s in FACULTIES[name].switches)


HUMANIZED = "Humanized, Table 3"
COMBINED = "ours: another combination of Humanized's three switches"

# In order: the five of Humanized, the other combinations of its three switches (SPEC 2.5),
# Helmsman's, the contest agent of Impressions, and Guarded's agent with its comparison, `vanilla`.
METHODS: dict[str, Method] = {
    "baseline": Method((), HUMANIZED),
    "b5p": Method(("persona",), HUMANIZED),
    "favor": Method(("favor",), HUMANIZED),
    "strategy": Method(("strategy",), HUMANIZED),
    "full": Method(("persona", "favor", "strategy"), HUMANIZED),
    "b5p+favor": Method(("persona", "favor"), COMBINED),
    "b5p+strategy": Method(("persona", "strategy"), COMBINED),
    "favor+strategy": Method(("favor", "strategy"), COMBINED),
    # Its context holds all evidence, so it needs no memory.
    "helmsman": Method((RELIABILITY,), "Helmsman 3.1", "evidence", has_memory=False),
    "contest": Method(
        (
            *("persona", contest.CHARACTER, contest.CLAIMS, contest.PATTERNS, contest.SUMMARY),
            *(contest.GUESS, contest.SHARING, contest.INDUCING, contest.CONVERSATION),
        ),
        "Impressions 6, 7 and A.4 to A.11",
        "summary",
        has_memory=False,
    ),
    "guarded": Method(("persona", contest.ANALYSIS, GUARD), "Guarded 4", has_memory=False),
    "vanilla": Method((), "Guarded 5", has_memory=False),
}
