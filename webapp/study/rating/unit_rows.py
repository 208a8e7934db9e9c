"""Units before they are stored, and their rows with a stimulus for each rated item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from game.models import Game
from webapp.study.games.public_talk import AGENT, SpokenTurn, talk_of
from webapp.study.models import Campaign, Stimulus, Unit
from webapp.study.rating.stimuli import rates_systems_only, system_answers

# Fields of a `DrawnUnit` that its row has, too.
UNIT_FIELDS = (
    "kind", "game", "position", "seat", "track", "situations", "expected", "flags",
)  # fmt: skip


@dataclass(frozen=True)
class DrawnUnit:
    """A unit before it is stored. The fields that `Unit` has too mean the same there."""

    kind: str
    condition: str = ""
    game: Game | None = None
    position: int = 0
    seat: int | None = None
    situations: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    expected: int | None = None
    turn: SpokenTurn | None = None  # turn of an utterance, None for other units
    speaker_kind: str = ""
    model: str = ""
    method: str = ""
    track: int = 0
    conditions: tuple[str, ...] = ()  # condition of each seat in a ranking, () for other units

    @property
    def identity(self) -> tuple[Any, ...]:
        """The values that identify this unit in its campaign."""
        return (self.kind, self.game and self.game.pk, self.position, self.seat, self.expected)


def create_units(
    campaign: Campaign,
    planned_units: Sequence[DrawnUnit],
    withdrawn_units: Mapping[tuple[Any, ...], Unit],
    first_index: int = 1,
) -> None:
    """Create the rows of planned units and their stimuli. Withdrawn units stay withdrawn."""
    units = Unit.objects.bulk_create(
        _build_unit(campaign, index, drawn_unit, withdrawn_units.get(drawn_unit.identity))
        for index, drawn_unit in enumerate(planned_units, first_index)
    )
    rows = list(zip(units, planned_units, strict=True))
    Stimulus.objects.bulk_create(
        stimulus
        for unit, drawn_unit in rows
        for stimulus in _build_stimuli(campaign, unit, drawn_unit)
    )


def _build_unit(
    campaign: Campaign, index: int, drawn_unit: DrawnUnit, withdrawn: Unit | None
) -> Unit:
    return Unit(
        campaign=campaign,
        index=index,
        withdrawn=withdrawn is not None,
        use=withdrawn.use if withdrawn else "",
        known_answers=withdrawn.known_answers if withdrawn else {},
        **{name: getattr(drawn_unit, name) for name in UNIT_FIELDS},
    )


def _build_stimuli(campaign: Campaign, unit: Unit, drawn_unit: DrawnUnit) -> list[Stimulus]:
    """Return a unit's unsaved stimuli. Those of comparison systems have no text yet."""
    if drawn_unit.kind == Unit.RANKING:
        return list(_player_stimuli(unit, drawn_unit))
    log_stimulus = _log_stimulus(unit, drawn_unit)
    if not drawn_unit.turn:
        return [log_stimulus]
    answers = [
        Stimulus(
            unit=unit,
            place=place,
            condition=system.condition,
            state=Stimulus.WAITING,
            speaker_kind=AGENT,
        )
        for place, system in campaign.systems.items()
    ]
    return answers if rates_systems_only(campaign) else [log_stimulus, *answers]


def _player_stimuli(unit: Unit, drawn_unit: DrawnUnit) -> Iterator[Stimulus]:
    assert drawn_unit.game is not None
    talk = talk_of(drawn_unit.game)
    for seat, condition in enumerate(drawn_unit.conditions, 1):
        model, method = talk.models_of(seat)
        yield Stimulus(
            unit=unit,
            place=seat,
            condition=condition,
            speaker_kind=talk.kind_of(seat),
            model=model,
            method=method,
        )


def _log_stimulus(unit: Unit, drawn_unit: DrawnUnit) -> Stimulus:
    return Stimulus(
        unit=unit,
        place=1,
        condition=drawn_unit.condition,
        utterance_id=drawn_unit.turn.utterance if drawn_unit.turn else None,
        speaker_kind=drawn_unit.speaker_kind,
        model=drawn_unit.model,
        method=drawn_unit.method,
        labels=list(drawn_unit.turn.labels) if drawn_unit.turn else [],
    )


def rated_conditions(campaign: Campaign, drawn_unit: DrawnUnit) -> list[str]:
    """Return the condition of each of a unit's rated items, in order of their places."""
    if drawn_unit.conditions:
        return list(drawn_unit.conditions)
    if not drawn_unit.turn:
        return [drawn_unit.condition]
    of_systems = [system.condition for system in campaign.systems.values()]
    return of_systems if rates_systems_only(campaign) else [drawn_unit.condition, *of_systems]


def unit_identity(unit: Unit) -> tuple[Any, ...]:
    """Return `DrawnUnit.identity` of a stored unit."""
    return (unit.kind, unit.game_id, unit.position, unit.seat, unit.expected)


def planned_rows(campaign: Campaign, planned_units: Sequence[DrawnUnit]) -> list[tuple[Any, ...]]:
    """Return what the rows of planned units will contain, for comparison with `stored_rows`."""
    return [
        (*u.identity, u.track, list(u.situations), rated_conditions(campaign, u))
        for u in planned_units
    ]


def stored_rows(campaign: Campaign) -> list[tuple[Any, ...]]:
    """Return what the stored rows contain, in the format of `planned_rows`."""
    units = campaign.units.order_by("index").prefetch_related("stimuli")
    return [
        (*unit_identity(u), u.track, u.situations, [s.condition for s in u.stimuli.all()])
        for u in units
    ]


def reset_system_answers(campaign: Campaign) -> None:
    """Delete the comparison systems' answers, after other systems were chosen."""
    rows = system_answers(unit__campaign=campaign)
    rows.update(text="", state=Stimulus.WAITING, failure="", model="", method="", labels=[])


def known_answer_units(campaign: Campaign) -> list[list[Any]]:
    """Return [kind, game, position, seat, use, known ranges] of each unit of known answer."""
    rows = campaign.units.exclude(use="").select_related("game").order_by("index")
    return [
        [unit.kind, unit.game and unit.game.code, unit.position, unit.seat, unit.use,
         unit.known_answers]
        for unit in rows
    ]  # fmt: skip


def correct_range(
    answer_key: Mapping[str, Any], stimulus_place: int, dimension: str
) -> tuple[int, int] | None:
    """Return (min, max) of the correct values, None if every value is correct."""
    limits = answer_key.get("ranges", {}).get(f"{stimulus_place}/{dimension}")
    return (limits[0], limits[1]) if limits else None


def are_correct(
    answer_key: Mapping[str, Any], stimulus_place: int, values: Mapping[str, int]
) -> bool:
    """Return whether all values (by dimension) of the stimulus at that place are correct."""
    ranges = ((correct_range(answer_key, stimulus_place, d), value) for d, value in values.items())
    return all(limits is None or limits[0] <= value <= limits[1] for limits, value in ranges)
