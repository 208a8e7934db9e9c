"""Loads what a ruleset declares from the TOML files beside its script.

`shared_declarations.toml` has the texts and settings that rulesets share. No other module of the
engine imports pydantic, which checks the files when they are loaded.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from game.engine.declarations import (
    CourseSection,
    IntroPicture,
    Preset,
    QuizQuestion,
    Role,
    Setting,
    Team,
)
from game.engine.wording import (
    CAUSES,
    ConditionalText,
    EndingTexts,
    EventTexts,
    PhaseTexts,
    WindowTexts,
    Wording,
)

Tables = dict[str, dict[str, Any]]  # key -> fields of the object with that key

# The classes know nothing of pydantic: they take over this configuration. Texts with conditions are
# objects already (`_parse_value`), and are checked as well.
_CONFIG = ConfigDict(extra="forbid", revalidate_instances="always")
# Section of the files -> class of its objects.
_CLASSES: dict[str, Any] = {
    "teams": Team,
    "roles": Role,
    "settings": Setting,
    "presets": Preset,
    "introduction": IntroPicture,
    "course": CourseSection,
    "quiz": QuizQuestion,
    "events": EventTexts,
    "windows": WindowTexts,
    "phases": PhaseTexts,
    "endings": EndingTexts,
    "badges": str,
    "causes": str,
}
_ADAPTERS = {
    section: TypeAdapter(dict[str, object_class], config=_CONFIG)  # type: ignore[valid-type]
    for section, object_class in _CLASSES.items()
}
# Sections whose objects know their keys -> the field for it.
_KEY_FIELDS = {
    **dict.fromkeys(("teams", "roles", "settings", "presets", "quiz"), "key"),
    "introduction": "scene",
}
_SHARED_TABLES: dict[str, Tables] = tomllib.loads(
    Path(__file__).with_name("shared_declarations.toml").read_text("utf-8")
)


class InvalidRuleset(ValueError):
    """Declarations that are wrong or contradict each other. The message lists the errors."""


@dataclass(frozen=True)
class RulesetFiles:
    """Declarations from the files of a ruleset, named as the attributes of its `Ruleset`."""

    teams: Sequence[Team]
    roles: Sequence[Role]
    settings: Sequence[Setting]
    presets: Sequence[Preset]
    pictures: Sequence[IntroPicture]
    course: Sequence[CourseSection]
    quiz: Sequence[QuizQuestion]
    wording: Wording


def load_files(script: str, variant: str = "", **quiz_figures: int) -> RulesetFiles:
    """Load `rules.toml`, `wording.toml` and `quiz.toml` beside a ruleset's script.

    Their sections are the keys of `_CLASSES`; `quiz.toml` is a section itself. A section has a
    table for each key, with the fields of the section's class.

    - A text with conditions is a list of tables: `text`, and the facts under which it applies. The
      last table may have no facts. A list of values permits each of them.
    - `base` names an earlier table of the section, or a shared one, of which the table replaces
      some fields.

    Args:
        variant: the file of a second game with the same script. Its tables replace some fields of
            the first game's. Its table `without` lists the keys that the second game lacks.
        quiz_figures: replace the placeholders in the questions of the quiz.

    Raises:
        InvalidRuleset: a field is missing, unknown or has a wrong value.
    """
    folder = Path(script).parent
    sections: dict[str, Tables] = {**_read(folder / "rules.toml"), **_read(folder / "wording.toml")}
    sections["quiz"] = _read(folder / "quiz.toml")
    if variant:
        _apply_variant(sections, _read(folder / variant), variant)
    objects = _build_objects(sections, folder.name)
    return RulesetFiles(
        teams=tuple(objects["teams"].values()),
        roles=tuple(objects["roles"].values()),
        settings=tuple(objects["settings"].values()),
        presets=tuple(objects["presets"].values()),
        pictures=tuple(objects["introduction"].values()) or PICTURES,
        course=tuple(objects["course"].values()),
        quiz=tuple(replace(q, figures=quiz_figures) for q in objects["quiz"].values()),
        wording=Wording(
            events={**EVENTS, **objects["events"]},
            windows={**WINDOWS, **objects["windows"]},
            phases=objects["phases"],
            endings=objects["endings"],
            badges=objects["badges"],
            causes={**CAUSES, **objects["causes"]},
        ),
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    except ValueError as error:
        raise InvalidRuleset(f"{path} is no TOML file: {error}") from error


def _apply_variant(sections: dict[str, Tables], changes: dict[str, Tables], source: str) -> None:
    """Change the `sections` of a game into those of its variant, whose file is the `source`."""
    omitted = changes.pop("without", {})
    for section, keys in (*omitted.items(), *changes.items()):
        tables = sections.get(section, {})
        for key in keys:
            if key not in tables:
                raise InvalidRuleset(f"{source} changes {section}.{key}, which the game lacks")
            if key in omitted.get(section, ()):
                del tables[key]
            elif isinstance(tables[key], str):
                tables[key] = changes[section][key]
            else:
                tables[key] |= changes[section][key]


def _build_objects(sections: dict[str, Tables], source: str) -> dict[str, dict[str, Any]]:
    """Return section -> key -> object. The message of an InvalidRuleset names the `source`."""
    errors = [f"unknown section {section!r}" for section in sections.keys() - _CLASSES.keys()]
    objects: dict[str, dict[str, Any]] = {}
    for section, adapter in _ADAPTERS.items():
        tables = sections.get(section, {})
        fields = {key: _fields_of(section, key, tables) for key in tables}
        try:
            objects[section] = adapter.validate_python(fields)
        except ValidationError as error:
            errors += [
                f"{section}.{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()
            ]
    if errors:
        raise InvalidRuleset(f"the files of {source!r}: {'; '.join(errors)}")
    return objects


def _fields_of(section: str, key: str, tables: Tables) -> Any:
    """Return the fields of an object. Badges and causes have none: they are texts."""
    if isinstance(tables[key], str):
        return tables[key]
    fields = {name: _parse_value(value) for name, value in _with_base(section, key, tables).items()}
    return {_KEY_FIELDS[section]: key, **fields} if section in _KEY_FIELDS else fields


def _with_base(section: str, key: str, tables: Tables) -> dict[str, Any]:
    """Return a table with the fields that it takes over from its base."""
    table = tables[key]
    base = table.get("base", "")
    base_table = _SHARED_TABLES.get(section, {}).get(base)
    earlier_tables = dict(takewhile(lambda item: item[0] != key, tables.items()))
    if base_table is None and base in earlier_tables:
        base_table = _with_base(section, base, earlier_tables)
    if base_table is None:  # An unknown base stays among the fields, where the check reports it.
        return table
    return {**base_table, **{name: value for name, value in table.items() if name != "base"}}


def _parse_value(value: Any) -> Any:
    """Return the value of a field. A list of tables is a text with conditions."""
    if not isinstance(value, list) or not value:
        return value
    if not all(isinstance(row, dict) for row in value):
        return [_parse_value(item) for item in value]
    cases = [
        ({k: _parse_fact(v) for k, v in row.items() if k != "text"}, row.get("text"))
        for row in value
    ]
    default = "" if cases[-1][0] else cases.pop()[1]
    return ConditionalText(tuple(cases), default)


def _parse_fact(expected: Any) -> Any:
    """Return the expected value of a fact: a tuple of permitted ones for a list, unless empty."""
    return tuple(expected) if isinstance(expected, list) and expected else expected


_SHARED_OBJECTS = _build_objects(_SHARED_TABLES, "shared_declarations.toml")
EVENTS: Mapping[str, EventTexts] = _SHARED_OBJECTS["events"]
WINDOWS: Mapping[str, WindowTexts] = _SHARED_OBJECTS["windows"]
# The introduction of a game of one night, one day of talk and one vote.
PICTURES: Sequence[IntroPicture] = tuple(_SHARED_OBJECTS["introduction"].values())
