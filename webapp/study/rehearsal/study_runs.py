"""Rehearsal of a study: simulated participants use its real pages in a separate Fabula.

`rehearse` takes the design of a study, or of a ready one, and starts this module as a process. That
process starts a complete Fabula in a temporary folder (`webapp.runtime.separate_stack`: Redis, web,
worker, sweeper, a database), opens the study there, sends simulated people to the shared link over
HTTP and sockets, counts the rows in the database and exports them. The researcher's database is not
involved, unless `StudyRunOptions.site` names a running site: then a copy of the study is opened
there, with slots and links of its own, and is deleted at the end.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from webapp.study.rehearsal import process
from webapp.study.rehearsal.process import Assumptions

if TYPE_CHECKING:
    from webapp.runtime.separate_stack import Stack
    from webapp.study.models import Study
    from webapp.study.rehearsal.minds import Attentive, Careless
    from webapp.study.rehearsal.person import Person

STUDY, DATA = "study.json", "data"
COME_WITHIN = 60.0  # seconds, divided by the speed
QUICK = 4.0  # from this speed on, games have no delays
SETTLES_WITHIN = 30.0  # seconds for games whose people have all left, and for the clock's passes
POLL_S = 1.0  # seconds between two checks
SAID_EVERY = 10.0  # seconds between two reports without progress
KEPT_VARIABLES = ("FABULA_RULESETS",)  # environment variables that the separate Fabula keeps
ABANDONED_AFTER = timedelta(days=1)  # the process of a rehearsal this old has died
FAULTS = ("stuck", "answers_lost", "pay_wrong")  # counts of the result that should be 0
HOUSE = "house"  # Built-in players: no requests to models
# Minima: of a design (design.WaitingRoom, design.Dropout), and of the site itself.
MINIMA = {("waiting", "least"): 0, ("waiting", "leave_paid_after"): 0, ("waiting", "most"): 30,
         ("waiting", "ready"): 10, ("dropout", "grace"): 10}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class StudyRunOptions(Assumptions):
    """Options of a study's rehearsal.

    participants: their number. idle: share of those who stop somewhere and leave the page open.
    speed: reading, typing and waiting times are divided by it. patience: seconds beyond the
    expected time after which somebody is stuck. The favored condition of `effect` is the last one.
    site: address of a running site that uses this process's database, without a trailing slash; ""
    for a separate Fabula. owner: on that site.
    """

    participants: int
    idle: float = 0.0
    speed: float = 1.0
    patience: int = 300
    site: str = ""
    owner: str = "rehearsal"


def rehearse(
    name: str,
    design: Mapping[str, Any],
    options: StudyRunOptions,
    say: Callable[[str], None],
    keep_archive: Callable[[bytes], object] | None = None,
) -> dict[str, Any]:
    """Rehearse a study, and return the results as docs/rehearsal.md lists them.

    `say` is called with lines about the progress, `keep_archive` with the ZIP of the simulated
    data. Raises Refused if the study could not be opened.
    """

    def write_design(folder: Path) -> None:
        study_data = {"name": name, "design": speed_up(design, options.speed)}
        (folder / STUDY).write_text(json.dumps(study_data))

    env = _site_environment if options.site else _environment
    result = process.run_apart(__name__, options, write_design, env, say, keep_archive)
    return {**result, "cost": _cost(design)}


def _cost(design: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the requests to models of the whole study would cost with its own backends."""
    from webapp.study.design import conditions
    from webapp.study.design.stages import Design
    from webapp.study.planning.expected_costs import expected_costs

    read = Design.of(dict(design))
    costs = expected_costs(read, conditions.build_conditions(read))
    return {
        "requests": costs.requests,
        "tokens": costs.tokens,
        "money": {currency: round(sum_, 2) for currency, sum_ in costs.money.items()},
        "unrecorded": list(costs.unrecorded),
    }


def _site_environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "webapp.settings"}


def _environment(folder: Path) -> dict[str, str]:
    # Settings of the site's address and budget do not concern a Fabula on this machine only.
    env = {
        k: v for k, v in os.environ.items() if not k.startswith("FABULA_") or k in KEPT_VARIABLES
    }
    return {**env, "FABULA_DATA": str(folder / DATA)}


def speed_up(design: Mapping[str, Any], speed: float) -> dict[str, Any]:
    """Return the design with built-in players in every seat, and with faster clocks.

    Waiting, grace, practice and idle times are divided by `speed`.
    """
    from webapp.study.design.stages import Design

    hurried_design: dict[str, Any] = json.loads(json.dumps(design))
    tables = [hurried_design["table"]]
    tables += [
        lv["table"] for factor in hurried_design.get("factors", []) for lv in factor["levels"]
    ]
    for table in tables:
        table.pop("casting", None)
        if "backend" in table:
            table["backend"] = HOUSE
    if speed > 1:
        for (part, key), least in MINIMA.items():
            if key in hurried_design.get(part, {}):
                hurried_design[part][key] = max(least, round(hurried_design[part][key] / speed))
        for stage in hurried_design["stages"]:
            if stage["kind"] == "practice" and stage.get("minutes"):
                stage["minutes"] = max(1, round(stage["minutes"] / speed))
        all_settings = Design.of(dict(design)).stages  # data lack those that are the default
        for stage, settings in zip(hurried_design["stages"], all_settings, strict=True):
            if settings.idle_minutes:
                stage["idle_minutes"] = max(1, round(settings.idle_minutes / speed))
    return hurried_design


def main(folder: Path) -> None:
    """Simulate the people, on a Fabula in `folder` or on a site. Runs in the separate process."""
    from webapp.runtime.separate_stack import Stack

    options = StudyRunOptions(**process.read_assumed(folder))
    if options.site:
        process.finish(folder, lambda: _rehearse_at(options.site, folder, options))
        return
    data = folder / DATA
    data.mkdir(mode=0o700, exist_ok=True)
    process.report("a Fabula of its own is started …")
    with (
        Stack(data, env={"FABULA_CROWD": str(max(40, options.participants))}) as stack,
        supervised(stack, process.report),
    ):
        os.environ.pop("DATABASE_URL", None)
        os.environ.update(stack.env)
        process.finish(folder, lambda: _rehearse_at(stack.url, folder, options))


@contextmanager
def supervised(stack: Stack, say: Callable[[str], None]) -> Iterator[None]:
    """Restart processes of the stack that die, as `make play` does, and say so.

    A process that keeps dying ends this program, with the supervisor's reason.
    """
    from webapp.runtime.supervisor import Supervisor

    over = threading.Event()

    def watch() -> None:
        try:
            Supervisor(stack.group, say).wait(over.is_set, seconds=None)
        except Exception:  # nobody waits for this thread: the process must not go on without it
            traceback.print_exc()
            os._exit(1)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _rehearse_at(url: str, folder: Path, options: StudyRunOptions) -> dict[str, Any]:
    """Open the study of `folder`, send people to `url`, and write the archive of their data."""
    import django

    django.setup()
    from webapp.study.data import studies as exports
    from webapp.study.data.studies import ExportOptions

    if options.site:
        _delete_abandoned()
    study = open_study(json.loads((folder / STUDY).read_text()), options)
    try:
        result = run(study, url, options)
        data = exports.build_zip(study, ExportOptions(payments=True))
        (folder / process.ARCHIVE).write_bytes(data)
    finally:
        if options.site:
            delete_rehearsed(study)
    return result


def delete_rehearsed(study: Study) -> None:
    """Delete a rehearsed copy from a site, with its simulated people and their games."""
    from django.db import transaction
    from django.db.models import Q

    from game import erasing, host_actions, lobby
    from game.models import Game
    from webapp.study.models import Participant

    assert study.rehearsal, "only simulated people are deleted with their study"
    with transaction.atomic():
        practice = Participant.objects.filter(study=study).values("practice")
        games = Game.objects.filter(Q(slot__study=study) | Q(pk__in=practice))
        simulated = list(games)
        study.delete()
        for game in simulated:
            if not game.ended_at:
                (host_actions if game.started_at else lobby).call_off(game.pk)
            erasing.delete(game.pk)


def _delete_abandoned() -> None:
    """Delete copies on this site whose rehearsal was killed."""
    from django.utils import timezone

    from webapp.study.models import Study

    old = Study.objects.filter(rehearsal=True, created_at__lt=timezone.now() - ABANDONED_AFTER)
    for study in old:
        delete_rehearsed(study)


def open_study(study_data: Mapping[str, Any], options: StudyRunOptions) -> Study:
    """Create and open the study in this process's database. Raises Refused."""
    from django.contrib.auth.models import User

    from webapp.study.planning import studies

    owner, _new = User.objects.get_or_create(username=options.owner)
    name = f"{study_data['name'][:105]} (rehearsal)"
    study = studies.create(owner, name, design=study_data["design"], seed=options.seed)
    study.rehearsal = True
    study.save(update_fields=["rehearsal"])
    studies.open(study)
    if options.speed >= QUICK:
        for condition in study.conditions.all():
            condition.table = {**condition.table, "pace": "none"}
            condition.save(update_fields=["table"])
    return study


def run(study: Study, url: str, options: StudyRunOptions) -> dict[str, Any]:
    """Let all participants take part in the study at that address, and return their counts.

    The study is closed then, so that its data are complete.
    """
    from webapp.study.rehearsal import run_figures

    people = _people(study, url, options)
    threads = []
    began = time.monotonic()
    limit = began + options.patience + _expected_s(study, options.speed)
    for number, person in enumerate(people):
        after = Random(f"{options.seed}/comes/{number}").uniform(0, COME_WITHIN / options.speed)
        args = (person, f"/take/{study.key}/", after, limit)
        threads.append(threading.Thread(target=_take_part, args=args, daemon=True))
    for thread in threads:
        thread.start()
    last_text, said_at = "", 0.0
    while any(thread.is_alive() for thread in threads):
        time.sleep(POLL_S)
        ends = Counter(person.end or "on the way" for person in people)
        now = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
        if now != last_text or time.monotonic() - said_at > SAID_EVERY:
            process.report(now)
            last_text, said_at = now, time.monotonic()
    _wait_for_absent(study)
    result = run_figures.counts(study, people, time.monotonic() - began)
    _close(study)
    return {**result, **run_figures.run_figures(study, options.speed)}


def _close(study: Study) -> None:
    """Close the study, unless its last game has, and make its sealed bonuses due."""
    from webapp.study.models import Study as Row
    from webapp.study.planning import studies
    from webapp.study.sessions import bonuses

    study.refresh_from_db()
    if study.state != Row.CLOSED:
        studies.close(study)
    bonuses.settle_due_bonuses()


def _expected_s(study: Study, speed: float) -> float:
    """Return how many seconds people may need: twice the expected time, or an hour a game.

    Computer players take theirs to answer, however fast people are.
    """
    from webapp.study.design.stages import Design
    from webapp.study.planning.durations import game_length, total_minutes

    length = game_length(study.design["table"]["ruleset"])
    answers = length.statements + length.polls + length.votes + length.looks
    games = max(1, int(study.design["assignment"]["games_each"]))
    walked = max(games * 3600, 2 * 60 * total_minutes(Design.of(study.design)))
    return walked / speed + games * answers


def _take_part(person: Person, link: str, after: float, until: float) -> None:
    from django.db import connections

    time.sleep(after)
    person.take_part(link, until)
    connections.close_all()


def _people(study: Study, url: str, options: StudyRunOptions) -> list[Person]:
    from webapp.study.rehearsal.browser import Browser
    from webapp.study.rehearsal.opinions import Opinions
    from webapp.study.rehearsal.person import Habits, Person
    from webapp.study.sessions import participant_steps
    from webapp.study.sessions.participant_steps import route

    last = study.conditions.order_by("index").last()
    opinions = Opinions(options.seed, last.name if last else "", options.effect, options.noise)
    length = len(route(participant_steps.design_of(study)))
    people = []
    for number in range(options.participants):
        draw = Random(f"{options.seed}/person/{number}")
        leaves = draw.random() < options.dropout
        hasty = draw.random() < options.careless
        habits = Habits(
            speed=options.speed,
            leaves_at=draw.randrange(length + 1) if leaves else None,
            closes=leaves and draw.random() < 0.5,
            idles_at=None if leaves else _idles_at(options, number, length),
            hasty=hasty,
        )
        person = Person(Browser(url), _NoMind(), habits, draw)
        person.mind = _mind(study, person, opinions, hasty=hasty, name=f"{number + 1:03d}")
        people.append(person)
    return people


def _idles_at(options: StudyRunOptions, number: int, length: int) -> int | None:
    """Return the page at which a person stops after they agreed, None for one who goes on."""
    draw = Random(f"{options.seed}/idles/{number}")
    return draw.randrange(1, length + 1) if draw.random() < options.idle else None


class _NoMind:
    """The mind of a person before their own is assigned."""

    def answer(self, question: Any) -> list[str]:
        return []


def _mind(
    study: Study, person: Person, opinions: Any, *, hasty: bool, name: str
) -> Attentive | Careless:
    from webapp.study.rehearsal.minds import Attentive, Careless

    if hasty:
        return Careless(person.draw, person.draw.random())
    right = _right_answers(study)
    return Attentive(name, opinions, right, lambda: _condition(person.key), person.draw)


def _right_answers(study: Study) -> dict[str, str]:
    """Return the text of every question on the rules -> the right value."""
    from game.engine import rulesets
    from game.engine.quiz import questions_at
    from webapp.play.page.sentences import line

    answers = {}
    for condition in study.conditions.all():
        ruleset = rulesets.get(condition.table["ruleset"])
        chosen = {**condition.table["settings"], "blind": condition.table["blind"]}
        for question in questions_at(ruleset.quiz, ruleset.settings, chosen):
            answers[line(question.text)] = "yes" if question.answer else "no"
    return answers


def _condition(key: str) -> str:
    """Return the condition that the link's participant played last, "" before a game."""
    from webapp.study.models import Seating

    rows = Seating.objects.filter(participant__key=key, state=Seating.SEATED)
    name = rows.order_by("pk").values_list("slot__condition__name", flat=True).last()
    return name or ""


def _wait_for_absent(study: Study) -> None:
    """Wait until the clock has let out those who are gone, and their games are finished.

    It waits for at most the longest idle time of a stage and SETTLES_WITHIN.
    """
    from webapp.study.models import Slot
    from webapp.study.sessions.participant_steps import design_of

    idle_s = max(60 * stage.idle_minutes for stage in design_of(study).stages)
    until = time.monotonic() + idle_s + SETTLES_WITHIN
    while time.monotonic() < until:
        inside = study.participants.filter(exit="", consented_at__isnull=False).exists()
        if not inside and not study.slots.filter(state=Slot.PLAYING).exists():
            return
        time.sleep(POLL_S)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
