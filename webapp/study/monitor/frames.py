"""The content of a page of the monitor, as named parts of HTML, and the changes since.

A part is an element with an id. A list is an element whose rows have ids of their own, so that a
single row can be replaced. The page, its socket and its polling show the same parts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.template.loader import get_template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

FOLDER = "study/monitor/"


@dataclass(frozen=True)
class PageContent:
    """The content of a page at one time.

    calls: number of unanswered messages, for the title. parts: id -> inner HTML. lists: id ->
    {row's id: HTML of the row}. games: ids of the games shown, whose changes also refresh the page.
    """

    calls: int
    parts: Mapping[str, SafeString]
    lists: Mapping[str, Mapping[str, SafeString]] = field(default_factory=dict)
    games: frozenset[int] = frozenset()

    @property
    def rows(self) -> dict[str, SafeString]:
        """The rows of each list, joined."""
        return {
            name: format_html_join("", "{}", ((row,) for row in rows.values()))
            for name, rows in self.lists.items()
        }

    def data(self) -> dict[str, Any]:
        """Return all parts, JSON-shaped."""
        return SentParts().news(self)


class SentParts:
    """The parts that were sent to an open page."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._orders: dict[str, Sequence[str]] = {}
        self._calls = -1

    def news(self, look: PageContent) -> dict[str, Any]:
        """Return the parts of `look` that the page does not have yet, {} if there are none."""
        news_data: dict[str, Any] = {}
        if parts := {name: html for name, html in look.parts.items() if self._is_new(name, html)}:
            news_data["parts"] = parts
        for name, rows in look.lists.items():
            changed = {key: html for key, html in rows.items() if self._is_new(key, html)}
            order = list(rows)
            if changed or self._orders.get(name) != order:
                news_data.setdefault("lists", {})[name] = {"order": order, "rows": changed}
                removed_keys = set(self._orders.get(name, ())) - set(order)
                self._orders[name] = order
                for key in removed_keys:
                    self._known.pop(key, None)
        if news_data or self._calls != look.calls:
            news_data["calls"] = self._calls = look.calls
        return news_data

    def _is_new(self, name: str, html: str) -> bool:
        digest = hashlib.blake2b(html.encode(), digest_size=12).hexdigest()
        new = self._known.get(name) != digest
        self._known[name] = digest
        return new


def render_part(template: str, **context: Any) -> SafeString:
    return mark_safe(get_template(f"{FOLDER}{template}.html").render(context).strip())


@lru_cache(maxsize=4096)
def render_row(template: str, one: Any, code: str) -> SafeString:
    """Return a row of a list. `one` is a frozen value, so an equal row is rendered once."""
    return mark_safe(" ".join(render_part(template, one=one, code=code).split()))


def serialize(news: Mapping[str, Any]) -> str:
    return json.dumps(news, ensure_ascii=False, separators=(",", ":"))
