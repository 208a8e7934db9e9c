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
    from webapp.study.rehearsal.opinions import Attentive, Careless
    from webapp.study.rehearsal.person import Person

# Functions import models locally: `main` runs this module as a program, and models can be imported
# only after django.setup().

DESIGN_FILE, DATA_FOLDER = "study.json", "data"
ARRIVAL_S = 60.0  # in which all people arrive; divided by the speed
NO_DELAYS_SPEED = 4.0  # from this speed on, games have no delays
SETTLE_TIMEOUT_S = 30.0  # for games whose people have all left, and for the sweeper's passes
POLL_S = 1.0  # between two checks
REPORT_INTERVAL_S = 10.0  # between two reports without progress
KEPT_VARIABLES = ("FABULA_RULESETS",)  # environment variables that the separate Fabula keeps
ABANDONED_AFTER = timedelta(days=1)  # the process of a rehearsal this old has died
FAULT_COUNTS = ("stuck", "answers_lost", "pay_wrong")  # counts of the result that should be 0
BUILT_IN_BACKEND = "house"  # built-in players: no requests to models
# (part of the design, setting) -> its lowest value, of the design (WaitingRoom, Dropout) or of the
# site itself.
MINIMA = {
    ("waiting", "least"): 0, ("waiting", "leave_paid_after"): 0, ("waiting", "most"): 30,
    ("waiting", "ready"): 10, ("dropout", "grace"): 10,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class StudyRunOptions(Assumptions):
    """Options of a study's rehearsal. The favored condition of `effect` is the last one.

    Attributes:
        participants: their number.
        idle: share of those who stop somewhere and leave the page open.
        speed: reading, typing and waiting times are divided by it.
        patience: seconds beyond the expected time after which a person is stuck.
        site: address of a running site that uses this process's database, without a trailing slash;
            "" for a separate Fabula.
        owner: the study's owner on that site.
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
    on_progress: Callable[[str], None],
    keep_archive: Callable[[bytes], object] | None = None,
) -> dict[str, Any]:
    """Rehearse a study, and return the results as docs/rehearsal.md lists them.

    Args:
        on_progress: Called with each line that reports the progress.
        keep_archive: Called with the ZIP of the simulated data.

    Raises:
        Refused: The study could not be opened.
    """

    def write_design(folder: Path) -> None:
        study_data = {"name": name, "design": speed_up(design, options.speed)}
        (folder / DESIGN_FILE).write_text(json.dumps(study_data))

    env = _build_site_environment if options.site else _build_environment
    result = process.run_in_process(__name__, options, write_design, env, on_progress, keep_archive)
    return {**result, "cost": _expected_cost_data(design)}


def _expected_cost_data(design: Mapping[str, Any]) -> dict[str, Any]:
    """Return the expected cost of the whole study's requests to models, with its own backends."""
    from webapp.study.design import conditions
    from webapp.study.design.stages import Design
    from webapp.study.planning.expected_costs import expected_costs

    read = Design.from_json(dict(design))
    costs = expected_costs(read, conditions.build_conditions(read))
    return {
        "requests": costs.requests,
        "tokens": costs.tokens,
        "money": {currency: round(sum_, 2) for currency, sum_ in costs.money.items()},
        "unrecorded": list(costs.unrecorded),
    }


def _build_site_environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "webapp.settings"}


def _build_environment(folder: Path) -> dict[str, str]:
    # The site's own address and budget do not apply to a Fabula on this machine only.
    own = {k for k in os.environ if k.startswith("FABULA_") and k not in KEPT_VARIABLES}
    env = {k: v for k, v in os.environ.items() if k not in own}
    return {**env, "FABULA_DATA": str(folder / DATA_FOLDER)}


def speed_up(design: Mapping[str, Any], speed: float) -> dict[str, Any]:
    """Return the design with built-in players in every seat, and with faster clocks.

    Waiting, grace, practice and idle times are divided by `speed`.
    """
    from webapp.study.design.stages import Design

    faster_design: dict[str, Any] = json.loads(json.dumps(design))
    factors = faster_design.get("factors", [])
    levels = [level for factor in factors for level in factor["levels"]]
    for table in (faster_design["table"], *(level["table"] for level in levels)):
        table.pop("casting", None)
        if "backend" in table:
            table["backend"] = BUILT_IN_BACKEND
    if speed > 1:
        for (part, key), minimum in MINIMA.items():
            if key in faster_design.get(part, {}):
                faster_design[part][key] = max(minimum, round(faster_design[part][key] / speed))
        for stage in faster_design["stages"]:
            if stage["kind"] == "practice" and stage.get("minutes"):
                stage["minutes"] = max(1, round(stage["minutes"] / speed))
        # `design` lacks settings that have their default.
        complete_stages = Design.from_json(dict(design)).stages
        for stage, settings in zip(faster_design["stages"], complete_stages, strict=True):
            if settings.idle_minutes:
                stage["idle_minutes"] = max(1, round(settings.idle_minutes / speed))
    return faster_design


def main(folder: Path) -> None:
    """Rehearse on a separate Fabula in `folder`, or on a site. Runs in the separate process."""
    from webapp.runtime.separate_stack import Stack

    options = StudyRunOptions(**process.read_options(folder))
    if options.site:
        process.write_result(folder, lambda: _rehearse_at_url(options.site, folder, options))
        return
    data = folder / DATA_FOLDER
    data.mkdir(mode=0o700, exist_ok=True)
    process.report_progress("a Fabula of its own is started …")
    with (
        Stack(data, env={"FABULA_CROWD": str(max(40, options.participants))}) as stack,
        supervise(stack, process.report_progress),
    ):
        os.environ.pop("DATABASE_URL", None)
        os.environ.update(stack.env)
        process.write_result(folder, lambda: _rehearse_at_url(stack.url, folder, options))


@contextmanager
def supervise(stack: Stack, on_progress: Callable[[str], None]) -> Iterator[None]:
    """Restart processes of the stack that die, as `make play` does, and report it.

    If a process keeps dying, this program ends with the supervisor's reason.
    """
    from webapp.runtime.supervisor import Supervisor

    over = threading.Event()

    def watch() -> None:
        try:
            Supervisor(stack.group, on_progress).wait(over.is_set, seconds=None)
        except Exception:  # a thread's error does not end the process by itself
            traceback.print_exc()
            os._exit(1)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _rehearse_at_url(url: str, folder: Path, options: StudyRunOptions) -> dict[str, Any]:
    """Open the study of `folder`, run it at `url`, and write the archive of its data."""
    import django

    django.setup()
    from webapp.study.data import studies as exports
    from webapp.study.data.studies import ExportOptions

    if options.site:
        _delete_abandoned_rehearsals()
    study = open_study(json.loads((folder / DESIGN_FILE).read_text()), options)
    try:
        result = run_study(study, url, options)
        data = exports.build_zip(study, ExportOptions(payments=True))
        (folder / process.ARCHIVE_FILE).write_bytes(data)
    finally:
        if options.site:
            delete_rehearsal(study)
    return result


def delete_rehearsal(study: Study) -> None:
    """Delete a rehearsal's copy from a site, with its simulated people and their games."""
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
            erasing.delete_game(game.pk)


def _delete_abandoned_rehearsals() -> None:
    """Delete the copies on this site whose rehearsal was killed."""
    from django.utils import timezone

    from webapp.study.models import Study

    old = Study.objects.filter(rehearsal=True, created_at__lt=timezone.now() - ABANDONED_AFTER)
    for study in old:
        delete_rehearsal(study)


def open_study(study_data: Mapping[str, Any], options: StudyRunOptions) -> Study:
    """Create and open the study in this process's database."""
    from django.contrib.auth.models import User

    from webapp.study.planning import studies

    owner, _new = User.objects.get_or_create(username=options.owner)
    name = f"{study_data['name'][:105]} (rehearsal)"
    study = studies.create(owner, name, design=study_data["design"], seed=options.seed)
    study.rehearsal = True
    study.save(update_fields=["rehearsal"])
    studies.open(study)
    if options.speed >= NO_DELAYS_SPEED:
        for condition in study.conditions.all():
            condition.table = {**condition.table, "pace": "none"}
            condition.save(update_fields=["table"])
    return study


def run_study(study: Study, url: str, options: StudyRunOptions) -> dict[str, Any]:
    """Let all simulated people take part in the study at that address. Return the figures.

    The study is closed at the end, so that its data are complete.
    """
    from webapp.study.rehearsal import run_figures

    people = _build_people(study, url, options)
    threads = []
    began = time.monotonic()
    deadline = began + options.patience + _expected_s(study, options.speed)
    for number, person in enumerate(people):
        delay_s = Random(f"{options.seed}/comes/{number}").uniform(0, ARRIVAL_S / options.speed)
        args = (person, f"/take/{study.key}/", delay_s, deadline)
        threads.append(threading.Thread(target=_take_part, args=args, daemon=True))
    for thread in threads:
        thread.start()
    last_progress_text, reported_at = "", 0.0
    while any(thread.is_alive() for thread in threads):
        time.sleep(POLL_S)
        ends = Counter(person.end or "on the way" for person in people)
        progress_text = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
        is_due = time.monotonic() - reported_at > REPORT_INTERVAL_S
        if progress_text != last_progress_text or is_due:
            process.report_progress(progress_text)
            last_progress_text, reported_at = progress_text, time.monotonic()
    _wait_for_exits(study)
    result = run_figures.run_counts(study, people, time.monotonic() - began)
    _close_study(study)
    return {**result, **run_figures.run_figures(study, options.speed)}


def _close_study(study: Study) -> None:
    """Close the study, unless its last game has closed it, and make its sealed bonuses due."""
    from webapp.study.models import Study as StudyModel
    from webapp.study.planning import studies
    from webapp.study.sessions import bonuses

    study.refresh_from_db()
    if study.state != StudyModel.CLOSED:
        studies.close(study)
    bonuses.settle_due_bonuses()


def _expected_s(study: Study, speed: float) -> float:
    """Return how many seconds people may need: twice the expected time, or an hour a game.

    Each answer of a computer player adds a second, which `speed` does not divide.
    """
    from webapp.study.design.stages import Design
    from webapp.study.planning.durations import game_length, total_minutes

    length = game_length(study.design["table"]["ruleset"])
    answers = length.statements + length.polls + length.votes + length.looks
    games = max(1, int(study.design["assignment"]["games_each"]))
    participation_s = max(games * 3600, 2 * 60 * total_minutes(Design.from_json(study.design)))
    return participation_s / speed + games * answers


def _take_part(person: Person, link: str, delay_s: float, deadline: float) -> None:
    from django.db import connections

    time.sleep(delay_s)
    person.take_part(link, deadline)
    connections.close_all()


def _build_people(study: Study, url: str, options: StudyRunOptions) -> list[Person]:
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
        is_hasty = draw.random() < options.careless
        habits = Habits(
            speed=options.speed,
            leaves_at=draw.randrange(length + 1) if leaves else None,
            is_closing=leaves and draw.random() < 0.5,
            idles_at=None if leaves else _draw_idle_page(options, number, length),
            is_hasty=is_hasty,
        )
        person = Person(Browser(url), _EmptyMind(), habits, draw)
        name = f"{number + 1:03d}"
        person.mind = _build_mind(study, person, opinions, is_hasty=is_hasty, name=name)
        people.append(person)
    return people


def _draw_idle_page(options: StudyRunOptions, number: int, length: int) -> int | None:
    """Return the number of pages after which a person idles, None if they do not."""
    draw = Random(f"{options.seed}/idles/{number}")
    return draw.randrange(1, length + 1) if draw.random() < options.idle else None


class _EmptyMind:
    """The mind of a person until their own is assigned, which needs the person."""

    def answer(self, question: Any) -> list[str]:
        return []


def _build_mind(
    study: Study, person: Person, opinions: Any, *, is_hasty: bool, name: str
) -> Attentive | Careless:
    from webapp.study.rehearsal.opinions import Attentive, Careless

    if is_hasty:
        return Careless(person.draw, person.draw.random())
    right = _find_right_answers(study)
    return Attentive(name, opinions, right, lambda: _find_condition(person.key), person.draw)


def _find_right_answers(study: Study) -> dict[str, str]:
    """Return the label of each question on the rules -> the right value."""
    from game.engine import rulesets
    from game.engine.quiz import questions_for_settings
    from webapp.play.page.narrator import rule_sentence

    answers = {}
    for condition in study.conditions.all():
        ruleset = rulesets.get(condition.table["ruleset"])
        chosen = {**condition.table["settings"], "blind": condition.table["blind"]}
        for question in questions_for_settings(ruleset.quiz, ruleset.settings, chosen):
            answers[rule_sentence(question.text)] = "yes" if question.is_yes else "no"
    return answers


def _find_condition(key: str) -> str:
    """Return the condition of the last game of a link's participant, "" before it."""
    from webapp.study.models import Seating

    rows = Seating.objects.filter(participant__key=key, state=Seating.SEATED)
    name = rows.order_by("pk").values_list("slot__condition__name", flat=True).last()
    return name or ""


def _wait_for_exits(study: Study) -> None:
    """Wait until the sweeper has removed all absent people, and their games are finished.

    Waits for at most the longest idle time of a stage plus SETTLE_TIMEOUT_S.
    """
    from webapp.study.models import Slot
    from webapp.study.sessions.participant_steps import design_of

    idle_s = max(60 * stage.idle_minutes for stage in design_of(study).stages)
    deadline = time.monotonic() + idle_s + SETTLE_TIMEOUT_S
    while time.monotonic() < deadline:
        are_active = study.participants.filter(exit="", consented_at__isnull=False).exists()
        if not are_active and not study.slots.filter(state=Slot.PLAYING).exists():
            return
        time.sleep(POLL_S)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
