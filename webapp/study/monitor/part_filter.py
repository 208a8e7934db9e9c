"""The template filter that inserts a part into a page of the monitor.

A part is an HTML fragment of the page that is updated by itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.template import Library
from django.utils.safestring import SafeString

register = Library()


@register.filter
def part(parts: Mapping[str, SafeString], name: str) -> SafeString:
    """Return the HTML fragment with this id."""
    return parts[name]
