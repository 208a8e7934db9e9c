"""How games without people are played: budget, repeats, and the systems of a league."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import ConfigDict, Field

from webapp.study.design.value_checks import Key, Part, Switch, refusing

MORE = "…"  # what a line cannot say; it stays as it is


class _SeatTypes(Part):
    """The types of what may differ in one computer player's seat (`casting.CastForm`).

    Other keys are kept, and refused by `table_checks`.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    backend: str = ""
    method: str = ""
    persona: str = ""
    persona_seed: str = ""
    style: str = ""
    profile: dict[str, str] = {}
    scores: dict[str, float] = {}
    switches: dict[str, str] = {}
    temperature: float | None = None


def _checked_seat(value: Any) -> Any:
    """Return the value as it is. Raises Refused for one of another type."""
    if isinstance(value, Mapping):
        _SeatTypes.of(value)
    return value


SeatChoice = Annotated[dict[str, Any], refusing(_checked_seat)]


class System(Part):
    """A system of a league: what it changes in a seat of the base table, as in its `casting`."""

    name: Key
    seat: SeatChoice = {}


class Budget(Part):
    """Limits of what all games of an experiment use. 0: no limit."""

    requests: Annotated[int, Field(strict=True, ge=0)] = 0
    tokens: Annotated[int, Field(strict=True, ge=0)] = 0
    money: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] = 0


class ExperimentRules(Part):
    """How the games of a design without people are played.

    at_once: games at the same time. repeats: games of one deal in a condition, which differ in what
    the players draw. replays: how often a void game of one place is played again before it counts
    as failed. fallbacks: percentage of a game's answers that may be given in place of a model that
    failed; beyond it the game has failed. failures: failed games at which the experiment pauses.
    probe: it pauses after the first game of each condition, so that its cost is known. league:
    systems that share the tables, each with every card equally often; none for conditions
    whose seats are all alike.
    """

    at_once: Annotated[int, Field(strict=True, ge=1, le=64)] = 4
    repeats: Annotated[int, Field(strict=True, ge=1, le=100)] = 1
    replays: Annotated[int, Field(strict=True, ge=0, le=20)] = 3
    fallbacks: Annotated[int, Field(strict=True, ge=0, le=100)] = 20
    failures: Annotated[int, Field(strict=True, ge=1, le=1000)] = 3
    probe: Switch = False
    budget: Budget = Budget()
    league: Annotated[tuple[System, ...], Field(max_length=64)] = ()


def format_league(systems: Sequence[System]) -> str:
    """Return "NAME BACKEND/METHOD" for each system. "…": it has more settings, as a file sets."""
    return "\n".join(_format(system) for system in systems)


def _format(system: System) -> str:
    seat = system.seat
    line = f"{system.name} {seat.get('backend', '')}/{seat.get('method', '')}"
    return f"{line} {MORE}" if set(seat) - {"backend", "method"} else line


def parse_league(text: str, present: Sequence[System]) -> list[dict[str, Any]]:
    """Return the systems of `format_league`'s lines, as data.

    present: the present systems, which keep their other settings. Raises ValueError: a sentence.
    """
    seats = {system.name: system.seat for system in present}
    return [_parse(line, seats) for line in text.splitlines() if line.strip()]


def _parse(line: str, seats: dict[str, dict[str, Any]]) -> dict[str, Any]:
    name, _space, rest = line.strip().partition(" ")
    mind, _space, more = rest.strip().partition(" ")
    backend, slash, method = mind.rpartition("/")
    if not slash or more not in ("", MORE):
        text = _("“{line}” is no system: write NAME MODEL/METHOD, such as “first house/full”.")
        raise ValueError(text.format(line=line.strip()[:60]))
    kept = seats.get(name, {}) if more else {}
    chosen = {key: value for key, value in (("backend", backend), ("method", method)) if value}
    return {"name": name, "seat": {**kept, **chosen}}
