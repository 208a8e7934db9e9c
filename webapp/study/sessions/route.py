"""The way of a participant: the stages of a design, laid out step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.study.sessions.design import Consent, Design, Game, Stage

WAITING = "waiting"  # the kind of the step before a game


@dataclass(frozen=True)
class Step:
    """One step. kind: of its stage, or WAITING; game: which of the participant's games it belongs
    to (1…), 0 for none; stage: the part of the design that it is."""

    index: int
    kind: str
    game: int
    stage: Stage

    @property
    def key(self) -> str:
        """Its name in data: `game-1`, `questionnaire-1.2`, `consent`."""
        return f"{self.kind}-{self.index}"


def route(design: Design) -> Sequence[Step]:
    """All steps, in order. Stages with `each_game` that stand after the game stage come after
    every game; consent always comes first, for nothing is stored before it."""
    steps: list[Step] = []

    def add(kind: str, stage: Stage, game: int = 0) -> None:
        steps.append(Step(len(steps), kind, game, stage))

    stages = list(design.stages)
    if not any(isinstance(stage, Consent) for stage in stages):
        stages.insert(0, Consent())
    stages.sort(key=lambda stage: not isinstance(stage, Consent))
    repeated = [stage for stage in stages if stage.each_game]
    for stage in stages:
        if isinstance(stage, Game):
            for number in range(1, design.assignment.games_each + 1):
                add(WAITING, stage, number)
                add(stage.kind, stage, number)
                for after in repeated:
                    add(after.kind, after, number)
        elif not stage.each_game:
            add(stage.kind, stage)
    return steps
