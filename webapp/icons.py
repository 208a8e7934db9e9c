"""Template filters for the icons of `static/icons/sprite.svg`."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.template import Library

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
    """Return the ids in the sprite. It changes only with the program, so they are cached."""
    sprite = finders.find(SPRITE)
    if sprite is None:
        raise FileNotFoundError(SPRITE)
    return frozenset(re.findall(r'<symbol id="([^"]+)"', Path(sprite).read_text()))
