"""Tests that researchers' Markdown reaches participants without scripts or remote resources."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from webapp.study.participant.stage_pages import render_markdown


class ParsedHtml(HTMLParser):
    """The tags, attributes and texts that a browser would parse."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_plain_markdown_is_rendered() -> None:
    html = render_markdown(
        "# Welcome\n\nYou play **one** game.\n\n- talk\n- vote\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    )
    assert "<h2>Welcome</h2>" in html, "headings start below the page's own"
    assert "<strong>one</strong>" in html
    assert html.count("<li>") == 2
    assert "<td>2</td>" in html
    assert render_markdown("") == ""
    assert render_markdown("### Only\n\n##### This") == "<h2>Only</h2>\n<h3>This</h3>", "no gaps"


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[here](javascript:alert(1))",
        "[here](JaVaScRiPt:alert(1))",
        "[here](data:text/html;base64,PHNjcmlwdD4=)",
        "![dot](https://elsewhere.example/who.png)",
        "<a href='https://x.example' onclick='alert(1)'>x</a>",
        "<style>body{display:none}</style>",
        "[x](https://x.example \"y' onmouseover='alert(1)\")",
        "<iframe src='https://x.example'></iframe>",
        "<javascript:alert(1)>",
    ],
)
def test_markdown_runs_no_script_and_loads_no_resource(text: str) -> None:
    parsed = ParsedHtml()
    parsed.feed(render_markdown(text))
    assert {tag for tag, _attributes in parsed.tags} <= {"p", "a"}
    for _tag, attributes in parsed.tags:
        assert set(attributes) <= {"href", "title", "rel", "target"}
        assert (attributes.get("href") or "https:").startswith("https:")
    assert "".join(parsed.words).strip(), "the text remains"


def test_external_link_opens_in_a_new_tab_without_referrer() -> None:
    html = render_markdown("See [the form](https://forms.example/a?b=1&c=2).")
    assert 'href="https://forms.example/a?b=1&amp;c=2"' in html
    assert 'target="_blank"' in html
    assert 'rel="noopener noreferrer"' in html
    assert "href" not in render_markdown("[out](/researcher/accounts/)"), "local links are removed"
