"""The site's template tags: icons of roles, and boxes that scroll by themselves (docs/look.md)."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.template import Library
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = Library()
SPRITE = "icons/sprite.svg"
FALLBACK_ICON = "role"  # for roles without an icon of their own


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

    Raises:
        ValueError: the box has no name, or two.
    """
    if bool(label) == bool(labelledby):
        raise ValueError("a scroller needs one of label and labelledby")
    name = format_html('aria-{}="{}"', "label" if label else "labelledby", label or labelledby)
    kind = f"scroller {also}".strip()
    return format_html('<div class="{}" tabindex="0" role="group" {}>{}</div>', kind, name, content)
