"""The content of a page of the monitor as named parts of HTML, and what changed since it was sent.

A part is an element with an id. A list is an element whose rows have ids of their own, so that a
single row can be replaced. The page itself, its socket and its polling send the same parts.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.template import Library
from django.template.loader import get_template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

register = Library()
TEMPLATE_FOLDER = "study/monitor/"


@dataclass(frozen=True)
class PageContent:
    calls: int  # number of unanswered messages, for the page's title
    parts: Mapping[str, SafeString]  # id -> inner HTML
    # Id -> {id of the row: HTML of the row}.
    lists: Mapping[str, Mapping[str, SafeString]] = field(default_factory=dict)
    # Ids of the games on the page. Their changes also refresh it.
    games: frozenset[int] = frozenset()

    @property
    def rows(self) -> dict[str, SafeString]:
        """The rows of each list, joined."""
        return {
            name: format_html_join("", "{}", ((row,) for row in rows.values()))
            for name, rows in self.lists.items()
        }


class SentParts:
    """The parts and rows that an open page has been sent, as digests."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._orders: dict[str, Sequence[str]] = {}
        self._calls = -1

    def find_changes(self, content: PageContent) -> dict[str, Any]:
        """Return what the page lacks of `content`, {} for nothing, and count it as sent.

        Its keys: "parts" (id -> HTML), "lists" (id -> {"order": ids of all rows, "rows": id -> HTML
        of changed rows}) and "calls".
        """
        changes: dict[str, Any] = {}
        if parts := {
            name: html for name, html in content.parts.items() if self._update_digest(name, html)
        }:
            changes["parts"] = parts
        for name, rows in content.lists.items():
            changed = {key: html for key, html in rows.items() if self._update_digest(key, html)}
            order = list(rows)
            if changed or self._orders.get(name) != order:
                changes.setdefault("lists", {})[name] = {"order": order, "rows": changed}
                removed_keys = set(self._orders.get(name, ())) - set(order)
                self._orders[name] = order
                for key in removed_keys:
                    self._digests.pop(key, None)
        if changes or self._calls != content.calls:
            changes["calls"] = self._calls = content.calls
        return changes

    def _update_digest(self, name: str, html: str) -> bool:
        """Store the digest of an element. Return whether it has changed."""
        digest = hashlib.blake2b(html.encode(), digest_size=12).hexdigest()
        is_new = self._digests.get(name) != digest
        self._digests[name] = digest
        return is_new


@register.filter
def part(parts: Mapping[str, SafeString], name: str) -> SafeString:
    return parts[name]


def render_part(template: str, **context: Any) -> SafeString:
    return mark_safe(get_template(f"{TEMPLATE_FOLDER}{template}.html").render(context).strip())


@lru_cache(maxsize=4096)
def render_row(template: str, **context: Any) -> SafeString:
    """Return the HTML of a row of a list. The context is immutable, so that it can be cached."""
    return mark_safe(" ".join(render_part(template, **context).split()))


def serialize(changes: Mapping[str, Any]) -> str:
    return json.dumps(changes, ensure_ascii=False, separators=(",", ":"))
