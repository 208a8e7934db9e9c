"""Study files in TOML, which can be read, edited by hand and imported elsewhere."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from webapp.study.design.stages import Design
from webapp.study.design.value_checks import Refused

MAX_BYTES = 512 * 1024
HEADER_KEYS = ("name", "about", "seed")  # keys of a file beside the design
# tomllib needs quadratic time and memory for a key of many parts, so more than thirty are refused.
# Strings and comments are replaced first, in one linear pass. An unterminated one extends to the
# end of its line or of the file, where tomllib gives up.
_OPAQUE = re.compile(
    r'''"""(?:\\.|[^\\])*?(?:"{3,5}|\\?\Z)|"(?:\\[^\n]|[^"\\\n])*+"?'''
    r"""|'''.*?(?:'{3,5}|\Z)|'[^'\n]*+'?|\#[^\n]*+""",
    re.DOTALL,
)
DEEP_KEY = re.compile(r"(?<![\w-])[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++){30}")


@dataclass(frozen=True)
class DesignFile:
    """The content of a file.

    about: a short description for a list. seed: "" to draw a new one.
    """

    name: str
    design: Design
    about: str = ""
    seed: str = ""


def parse_study_file(written: str) -> DesignFile:
    """Return the study that a file describes. Raises Refused with every fault."""
    if DEEP_KEY.search(_OPAQUE.sub("s", written)):
        raise Refused([_("This is no file of a study: a key in it has too many parts.")])
    try:
        return _read(tomllib.loads(written))
    except ValueError as error:  # also raised for a number that is too long for Python
        raise Refused([_("This is no TOML file: {why}.").format(why=str(error)[:200])]) from None
    except RecursionError:
        raise Refused([_("This is no file of a study: it is nested too deeply.")]) from None


def _read(data: dict[str, Any]) -> DesignFile:
    own = {name: data.pop(name, "") for name in HEADER_KEYS}
    if wrong := [name for name, value in own.items() if not isinstance(value, str)]:
        raise Refused([_("In the file “{name}” is a text.").format(name=wrong[0])])
    if not own["name"].strip():
        raise Refused([_("The file says no name of the study: name = …")])
    return DesignFile(design=Design.of(data), **own)


def format_study_file(file: DesignFile) -> str:
    """Return the text that `parse_study_file` reads, without usual values."""
    own = {name: getattr(file, name) for name in HEADER_KEYS if getattr(file, name)}
    design = file.design.model_dump(mode="json", exclude_defaults=True)
    stages = [
        {"kind": stage.kind, **stage.model_dump(mode="json", exclude_defaults=True)}
        for stage in file.design.stages
    ]
    data = {**own, "version": file.design.version, **design, "stages": stages}
    return "\n".join(_table(data, ())) + "\n"


def _table(data: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield a table's plain values first, as TOML requires, and then its sub-tables."""
    inner = {k: v for k, v in data.items() if _is_table(v) or _is_tables(v)}
    for key, value in data.items():
        if key not in inner:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in inner.items():
        name = ".".join(map(_key, (*path, key)))
        for one in [value] if _is_table(value) else value:
            if not _is_table(value):
                yield f"\n[[{name}]]"
            elif not one or not all(map(_is_table, one.values())):
                yield f"\n[{name}]"
            yield from _table(one, (*path, key))


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_table, value))


def _key(key: str) -> str:
    bare_key = key.replace("-", "").replace("_", "")
    return key if bare_key.isalnum() and bare_key.isascii() else _text(key)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return _text(value)
        case Mapping():
            return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + "}"
        case _:
            return "[" + ", ".join(map(_value, value)) + "]"


def _text(text: str) -> str:
    """Return a basic TOML string. Text of several lines is in triple quotes, for readability."""
    doubled = text.replace("\\", "\\\\")
    escaped = "".join(
        c if c in "\n\t" or (c >= " " and c != "\x7f") else f"\\u{ord(c):04x}" for c in doubled
    )
    quoted = escaped.replace('"', '\\"')
    return f'"""\n{quoted}"""' if "\n" in quoted else f'"{quoted}"'
