"""The template tag for what may be wider than the window, mostly a table.

A box that scrolls by itself. The keyboard reaches it, and a screen reader says its name
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

    `also`: a class beside the box's own. ValueError: it has no name, or two.

    A label written as `_("…")` can hold no percent sign: Django doubles it there.
    """
    if bool(label) == bool(labelledby):
        raise ValueError("a scroller needs one of label and labelledby")
    name = format_html('aria-{}="{}"', "label" if label else "labelledby", label or labelledby)
    kind = f"scroller {also}".strip()
    return format_html('<div class="{}" tabindex="0" role="group" {}>{}</div>', kind, name, content)
