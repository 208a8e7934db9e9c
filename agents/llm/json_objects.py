"""JSON objects in a model's text: extraction from surrounding text, and schema checks."""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import fastjsonschema

# The end of a text is searched, then the beginning if the end has no object.
MAX_SEARCHED_CHARS = 20_000
LOOKAROUND_CHARS = 50  # characters that are examined beside a brace
_DECODER = json.JSONDecoder(strict=False)  # permits line breaks inside strings
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.S)
_ENDS_BEFORE_NESTED_VALUE = re.compile(r'(?:"\s*:|[,\[])\s*$')


def find_objects(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects in `text`, in order, whether or not prose surrounds them.

    Objects inside another object, even a broken one, are not listed separately.
    """
    objects = _parse_objects(text[-MAX_SEARCHED_CHARS:])
    if objects or len(text) <= MAX_SEARCHED_CHARS:
        return objects
    return _parse_objects(text[:MAX_SEARCHED_CHARS])


def parse_unfinished(text: str) -> dict[str, Any] | None:
    """Parse a truncated object up to the last complete row of a list, None without one."""
    _prose, brace, after = text[-MAX_SEARCHED_CHARS:].partition("{")
    text = brace + after
    # The brackets that would close all open ones, the innermost first.
    missing_brackets = ""
    # The end of the last complete row, and the brackets missing there.
    end, closing = 0, ""
    for match in _STRING_OR_BRACKET.finditer(text):
        if match[0] in "{[":
            missing_brackets = ("}" if match[0] == "{" else "]") + missing_brackets
        elif match[0] in "}]" and missing_brackets.startswith(match[0]):
            missing_brackets = missing_brackets[1:]
            if match[0] == "}" and missing_brackets.startswith("]"):
                end, closing = match.end(), missing_brackets
    if not end:
        return None
    try:
        value = json.loads(text[:end] + closing, strict=False)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def is_valid(data: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Return whether an object is valid against the schema."""
    try:
        _compile_schema(json.dumps(schema, sort_keys=True))(data)
    except fastjsonschema.JsonSchemaException:
        return False
    return True


def _parse_objects(text: str) -> list[dict[str, Any]]:
    """Return the outermost objects in `text`, without those that seem parts of a broken one."""
    # Nobody can tell where a broken object ends, so `is_inside_broken` stays true: from there on,
    # objects that stand where a value or list element would stand count as its parts.
    objects, position, is_inside_broken = [], 0, False
    while (position := text.find("{", position)) >= 0:
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            beginning = text[position + 1 : position + LOOKAROUND_CHARS].lstrip()
            is_inside_broken = is_inside_broken or beginning.startswith('"')
            position += 1
            continue
        text_before = text[max(0, position - LOOKAROUND_CHARS) : position]
        if not (is_inside_broken and _ENDS_BEFORE_NESTED_VALUE.search(text_before)):
            objects.append(value)
        position = end
    return objects


@lru_cache(maxsize=64)
def _compile_schema(schema: str) -> Callable[[Any], Any]:
    check: Callable[[Any], Any] = fastjsonschema.compile(json.loads(schema))
    return check
