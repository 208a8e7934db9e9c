"""The box that a wide table scrolls in has one name, whatever is in that name."""

import pytest
from django.template import Context, Template


def drawn(how: str, **told: str) -> str:
    page = "{% load scroller %}{% scroller " + how + " %}<b>{{ n }}</b>{% endscroller %}"
    return Template(page).render(Context({"n": "<1>", **told}))


def test_box_is_named_and_keeps_its_content() -> None:
    assert drawn("label=name also='tall'", name='"Full" <x>') == (
        '<div class="scroller tall" tabindex="0" role="group"'
        ' aria-label="&quot;Full&quot; &lt;x&gt;"><b>&lt;1&gt;</b></div>'
    )
    assert ' aria-labelledby="item-a">' in drawn("labelledby='item-'|add:key", key="a")


@pytest.mark.parametrize("how", ["", "labelledby=none", "label='a' labelledby='b'"])
def test_box_without_a_name_or_with_two_is_refused(how: str) -> None:
    with pytest.raises(ValueError, match="one of label and labelledby"):
        drawn(how)
