"""Continue the studies of a packed database on the world's clock, without a server.

Simulated participants (`webapp.study.rehearsal`) use the site's own pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest import mock

from celery import current_app
from django.db.models import QuerySet
from django.test import Client

from game import deadlines, selectors
from game.models import Game
from tests.study import taking
from tests.upgrade.playing import STEP, World
from webapp.play.models import Desk
from webapp.study import tasks, timed_steps
from webapp.study.models import Participant, Study
from webapp.study.rehearsal import simulated_participants
from webapp.study.rehearsal.browser import Browser
from webapp.study.rehearsal.html_page import Page
from webapp.study.rehearsal.person import Person
from webapp.study.rehearsal.rehearsal_options import StudyRunOptions
from webapp.study.sessions import participant_state

SITE = "http://testserver"
MAX_ROUNDS = 3000  # rounds within which any study ends


class InProcessBrowser(Browser):
    """A browser on Django's test client, without sockets, on the world's clock."""

    def __init__(self, client: Client | None = None) -> None:
        super().__init__(SITE)
        self.client = client or Client()

    def _fetch(self, address: str, body: bytes | None) -> Page:
        form = {"content_type": "application/x-www-form-urlencoded"}
        if body is None:
            answer = self.client.get(address, follow=True)
        else:
            answer = self.client.post(address, body, follow=True, **form)
        request = answer.request
        query = f"?{request['QUERY_STRING']}" if request["QUERY_STRING"] else ""
        url = f"{SITE}{request['PATH_INFO']}{query}"
        return Page(url, answer.status_code, answer.content.decode())

    def _connect(self, path: str) -> None:
        return None

    def wait_for_message(self, seconds: float) -> bool:
        return False

    def stay(self, seconds: float) -> None:
        return None


class Walk:
    """A person and their current page."""

    def __init__(self, person: Person, link: str) -> None:
        self.person, self.link = person, link
        self.page: Page | None = None

    @property
    def row(self) -> Participant | None:
        rows = Participant.objects.filter(key=self.person.key or "none")
        return rows.select_related("study").first()

    def go(self) -> None:
        if self.page is None:
            self.page = self.person.browser.get(self.link)
        self.page = self.person._handle_page(self.page)
        assert self.person.end != "stuck", self.person.end_detail

    def stay(self) -> None:
        """Record that the person's current page is open."""
        if self.person.end == "closed" or not (row := self.row):
            return
        participant_state.record_presence(row)
        mine = Desk.objects.filter(player__seating__participant=row)
        mine.update(seen_at=timed_steps.timezone.now())


def walk(world: World, study: Study, walks: Sequence[Walk]) -> None:
    """Advance all walks to their ends."""
    games = Game.objects.filter(slot__study=study)
    world.before = lambda game, seat, key: games.filter(pk=game).exists()
    with collect_tasks() as tasks_sent:
        for _ in range(MAX_ROUNDS):
            for person_walk in walks:
                if not person_walk.person.end:
                    person_walk.go()
                person_walk.stay()
            work(world, games, tasks_sent)
            if all(person_walk.person.end for person_walk in walks):
                return
            world.now += STEP
    raise AssertionError(
        [
            (person_walk.person.own_path, person_walk.page and person_walk.page.visible_texts[:9])
            for person_walk in walks
        ]
    )


def work(
    world: World, games: QuerySet[Game], tasks_sent: list[tuple[str, tuple[int, ...]]]
) -> None:
    """Do the work of the workers and the sweeper for this study."""
    while world._work_once() or tasks_sent:
        if tasks_sent:
            name, arguments = tasks_sent.pop(0)
            current_app.tasks[name](*arguments)
    for game in games.filter(ended_at=None).filter(
        pk__in=selectors.due_games(timed_steps.timezone.now())
    ):
        deadlines.settle_deadlines(game.pk)
    timed_steps.run_due_steps()


@contextmanager
def collect_tasks() -> Iterator[list[tuple[str, tuple[int, ...]]]]:
    """Collect the tasks that the study puts into the queue."""
    tasks_sent: list[tuple[str, tuple[int, ...]]] = []
    assert tasks.situations.name in current_app.tasks
    with mock.patch("celery.Celery.send_task", lambda _app, *job: tasks_sent.append(job)):
        yield tasks_sent


def people(study: Study, number: int, seed: str) -> list[Person]:
    """Create attentive people, each with a browser."""
    options = StudyRunOptions(participants=number, speed=1000, effect=1.0, seed=seed)
    participants = simulated_participants.build_people(study, SITE, options)
    for person in participants:
        person.browser = InProcessBrowser()
    return participants


def returning_walks(study: Study) -> list[Walk]:
    """Return walks of all unfinished participants and link holders, in their browsers."""
    rows = study.participants.filter(exit="").order_by("pk")
    walks = []
    for row, person in zip(rows, people(study, rows.count(), "back"), strict=True):
        client = taking.browser_of(row) if row.visitor else Client()
        person.browser = InProcessBrowser(client)
        walks.append(Walk(person, f"/take/as/{row.key}/"))
    return walks
