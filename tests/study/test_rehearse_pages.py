"""What simulated people see on a page, what they answer, and how a lost answer is noticed."""

from __future__ import annotations

import json
import time
from io import StringIO
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError

from webapp.study.design.stages import Design
from webapp.study.models import Participant, Response, Study
from webapp.study.rehearsal import lost_answers, study_runs
from webapp.study.rehearsal.browser import Browser
from webapp.study.rehearsal.html_page import HtmlQuestion, Page
from webapp.study.rehearsal.minds import Attentive, Careless
from webapp.study.rehearsal.opinions import Opinions
from webapp.study.rehearsal.person import Habits, Person, Posted

FORM = """
<main data-socket="/ws/x/">
  <p hidden>unseen</p>
  <form method="post" action="/there" id="f">
    <input type="hidden" name="step" value="3">
    <fieldset><legend>How good?</legend>
      <label><input type="radio" name="good" value="1">1</label>
      <label><input type="radio" name="good" value="2">2</label>
      <label><input type="radio" name="good" value="3">3</label>
    </fieldset>
    <section data-count="2">
      <input type="checkbox" name="target" value="4" id="a"><label for="a">Ann</label>
      <input type="checkbox" name="target" value="5">
      <input type="checkbox" name="target" value="6">
    </section>
    <label><input type="checkbox" name="of_age" required>I am 18 or older.</label>
    <label for="age">Age</label>
    <input id="age" name="age" inputmode="numeric" aria-describedby="help">
    <p id="help">A whole number from 16 to 120.</p>
    <details><summary>More</summary>
      <input name="folded"><button class="button-main">No</button>
    </details>
  </form>
  <button form="f" class="button button-main" name="do" value="on">Go on</button>
  <a class="button-main" href="/take/as/x/">Stay</a>
</main>
"""


def test_a_page_is_its_words_questions_and_what_it_wants_pressed() -> None:
    page = Page("http://x/", 200, FORM)
    assert "unseen" not in page.words
    assert page.socket == "/ws/x/"
    assert [e.words for e in page.main_controls] == ["Go on", "Stay"]
    form = page.form_of(page.main_controls[0])
    assert form
    assert form.action == "/there"
    assert form.fixed == (("step", "3"), ("do", "on"))
    good, target, of_age, age = form.questions
    assert (good.words, good.scale) == ("How good?", (1, 3))
    assert (target.kind, target.count, target.choices[0].label) == ("some", 2, "Ann")
    assert mind(0, "").answer(of_age) == ["on"], "as browsers send a box without a value"
    assert (age.kind, age.limits, age.words) == ("number", (16, 120), "Age")


def question(**more: object) -> HtmlQuestion:
    page = Page("http://x/", 200, FORM)
    form = page.form_of(page.main_controls[0])
    assert form
    return form.questions[0]


def mind(effect: float, condition: str) -> Attentive:
    opinions = Opinions("1", "b", effect, 0.1)
    return Attentive("001", opinions, {"How good?": "2"}, lambda: condition, Random(1))


def test_attentive_people_know_and_feel_and_careless_ones_repeat() -> None:
    asked = question()
    assert [mind(0, "").answer(asked) for _ in range(5)].count(["2"]) >= 4
    unknown = HtmlQuestion("q", "one", "Another?", asked.choices)
    assert mind(9, "b").answer(unknown) == ["3"]
    assert mind(-9, "b").answer(unknown) == ["1"]
    careless = Careless(Random(1), 0.9)
    assert {tuple(careless.answer(q)) for q in (asked, unknown)} == {("3",)}


def test_each_place_of_a_ranking_gets_another_player() -> None:
    options = "".join(f'<option value="s{n}">Player {n}</option>' for n in range(1, 14))
    places = [
        f'<select name="place/{n}/a"><option value=""></option>{options}</select>'
        for n in range(1, 14)
    ]
    sheet = f'<fieldset data-dimension="a">{"".join(places)}</fieldset>'
    page = Page(
        "http://x/", 200, f'<form>{sheet}<button class="button-main">To the end</button></form>'
    )
    form = page.form_of(page.main_controls[0])
    assert form
    for own in (mind(0, ""), Careless(Random(1), 0.9)):
        person = Person(Browser("http://x"), own, Habits(hasty=True), Random(1))
        assert len({value for _name, value in person._answers(form)}) == 13


@pytest.mark.django_db
def test_an_answer_that_is_not_stored_is_lost() -> None:
    owner = User.objects.create_user("ada")
    study = Study.objects.create(owner=owner, name="x", design=Design().data())
    row = Participant.objects.create(study=study, pseudonym="P001")
    person = Person(Browser("http://x"), Careless(Random(1), 0), Habits(), Random(1))
    person.own = f"/take/as/{row.key}/"
    fields = (("step", "1"), ("engagement/fun", "4"), ("why", "Because."), ("none", ""))
    asked = frozenset(("engagement/fun", "why", "none"))
    person.posted = [Posted(person.own, fields, asked, time.time())]
    assert len(lost_answers.missing_answers([person])) == 2
    common = {"participant": row, "step": "rules-1", "instrument": "engagement"}
    Response.objects.create(**common, item="fun", number=3)
    Response.objects.create(**common, item="why", text="Because.")
    assert lost_answers.missing_answers([person]) == ["P001 rules-1: engagement/fun = '4'"]
    Response.objects.filter(item="fun").update(number=4)
    assert lost_answers.missing_answers([person]) == []
    Response.objects.all().delete()
    Participant.objects.update(withdrew=True)
    assert lost_answers.missing_answers([person]) == []


@pytest.mark.django_db
@pytest.mark.parametrize(("stuck", "lost"), [(0, 0), (1, 0), (0, 2)])
def test_the_command_fails_where_somebody_was_stuck_or_an_answer_lost(
    monkeypatch: pytest.MonkeyPatch, stuck: int, lost: int
) -> None:
    found = {"participants": 5, "stuck": stuck, "answers_lost": lost}
    asked: list[study_runs.StudyRunOptions] = []

    def rehearse(
        name: str, design: Any, options: study_runs.StudyRunOptions, say: Any, keep: Any
    ) -> dict[str, int]:
        asked.append(options)
        return found

    monkeypatch.setattr(study_runs, "rehearse", rehearse)
    out, status = StringIO(), 0
    try:
        call_command("rehearse", template="who-is-human", participants=5, speed=9.0, stdout=out)
    except SystemExit as left:
        status = int(str(left.code))
    assert json.loads(out.getvalue()) == found
    assert status == (1 if stuck or lost else 0)
    assert (asked[0].participants, asked[0].speed, asked[0].effect) == (5, 9.0, 0.0)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "say what is rehearsed"),
        ({"template": "who-is-human", "campaign": "x"}, "say what is rehearsed"),
        ({"template": "who-is-human"}, "--participants N"),
        ({"template": "charades", "participants": 3}, "no ready study"),
        ({"study": "none", "participants": 3}, "no study 'none'"),
        ({"campaign": "none", "raters": 3}, "no campaign 'none'"),
    ],
)
def test_the_command_says_what_is_missing(options: dict[str, Any], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        call_command("rehearse", **options)
