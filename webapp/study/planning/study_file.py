"""Study files in TOML, which researchers can edit and import on other sites."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from webapp.study.design.refusals import Refused
from webapp.study.design.stages import Design

MAX_BYTES = 512 * 1024
HEADER_KEYS = ("name", "about", "seed")  # A study file has these keys and the fields of the design.
# Keys of more than thirty parts are refused, because tomllib needs quadratic time and memory for
# them. Strings and comments are replaced first, in one linear pass. An unterminated string extends
# to the end of its line or of the file, where tomllib raises an error.
_STRINGS_AND_COMMENTS = re.compile(
    r'''"""(?:\\.|[^\\])*?(?:"{3,5}|\\?\Z)|"(?:\\[^\n]|[^"\\\n])*+"?'''
    r"""|'''.*?(?:'{3,5}|\Z)|'[^'\n]*+'?|\#[^\n]*+""",
    re.DOTALL,
)
_DEEP_KEY = re.compile(r"(?<![\w-])[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++){30}")


@dataclass(frozen=True)
class DesignFile:
    """The content of a study file. `seed` is "" to draw a new one."""

    name: str
    design: Design
    about: str = ""
    seed: str = ""


def parse_study_file(text: str) -> DesignFile:
    """Parse a study file, or raise `Refused`."""
    if _DEEP_KEY.search(_STRINGS_AND_COMMENTS.sub("s", text)):
        raise Refused([_("This is not a study file: one of its keys has too many parts.")])
    try:
        return _build_design_file(tomllib.loads(text))
    except ValueError as error:  # also raised for a number that is too long for Python
        raise Refused([_("This is not a TOML file: {why}.").format(why=str(error)[:200])]) from None
    except RecursionError:
        raise Refused([_("This is not a study file: it is nested too deeply.")]) from None


def _build_design_file(data: dict[str, Any]) -> DesignFile:
    header = {name: data.pop(name, "") for name in HEADER_KEYS}
    if invalid_names := [name for name, value in header.items() if not isinstance(value, str)]:
        raise Refused([_("“{name}” must be text in the file.").format(name=invalid_names[0])])
    if not header["name"].strip():
        raise Refused([_("The file does not name the study. Add: name = …")])
    return DesignFile(design=Design.from_json(data), **header)


def format_study_file(file: DesignFile) -> str:
    """Return the text that `parse_study_file` reads, without default values."""
    header = {name: getattr(file, name) for name in HEADER_KEYS if getattr(file, name)}
    design = file.design.model_dump(mode="json", exclude_defaults=True)
    stages = [
        {"kind": stage.kind, **stage.model_dump(mode="json", exclude_defaults=True)}
        for stage in file.design.stages
    ]
    data = {**header, "version": file.design.version, **design, "stages": stages}
    return "\n".join(_format_table(data, ())) + "\n"


def _format_table(data: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield a table's lines: its plain values first, as TOML requires, then its sub-tables."""
    sub_tables = {
        k: v
        for k, v in data.items()
        if _is_table(v) or (isinstance(v, list | tuple) and v and all(map(_is_table, v)))
    }
    for key, value in data.items():
        if key not in sub_tables:
            yield f"{_format_key(key)} = {_format_value(value)}"
    for key, value in sub_tables.items():
        name = ".".join(map(_format_key, (*path, key)))
        for table in [value] if _is_table(value) else value:
            if not _is_table(value):
                yield f"\n[[{name}]]"
            elif not table or not all(map(_is_table, table.values())):
                yield f"\n[{name}]"
            yield from _format_table(table, (*path, key))


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _format_key(key: str) -> str:
    bare_key = key.replace("-", "").replace("_", "")
    return key if bare_key.isalnum() and bare_key.isascii() else _format_text(key)


def _format_value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return _format_text(value)
        case Mapping():
            pairs = (f"{_format_key(k)} = {_format_value(v)}" for k, v in value.items())
            return "{" + ", ".join(pairs) + "}"
        case _:
            return "[" + ", ".join(map(_format_value, value)) + "]"


def _format_text(text: str) -> str:
    """Return a basic TOML string, in triple quotes if it has several lines."""
    doubled = text.replace("\\", "\\\\")
    escaped = "".join(
        c if c in "\n\t" or (c >= " " and c != "\x7f") else f"\\u{ord(c):04x}" for c in doubled
    )
    quoted = escaped.replace('"', '\\"')
    return f'"""\n{quoted}"""' if "\n" in quoted else f'"{quoted}"'
