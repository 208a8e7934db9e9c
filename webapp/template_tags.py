"""The site's template tags: role icons, boxes that scroll by themselves, cached includes.

Pages and pushes render the same parts for many viewers. Most of them get the same data, so
`include_cached` keeps the text. docs/look.md describes the other tags.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.template import Library
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

register = Library()
SPRITE = "icons/sprite.svg"
FALLBACK_ICON = "role"  # icon of roles without one of their own
CACHE_SIZE = 12_000  # number of cached includes, of at most a few kilobytes each


@register.filter
def role_icon(role: str) -> str:
    """Return the sprite's id of a role's icon: "role-<key>" if it exists, else FALLBACK_ICON."""
    icon = f"role-{role}"
    return icon if icon in _sprite_ids() else FALLBACK_ICON


@cache
def _sprite_ids() -> frozenset[str]:
    """Return the ids in the sprite, which changes only with the program."""
    sprite = finders.find(SPRITE)
    if sprite is None:
        raise FileNotFoundError(SPRITE)
    return frozenset(re.findall(r'<symbol id="([^"]+)"', Path(sprite).read_text()))


@register.simple_block_tag
def scroller(
    content: SafeString, *, label: str | Promise = "", labelledby: str = "", also: str = ""
) -> SafeString:
    """Return `content`, mostly a table, in a box that scrolls by itself if it is too wide.

    The keyboard reaches the box, and a screen reader reads its name.

    Args:
        label: the box's name. Written as `_("…")` it cannot contain a percent sign, which Django
            doubles there.
        labelledby: the id of an element whose text is the name.
        also: a CSS class besides the box's own.
    """
    if bool(label) == bool(labelledby):
        raise ValueError("a scroller needs one of label and labelledby")
    name = format_html('aria-{}="{}"', "label" if label else "labelledby", label or labelledby)
    kind = f"scroller {also}".strip()
    return format_html('<div class="{}" tabindex="0" role="group" {}>{}</div>', kind, name, content)


@register.simple_tag(name="include_cached")
def render_cached(template: str, **context: Any) -> SafeString:
    """Render the template with this data only, or return the cached text for the same data."""
    return _render(template, _CachedContext((get_language(), context_key(context)), context))


@register.simple_tag(name="include_each_cached")
def render_each_cached(
    template: str, name: str, items: Iterable[Any], **context: Any
) -> SafeString:
    """Render the template once for each item, which it calls `name`, cached as `render_cached`.

    All items share the rest of the context.
    """
    shared_key = (get_language(), name, context_key(context))  # once, because lists are long
    texts = (
        _render(template, _CachedContext((*shared_key, context_key(item)), {name: item, **context}))
        for item in items
    )
    return mark_safe("".join(texts))


def context_key(data: object) -> object:
    """Return a value that two contexts share only if they render alike.

    The value is the data themselves if they can be hashed, which is several times as fast as
    hashing their `repr`. The `repr` must show all data, as that of a dataclass does.
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
