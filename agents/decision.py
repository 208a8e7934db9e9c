"""The input and output of faculties and backends: `Decision`, `Request`, `Reply`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.big_five import Persona
from agents.mind import Mind
from game.engine.moments import BEFORE, Moment
from game.engine.ruleset import Ruleset
from game.engine.seeded_random import SeededRandom
from game.engine.visibility import View
from game.engine.windows import Window


@dataclass(frozen=True)
class Decision:
    """One seat that has to answer one window.

    view: as it was when the window opened; it holds only what the seat may know. rng: seeded by
    (seed, seat, window). context, plain: from the recipe: how much of the talk a model's prompt
    holds; whether the house player speaks plainly.
    """

    ruleset: Ruleset
    view: View
    window: Window
    mind: Mind
    rng: SeededRandom
    persona: Persona | None = None
    faculties: frozenset[str] = frozenset()  # those the agent has
    context: str = "whole"
    sorting: bool = True
    reasoning: str = "together"
    plain: bool = False

    @property
    def seat(self) -> int:
        return self.view.seat

    @property
    def moment(self) -> Moment:
        """When the window opened."""
        return self.window.moment

    @property
    def round(self) -> int:
        """Which round of talk is under way, or was the last.

        From 1 on, over all days. 0: none.
        """
        return len(self.view.state.rounds)

    @property
    def began(self) -> Moment:
        """When that round began."""
        return self.view.state.rounds[-1] if self.round else BEFORE

    @property
    def shown_since(self) -> int:
        """The number of the first phase whose talk a request shows.

        Returns 0 where it shows all of it.

        All but the context `whole` show the last round and this one (Humanized 2.2-2.4 feed in the
        dialogue of the round before).
        """
        rounds = self.view.state.rounds
        return rounds[-2].phase_number if self.context != "whole" and len(rounds) > 1 else 0


@dataclass(frozen=True)
class Request:
    """Something asked of a backend.

    kind: the window's kind (`statement`, `vote`, `divination`, `poll` ...) or a faculty's own.
    brief: what the faculties contribute, by faculty name; JSON-shaped. temperature: of a model.
    """

    kind: str
    decision: Decision
    brief: Mapping[str, Any] = field(default_factory=dict)
    temperature: float | None = None  # none: the backend's own


# {"text": str} | {"pass": "skip"|"over"} | {"targets": [...]}, and "labels": [str], "notes":
# [{"faculty", "data"}], "exchange": what went over the line.
Reply = Mapping[str, Any]
Ask = Callable[[str, Request], Reply]  # (step, request): recorded, never asked twice


# Causes that are the model's own mistake, which it can be told of; the rest are the line's.
MISTAKES = ("unusable", "illegal", "unspeakable", "empty", "refusal", "too_long")


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
        """Whether the one who answered made a mistake that it can put right when told."""
        return self.cause in MISTAKES
