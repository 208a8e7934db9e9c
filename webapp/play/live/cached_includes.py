"""Template tags that include a template with given data, and cache the text for the same data.

Pages and pushes render the same parts for many viewers. Most of them get the same data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from django.template import Library
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

CACHE_SIZE = 12_000  # renderings of at most a few kilobytes each
register = Library()


@register.simple_tag(name="include_cached")
def render_cached(template: str, **context: Any) -> SafeString:
    """Render the template with this data only, or return the cached text for the same data."""
    return _render(template, _CachedContext((get_language(), context_key(context)), context))


@register.simple_tag(name="include_each_cached")
def render_each_cached(
    template: str, name: str, items: Iterable[Any], **context: Any
) -> SafeString:
    """Render the template once for each item, cached as `render_cached`.

    Args:
        name: The template's variable for the item. All items share the rest of the context.
    """
    shared_key = (get_language(), name, context_key(context))  # once, because lists are long
    texts = (
        _render(template, _CachedContext((*shared_key, context_key(item)), {name: item, **context}))
        for item in items
    )
    return mark_safe("".join(texts))


def context_key(data: object) -> object:
    """Return a value that two contexts share only if they render alike.

    It is the data themselves if they can be hashed, which is several times as fast as hashing their
    `repr`. The `repr` must show all data, as that of a dataclass does.
    """
    values = _hashable(data)
    try:
        hash(values)
    except TypeError:
        return blake2b(repr(data).encode(), digest_size=16).digest()
    return values


def _hashable(value: object) -> object:
    """Return the value as a tuple if it is a list or a dict. Nested lists stay as they are."""
    if isinstance(value, dict):
        return tuple((key, _hashable(inner)) for key, inner in value.items())
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True)
class _CachedContext:
    """A template's context, hashed and compared by its key alone."""

    key: object
    context: Mapping[str, Any] = field(compare=False)


@lru_cache(maxsize=CACHE_SIZE)
def _render(template: str, cached: _CachedContext) -> SafeString:
    return render_to_string(template, cached.context)
