"""Simulated participants of a study whose processes are killed meanwhile.

In the test's process they go through the pages (`People`). `open_study` and `print_errors` run in a
process that has the stack's database (`Stack.shell`).
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.live import Stack, wait_until
from webapp.study.rehearsal.browser import Browser
from webapp.study.rehearsal.html_page import Element, Page
from webapp.study.rehearsal.opinions import Opinions
from webapp.study.rehearsal.person import AttentiveMind, Habits, Person, SubmittedForm

STUDY_NAME = "Kills"
TABLES, PEOPLE_PER_TABLE = 2, 2
# The stages at which processes are killed.
STAGES = ("rules", "waiting", "ready", "game", "questionnaire")
# Seconds for an answer: so many that nobody gets a stand-in.
LONG_LIMITS = dict.fromkeys(("statement", "vote", "night", "poll"), 600)
DESIGN: dict[str, Any] = {
    "table": {"ruleset": "one-night", "people": PEOPLE_PER_TABLE, "limits": LONG_LIMITS},
    "assignment": {"games": TABLES},
    "waiting": {"ready": 120},
    "stages": [
        {"kind": "consent", "text": "You will play one game. Ask ada@example.org."},
        {"kind": "rules", "quiz": {"questions": 3, "then": "go_on"}},
        {"kind": "game"},
        {"kind": "questionnaire", "instruments": ["who-is-human", "impressions"]},
        {"kind": "interview"},
        {"kind": "debriefing", "reveal": True},
    ],
    "exits": {"completed": {"code_kind": "own"}},
}
KINDS = ("consent", "rules", "waiting", "game", "questionnaire", "interview", "debriefing")


@dataclass
class HeldPerson(Person):
    """A person who reports the current stage, and waits there until its kill has begun."""

    current_stage: str = ""
    is_waiting: bool = False  # the page asks no question
    should_wait: Callable[[HeldPerson], bool] = lambda person: False

    def _press_control(self, page: Page, main: Element) -> Page:
        self.current_stage, self.is_waiting = stage_of(page), False
        while self.should_wait(self):
            self.browser.stay(0.2)
        return super()._press_control(page, main)

    def _wait_on_page(self, page: Page) -> Page:
        self.current_stage, self.is_waiting = stage_of(page), True
        return super()._wait_on_page(page)


def stage_of(page: Page) -> str:
    """Return the stage in STAGES that the page belongs to, "" for another."""
    if "/games/" in page.url:
        return "game"
    if room := page.find_by_id("outlook"):
        return {"waiting": "waiting", "asked": "ready"}.get(room.get("data-state"), "")
    step = next((e.get("value") for e in page.elements if e.get("name") == "step"), "")
    if page.find_by_id("to-quiz"):
        return "rules"
    kind = KINDS[int(step)] if step.isdecimal() else ""
    return kind if kind in STAGES else ""


@dataclass
class People:
    """All participants, each in a thread.

    Attributes:
        killed_stages: the stages whose kill has begun.
    """

    url: str
    link: str
    people: list[HeldPerson] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)
    killed_stages: set[str] = field(default_factory=set)

    def start_all(self) -> None:
        deadline = time.monotonic() + 900
        for number in range(TABLES * PEOPLE_PER_TABLE):
            random_source = Random(f"person {number}")
            mind = AttentiveMind(
                str(number), Opinions("1", "", 0, 0.8), {}, lambda: "", random_source
            )
            habits = Habits(speed=60)
            person = HeldPerson(
                Browser(self.url), mind, habits, random_source, should_wait=self._should_wait
            )
            self.people.append(person)
            person_thread = threading.Thread(
                target=person.take_part, args=(self.link, deadline), daemon=True
            )
            self.threads.append(person_thread)
        for thread in self.threads:
            thread.start()

    def _should_wait(self, person: HeldPerson) -> bool:
        """Return whether the person waits. The last one stays at the rules until others wait."""
        if person is self.people[-1] and person.current_stage == "rules":
            return "waiting" not in self.killed_stages
        return person.current_stage in STAGES and person.current_stage not in self.killed_stages

    def people_at_stage(self, stage: str) -> list[HeldPerson]:
        """Return the people at the stage.

        Raises:
            AssertionError: Somebody is stuck.
        """
        reasons = [person.end_detail for person in self.people if person.end_detail]
        assert not reasons, reasons
        return [
            person for person in self.people if person.current_stage == stage and not person.end
        ]

    def has_request_in_progress(self) -> bool:
        return any(person.browser.is_loading for person in self.people)

    def kill(self, stack: Stack, stage: str, names: Sequence[str]) -> None:
        """Kill and restart processes while somebody is at the stage and requests a page."""
        wait_until(lambda: self.people_at_stage(stage), f"somebody at: {stage}", 300)
        self.killed_stages.add(stage)
        self._kill_during_request(stack, names)

    def kill_with_lost_queue(
        self, stack: Stack, names: Sequence[str], workers: Sequence[str]
    ) -> None:
        """Kill processes while every game waits for an answer of an agent and no worker runs.

        Redis restarts without its queue, so only the sweeper can find the missing answers.
        """
        everybody = len(self.people)
        wait_until(
            lambda: len(self.people_at_stage("game")) == everybody, "everybody at the games", 300
        )
        for name in workers:
            stack.kill(name)
        self.killed_stages.add("game")
        wait_until(
            lambda: all(person.is_waiting for person in self.people_at_stage("game")),
            "every game to wait",
            180,
        )
        self._kill_during_request(stack, names, without_redis_data=True)

    def _kill_during_request(self, stack: Stack, names: Sequence[str], **options: bool) -> None:
        wait_until(self.has_request_in_progress, "a request in progress", 120, every=0.005)
        stack.kill_and_restart(names, **options)

    def count_exits(self) -> dict[str, int]:
        """Wait until all have ended. Return exit -> number of people."""
        for thread in self.threads:
            thread.join(400)
        return Counter(
            person.end or f"not ended: {person.own_path} {person.current_stage}"
            for person in self.people
        )

    def write(self, file: Path) -> None:
        """Write what everybody submitted, and their completion codes."""
        rows = [
            {
                "own": person.own_path,
                "code": person.code,
                "posted": [_form_to_json(form) for form in person.submitted],
            }
            for person in self.people
        ]
        file.write_text(json.dumps(rows))


def _form_to_json(form: SubmittedForm) -> dict[str, Any]:
    return {**asdict(form), "question_names": sorted(form.question_names)}


# -- in a process with the stack's database


def open_study() -> None:
    """Open a study and print the path of its link."""
    from django.contrib.auth.models import User

    from webapp.study.design.stages import Design
    from webapp.study.planning import studies

    owner = User.objects.create_user("kills")
    study = studies.create(
        owner, STUDY_NAME, design=Design.from_json(DESIGN).to_json(), seed="kills"
    )
    studies.open(study)
    for condition in study.conditions.all():
        condition.table = {**condition.table, "pace": "none"}
        condition.save(update_fields=["table"])
    print(f"/take/{study.key}/")


def print_errors(file: str) -> None:
    """Compare the database with what the people submitted, and print one line for each error."""
    from webapp.study.rehearsal import run_figures

    rows = json.loads(Path(file).read_text())
    people = []
    for row in rows:
        forms = [
            SubmittedForm(
                form["path"],
                tuple(map(tuple, form["fields"])),
                frozenset(form["question_names"]),
                form["submitted_at"],
            )
            for form in row["posted"]
        ]
        mind = AttentiveMind("", Opinions("1", "", 0, 0), {}, lambda: "", Random(1))
        person = Person(Browser(""), mind, Habits(), Random(1), forms)
        person.own_path, person.code = row["own"], row["code"]
        people.append(person)
    for error in (
        *run_figures.missing_answers(people),
        *_participant_errors(people),
        *_game_errors(),
    ):
        print(f"wrong: {error}")


def _participant_errors(people: Sequence[Person]) -> Iterable[str]:
    from webapp.study.models import Participant, Response, Seating

    if (count := Participant.objects.filter(study__name=STUDY_NAME).count()) != len(people):
        yield f"{count} participants"
    for person in people:
        row = Participant.objects.get(key=person.key)
        seats = row.seatings.filter(state=Seating.SEATED)
        quiz_responses = Response.objects.filter(participant=row, moment__startswith="try-")
        states = set(row.responses.values_list("state", flat=True))
        checks = {
            "exit": row.exit == "completed",
            "code": bool(person.code) and person.code == row.code,
            "one seat": seats.count() == 1 == row.seatings.exclude(player=None).count(),
            "tries": row.quiz_tries == quiz_responses.values("moment").distinct().count(),
            "given": states == {Response.GIVEN},
            "stages": len(row.times) == len(KINDS),
        }
        yield from (f"{row}: {name}" for name, is_right in checks.items() if not is_right)


def _game_errors() -> Iterable[str]:
    from game.models import Event, Player
    from webapp.study.models import Seating, Slot

    for slot in Slot.objects.filter(study__name=STUDY_NAME).select_related("game"):
        seated = slot.seatings.filter(state=Seating.SEATED)
        seats = sorted(seated.values_list("seat", flat=True))
        people = slot.game and slot.game.players.filter(kind=Player.PERSON)
        log = Event.objects.filter(game=slot.game_id)
        checks = {
            "done": slot.state == Slot.DONE,
            f"nobody left or stood in for: {slot.deviations}": not slot.deviations,
            f"seats {seats} of {slot.seats}": seats == sorted(slot.seats),
            "people at the table": bool(people and people.count() == PEOPLE_PER_TABLE),
            "one end": log.filter(kind="game_over").count() == 1,
            "statements": log.filter(kind="statement").count() == 24,
        }
        yield from (f"{slot}: {name}" for name, is_right in checks.items() if not is_right)
