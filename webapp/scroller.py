"""The template tag for content that may be wider than the window, mostly tables.

It makes a box that scrolls by itself. The keyboard reaches it, and a screen reader reads its name
(docs/look.md).
"""

from __future__ import annotations

from django.template import Library
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = Library()


@register.simple_block_tag
def scroller(
    content: SafeString, *, label: str | Promise = "", labelledby: str = "", also: str = ""
) -> SafeString:
    """Return `content` in a box named by `label`, or by the element whose id is `labelledby`.

    A label written as `_("…")` cannot contain a percent sign: Django doubles it there.

    Args:
        also: A class besides the box's own.

    Raises:
        ValueError: The box has no name, or two.
    """
    if bool(label) == bool(labelledby):
        raise ValueError("a scroller needs one of label and labelledby")
    name = format_html('aria-{}="{}"', "label" if label else "labelledby", label or labelledby)
    kind = f"scroller {also}".strip()
    return format_html('<div class="{}" tabindex="0" role="group" {}>{}</div>', kind, name, content)
