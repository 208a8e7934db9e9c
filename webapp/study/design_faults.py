"""What is wrong in a design's data, said in sentences for the one who must mend it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

# What the parts of a design are called.
PARTS = {
    "table": gettext_lazy("the table"),
    "factors": gettext_lazy("what varies"),
    "assignment": gettext_lazy("people and games"),
    "stages": gettext_lazy("the way"),
    "waiting": gettext_lazy("the waiting room"),
    "dropout": gettext_lazy("who stays away"),
    "during": gettext_lazy("asked during play"),
    "exits": gettext_lazy("ways out"),
    "bonuses": gettext_lazy("bonuses"),
    "platform": gettext_lazy("the platform"),
    "ethics": gettext_lazy("ethics"),
}
# The kind of a fault -> what to do about it.
WHAT = {
    "extra_forbidden": gettext_lazy("there is no such setting; take it out"),
    "missing": gettext_lazy("this is missing"),
    "literal_error": gettext_lazy("choose one of {expected}"),
    "union_tag_invalid": gettext_lazy("there is no stage of that kind; there are {expected_tags}"),
    "union_tag_not_found": gettext_lazy("say which kind of stage it is"),
    "greater_than": gettext_lazy("this is more than {gt}"),
    "greater_than_equal": gettext_lazy("this is at least {ge}"),
    "less_than_equal": gettext_lazy("this is at most {le}"),
    "string_too_long": gettext_lazy("shorten this to {max_length} characters"),
    "string_pattern_mismatch": gettext_lazy(
        "use small letters, digits, - and _, a letter first, 40 characters at most"
    ),
    "too_long": gettext_lazy("there can be {max_length} at most"),
    "too_short": gettext_lazy("there has to be one at least"),
    "decimal_max_places": gettext_lazy("this has two places after the point at most"),
}
# Beginnings of kinds of faults: a value of another type.
TYPES = {
    "int": gettext_lazy("this is a whole number"),
    "float": gettext_lazy("this is a number"),
    "decimal": gettext_lazy("this is an amount such as 4.50"),
    "finite": gettext_lazy("this is a number"),
    "bool": gettext_lazy("this is on or off (true or false)"),
    "string": gettext_lazy("this is a text"),
    "tuple": gettext_lazy("this is a list"),
    "list": gettext_lazy("this is a list"),
    "dict": gettext_lazy("this is a table of settings"),
    "model": gettext_lazy("this is a table of settings"),
}


def sentences(errors: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for each of pydantic's errors, each once, in order."""
    told = [error for error in errors if not _follows(error, errors)]
    return list(dict.fromkeys(map(_sentence, told)))


def _follows(error: Mapping[str, Any], errors: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a list is short only because what is in it has faults of its own."""
    place = error["loc"]
    return error["type"] == "too_short" and any(
        other["loc"][: len(place)] == place and len(other["loc"]) > len(place) for other in errors
    )


def _sentence(error: Mapping[str, Any]) -> str:
    told = _("{where}: {what}.").format(where=_where(error["loc"]), what=_what(error))
    return told[0].upper() + told[1:]


def _what(error: Mapping[str, Any]) -> str:
    kind: str = error["type"]
    if kind in WHAT:
        plain = {k: str(v).replace("'", "") for k, v in error.get("ctx", {}).items()}
        return str(WHAT[kind]).format(**plain)
    return str(TYPES.get(kind.split("_")[0]) or error["msg"])


def _where(place: Sequence[str | int]) -> str:
    """`("stages", 2, "rules", "quiz", "tries")` -> "the way, no. 3 (rules), quiz, tries"."""
    words: list[str] = []
    for at, part in enumerate(place):
        if isinstance(part, int):
            words.append(_("no. {n}").format(n=part + 1))
        elif at == 2 and place[0] == "stages":
            words[-1] += f" ({part})"
        elif part != "[key]":
            words.append(str(PARTS[part]) if part in PARTS and not words else part)
    return ", ".join(word.replace("_", " ") for word in words) or _("the design")
