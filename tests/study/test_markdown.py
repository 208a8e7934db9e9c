"""What researchers write reaches participants as text, never as somebody's script or picture."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from webapp.study.markdown import render_markdown


class Seen(HTMLParser):
    """What a browser makes of it: tags with their attributes, and words."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_plain_markdown_is_rendered() -> None:
    made = render_markdown(
        "# Welcome\n\nYou play **one** game.\n\n- talk\n- vote\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    )
    assert "<h2>Welcome</h2>" in made, "below the page's own heading"
    assert "<strong>one</strong>" in made
    assert made.count("<li>") == 2
    assert "<td>2</td>" in made
    assert render_markdown("") == ""
    assert render_markdown("### Only\n\n##### This") == "<h2>Only</h2>\n<h3>This</h3>", (
        "no level left out"
    )


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
    seen = Seen()
    seen.feed(render_markdown(text))
    assert {tag for tag, _attributes in seen.tags} <= {"p", "a"}
    for _tag, attributes in seen.tags:
        assert set(attributes) <= {"href", "title", "rel", "target"}
        assert (attributes.get("href") or "https:").startswith("https:")
    assert "".join(seen.words).strip(), "the words are still there"


def test_external_link_opens_in_a_new_tab_without_referrer() -> None:
    made = render_markdown("See [the form](https://forms.example/a?b=1&c=2).")
    assert 'href="https://forms.example/a?b=1&amp;c=2"' in made
    assert 'target="_blank"' in made
    assert 'rel="noopener noreferrer"' in made
    assert "href" not in render_markdown("[out](/researcher/accounts/)"), "nowhere on this site"
