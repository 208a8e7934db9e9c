"""Simulated people on the way of a study whose processes die under them.

In the test's process they go through the pages (`People`); what became of them is read by a process
that has the stack's database (`open_study`, `findings`: run them by `Stack.shell`).
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
from webapp.study.rehearsal.opinions import Attentive, Opinions
from webapp.study.rehearsal.person import Habits, Person, SubmittedForm

NAME = "Kills"  # of the study
TABLES, EACH = 2, 2  # games, and people in each
STAGES = ("rules", "waiting", "ready", "game", "questionnaire")  # where somebody is met
LONG = dict.fromkeys(("statement", "vote", "night", "poll"), 600)  # seconds: nobody is stood in for
DESIGN: dict[str, Any] = {
    "table": {"ruleset": "one-night", "people": EACH, "limits": LONG},
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
class Watched(Person):
    """A person who says where they are, and stays there until that stage's kill has begun."""

    at: str = ""
    idle: bool = False  # the page asks for nothing
    holds: Callable[[Watched], bool] = lambda who: False

    def _press_control(self, page: Page, main: Element) -> Page:
        self.at, self.idle = stage_of(page), False
        while self.holds(self):
            self.browser.stay(0.2)
        return super()._press_control(page, main)

    def _wait_on_page(self, page: Page) -> Page:
        self.at, self.idle = stage_of(page), True
        return super()._wait_on_page(page)


def stage_of(page: Page) -> str:
    """Which of STAGES the page is of; "" for another."""
    if "/games/" in page.url:
        return "game"
    if room := page.find("outlook"):
        return {"waiting": "waiting", "asked": "ready"}.get(room.get("data-state"), "")
    step = next((e.get("value") for e in page.elements if e.get("name") == "step"), "")
    if page.find("to-quiz"):
        return "rules"
    kind = KINDS[int(step)] if step.isdecimal() else ""
    return kind if kind in STAGES else ""


@dataclass
class People:
    """All who take part, each in a thread; begun: stages whose kill has begun."""

    url: str
    link: str
    people: list[Watched] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)
    begun: set[str] = field(default_factory=set)

    def come(self) -> None:
        until = time.monotonic() + 900
        for number in range(TABLES * EACH):
            draw = Random(f"person {number}")
            mind = Attentive(str(number), Opinions("1", "", 0, 0.8), {}, lambda: "", draw)
            habits = Habits(speed=60)
            person = Watched(Browser(self.url), mind, habits, draw, holds=self._holds)
            self.people.append(person)
            go = threading.Thread(target=person.take_part, args=(self.link, until), daemon=True)
            self.threads.append(go)
        for thread in self.threads:
            thread.start()

    def _holds(self, who: Watched) -> bool:
        """The last who came stays with the rules until somebody was met waiting."""
        if who is self.people[-1] and who.at == "rules":
            return "waiting" not in self.begun
        return who.at in STAGES and who.at not in self.begun

    def at(self, stage: str) -> list[Watched]:
        """Who is there. AssertionError where somebody is stuck."""
        stuck = [who.stuck_reason for who in self.people if who.stuck_reason]
        assert not stuck, stuck
        return [who for who in self.people if who.at == stage and not who.end]

    def a_request_is_under_way(self) -> bool:
        return any(who.browser.is_loading for who in self.people)

    def kill(self, stack: Stack, stage: str, names: Sequence[str]) -> None:
        """Kill these and start them again, while somebody is at the stage and asks for a page."""
        wait_until(lambda: self.at(stage), f"somebody at: {stage}", 300)
        self.begun.add(stage)
        self._kill_amid_a_request(stack, names)

    def kill_with_all_that_is_queued(
        self, stack: Stack, names: Sequence[str], workers: Sequence[str]
    ) -> None:
        """The same in the games, once every game waits for an answer that no worker gives.

        And Redis, which had the tasks, comes back empty: nobody but the sweeper knows of them.
        """
        everybody = len(self.people)
        wait_until(lambda: len(self.at("game")) == everybody, "everybody at the games", 300)
        for name in workers:
            stack.kill(name)
        self.begun.add("game")
        wait_until(lambda: all(who.idle for who in self.at("game")), "every game to wait", 180)
        self._kill_amid_a_request(stack, names, without_redis_data=True)

    def _kill_amid_a_request(self, stack: Stack, names: Sequence[str], **how: bool) -> None:
        wait_until(self.a_request_is_under_way, "a request under way", 120, every=0.005)
        stack.fell(names, **how)

    def ends(self) -> dict[str, int]:
        """How people's ways ended, once all did: end -> how many."""
        for thread in self.threads:
            thread.join(400)
        return Counter(who.end or f"on the way: {who.own_path} {who.at}" for who in self.people)

    def write(self, file: Path) -> None:
        """What everybody posted and saw taken, and the code they were given."""
        rows = [
            {
                "own": who.own_path,
                "code": who.code,
                "posted": [_plain(one) for one in who.submitted],
            }
            for who in self.people
        ]
        file.write_text(json.dumps(rows))


def _plain(one: SubmittedForm) -> dict[str, Any]:
    return {**asdict(one), "question_names": sorted(one.question_names)}


# -- in a process with the stack's database


def open_study() -> None:
    """Open a study; prints the path of its link."""
    from django.contrib.auth.models import User

    from webapp.study.design.stages import Design
    from webapp.study.planning import studies

    owner = User.objects.create_user("kills")
    study = studies.create(owner, NAME, design=Design.from_json(DESIGN).to_json(), seed="kills")
    studies.open(study)
    for condition in study.conditions.all():
        condition.table = {**condition.table, "pace": "none"}
        condition.save(update_fields=["table"])
    print(f"/take/{study.key}/")


def findings(file: str) -> None:
    """Prints what is wrong with what the database holds of those people, a line each."""
    from webapp.study.rehearsal import run_figures

    rows = json.loads(Path(file).read_text())
    people = []
    for row in rows:
        posted = [
            SubmittedForm(
                p["path"],
                tuple(map(tuple, p["fields"])),
                frozenset(p["question_names"]),
                p["submitted_at"],
            )
            for p in row["posted"]
        ]
        mind = Attentive("", Opinions("1", "", 0, 0), {}, lambda: "", Random(1))
        person = Person(Browser(""), mind, Habits(), Random(1), posted)
        person.own_path, person.code = row["own"], row["code"]
        people.append(person)
    for told in (*run_figures.missing_answers(people), *_of_places(people), *_of_games()):
        print(f"wrong: {told}")


def _of_places(people: Sequence[Person]) -> Iterable[str]:
    from webapp.study.models import Participant, Response, Seating

    if (count := Participant.objects.filter(study__name=NAME).count()) != len(people):
        yield f"{count} participants"
    for person in people:
        row = Participant.objects.get(key=person.key)
        seats = row.seatings.filter(state=Seating.SEATED)
        tries = Response.objects.filter(participant=row, moment__startswith="try-")
        states = set(row.responses.values_list("state", flat=True))
        told = {
            "exit": row.exit == "completed",
            "code": bool(person.code) and person.code == row.code,
            "one seat": seats.count() == 1 == row.seatings.exclude(player=None).count(),
            "tries": row.quiz_tries == tries.values("moment").distinct().count(),
            "given": states == {Response.GIVEN},
            "stages": len(row.times) == len(KINDS),
        }
        yield from (f"{row}: {what}" for what, right in told.items() if not right)


def _of_games() -> Iterable[str]:
    from game.models import Event, Player
    from webapp.study.models import Seating, Slot

    for slot in Slot.objects.filter(study__name=NAME).select_related("game"):
        seated = slot.seatings.filter(state=Seating.SEATED)
        seats = sorted(seated.values_list("seat", flat=True))
        people = slot.game and slot.game.players.filter(kind=Player.PERSON)
        log = Event.objects.filter(game=slot.game_id)
        told = {
            "done": slot.state == Slot.DONE,
            f"nobody left or stood in for: {slot.deviations}": not slot.deviations,
            f"seats {seats} of {slot.seats}": seats == sorted(slot.seats),
            "people at the table": bool(people and people.count() == EACH),
            "one end": log.filter(kind="game_over").count() == 1,
            "statements": log.filter(kind="statement").count() == 24,
        }
        yield from (f"{slot}: {what}" for what, right in told.items() if not right)
