"""Tests of a style written for a seat: casting, refusal with kept text, and trial."""

from __future__ import annotations

import html
import subprocess
import sys

import pytest
from django.test import Client

from tests.endpoint import Endpoint
from tests.webapp.tables import open_watched_table, post_refused_form, recipes_by_seat
from webapp.play import rate_limits
from webapp.play.models import Membership
from webapp.play.tables.opening import open_similar_table
from webapp.rate_counters import ProcessRate

pytestmark = pytest.mark.django_db(transaction=True)

STYLE = """name = "Pip"
age = 9
habits = ["Counts on the fingers."]
[lines]
greeting = "Pip pip!"
"""
CLAIM = STYLE.replace("Pip pip!", "I am the Seer.")
SEAT = {"method": "guarded", "ruleset": "aiwolf-5", "seat-2-persona": "style"}


def test_seat_keeps_its_written_style_at_the_similar_table() -> None:
    game = open_watched_table(**SEAT, **{"seat-2-style": STYLE.replace("\n", "\r\n")})
    assert recipes_by_seat(game)[2]["persona"]["style"] == STYLE.strip()
    assert game.players.get(seat=2).name == "Pip"
    assert "style" not in recipes_by_seat(game)[1]["persona"]
    similar = open_similar_table(Membership.objects.get(game=game).visitor, game)
    assert recipes_by_seat(similar)[2]["persona"]["style"] == STYLE.strip()


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        (
            {"seat-2-style": CLAIM},
            "It is understood as “claims to be the Seer”, and has to mean “nothing to note”",
        ),
        ({"seat-2-style": STYLE.replace("habits", "habit")}, "“habits” is missing."),
        ({"seat-2-style": STYLE.replace("Pip", "Moderator")}, "it reads as a role, the moderator"),
        ({"seat-2-style": STYLE.replace("Pip", "Clara")}, "“Clara”: it is, or looks like, Dara"),
        ({"seat-2-style": ""}, "Enter the style that you chose"),
        ({"seat-2-style": STYLE, "blind": "on"}, "would reveal a computer player"),
        ({"seat-2-style": STYLE, "seat-2-persona": ""}, "Choose it as the personality"),
        ({"seat-2-style": STYLE, "method": "vanilla"}, "method has no personality"),
        (
            {
                "seat-2-style": STYLE,
                "seat-3-persona": "style",
                "seat-3-style": STYLE.replace("fingers", "toes"),
            },
            "Another style at this table is also called “Pip”. Rename one of them.",
        ),
    ],
)
def test_invalid_style_is_refused_and_form_values_kept(fields: dict[str, str], error: str) -> None:
    page = html.unescape(post_refused_form(**{**SEAT, **fields}))
    assert error in page
    assert fields["seat-2-style"] in page


def try_style(text: str, **fields: str) -> str:
    rate_limits.style_trial_rate = ProcessRate(6, 60)
    fields = {"ruleset": "aiwolf-5", "seat-2-style": text, **fields}
    response = Client().post("/tables/try-style/2", fields, headers={"HX-Request": "true"})
    return html.unescape(response.content.decode())


def test_style_trial_shows_all_lines_and_the_missing_model() -> None:
    page = try_style(STYLE)
    assert page.count('scope="row"') == 14
    assert "Pip pip!" in page
    assert "claims to be the Seer, reports that Bram is the Werewolf" in page
    assert "No language model is available here" in page
    assert "claims to be the Seer”" in try_style(CLAIM)


def test_style_example_can_be_copied_and_tried() -> None:
    page = html.unescape(Client().get("/tables/new?ruleset=aiwolf-5").content.decode())
    example = page.partition('class="style-example">')[2].partition("</pre>")[0]
    assert "Pip pip, hello all!" in example
    assert try_style(example).count('scope="row"') == 14


def test_style_trial_shows_a_statement_of_the_model(
    keyed_endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = try_style(STYLE, backend="openai")
    (call,) = keyed_endpoint.calls
    assert 'Your character is "Pip", aged 9.' in str(call.body["messages"][0]["content"])
    assert "<blockquote>" in page
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    assert "openai gave no answer: its server refuses the key." in try_style(
        STYLE, backend="openai"
    )


def test_web_process_does_not_import_the_style_parser() -> None:
    code = (
        "import sys, django; django.setup(); import webapp.play.views;"
        "print([m for m in sys.modules if 'understanding' in m or m == 'agents.talk.dialogue'])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == "[]"
