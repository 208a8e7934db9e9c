"""Texts that rulesets share, and the loader of a ruleset's own texts.

EVENTS and WINDOWS have a text for each kind that the engine and its steps emit.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from game.engine.roles import IntroPicture
from game.engine.wording import (
    CAUSES,
    ConditionalText,
    EndingTexts,
    EventTexts,
    PhaseTexts,
    WindowTexts,
    Wording,
)
from game.engine.wording import gettext_noop as _

Texts = TypeVar("Texts", EventTexts, WindowTexts, PhaseTexts, EndingTexts)
Tables = Mapping[str, Mapping[str, Any]]  # section of a file -> key -> value

_SHARED_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def load_wording(script: str) -> Wording:
    """Load the wording of a ruleset from the file `wording.toml` beside its script.

    Its tables are `events.<kind>`, `windows.<kind>`, `phases.<phase>` and `endings.<reason>`, with
    the fields of the classes in `wording`. `badges` and `causes` are tables of texts. EVENTS and
    WINDOWS apply to the kinds that the file omits.

    - A text with conditions is a list of tables: `text`, and the facts under which it applies. The
      last table may have no facts. A list of values permits each of them.
    - `base` names a shared event, window or phase, of which the table replaces some fields.
    """
    tables = tomllib.loads(Path(script).with_name("wording.toml").read_text("utf-8"))
    return Wording(
        events={**EVENTS, **_load_section("events", EventTexts, tables)},
        windows={**WINDOWS, **_load_section("windows", WindowTexts, tables)},
        phases=_load_section("phases", PhaseTexts, tables),
        endings=_load_section("endings", EndingTexts, tables),
        badges=tables.get("badges", {}),
        causes={**CAUSES, **tables.get("causes", {})},
    )


def _load_section(section: str, texts_class: type[Texts], tables: Tables) -> dict[str, Texts]:
    texts = {}
    for key, table in tables.get(section, {}).items():
        base = _SHARED_TABLES[section][table["base"]] if "base" in table else {}
        values = {**base, **table}
        values.pop("base", None)
        texts[key] = texts_class(**{name: _parse_value(value) for name, value in values.items()})
    return texts


def _parse_value(value: Any) -> Any:
    """Return the value of a field: a list of tables as a text with conditions."""
    if not isinstance(value, list):
        return value
    cases = [
        ({k: _parse_fact(v) for k, v in row.items() if k != "text"}, row["text"]) for row in value
    ]
    default = "" if cases[-1][0] else cases.pop()[1]
    return ConditionalText(tuple(cases), default)


def _parse_fact(expected: Any) -> Any:
    """Return the expected value of a fact: a tuple of permitted ones for a list, unless empty."""
    return tuple(expected) if isinstance(expected, list) and expected else expected


EVENTS = _load_section("events", EventTexts, _SHARED_TABLES)
WINDOWS = _load_section("windows", WindowTexts, _SHARED_TABLES)


def build_one_night_intro(players: int) -> list[IntroPicture]:
    """Return four pictures that introduce a game of one night, one day of talk and one vote."""
    cards = _("{players} players get one card each. Only you see yours.")
    return [
        IntroPicture("cards", _("A secret role"), cards, {"players": players}),
        IntroPicture(
            "night",
            _("Night"),
            _("Everyone closes their eyes. A few players learn something about the others."),
        ),
        IntroPicture(
            "speech",
            _("Day"),
            _("Everyone speaks in turn. You may say anything: the truth, or a lie."),
        ),
        IntroPicture(
            "vote",
            _("The vote"),
            _("Everyone votes at the same time. The player with the most votes is out."),
        ),
    ]
