"""Run the studies of a packed database on the world's clock, without a server.

Simulated participants (`webapp.study.rehearsal`) use the site's own pages. `make.py` plays the
studies up to the stored state, and the tests finish the open ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock
from urllib.parse import urlencode

from celery import current_app
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.test import Client

from game import selectors, services
from game.models import Game
from tests.study import taking
from tests.study.desk import sign_in
from tests.upgrade.playing import STEP, World
from webapp.play.models import Desk
from webapp.study import analysis, tasks, timed_steps
from webapp.study.models import Participant, Payment, PaymentBatch, Slot, Study
from webapp.study.planning import ready, studies
from webapp.study.rating import campaigns
from webapp.study.rehearsal import simulated_participants
from webapp.study.rehearsal.browser import Browser
from webapp.study.rehearsal.html_page import Page
from webapp.study.rehearsal.person import Person
from webapp.study.rehearsal.rehearsal_options import StudyRunOptions
from webapp.study.sessions import bonuses, participant_state

SITE = "http://testserver"
LEVELS = [
    {"name": "baseline", "table": {"method": "baseline"}},
    {"name": "full", "table": {"method": "full"}},
]
RATINGS = {"kind": "ratings", "instrument": "speech", "items": 3}
PROLIFIC = "5f00000000000000000000"  # the first 22 of 24 digits
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
    """A person and their current page.

    The person stops at the step of kind `stops` after pressing `pages` buttons there.
    """

    def __init__(self, person: Person, link: str, stops: str = "", pages: int = 0) -> None:
        self.person, self.link = person, link
        self.stops, self.remaining_pages = stops, pages
        self.page: Page | None = None

    @property
    def row(self) -> Participant | None:
        rows = Participant.objects.filter(key=self.person.key or "none")
        return rows.select_related("study").first()

    @property
    def rests(self) -> bool:
        """Whether the person has no further action."""
        if self.person.end or not self.stops:
            return bool(self.person.end)
        row = self.row
        if row is None or participant_state.current_step(row).kind != self.stops:
            return False
        return self.remaining_pages <= 0

    def go(self) -> None:
        if self.page is None:
            self.page = self.person.browser.get(self.link)
        row, before = self.row, self.person.pages
        self.page = self.person._handle_page(self.page)
        if row and participant_state.current_step(row).kind == self.stops:
            self.remaining_pages -= self.person.pages - before
        assert self.person.end != "stuck", self.person.end_detail

    def stay(self) -> None:
        """Record that the person's current page is open."""
        if self.person.end == "closed" or not (row := self.row):
            return
        participant_state.record_presence(row)
        mine = Desk.objects.filter(player__seating__participant=row)
        mine.update(seen_at=timed_steps.timezone.now())


def walk(world: World, study: Study, walks: Sequence[Walk], each: Callable[[], Any] = int) -> None:
    """Advance all walks until they rest. `each` is called once a round."""
    games = Game.objects.filter(slot__study=study)
    world.before = lambda game, seat, key: games.filter(pk=game).exists()
    with collect_tasks() as tasks_sent:
        for _ in range(MAX_ROUNDS):
            for person_walk in walks:
                if not person_walk.rests:
                    person_walk.go()
                person_walk.stay()
            each()
            work(world, games, tasks_sent)
            if all(person_walk.rests for person_walk in walks):
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
        services.settle_deadlines(game.pk)
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


def shared_link(study: Study, number: int = 0) -> str:
    """Return the link of the study, for Prolific person `number` (0: anonymous)."""
    if not number:
        return f"/take/{study.key}/"
    names = {"PROLIFIC_PID": f"{PROLIFIC}{number:02}", "STUDY_ID": f"{PROLIFIC}aa",
             "SESSION_ID": f"{PROLIFIC}b{number}"}  # fmt: skip
    return f"/take/{study.key}/?{urlencode(names)}"


def design(games: int, longest_wait: int, **ratings: Any) -> dict[str, Any]:
    """Return the design `who-is-human` with two conditions, bonuses and final ratings."""
    data = ready.get("who-is-human").design.to_json()
    data["table"] |= {"people": 2, "pace": "none"}
    data["factors"] = [{"name": "method", "levels": LEVELS}]
    data["assignment"]["games"] = games
    data["waiting"] |= {"least": 0, "most": longest_wait}
    data["stages"].insert(-1, {**RATINGS, **ratings})
    data["ethics"] = {"controller": "Ada Lovelace, an example", "contact": "ada@example.org"}
    data["currency"] = "GBP"
    data["exits"]["completed"] |= {"pay": "4.50", "code_kind": "same", "code": "DONE-7"}
    data["bonuses"] = [{"rule": "guessed_human", "amount": "0.20", "most": "1.40"}]
    return data


def run_finished(world: World, ada: User) -> Study:
    """Run and close a study with four games in two conditions, nine people and a paid batch.

    One person closes the page in a game and an agent stands in, one leaves at the questions.
    """
    study = studies.create(ada, "Who is human?", design=design(2, 120), seed="upgrade/finished")
    studies.open(study)
    participants = people(study, 9, "upgrade/finished")
    closing, leaving = participants[3], participants[6]
    closing.habits.is_closing = True
    walks = [
        Walk(person, shared_link(study, number if number % 2 else 0))
        for number, person in enumerate(participants, 1)
    ]

    def some_leave() -> None:
        for person, kind, pages in ((closing, "game", 3), (leaving, "questionnaire", 1)):
            row = Participant.objects.filter(key=person.key or "none").first()
            if row and not row.exit and participant_state.current_step(row).kind == kind:
                person.habits.leaves_at = person.habits.leaves_at or person.pages + pages

    for first in range(0, 9, 2):  # in pairs, so that there are statements to rate
        walk(world, study, walks[first : first + 2], some_leave)
    with collect_tasks() as tasks_sent:
        while study.slots.filter(state=Slot.PLAYING).exists():
            world.now += STEP
            work(world, Game.objects.filter(slot__study=study), tasks_sent)
    study.refresh_from_db()
    if study.state != Study.CLOSED:
        studies.close(study)
    settle_payments(study)
    analysis.compute_results(study.campaigns.get())
    analysis.compute_results(study)
    return study


def settle_payments(study: Study) -> None:
    """Settle sealed bonuses, add and withhold a payment, and pay a batch."""
    bonuses.settle_due_bonuses()
    assert not Payment.objects.filter(status=Payment.SEALED).exists()
    ada, pages = sign_in("ada"), f"/study/studies/{study.code}/payments"
    first, second = study.participants.filter(exit="completed").order_by("pk")[:2]
    addition = {"do": "add", "amount": "1.50", "why": "Waited for long.", "ticket": "t"}
    assert ada.post(f"{pages}/people/{first.pseudonym}", addition).status_code == 302
    payment = second.payments.order_by("pk").first()
    act = {"do": "withhold", "payment": str(payment.pk), "why": "To be looked into."}
    assert ada.post(f"{pages}/people/{second.pseudonym}", act).status_code == 302
    assert ada.post(f"{pages}/batch", {"platform_study": ""}).status_code == 302
    batch = PaymentBatch.objects.get(study=study)
    assert ada.post(f"{pages}/batches/{batch.number}", {"do": "paid"}).status_code == 302


def run_half_way(world: World, ada: User, games: Sequence[Game]) -> Study:
    """Run a study half way: people rate, play, wait, read the rules, or have not consented."""
    voices = campaigns.create(
        ada,
        "Words to rate",
        games=[(game, "earlier") for game in games],
        seed="upgrade/half",
        choice={"pick": "all", "speakers": "all"},
        units_per_rater=3,
        raters_per_unit=3,
    )
    campaigns.open(voices)
    study_design = design(4, 3600, campaign=voices.code)
    study = studies.create(ada, "Half way", design=study_design, seed="upgrade/half")
    studies.open(study)
    stops = (("ratings", 5), ("ratings", 3), ("game", 4), ("game", 3), ("waiting", 0), ("rules", 1))
    walks = [
        Walk(person, shared_link(study), *stop)
        for person, stop in zip(people(study, 6, "upgrade/half"), stops, strict=True)
    ]
    for count in (2, 4, 6):
        walk(world, study, walks[:count])
    address = f"/study/studies/{study.code}/people/links"
    assert sign_in("ada").post(address, {"number": "1"}).status_code == 302
    return study


def returning_walks(study: Study) -> list[Walk]:
    """Return walks of all unfinished participants and link holders, in their browsers."""
    rows = study.participants.filter(exit="").order_by("pk")
    walks = []
    for row, person in zip(rows, people(study, rows.count(), "back"), strict=True):
        client = taking.browser_of(row) if row.visitor else Client()
        person.browser = InProcessBrowser(client)
        walks.append(Walk(person, f"/take/as/{row.key}/"))
    return walks
