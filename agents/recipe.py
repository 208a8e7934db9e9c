"""A recipe is data: which backend speaks for an agent, which faculties it has, and who it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents.big_five import Persona

# Method -> faculties beyond those every agent has (SPEC 2.5): the paper's five, and the three other
# combinations of its three switches.
METHODS: dict[str, tuple[str, ...]] = {
    "baseline": (),
    "b5p": ("persona",),
    "favor": ("favor",),
    "strategy": ("strategy",),
    "full": ("persona", "favor", "strategy"),
    "b5p+favor": ("persona", "favor"),
    "b5p+strategy": ("persona", "strategy"),
    "favor+strategy": ("favor", "strategy"),
}
# What a model's request holds of the talk (SPEC 2.4): the last round, this one so far and what
# memory retrieves, or all of it.
CONTEXTS = ("whole", "paper")
# Memory (SPEC 2.5) and judgement are on in every method.
ALWAYS: tuple[str, ...] = ("judgement", "memory")


class UnknownMethod(LookupError):
    """There is no method of that name; the message lists those there are."""


class UnknownContext(LookupError):
    """There is no context of that name; the message lists those there are."""


@dataclass(frozen=True)
class Recipe:
    """How one seat's agent is made."""

    backend: str = "house"
    method: str = "full"
    persona: Persona | None = None
    backends: Mapping[str, str] = field(default_factory=dict)  # kind of request -> another one
    temperature: float | None = None  # of a model's answers, 0 to 2; none: the backend's own
    context: str = "whole"  # one of CONTEXTS
    plain: bool = False  # the built-in player speaks without flourishes; models don't read it

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            known = ", ".join(METHODS)
            raise UnknownMethod(f"unknown method {self.method!r}; known: {known}")
        if self.context not in CONTEXTS:
            known = ", ".join(CONTEXTS)
            raise UnknownContext(f"unknown context {self.context!r}; known: {known}")

    @property
    def faculties(self) -> tuple[str, ...]:
        """In the order they prepare: memory reads what favor has noted."""
        return (*METHODS[self.method], *ALWAYS)

    @property
    def prepares(self) -> bool:
        """Whether there is anything to work out when a round opens."""
        return bool({"favor", "strategy"} & set(self.faculties))

    def cast(self, seed: str, character: str = "") -> Recipe:
        """The same with a persona, where the method has one and none is given: that of the
        written character of the key given, or else scores drawn from `seed`."""
        if self.persona or "persona" not in self.faculties:
            return self
        who = Persona.of_character(character, seed) if character else Persona.drawn(seed)
        return replace(self, persona=who)

    def backend_for(self, kind: str) -> str:
        """The name of the backend that answers requests of a kind."""
        return self.backends.get(kind, self.backend)

    def built_in(self) -> Recipe:
        """The same agent, for whom the built-in player thinks."""
        return replace(self, backend="house", backends={})

    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"backend": self.backend, "method": self.method}
        if self.backends:
            data["backends"] = dict(self.backends)
        if self.temperature is not None:
            data["temperature"] = self.temperature
        if self.context != Recipe.context:
            data["context"] = self.context
        if self.plain:  # left out where it is not set: stored recipes stay what they are
            data["plain"] = True
        return {**data, "persona": self.persona.data()} if self.persona else data

    @classmethod
    def of(cls, data: dict[str, Any]) -> Recipe:
        """The recipe of stored `data`; an empty one is the house player of no persona."""
        persona = data.get("persona")
        return cls(
            data.get("backend", cls.backend),
            data.get("method", cls.method),
            Persona.of(persona) if persona else None,
            dict(data.get("backends", {})),
            data.get("temperature"),
            data.get("context", cls.context),
            bool(data.get("plain", cls.plain)),
        )
