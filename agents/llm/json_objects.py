"""JSON objects in a model's text: extraction from surrounding text, and schema checks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import fastjsonschema

MAX_SEARCHED_CHARS = 20_000  # from the end, and from the beginning if there is no object
_DECODER = json.JSONDecoder(strict=False)  # permits line breaks inside strings
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.S)
_MEMBER = re.compile(r'(?:"\s*:|[,\[])\s*$')


def objects_in(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects in `text`, in order, also from code fences or prose.

    Objects inside another object, also inside a broken one, are not listed separately.
    """
    objects = _parse_objects(text[-MAX_SEARCHED_CHARS:])
    if objects or len(text) <= MAX_SEARCHED_CHARS:
        return objects
    return _parse_objects(text[:MAX_SEARCHED_CHARS])


def parse_unfinished(text: str) -> dict[str, Any] | None:
    """Return an object that was cut off, up to its last whole row. None if no row is whole."""
    start = text[-MAX_SEARCHED_CHARS:].find("{")
    text, open_, ends = text[-MAX_SEARCHED_CHARS:][start:] if start >= 0 else "", "", []
    for match in _PIECE.finditer(text):
        if match[0] in "{[":
            open_ += "}" if match[0] == "{" else "]"
        elif match[0] in "}]" and open_.endswith(match[0]):
            open_ = open_[:-1]
            if match[0] == "}" and open_.endswith("]"):
                ends.append((match.end(), open_[::-1]))
    if not ends:
        return None
    end, closing = ends[-1]
    try:
        value = json.loads(text[:end] + closing, strict=False)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def is_valid(data: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Check whether an object is valid against the schema."""
    try:
        _checker(json.dumps(schema, sort_keys=True))(data)
    except fastjsonschema.JsonSchemaException:
        return False
    return True


def _parse_objects(text: str) -> list[dict[str, Any]]:
    objects, position, is_inside_broken = [], 0, False
    while (position := text.find("{", position)) >= 0:
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            beginning = text[position + 1 : position + 50].lstrip()
            is_inside_broken = is_inside_broken or beginning.startswith('"')
            position += 1
            continue
        if not (is_inside_broken and _MEMBER.search(text[max(0, position - 50) : position])):
            objects.append(value)
        position = end
    return objects


@lru_cache(maxsize=64)
def _checker(schema: str) -> Callable[[Any], Any]:
    check: Callable[[Any], Any] = fastjsonschema.compile(json.loads(schema))
    return check
