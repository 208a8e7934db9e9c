"""Templates drawn from plain data, once for all pages that show the same.

In a template, `{% load drawings %}` and `{% drawn "play/seat.html" seat=seat %}` is an include that
gets what is named here and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from django.template import Library
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

KEPT = 12_000  # drawings; a few kilobytes each at most
register = Library()


@dataclass(frozen=True)
class _Shown:
    """A template's context, told apart by what it says."""

    key: bytes
    context: Mapping[str, Any] = field(compare=False)


@lru_cache(maxsize=KEPT)
def _drawn(template: str, drawing: _Shown) -> SafeString:
    return render_to_string(template, drawing.context)


@register.simple_tag
def drawn(template: str, **context: Any) -> SafeString:
    """The template with this data: whatever its `repr` tells whole, as dataclasses do."""
    key = blake2b(f"{get_language()} {context!r}".encode(), digest_size=16).digest()
    return _drawn(template, _Shown(key, context))
