"""Renders researchers' Markdown texts as safe HTML for participants' pages.

The syntax is CommonMark with tables. HTML in the text is shown as plain text. Pictures are left
out, because fetching one would reveal participants to another server.
"""

from __future__ import annotations

from functools import lru_cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
_cleaner = nh3.Cleaner(
    tags=TAGS,
    attributes={"a": {"href", "title"}, "ol": {"start"}},
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    set_tag_attribute_values={"a": {"target": "_blank"}},
    link_rel="noopener noreferrer",
)


@lru_cache(maxsize=256)
def render_markdown(text: str) -> SafeString:
    """Return the text as HTML, "" for an empty one. Links open in another tab.

    Headings begin at h2, because the page has an h1 of its own.
    """
    tokens = _parser.parse(text)
    headings = [t for t in tokens if t.type in ("heading_open", "heading_close")]
    levels = sorted({token.tag for token in headings})  # the tags in use, for example h2, h4
    for token in headings:
        token.tag = f"h{min(4, 2 + levels.index(token.tag))}"
    rendered = _parser.renderer.render(tokens, _parser.options, {})
    return mark_safe(_cleaner.clean(rendered).strip())
