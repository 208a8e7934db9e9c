"""Stimuli, the rated items of units: how they are built, and their order on a page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

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
        """The values that identify this unit in its campaign."""
        return (self.kind, self.game and self.game.pk, self.position, self.seat, self.expected)


def rated_conditions(campaign: Campaign, drawn: DrawnUnit) -> list[str]:
    """Return the condition of each of a unit's rated items, by place."""
    if drawn.conditions:  # a ranking: by seat
        return list(drawn.conditions)
    if not drawn.line:
        return [drawn.condition]
    systems = [condition for condition, _recipe in campaign.systems.values()]
    return systems if rates_systems_only(campaign) else [drawn.condition, *systems]


def unit_stimuli(campaign: Campaign, unit: Unit, drawn: DrawnUnit) -> list[Stimulus]:
    """Return a unit's unsaved stimuli. The systems' answers are still to be made."""
    if not drawn.line or not campaign.systems:
        return log_stimuli(unit, drawn)
    answers = [
        Stimulus(unit=unit, place=place, condition=name, state="waiting", speaker_kind=AGENT)
        for place, (name, _recipe) in campaign.systems.items()
    ]
    return answers if rates_systems_only(campaign) else [*log_stimuli(unit, drawn), *answers]


def first_place(campaign: Campaign) -> int:
    """Return the place of the item by whose condition units are balanced.

    Attention checks have only place 1, and no condition.
    """
    return Stimulus.FIRST_SYSTEM if rates_systems_only(campaign) else 1


def rates_systems_only(campaign: Campaign) -> bool:
    """Return whether the log's texts are only context and never rated."""
    return campaign.without_log and bool(campaign.systems)


def system_answers(**lookups: Any) -> QuerySet[Stimulus]:
    """Return the stimuli that are answers of systems rather than the log's texts."""
    rows = Stimulus.objects.filter(unit__kind=Unit.UTTERANCE, place__gte=Stimulus.FIRST_SYSTEM)
    return rows.filter(**lookups)


def shown_order(
    stimuli: Iterable[Stimulus], *, swapped: bool = False, rotation: int = 0
) -> list[Stimulus]:
    """Return a unit's stimuli as a page shows them (`Assignment.rotation`)."""
    ordered = sorted(stimuli, key=lambda stimulus: stimulus.place)
    rotated = [*ordered[rotation:], *ordered[:rotation]]
    return rotated[::-1] if swapped else rotated


def log_stimuli(unit: Unit, drawn: DrawnUnit) -> list[Stimulus]:
    """Return the stimuli from the game's log."""
    if drawn.kind == Unit.RANKING:
        seats = enumerate(drawn.conditions, 1)
        return [_seat_stimulus(unit, drawn, seat, condition) for seat, condition in seats]
    return [_text_stimulus(unit, drawn)]


def _seat_stimulus(unit: Unit, drawn: DrawnUnit, seat: int, condition: str) -> Stimulus:
    """Return the stimulus of a player in a ranking."""
    assert drawn.game is not None
    talk = talk_of(drawn.game)
    model, method = talk.models_of(seat)
    kind = talk.kind_of(seat)
    return Stimulus(
        unit=unit, place=seat, condition=condition, speaker_kind=kind, model=model, method=method
    )


def _text_stimulus(unit: Unit, drawn: DrawnUnit) -> Stimulus:
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
