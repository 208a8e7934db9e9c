"""What a faculty and a backend get to work with, and what they give back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.mind import Mind
from agents.persona import Persona
from game.engine.draws import Draws
from game.engine.roles import Ruleset
from game.engine.views import View
from game.engine.windows import Window


@dataclass(frozen=True)
class Scene:
    """One seat before one window. `view` is as it was when the window opened, and all there is:
    whatever the seat may not know is not in it. `draws` depend on (seed, seat, window)."""

    ruleset: Ruleset
    view: View
    window: Window
    mind: Mind
    draws: Draws
    persona: Persona | None = None

    @property
    def seat(self) -> int:
        return self.view.seat


@dataclass(frozen=True)
class Request:
    """Something asked of a backend.

    kind: the window's kind (`statement`, `vote`, `divination`, `poll` ...) or a faculty's own.
    brief: what the faculties contribute, by faculty name; JSON-shaped. temperature: of a model.
    """

    kind: str
    scene: Scene
    brief: Mapping[str, Any] = field(default_factory=dict)
    temperature: float | None = None  # none: the backend's own


Reply = Mapping[str, Any]  # {"text": str} | {"pass": "skip"|"over"} | {"targets": [...]}, + notes
Ask = Callable[[str, Request], Reply]  # (step, request): recorded, never asked twice


# Causes that the one who answered can put right; every other one is the line's or the server's.
MISTAKES = frozenset(("unusable", "illegal", "unspeakable", "empty", "refusal", "too_long"))


class BackendError(Exception):
    """A backend gave no usable reply. `cause` is one word for the log's label.

    detail: what is wrong, in a sentence that the one who must mend it may read. exchange: what
    went over the line, where anything did.
    """

    def __init__(
        self, cause: str, detail: str = "", exchange: dict[str, Any] | None = None
    ) -> None:
        super().__init__(f"{cause}: {detail}" if detail else cause)
        self.cause, self.detail, self.exchange = cause, detail, exchange

    @property
    def mistake(self) -> bool:
        """Whether the answer itself was at fault, so that it is worth telling what was wrong."""
        return self.cause in MISTAKES
