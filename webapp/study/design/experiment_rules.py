"""Rules of games without people: budget, repeats, and the systems of a league."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import ConfigDict, Field, StrictBool

from webapp.study.design.refusals import refusing
from webapp.study.design.setting_fields import DesignPart, Key

MORE_SETTINGS = "…"  # stands for settings that a line cannot express


class SeatTypes(DesignPart):
    """Types of the settings of one computer player's seat (`casting.CastForm`).

    Unknown keys pass: `table_checks` refuses them with its own sentence.
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


def _check_seat_types(value: Any) -> Any:
    """Return the value unchanged. Refuse settings of another type."""
    if isinstance(value, Mapping):
        SeatTypes.from_json(value)
    return value


SeatChoice = Annotated[dict[str, Any], refusing(_check_seat_types)]


class System(DesignPart):
    """A system of a league. `seat` has the settings of its seats that differ from the table's."""

    name: Key
    seat: SeatChoice = {}


class Budget(DesignPart):
    """Limits for all games of an experiment together. 0 means no limit."""

    requests: Annotated[int, Field(strict=True, ge=0)] = 0
    tokens: Annotated[int, Field(strict=True, ge=0)] = 0
    money: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] = 0


class ExperimentRules(DesignPart):
    """Rules of the games of a design without people."""

    at_once: Annotated[int, Field(strict=True, ge=1, le=64)] = 4  # number of concurrent games
    # Number of games of one deal in a condition, which differ in random draws only.
    repeats: Annotated[int, Field(strict=True, ge=1, le=100)] = 1
    # How often a void game is played again before it counts as failed.
    replays: Annotated[int, Field(strict=True, ge=0, le=20)] = 3
    # Percentage of a game's answers that may replace those of a failing model. A game with more has
    # failed.
    fallbacks: Annotated[int, Field(strict=True, ge=0, le=100)] = 20
    # Number of failed games at which the experiment pauses.
    failures: Annotated[int, Field(strict=True, ge=1, le=1000)] = 3
    # Whether it pauses after the first game of each condition, to show the cost.
    probe: StrictBool = False
    budget: Budget = Budget()
    # Systems that share the tables, each with every role equally often. () if all seats of a
    # condition have the same settings.
    league: Annotated[tuple[System, ...], Field(max_length=64)] = ()


def format_league(systems: Sequence[System]) -> str:
    """Return a line "NAME BACKEND/METHOD" for each system, with "…" if it has more settings."""
    lines = []
    for system in systems:
        line = f"{system.name} {system.seat.get('backend', '')}/{system.seat.get('method', '')}"
        has_more_settings = set(system.seat) - {"backend", "method"}
        lines.append(f"{line} {MORE_SETTINGS}" if has_more_settings else line)
    return "\n".join(lines)


def parse_league(text: str, current: Sequence[System]) -> list[dict[str, Any]]:
    """Parse the lines of `format_league`, or raise ValueError. "…" keeps the other settings."""
    seats = {system.name: system.seat for system in current}
    return [_parse_system(line, seats) for line in text.splitlines() if line.strip()]


def _parse_system(line: str, seats: dict[str, dict[str, Any]]) -> dict[str, Any]:
    name, _space, text_after_name = line.strip().partition(" ")
    system, _space, marker = text_after_name.strip().partition(" ")
    backend, slash, method = system.rpartition("/")
    if not slash or marker not in ("", MORE_SETTINGS):
        text = _("“{line}” is not a system. Write NAME MODEL/METHOD, such as “first house/full”.")
        raise ValueError(text.format(line=line.strip()[:60]))
    kept_settings = seats.get(name, {}) if marker else {}
    chosen = {key: value for key, value in (("backend", backend), ("method", method)) if value}
    return {"name": name, "seat": {**kept_settings, **chosen}}
