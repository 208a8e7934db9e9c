"""A participant at any stage of a study, with the forms of its pages and all stored rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.http import HttpResponse
from django.test import Client

from game.models import Answer, Game
from tests.study import entering, rating, studies, taking, world
from tests.study.entering import page_url
from tests.study.pages import html_of
from webapp.study.models import (
    Assignment,
    AuditEvent,
    Participant,
    Payment,
    Rater,
    Rating,
    Response,
    Seating,
    Study,
)
from webapp.study.rehearsal.html_page import HtmlQuestion, Page
from webapp.study.sessions import lifecycle, participant_state, quiz_tries

Fields = dict[str, list[str]]
KINDS = (
    "consent", "background", "rules", "practice", "waiting", "game", "questionnaire", "interview",
    "ratings", "debriefing",
)  # fmt: skip
STAGES_BEFORE_GAME: list[dict[str, Any]] = [
    {"kind": "background", "minutes": 5},
    {"kind": "rules", "minutes": 5, "quiz": {"questions": 2, "then": "go_on"}},
    {"kind": "practice", "minutes": 2},
    {"kind": "game"},
]
STAGES_AFTER_GAME: list[dict[str, Any]] = [
    {"kind": "questionnaire", "instruments": ["who-is-human"], "each_game": True, "minutes": 5},
    {"kind": "interview", "minutes": 5},
    {"kind": "ratings", "instrument": "engagement", "items": 1, "minutes": 5},
    {"kind": "debriefing", "reveal": True, "minutes": 3},
]
DESIGN: dict[str, Any] = {
    "table": {"people": 1, "people_roles": ["seer"]},  # The Seer acts as soon as the game begins.
    "stages": [
        {"kind": "consent", "text": "We want to know."},
        *STAGES_BEFORE_GAME,
        *STAGES_AFTER_GAME,
    ],
    "exits": entering.EXITS,
}


@dataclass
class StageVisit:
    """A browser at a stage. `row` is its participant, or None before consent."""

    kind: str
    study: Study
    client: Client
    row: Participant | None = None

    @property
    def address(self) -> str:
        return page_url(self.row) if self.row else f"/take/{self.study.key}/"

    @property
    def kind_now(self) -> str:
        people = list(self.study.participants.filter(visitor__isnull=False))
        participant = self.row or next(iter(people), None)
        return studies.stage_of(participant) if participant else "consent"

    def look(self, address: str = "") -> Page:
        return parse_page(self.client.get(address or self.address, follow=True), address)

    def form(self, choice: int = 0) -> tuple[str, Fields]:
        """Return the address and the filled fields of the form with the main button.

        choice: the index of the chosen option.
        """
        page = self.look()
        while page.main_controls[0].name == "a":
            page = self.look(urljoin(urlsplit(page.url).path, page.main_controls[0].get("href")))
        form = page.find_form(page.main_controls[0])
        assert form
        fields: Fields = {name: [value] for name, value in form.fixed_fields}
        solution = self.right_answers() if self.kind == "rules" else {}
        for question in form.questions:
            fields[question.name] = (
                [solution[question.name]]
                if question.name in solution
                else choose_answer(question, choice)
            )
        if fields.get("post") == [""]:
            fields["post"] = ["6f1c8e7e-0000-4000-8000-000000000001"]
        if self.kind == "practice":
            fields["do"] = ["on"]  # Continue instead of opening the table.
        return urljoin(urlsplit(page.url).path, form.action or urlsplit(page.url).path), fields

    def right_answers(self) -> dict[str, str]:
        participant = studies.reload(self.row) if self.row else None
        assert participant
        due_questions = quiz_tries.next_questions(
            participant, participant_state.current_step(participant)
        )
        return {q.key: "yes" if q.is_true else "no" for q in due_questions}

    def post(self, form: tuple[str, Fields], **more: str) -> HttpResponse:
        url, fields = form
        return self.client.post(url, {**fields, **more})

    def go_on(self) -> tuple[str, Fields]:
        """Complete the stage. Returns: the form of its page that was sent."""
        form = self.form()
        self.post(form)
        if self.kind == "game":
            assert self.row
            studies.finish_game(self.row)
        if self.kind == "ratings":
            self.rate()
            rater = Rater.objects.get(participant=self.row)
            self.client.post(f"/rate/as/{rater.key}/all")
            self.client.get(f"/rate/as/{rater.key}/")
        if self.row is None:
            self.row = self.study.participants.get()
        return form

    def rate(self) -> Assignment:
        """Begin to rate and fill in the page."""
        rater = Rater.objects.get(participant=self.row)
        self.client.get(f"/rate/as/{rater.key}/")
        self.client.post(f"/rate/as/{rater.key}/example")
        (assignment,) = rater.assignments.all()
        self.client.get(rating.page_url(assignment))
        assert rating.rate_page(self.client, assignment).status_code == 200
        return assignment


def parse_page(response: HttpResponse, address: str = "") -> Page:
    chain = getattr(response, "redirect_chain", [])
    url = chain[-1][0] if chain else response.wsgi_request.path  # type: ignore[attr-defined]
    return Page(f"http://testserver{urlsplit(url).path}", response.status_code, html_of(response))


def choose_answer(question: HtmlQuestion, choice: int) -> list[str]:
    """Return the choices from that index on, or a short text."""
    if question.kind == "text":
        return [f"As far as I can tell, {choice}."]
    if question.kind == "number":
        return [str((question.limits[0] if question.limits else 30) + choice)]
    values = [c.value for c in question.choices if c.value]
    return values[choice : choice + (question.count or 1)]


def reach_stage(kind: str) -> StageVisit:
    """Return a visit of that stage in its participant's browser."""
    if KINDS.index(kind) > KINDS.index("game"):
        return visit_after_game(kind)
    study = studies.create_study(**DESIGN)
    visit = StageVisit("consent", study, Client())
    while visit.kind != kind:
        if visit.row is None or visit.kind == "waiting":
            visit.go_on()
        else:
            lifecycle.advance(visit.row, studies.reload(visit.row).step)
        visit.kind = visit.kind_now
    return visit


def visit_after_game(kind: str) -> StageVisit:
    """Return the visit of a player of one game while another player left a second game."""
    study = taking.create_study(*STAGES_BEFORE_GAME, *STAGES_AFTER_GAME, exits=entering.EXITS)
    player, other_player = (
        taking.add_participant(study, "questionnaire"),
        taking.add_participant(study),
    )
    taking.add_played_game(player, world.ended_game("1", names={1: ""}, blind=True))
    taking.add_played_game(other_player, world.ended_game("2", names={1: ""}, blind=True))
    Participant.objects.filter(pk=other_player.pk).update(exit="left", visitor=None)
    while participant_state.current_step(studies.reload(player)).kind != kind:
        lifecycle.advance(player, studies.reload(player).step)
    return StageVisit(kind, study, taking.browser_of(player), studies.reload(player))


def stored_state(study: Study) -> dict[str, list[Any]]:
    """Return all stored rows of the study's participants without times."""
    people = Participant.objects.filter(study=study)
    of_people = {"participant__in": people}
    rows: Mapping[str, Any] = {
        "people": people.values_list("pseudonym", "step", "exit", "code", "quiz_tries", "practice"),
        "responses": Response.objects.filter(**of_people).values_list(
            "step", "instrument", "item", "about_seat", "moment", "number", "text", "choice",
            "state",
        ),
        "seats": Seating.objects.filter(**of_people).values_list(
            "participant", "slot", "seat", "state"
        ),
        "payments": Payment.objects.filter(**of_people).values_list("participant", "reason"),
        "raters": Rater.objects.filter(**of_people).values_list("participant", "left_as"),
        "ratings": Rating.objects.values_list("assignment", "stimulus", "dimension", "value"),
        "answers": Answer.objects.values_list("window", "seat", "post"),
        "games": Game.objects.values_list("pk"),
        "done": AuditEvent.objects.filter(**of_people).values_list("participant", "what"),
    }  # fmt: skip
    return {name: list(queryset.order_by("pk")) for name, queryset in rows.items()}


def stored_answers(study: Study) -> list[tuple[Any, ...]]:
    """Return (instrument, item, seat, number, text, choice) of each answer."""
    responses = Response.objects.filter(participant__study=study).order_by("pk")
    names = ("instrument", "item", "about_seat", "number", "text", "choice")
    return list(responses.values_list(*names))
