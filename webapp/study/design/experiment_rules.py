"""Rules of games without people: budget, repeats, and the systems of a league."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from django.utils.translation import gettext_lazy as _
from pydantic import ConfigDict, StrictBool, StrictInt

from webapp.study.design.refusals import refusing
from webapp.study.design.setting_fields import DesignPart, Key, setting

MORE_SETTINGS = "…"  # stands for settings that a line cannot express


class SeatTypes(DesignPart):
    """Types of the settings of one computer player's seat (`cast_form.CastForm`).

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
    """Limits for all games of an experiment together."""

    requests: StrictInt = setting(_("Request budget"), _("Enter 0 for no limit."), default=0, ge=0)
    tokens: StrictInt = setting(_("Token budget"), _("Enter 0 for no limit."), default=0, ge=0)
    money: float = setting(
        _("Money budget"),
        _("In the currency of the models’ prices. Enter 0 for no limit."),
        default=0, strict=True, ge=0, allow_inf_nan=False,
    )  # fmt: skip


class ExperimentRules(DesignPart):
    """Rules of the games of a design without people."""

    at_once: StrictInt = setting(_("Parallel games"), default=4, ge=1, le=64)
    repeats: StrictInt = setting(
        _("Games per deal and condition"),
        _("They differ in what the players draw and say."),
        default=1, ge=1, le=100,
    )  # fmt: skip
    replays: StrictInt = setting(
        _("Times that a game without a result is played again"), default=3, ge=0, le=20
    )
    fallbacks: StrictInt = setting(
        _("Maximum share of answers without a model, else the game fails (percent)"),
        default=20, ge=0, le=100,
    )  # fmt: skip
    failures: StrictInt = setting(
        _("Failed games before the experiment pauses"), default=3, ge=1, le=1000
    )
    probe: StrictBool = setting(
        _("Pause after the first game of each condition"),
        _("You can then estimate the total cost. These games count."),
        default=False,
    )
    budget: Budget = Budget()
    league: tuple[System, ...] = setting(
        _("League"),
        _(
            "Enter one system per line, with a name, a model and a method: “first house/full”."
            " All systems share the tables, and each gets each role equally often. Leave empty"
            " to give all seats of a condition the same system."
        ),
        default=(), max_length=64,
    )  # fmt: skip


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
