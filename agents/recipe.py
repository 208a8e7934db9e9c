"""A recipe is data: which backend speaks for an agent, and which faculties it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# Method -> faculties beyond those every agent has (SPEC 2.5; persona, favor and strategy join
# with their methods).
METHODS: dict[str, tuple[str, ...]] = {"baseline": ()}
# Memory (SPEC 2.5) and judgement are on in every method.
ALWAYS: tuple[str, ...] = ("judgement",)


class UnknownMethod(LookupError):
    """There is no method of that name; the message lists those there are."""


@dataclass(frozen=True)
class Recipe:
    """How one seat's agent is made."""

    backend: str = "house"
    method: str = "baseline"

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            known = ", ".join(METHODS)
            raise UnknownMethod(f"unknown method {self.method!r}; known: {known}")

    @property
    def faculties(self) -> tuple[str, ...]:
        return (*ALWAYS, *METHODS[self.method])

    def data(self) -> dict[str, Any]:
        return {"backend": self.backend, "method": self.method}

    @classmethod
    def of(cls, data: dict[str, Any]) -> Recipe:
        return cls(**data)
