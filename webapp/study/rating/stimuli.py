"""Units and their rated items before they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from game.models import Game
from webapp.study.games.public_talk import AGENT, SpokenTurn, talk_of
from webapp.study.models import Campaign, Stimulus, Unit


@dataclass(frozen=True)
class DrawnUnit:
    """A unit before it is stored."""

    kind: str
    condition: str = ""
    game: Game | None = None
    position: int = 0
    seat: int | None = None
    situations: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    expected: int | None = None
    line: SpokenTurn | None = None  # of an utterance
    speaker_kind: str = ""
    model: str = ""
    method: str = ""
    track: int = 0
    conditions: tuple[str, ...] = ()  # of a ranking's seats

    @property
    def identity(self) -> tuple[Any, ...]:
        """The values that distinguish this unit from all others."""
        return (self.kind, self.game and self.game.pk, self.position, self.seat, self.expected)

    @property
    def all_conditions(self) -> list[str]:
        """The condition of each rated item of the log: by seat in a ranking, else one."""
        return list(self.conditions) or [self.condition]


def log_stimuli(unit: Unit, drawn: DrawnUnit) -> list[Stimulus]:
    """Return the stimuli from the game's log."""
    if drawn.kind == Unit.RANKING:
        seats = enumerate(drawn.conditions, 1)
        return [_of_seat(unit, drawn, seat, condition) for seat, condition in seats]
    return [_of_words(unit, drawn)]


def _of_seat(unit: Unit, drawn: DrawnUnit, seat: int, condition: str) -> Stimulus:
    """Return the stimulus of a player in a ranking."""
    assert drawn.game is not None
    talk = talk_of(drawn.game)
    model, method = talk.models_of(seat)
    kind = talk.kind_of(seat)
    return Stimulus(
        unit=unit, place=seat, condition=condition, speaker_kind=kind, model=model, method=method
    )


def _of_words(unit: Unit, drawn: DrawnUnit) -> Stimulus:
    return Stimulus(
        unit=unit,
        place=1,
        condition=drawn.condition,
        utterance_id=drawn.line.utterance if drawn.line else None,
        speaker_kind=drawn.speaker_kind,
        model=drawn.model,
        method=drawn.method,
        labels=list(drawn.line.labels) if drawn.line else [],
    )


def rival_stimulus(campaign: Campaign, unit: Unit) -> Stimulus:
    """Return the stimulus of the comparison system's answer, which is not made yet."""
    return Stimulus(
        unit=unit,
        place=2,
        condition=campaign.rival_condition,
        state="waiting",
        speaker_kind=AGENT,
    )
