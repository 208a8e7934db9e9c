"""Tests of simulated people: the parsing of pages, their answers and lost answers."""

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
from django.utils import timezone

from webapp.study.design.stages import Design
from webapp.study.models import Participant, Payment, Response, Study
from webapp.study.rehearsal import browser, run_figures, study_runs
from webapp.study.rehearsal.browser import Browser
from webapp.study.rehearsal.html_page import HtmlQuestion, Page
from webapp.study.rehearsal.opinions import Opinions
from webapp.study.rehearsal.person import (
    CLOSED,
    ENDED,
    IDLE,
    AttentiveMind,
    CarelessMind,
    Habits,
    Person,
    SubmittedForm,
)
from webapp.study.rehearsal.rehearsal_options import StudyRunOptions

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


def test_page_is_parsed_into_texts_questions_and_controls() -> None:
    page = Page("http://x/", 200, FORM)
    assert "unseen" not in page.visible_texts
    assert page.socket_path == "/ws/x/"
    assert [e.visible_text for e in page.main_controls] == ["Go on", "Stay"]
    form = page.find_form(page.main_controls[0])
    assert form
    assert form.action == "/there"
    assert form.fixed_fields == (("step", "3"), ("do", "on"))
    good, target, of_age, age = form.questions
    assert (good.label, good.scale) == ("How good?", (1, 3))
    assert (target.kind, target.count, target.choices[0].label) == ("some", 2, "Ann")
    assert attentive_mind(0, "").answer(of_age) == ["on"], "as browsers send a box without a value"
    assert (age.kind, age.limits, age.label) == ("number", (16, 120), "Age")


def first_question(**more: object) -> HtmlQuestion:
    page = Page("http://x/", 200, FORM)
    form = page.find_form(page.main_controls[0])
    assert form
    return form.questions[0]


def attentive_mind(effect: float, condition: str) -> AttentiveMind:
    opinions = Opinions("1", "b", effect, 0.1)
    return AttentiveMind("001", opinions, {"How good?": "2"}, lambda: condition, Random(1))


def test_attentive_answers_use_knowledge_and_careless_ones_repeat() -> None:
    question = first_question()
    assert [attentive_mind(0, "").answer(question) for _ in range(5)].count(["2"]) >= 4
    unknown = HtmlQuestion("q", "one", "Another?", question.choices)
    assert attentive_mind(9, "b").answer(unknown) == ["3"]
    assert attentive_mind(-9, "b").answer(unknown) == ["1"]
    careless = CarelessMind(Random(1), 0.9)
    assert {tuple(careless.answer(q)) for q in (question, unknown)} == {("3",)}


def test_each_place_of_a_ranking_gets_another_player() -> None:
    options = "".join(f'<option value="s{n}">Player {n}</option>' for n in range(1, 14))
    selects = [
        f'<select name="place/{n}/a"><option value=""></option>{options}</select>'
        for n in range(1, 14)
    ]
    sheet = f'<fieldset data-dimension="a">{"".join(selects)}</fieldset>'
    page = Page(
        "http://x/", 200, f'<form>{sheet}<button class="button-main">To the end</button></form>'
    )
    form = page.find_form(page.main_controls[0])
    assert form
    for mind in (attentive_mind(0, ""), CarelessMind(Random(1), 0.9)):
        person = Person(Browser("http://x"), mind, Habits(is_hasty=True), Random(1))
        assert len({value for _name, value in person._answer_questions(form)}) == 13


@pytest.mark.django_db
def test_answer_that_is_not_stored_is_reported_as_lost() -> None:
    owner = User.objects.create_user("ada")
    study = Study.objects.create(owner=owner, name="x", design=Design().to_json())
    row = Participant.objects.create(study=study, pseudonym="P001")
    person = Person(Browser("http://x"), CarelessMind(Random(1), 0), Habits(), Random(1))
    person.own_path = f"/take/as/{row.key}/"
    fields = (("step", "1"), ("engagement/fun", "4"), ("why", "Because."), ("none", ""))
    field_names = frozenset(("engagement/fun", "why", "none"))
    person.submitted = [SubmittedForm(person.own_path, fields, field_names, time.time())]
    assert len(run_figures.missing_answers([person])) == 2
    common = {"participant": row, "step": "rules-1", "instrument": "engagement"}
    Response.objects.create(**common, item="fun", number=3)
    Response.objects.create(**common, item="why", text="Because.")
    assert run_figures.missing_answers([person]) == ["P001 rules-1: engagement/fun = '4'"]
    Response.objects.filter(item="fun").update(number=4)
    assert run_figures.missing_answers([person]) == []
    Response.objects.all().delete()
    Participant.objects.update(withdrew=True)
    assert run_figures.missing_answers([person]) == []


class FakeBrowser(Browser):
    """A browser that returns these pages in turn. None stands for no response."""

    def __init__(self, *pages: Page | None) -> None:
        super().__init__("http://x")
        self.pages = list(pages)
        self.sent: list[bytes | None] = []

    def _fetch_once(self, address: str, body: bytes | None) -> Page:
        self.sent.append(body)
        if (page := self.pages.pop(0)) is None:
            raise ConnectionResetError
        return page

    def open_socket(self, page: Page) -> None:
        pass

    def wait_for_message(self, seconds: float) -> bool:
        return True


def test_failed_request_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "RETRY_EVERY_S", 0)
    page = Page("http://x/", 200, "")
    site = FakeBrowser(None, Page("http://x/", 503, ""), page)
    assert site.post("/there", [("a", "1")]) is page
    assert site.sent == [b"a=1"] * 3
    monkeypatch.setattr(browser, "RETRIES_FOR_S", 0)
    with pytest.raises(ConnectionResetError):
        FakeBrowser(None, None).get("/")


def test_idle_person_submits_nothing_until_they_are_let_out() -> None:
    form_page = Page("http://x/take/as/k/", 200, FORM)
    exit_page = Page("http://x/take/as/k/", 200, "<p>You are out.</p>")
    person = Person(
        FakeBrowser(form_page, form_page, exit_page),
        attentive_mind(0, ""),
        Habits(idles_at=0),
        Random(1),
    )
    person.take_part("/take/as/k/", time.monotonic() + 60)
    assert (person.end, person.submitted, person.end_detail) == (IDLE, [], "")


PAY_SETTINGS = {"exits": {"completed": {"pay": "2.00"}, "left": {"pay": "0.50"}}, "currency": "GBP"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("end", "exit_kind", "payments", "problem"),
    [
        (ENDED, "completed", {"completed": "2.00"}, ""),
        (ENDED, "completed", {}, "is owed {}"),
        (ENDED, "completed", {"completed": "2.00", "left": "0.50"}, "is owed"),
        (ENDED, "completed", {"completed": "0.50"}, "is owed"),
        (ENDED, "abandoned", {}, "took part to the end, and left by 'abandoned'"),
        (CLOSED, "completed", {"completed": "2.00"}, "has stopped before the end"),
        (IDLE, "abandoned", {}, ""),
    ],
)
def test_owed_pay_is_compared_with_participation(
    end: str, exit_kind: str, payments: dict[str, str], problem: str
) -> None:
    owner = User.objects.create_user("ada")
    study = Study.objects.create(
        owner=owner, name="x", design=Design.from_json(PAY_SETTINGS).to_json()
    )
    row = Participant.objects.create(
        study=study, pseudonym="P001", exit=exit_kind, consented_at=timezone.now()
    )
    for reason, amount in payments.items():
        Payment.objects.create(participant=row, reason=reason, amount=amount)
    person = Person(Browser("http://x"), CarelessMind(Random(1), 0), Habits(), Random(1), end=end)
    person.own_path = f"/take/as/{row.key}/"
    lines = run_figures.find_wrong_pay(study, [person])
    assert [problem in line for line in lines] == [True] * bool(problem), lines
    assert "a second time" in run_figures.find_wrong_pay(study, [])[0]


@pytest.mark.django_db
@pytest.mark.parametrize("failure", ["", *study_runs.FAULT_COUNTS])
def test_command_fails_on_stuck_people_or_lost_answers(
    monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    result = {"participants": 5, **dict.fromkeys(study_runs.FAULT_COUNTS, 0), failure: 1}
    used_options: list[StudyRunOptions] = []

    def rehearse(
        name: str, design: Any, options: StudyRunOptions, say: Any, keep: Any
    ) -> dict[str, int]:
        used_options.append(options)
        return result

    monkeypatch.setattr(study_runs, "rehearse", rehearse)
    output = StringIO()
    status = 0
    try:
        call_command("rehearse", template="who-is-human", participants=5, speed=9.0, stdout=output)
    except SystemExit as left:
        status = int(str(left.code))
    assert json.loads(output.getvalue()) == result
    assert status == (1 if failure else 0)
    assert (used_options[0].participants, used_options[0].speed, used_options[0].effect) == (
        5,
        9.0,
        0.0,
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, "choose what to rehearse"),
        ({"template": "who-is-human", "campaign": "x"}, "choose what to rehearse"),
        ({"template": "who-is-human"}, "--participants N"),
        ({"template": "charades", "participants": 3}, "no ready study"),
        ({"study": "none", "participants": 3}, "no study 'none'"),
        ({"campaign": "none", "raters": 3}, "no campaign 'none'"),
    ],
)
def test_command_reports_missing_options(options: dict[str, Any], error: str) -> None:
    with pytest.raises(CommandError, match=error):
        call_command("rehearse", **options)
