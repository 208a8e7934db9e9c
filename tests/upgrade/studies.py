"""The studies of a packed database, on the world's clock and without a server.

Simulated participants (`webapp.study.rehearsal`) go through the site's own pages; `make.py` plays
the studies up to where the database has them, the tests finish what is half way.
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
from webapp.study.rehearsal import study_runs
from webapp.study.rehearsal.browser import Browser
from webapp.study.rehearsal.html_page import Page
from webapp.study.rehearsal.person import Person
from webapp.study.sessions import bonuses, participant_steps

SITE = "http://testserver"
LEVELS = [
    {"name": "baseline", "table": {"method": "baseline"}},
    {"name": "full", "table": {"method": "full"}},
]
RATINGS = {"kind": "ratings", "instrument": "speech", "items": 3}
PROLIFIC = "5f00000000000000000000"  # of 24 digits the first 22
ENOUGH = 3000  # rounds in which any study comes to its end


class InProcessBrowser(Browser):
    """A browser on Django's test client: it has no sockets, and time is the world's."""

    def __init__(self, client: Client | None = None) -> None:
        super().__init__(SITE)
        self.client = client or Client()

    def _fetch(self, address: str, body: bytes | None) -> Page:
        form = {"content_type": "application/x-www-form-urlencoded"}
        if body is None:
            answer = self.client.get(address, follow=True)
        else:
            answer = self.client.post(address, body, follow=True, **form)
        asked = answer.request
        query = f"?{asked['QUERY_STRING']}" if asked["QUERY_STRING"] else ""
        url = f"{SITE}{asked['PATH_INFO']}{query}"
        return Page(url, answer.status_code, answer.content.decode())

    def _connect(self, path: str) -> None:
        return None

    def wait_for_message(self, seconds: float) -> bool:
        return False

    def stay(self, seconds: float) -> None:
        return None


class Walk:
    """A person, and the page before them.

    stops: the kind of step where they stay as they are once they have pressed `pages` buttons
    there.
    """

    def __init__(self, person: Person, link: str, stops: str = "", pages: int = 0) -> None:
        self.person, self.link = person, link
        self.stops, self.left = stops, pages
        self.page: Page | None = None

    @property
    def row(self) -> Participant | None:
        rows = Participant.objects.filter(key=self.person.key or "none")
        return rows.select_related("study").first()

    @property
    def rests(self) -> bool:
        """Whether they do nothing (any more)."""
        if self.person.end or not self.stops:
            return bool(self.person.end)
        row = self.row
        return bool(
            row and participant_steps.current_step(row).kind == self.stops and self.left <= 0
        )

    def go(self) -> None:
        if self.page is None:
            self.page = self.person.browser.get(self.link)
        row, before = self.row, self.person.pages
        self.page = self.person._handle_page(self.page)
        if row and participant_steps.current_step(row).kind == self.stops:
            self.left -= self.person.pages - before
        assert self.person.end != "stuck", self.person.stuck_reason

    def stay(self) -> None:
        """The page that they have before them is open, whatever it is."""
        if self.person.end == "closed" or not (row := self.row):
            return
        participant_steps.record_presence(row)
        mine = Desk.objects.filter(player__seating__participant=row)
        mine.update(seen_at=timed_steps.timezone.now())


def walk(world: World, study: Study, walks: Sequence[Walk], each: Callable[[], Any] = int) -> None:
    """Until everybody rests; `each` is called once a round."""
    games = Game.objects.filter(slot__study=study)
    world.before = lambda game, seat, key: games.filter(pk=game).exists()
    with queued() as sent:
        for _ in range(ENOUGH):
            for one in walks:
                if not one.rests:
                    one.go()
                one.stay()
            each()
            work(world, games, sent)
            if all(one.rests for one in walks):
                return
            world.now += STEP
    raise AssertionError(
        [(one.person.own_path, one.page and one.page.visible_texts[:9]) for one in walks]
    )


def work(world: World, games: QuerySet[Game], sent: list[tuple[str, tuple[int, ...]]]) -> None:
    """What the workers and the sweeper do for this study."""
    while world._work_once() or sent:
        if sent:
            name, arguments = sent.pop(0)
            current_app.tasks[name](*arguments)
    for game in games.filter(ended_at=None).filter(
        pk__in=selectors.due_games(timed_steps.timezone.now())
    ):
        services.settle_deadlines(game.pk)
    timed_steps.run_due_steps()


@contextmanager
def queued() -> Iterator[list[tuple[str, tuple[int, ...]]]]:
    """What the survey puts into the queue, by name."""
    sent: list[tuple[str, tuple[int, ...]]] = []
    assert tasks.situations.name in current_app.tasks
    with mock.patch("celery.Celery.send_task", lambda _app, *job: sent.append(job)):
        yield sent


def people(study: Study, number: int, seed: str) -> list[Person]:
    """Attentive people, each with a browser of their own."""
    asked = study_runs.StudyRunOptions(participants=number, speed=1000, effect=1.0, seed=seed)
    found = study_runs._build_people(study, SITE, asked)
    for person in found:
        person.browser = InProcessBrowser()
    return found


def shared_link(study: Study, number: int = 0) -> str:
    """number: of a person who comes from Prolific, 0 for nobody in particular."""
    if not number:
        return f"/take/{study.key}/"
    names = {"PROLIFIC_PID": f"{PROLIFIC}{number:02}", "STUDY_ID": f"{PROLIFIC}aa",
             "SESSION_ID": f"{PROLIFIC}b{number}"}  # fmt: skip
    return f"/take/{study.key}/?{urlencode(names)}"


def design(games: int, longest_wait: int, **ratings: Any) -> dict[str, Any]:
    """`who-is-human` with two kinds of computer players, two people a game, bonuses, and words of
    games to rate at the end."""
    told = ready.get("who-is-human").design.to_json()
    told["table"] |= {"people": 2, "pace": "none"}
    told["factors"] = [{"name": "method", "levels": LEVELS}]
    told["assignment"]["games"] = games
    told["waiting"] |= {"least": 0, "most": longest_wait}
    told["stages"].insert(-1, {**RATINGS, **ratings})
    told["ethics"] = {"controller": "Ada Lovelace, an example", "contact": "ada@example.org"}
    told["currency"] = "GBP"
    told["exits"]["completed"] |= {"pay": "4.50", "code_kind": "same", "code": "DONE-7"}
    told["bonuses"] = [{"rule": "guessed_human", "amount": "0.20", "most": "1.40"}]
    return told


def finished(world: World, ada: User) -> Study:
    """Four games in two conditions, nine people.

    One closes the page in a game and a computer player stands in, one leaves at the questions.
    Closed, a batch of payments made and paid.
    """
    study = studies.create(ada, "Who is human?", design=design(2, 120), seed="upgrade/finished")
    studies.open(study)
    everybody = people(study, 9, "upgrade/finished")
    closes, leaves = everybody[3], everybody[6]
    closes.habits.is_closing = True
    walks = [
        Walk(person, shared_link(study, number if number % 2 else 0))
        for number, person in enumerate(everybody, 1)
    ]

    def some_leave() -> None:
        for person, kind, pages in ((closes, "game", 3), (leaves, "questionnaire", 1)):
            row = Participant.objects.filter(key=person.key or "none").first()
            if row and not row.exit and participant_steps.current_step(row).kind == kind:
                person.habits.leaves_at = person.habits.leaves_at or person.pages + pages

    for first in range(0, 9, 2):  # two and two, so that there are words to rate
        walk(world, study, walks[first : first + 2], some_leave)
    with queued() as sent:
        while study.slots.filter(state=Slot.PLAYING).exists():
            world.now += STEP
            work(world, Game.objects.filter(slot__study=study), sent)
    study.refresh_from_db()
    if study.state != Study.CLOSED:
        studies.close(study)
    settle_payments(study)
    analysis.compute_results(study.campaigns.get())
    analysis.compute_results(study)
    return study


def settle_payments(study: Study) -> None:
    """The sealed bonuses are told; a batch is paid, something is added and withheld."""
    bonuses.settle_due_bonuses()
    assert not Payment.objects.filter(status=Payment.SEALED).exists()
    ada, pages = sign_in("ada"), f"/study/studies/{study.code}/payments"
    one, other = study.participants.filter(exit="completed").order_by("pk")[:2]
    more = {"do": "add", "amount": "1.50", "why": "Waited for long.", "ticket": "t"}
    assert ada.post(f"{pages}/people/{one.pseudonym}", more).status_code == 302
    held = other.payments.order_by("pk").first()
    act = {"do": "withhold", "payment": str(held.pk), "why": "To be looked into."}
    assert ada.post(f"{pages}/people/{other.pseudonym}", act).status_code == 302
    assert ada.post(f"{pages}/batch", {"platform_study": ""}).status_code == 302
    batch = PaymentBatch.objects.get(study=study)
    assert ada.post(f"{pages}/batches/{batch.number}", {"do": "paid"}).status_code == 302


def half_way(world: World, ada: User, games: Sequence[Game]) -> Study:
    """Two people rate, two play, one waits, one is at the rules, one before the consent."""
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
    with_them = design(4, 3600, campaign=voices.code)
    study = studies.create(ada, "Half way", design=with_them, seed="upgrade/half")
    studies.open(study)
    stops = (("ratings", 5), ("ratings", 3), ("game", 4), ("game", 3), ("waiting", 0), ("rules", 1))
    walks = [
        Walk(person, shared_link(study), *stop)
        for person, stop in zip(people(study, 6, "upgrade/half"), stops, strict=True)
    ]
    for there in (2, 4, 6):
        walk(world, study, walks[:there])
    address = f"/study/studies/{study.code}/people/links"
    assert sign_in("ada").post(address, {"number": "1"}).status_code == 302
    return study


def come_back(study: Study) -> list[Walk]:
    """Everybody who is on the way, or has a link, in the browser where they were."""
    rows = study.participants.filter(exit="").order_by("pk")
    found = []
    for row, person in zip(rows, people(study, rows.count(), "back"), strict=True):
        client = taking.browser_of(row) if row.visitor else Client()
        person.browser = InProcessBrowser(client)
        found.append(Walk(person, f"/take/as/{row.key}/"))
    return found
