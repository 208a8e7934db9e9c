"""Tests of the scroller tag: the box of a wide table has exactly one name."""

import pytest
from django.template import Context, Template


def render_scroller(arguments: str, **context: str) -> str:
    page = "{% load scroller %}{% scroller " + arguments + " %}<b>{{ n }}</b>{% endscroller %}"
    return Template(page).render(Context({"n": "<1>", **context}))


def test_box_is_named_and_keeps_its_content() -> None:
    assert render_scroller("label=name also='tall'", name='"Full" <x>') == (
        '<div class="scroller tall" tabindex="0" role="group"'
        ' aria-label="&quot;Full&quot; &lt;x&gt;"><b>&lt;1&gt;</b></div>'
    )
    assert ' aria-labelledby="item-a">' in render_scroller("labelledby='item-'|add:key", key="a")


@pytest.mark.parametrize("arguments", ["", "labelledby=none", "label='a' labelledby='b'"])
def test_box_without_a_name_or_with_two_is_refused(arguments: str) -> None:
    with pytest.raises(ValueError, match="one of label and labelledby"):
        render_scroller(arguments)
