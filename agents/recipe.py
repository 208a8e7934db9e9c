"""Recipe of an agent, as data: its backend, its faculties and its persona."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents.big_five import Persona
from agents.decision import Decision
from agents.reliability_scale import FACULTY

# Method -> faculties besides judgement, which every agent has, and memory, which agents without
# reliability have (SPEC 2.5, 2.6): Humanized's five, the three other combinations of its three
# switches, and Helmsman's.
METHODS: dict[str, tuple[str, ...]] = {
    "baseline": (),
    "b5p": ("persona",),
    "favor": ("favor",),
    "strategy": ("strategy",),
    "full": ("persona", "favor", "strategy"),
    "b5p+favor": ("persona", "favor"),
    "b5p+strategy": ("persona", "strategy"),
    "favor+strategy": ("favor", "strategy"),
    "helmsman": (FACULTY,),
}
# The part of the talk in a model's request: all of it; the last round, the present one so far and
# retrieved memories (SPEC 2.4); or, numbered, today's lines and those cited as evidence (SPEC 2.6).
CONTEXTS = ("whole", "paper", "evidence")
# When an agent states its ratings of the others (agents/faculties/reliability.py); none: never.
REASONINGS = ("together", "apart", "each", "none")


class UnknownMethod(LookupError):
    """There is no method with that name. The message lists the methods."""


class UnknownContext(LookupError):
    """There is no context with that name. The message lists the contexts."""


class UnknownReasoning(LookupError):
    """There is no reasoning mode with that name. The message lists the modes."""


@dataclass(frozen=True)
class Recipe:
    """Recipe of one seat's agent."""

    backend: str = "house"
    method: str = "full"
    persona: Persona | None = None
    backends: Mapping[str, str] = field(default_factory=dict)  # kind of request -> another backend
    temperature: float | None = None  # of a model's answers, 0 to 2; None: the backend's default
    context: str = ""  # one of CONTEXTS; "": the method's own
    office: str = ""  # another backend, while it holds a badge
    sorting: bool = True  # whether a numbered context is sorted by trust in the speaker
    reasoning: str = "together"  # one of REASONINGS
    plain: bool = False  # the built-in player speaks without flourishes; models don't read it

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UnknownMethod(_unknown("method", self.method, METHODS))
        if not self.context:
            object.__setattr__(self, "context", self._own_context)
        if self.context not in CONTEXTS:
            raise UnknownContext(_unknown("context", self.context, CONTEXTS))
        if self.reasoning not in REASONINGS:
            raise UnknownReasoning(_unknown("reasoning", self.reasoning, REASONINGS))

    @property
    def _own_context(self) -> str:
        return "evidence" if FACULTY in METHODS[self.method] else "whole"

    @property
    def faculties(self) -> tuple[str, ...]:
        """Faculty names in the order they prepare: memory reads the notes of favor.

        An agent with reliability reads all that its context holds, so it has no memory.
        """
        own = METHODS[self.method]
        return (*own, "judgement", *(() if FACULTY in own else ("memory",)))

    @property
    def prepares(self) -> bool:
        """Whether the agent has something to prepare when a round opens."""
        return bool({"favor", "strategy"} & set(self.faculties))

    def cast(self, seed: str, character: str = "") -> Recipe:
        """Return the recipe with a persona if the method needs one and it has none.

        The persona is the written character with the given key, or has scores drawn from `seed`.
        """
        if self.persona or "persona" not in self.faculties:
            return self
        persona = Persona.of_character(character, seed) if character else Persona.drawn(seed)
        return replace(self, persona=persona)

    def backend_for(self, kind: str, decision: Decision | None = None) -> str:
        """Return the name of the backend that answers requests of a kind.

        `decision` is needed if the seat may hold a badge.
        """
        if self.office and decision and decision.seat in decision.view.state.badges.values():
            return self.office
        return self.backends.get(kind, self.backend)

    def built_in(self) -> Recipe:
        """Return the same agent, played by the built-in player."""
        return replace(self, backend="house", backends={}, office="")

    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"backend": self.backend, "method": self.method}
        if self.backends:
            data["backends"] = dict(self.backends)
        if self.temperature is not None:
            data["temperature"] = self.temperature
        if self.context != self._own_context:
            data["context"] = self.context
        if self.office:
            data["office"] = self.office
        if not self.sorting:
            data["sorting"] = False
        if self.reasoning != Recipe.reasoning:
            data["reasoning"] = self.reasoning
        if self.plain:  # omitted by default, so that stored recipes stay equal
            data["plain"] = True
        return {**data, "persona": self.persona.data()} if self.persona else data

    @classmethod
    def of(cls, data: dict[str, Any]) -> Recipe:
        """Build a recipe from stored `data`. Empty data is the house player without a persona."""
        persona = data.get("persona")
        return cls(
            data.get("backend", cls.backend),
            data.get("method", cls.method),
            Persona.of(persona) if persona else None,
            dict(data.get("backends", {})),
            data.get("temperature"),
            data.get("context", cls.context),
            data.get("office", cls.office),
            bool(data.get("sorting", cls.sorting)),
            data.get("reasoning", cls.reasoning),
            bool(data.get("plain", cls.plain)),
        )


def _unknown(subject: str, name: str, names: Iterable[str]) -> str:
    return f"unknown {subject} {name!r}; known: {', '.join(names)}"
