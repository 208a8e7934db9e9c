"""Drawn units, and their rows: a unit has a stimulus for each of its rated items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from game.models import Game
from webapp.study.games.public_talk import AGENT, SpokenTurn, talk_of
from webapp.study.models import Campaign, Stimulus, Unit
from webapp.study.rating.stimuli import rates_systems_only, system_answers


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


def unit_identity(unit: Unit) -> tuple[Any, ...]:
    """Return the values that identify a row, like `DrawnUnit.identity`."""
    return (unit.kind, unit.game_id, unit.position, unit.seat, unit.expected)


def planned_rows(campaign: Campaign, planned_units: Iterable[DrawnUnit]) -> list[tuple[Any, ...]]:
    """Return what identifies the rows of planned units, for comparison with `stored_rows`."""
    return [
        (*u.identity, u.track, list(u.situations), rated_conditions(campaign, u))
        for u in planned_units
    ]


def stored_rows(campaign: Campaign) -> list[tuple[Any, ...]]:
    """Return what identifies the stored rows, as `planned_rows` does."""
    units = campaign.units.order_by("index").prefetch_related("stimuli")
    return [
        (*unit_identity(u), u.track, u.situations, [s.condition for s in u.stimuli.all()])
        for u in units
    ]


def create_units(
    campaign: Campaign,
    planned_units: Sequence[DrawnUnit],
    withdrawn_units: Mapping[tuple[Any, ...], Unit],
    first: int = 1,
) -> None:
    """Create the rows of planned units and their stimuli.

    Args:
        withdrawn_units: Rows that were withdrawn before, by identity. They stay withdrawn.
        first: The index of the first new row.
    """
    units = Unit.objects.bulk_create(
        Unit(
            campaign=campaign,
            kind=u.kind,
            index=index,
            game=u.game,
            position=u.position,
            seat=u.seat,
            track=u.track,
            situations=list(u.situations),
            expected=u.expected,
            flags=list(u.flags),
            withdrawn=u.identity in withdrawn_units,
            use=withdrawn_units[u.identity].use if u.identity in withdrawn_units else "",
            known=withdrawn_units[u.identity].known if u.identity in withdrawn_units else {},
        )
        for index, u in enumerate(planned_units, first)
    )
    rows = list(zip(units, planned_units, strict=True))
    Stimulus.objects.bulk_create(
        s for unit, drawn in rows for s in unit_stimuli(campaign, unit, drawn)
    )


def reset_system_answers(campaign: Campaign) -> None:
    """Reset the systems' answers, because another recipe was chosen."""
    rows = system_answers(unit__campaign=campaign)
    rows.update(text="", state="waiting", failure="", model="", method="", labels=[])


def known_answer_units(campaign: Campaign) -> list[list[Any]]:
    """Return [kind, game, position, seat, use, known ranges] of each unit of known answer."""
    rows = campaign.units.exclude(use="").select_related("game").order_by("index")
    return [[u.kind, u.game and u.game.code, u.position, u.seat, u.use, u.known] for u in rows]
