"""Methods of agents, and recipes: what one agent is made of, as data that tables store."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from agents import contest
from agents.decision import Decision, Faculty, Switch
from agents.faculties.conversation import ConversationFaculty, SharingFaculty
from agents.faculties.favor import FavorFaculty
from agents.faculties.guard import GuardFaculty
from agents.faculties.guess import GuessFaculty
from agents.faculties.inducing import InducingFaculty
from agents.faculties.judgement import JudgementFaculty, StrategyFaculty
from agents.faculties.memory import MemoryFaculty
from agents.faculties.persona import CharacterFaculty, PersonaFaculty
from agents.faculties.reliability import ReliabilityFaculty
from agents.faculties.talk_reading import (
    AnalysisFaculty,
    ClaimsFaculty,
    PatternsFaculty,
    SummaryFaculty,
)
from agents.model_catalog import HOUSE
from agents.personas.big_five import Persona
from agents.personas.styles import GUARD
from agents.reliability_scale import FACULTY as RELIABILITY

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
HUMANIZED_SOURCE = "Humanized, Table 3"
COMBINED_SOURCE = "ours: another combination of Humanized's three switches"
# How much of the talk a model's request holds:
# - whole: all of it
# - paper: the last round, the current one, and what memory retrieves (SPEC 2.4)
# - evidence: as numbered lines, today's and those cited as evidence (SPEC 2.6)
# - summary: the current round, and a summary of the earlier talk (SPEC 2.7)
CONTEXTS = ("whole", "paper", "evidence", "summary")
MAX_TEMPERATURE = 2  # The highest temperature of a model's answers. The lowest is 0.
# Keys of `Recipe.backends` besides kinds of requests:
OFFICE = "office"  # the backend while the seat holds a badge (SPEC 2.9)
WEAKER = "weaker"  # the backend for an answer that the usual one failed to give (SPEC 2.8)
# Switches that older stored recipes have as fields: name -> stored value -> current value. A value
# that is not listed is unchanged.
STORED_FIELDS: dict[str, dict[Any, str]] = {"sorting": {True: "on", False: "off"}, "reasoning": {}}


class BadRecipe(LookupError):
    """A recipe names something that does not exist. The message lists the known names."""


@dataclass(frozen=True)
class Method:
    """A method of playing."""

    # The method's faculties except judgement, which every agent has, and memory.
    own_faculties: tuple[str, ...]
    source: str  # the paper and section that describe the method
    context: str = "whole"  # the default context of the method's recipes, one of CONTEXTS
    has_memory: bool = True  # whether the method retrieves earlier statements (SPEC 2.4)

    @property
    def faculties(self) -> tuple[str, ...]:
        """Faculty names in the order they prepare: memory reads the notes of favor."""
        return (*self.own_faculties, "judgement", *(["memory"] if self.has_memory else []))

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The switches of its faculties."""
        return tuple(s for name in self.faculties for s in FACULTIES[name].switches)

    @property
    def switch_defaults(self) -> dict[str, str]:
        """Name -> default value of its switches."""
        return {switch.name: switch.default for switch in self.switches}


@dataclass(frozen=True)
class Recipe:
    """Recipe of one seat's agent."""

    backend: str = HOUSE  # name of the backend that answers the agent's requests
    method: str = "full"  # key of METHODS
    persona: Persona | None = None
    # Kind of request, OFFICE or WEAKER -> another backend for it.
    backends: Mapping[str, str] = field(default_factory=dict)
    # The temperature of a model's answers. None: the backend's own.
    temperature: float | None = None
    context: str = ""  # one of CONTEXTS, "" for the method's own
    # Whether the built-in player speaks without a voice or a habit of form. Models ignore it.
    has_plain_speech: bool = False
    switches: Mapping[str, str] = field(default_factory=dict)  # values that differ from the default
    # A contest table's profile: age, gender, personality. A method with a character reads it.
    profile: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise BadRecipe(_unknown_name("method", self.method, METHODS))
        if not self.context:
            object.__setattr__(self, "context", METHODS[self.method].context)
        if self.context not in CONTEXTS:
            raise BadRecipe(_unknown_name("context", self.context, CONTEXTS))
        _check_switches(self.switches, self.method)
        defaults = METHODS[self.method].switch_defaults
        changed = {name: v for name, v in self.switches.items() if v != defaults[name]}
        object.__setattr__(self, "switches", changed)

    @property
    def faculties(self) -> tuple[str, ...]:
        """Faculty names in the order they prepare."""
        return METHODS[self.method].faculties

    @property
    def switch_values(self) -> dict[str, str]:
        """Name -> value of all switches that the method has."""
        return METHODS[self.method].switch_defaults | dict(self.switches)

    @property
    def has_preparations(self) -> bool:
        """Whether the agent may have notes to prepare when a round opens."""
        return any(FACULTIES[name].can_prepare for name in self.faculties)

    def with_method(self, method: str, switches: Mapping[str, str] | None = None) -> Self:
        """Return the recipe with another method, and `switches` set.

        The recipe keeps those of its switches that the method has, and its context, unless that
        was the default of the old method.
        """
        if method not in METHODS:
            raise BadRecipe(_unknown_name("method", method, METHODS))
        known = METHODS[method].switch_defaults
        kept_switches = {name: value for name, value in self.switches.items() if name in known}
        context = "" if self.context == METHODS[self.method].context else self.context
        switches = {**kept_switches, **(switches or {})}
        return replace(self, method=method, context=context, switches=switches)

    def cast(self, seed: str, character: str = "") -> Self:
        """Return the recipe with a persona if the method needs one and it has none.

        The persona is the written character with the key `character`, else its scores are drawn by
        `seed`. The words that express scores are drawn by `seed`, too.
        """
        if self.persona or "persona" not in self.faculties:
            return self
        persona = Persona.of_character(character, seed) if character else Persona.draw(seed)
        return replace(self, persona=persona)

    def backend_for(self, kind: str, decision: Decision | None = None) -> str:
        """Return the name of the backend that answers requests of a kind.

        If the seat may hold a badge, the answer depends on `decision`, which the request is for.
        """
        office = self.backends.get(OFFICE)
        if office and decision and decision.seat in decision.view.state.badges.values():
            return office
        return self.backends.get(kind, self.backend)

    def built_in(self) -> Self:
        """Return the same agent with the built-in house player as its backend."""
        return replace(self, backend=HOUSE, backends={})

    def data(self) -> dict[str, Any]:
        """Return the recipe, JSON-shaped, without fields that have their default."""
        data: dict[str, Any] = {"backend": self.backend, "method": self.method}
        if self.backends:
            data["backends"] = dict(self.backends)
        if self.temperature is not None:
            data["temperature"] = self.temperature
        if self.context != METHODS[self.method].context:
            data["context"] = self.context
        if self.switches:
            data["switches"] = dict(self.switches)
        if self.has_plain_speech:
            data["plain"] = True
        if self.profile:
            data["profile"] = dict(self.profile)
        return {**data, "persona": self.persona.data()} if self.persona else data

    @classmethod
    def of(cls, data: dict[str, Any]) -> Self:
        """Build a recipe from stored `data`. Empty data is the house player without a persona."""
        persona = data.get("persona")
        office = {OFFICE: data[OFFICE]} if data.get(OFFICE) else {}  # a field of older recipes
        return cls(
            backend=data.get("backend", cls.backend),
            method=data.get("method", cls.method),
            persona=Persona.of(persona) if persona else None,
            backends={**data.get("backends", {}), **office},
            temperature=data.get("temperature"),
            context=data.get("context", cls.context),
            has_plain_speech=bool(data.get("plain", cls.has_plain_speech)),
            switches={**_stored_switches(data), **data.get("switches", {})},
            profile=dict(data.get("profile", {})),
        )


# In order: the five methods of Humanized, the other combinations of its three switches (SPEC 2.5),
# that of Helmsman, the contest agent of Impressions, and the guarded agent of Guarded with the
# agent that the paper compares it with, `vanilla`.
METHODS: dict[str, Method] = {
    "baseline": Method((), HUMANIZED_SOURCE),
    "b5p": Method(("persona",), HUMANIZED_SOURCE),
    "favor": Method(("favor",), HUMANIZED_SOURCE),
    "strategy": Method(("strategy",), HUMANIZED_SOURCE),
    "full": Method(("persona", "favor", "strategy"), HUMANIZED_SOURCE),
    "b5p+favor": Method(("persona", "favor"), COMBINED_SOURCE),
    "b5p+strategy": Method(("persona", "strategy"), COMBINED_SOURCE),
    "favor+strategy": Method(("favor", "strategy"), COMBINED_SOURCE),
    # The context `evidence` holds all evidence, so this method needs no memory.
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


def _stored_switches(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the switches that older recipes stored as fields, if their method has them."""
    method = METHODS.get(data.get("method", Recipe.method))
    known = method.switch_defaults if method else {}
    return {
        name: values.get(data[name], data[name])
        for name, values in STORED_FIELDS.items()
        if name in data and name in known
    }


def _check_switches(chosen: Mapping[str, str], method: str) -> None:
    """Raise BadRecipe if the method lacks a chosen switch, or that switch the chosen value."""
    switches = {switch.name: switch for switch in METHODS[method].switches}
    for name, value in chosen.items():
        if name not in switches:
            names = ", ".join(switches) or "none"
            raise BadRecipe(f"method {method!r} has no switch {name!r}; known: {names}")
        if value not in switches[name].values:
            values = ", ".join(switches[name].values)
            raise BadRecipe(f"switch {name!r} can't be {value!r}; known: {values}")


def _unknown_name(subject: str, name: str, names: Iterable[str]) -> str:
    return f"unknown {subject} {name!r}; known: {', '.join(names)}"


def parse_switches(texts: Iterable[str]) -> dict[str, str]:
    """Parse texts of the form NAME=VALUE, or raise BadRecipe, also for a repeated name."""
    chosen: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise BadRecipe(f"{text!r} is no switch; write NAME=VALUE")
        if name in chosen:
            raise BadRecipe(f"switch {name!r} is given twice: keep one")
        chosen[name] = value
    return chosen
