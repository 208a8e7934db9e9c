"""Simulated participants of one study, who use its real pages over HTTP and sockets in threads."""

import threading
import time
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

from django.contrib.auth.models import User
from django.db import connections, transaction
from django.db.models import Q
from django.utils import timezone

from game import erasing, game_actions
from game.engine import rulesets
from game.engine.declarations import questions_for_settings
from game.models import Game
from webapp.play.tables.rules_pages import rule_text
from webapp.study.design.stages import Design
from webapp.study.models import Participant, Seating, Slot, Study
from webapp.study.planning import studies
from webapp.study.planning.estimates import game_length, total_minutes
from webapp.study.rehearsal import run_figures, separate_process
from webapp.study.rehearsal.browser import Browser
from webapp.study.rehearsal.opinions import Opinions
from webapp.study.rehearsal.person import AttentiveMind, CarelessMind, Habits, Person
from webapp.study.rehearsal.rehearsal_options import CLOSED_PAGE_SHARE, StudyRunOptions
from webapp.study.sessions import bonuses
from webapp.study.sessions.participant_state import design_of, route

ARRIVAL_S = 60.0  # all people arrive within this time, divided by the speed
NO_DELAYS_SPEED = 4.0  # at this speed and above, games have no delays
# The limit for games that all people have left, and for passes of the sweeper.
SETTLE_TIMEOUT_S = 30.0
POLL_INTERVAL_S = 1.0
MAX_COPIED_NAME_CHARS = 105  # leaves room for "(rehearsal)" in the 120 characters of a name
REPORT_INTERVAL_S = 10.0  # without progress, a report is made this often
ABANDONED_AFTER = timedelta(days=1)  # the process of an older rehearsal has died


def run_study(study: Study, url: str, options: StudyRunOptions) -> dict[str, Any]:
    """Let all people take part at `url`, close the study, and return its figures."""
    people = build_people(study, url, options)
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
        time.sleep(POLL_INTERVAL_S)
        ends = Counter(person.end or "on the way" for person in people)
        progress_text = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
        is_due = time.monotonic() - reported_at > REPORT_INTERVAL_S
        if progress_text != last_progress_text or is_due:
            separate_process.report_progress(progress_text)
            last_progress_text, reported_at = progress_text, time.monotonic()
    _wait_for_exits(study)
    result = run_figures.run_counts(study, people, time.monotonic() - began)
    study.refresh_from_db()
    if study.state != Study.CLOSED:  # else its last game has closed it
        studies.close(study)
    bonuses.settle_due_bonuses()
    return {**result, **run_figures.run_figures(study, options.speed)}


def open_study(study_data: Mapping[str, Any], options: StudyRunOptions) -> Study:
    """Create and open the study in this process's database."""
    owner, _new = User.objects.get_or_create(username=options.owner)
    name = f"{study_data['name'][:MAX_COPIED_NAME_CHARS]} (rehearsal)"
    study = studies.create(owner, name, design=study_data["design"], seed=options.seed)
    study.rehearsal = True
    study.save(update_fields=["rehearsal"])
    studies.open(study)
    if options.speed >= NO_DELAYS_SPEED:
        for condition in study.conditions.all():
            condition.table = {**condition.table, "pace": "none"}
            condition.save(update_fields=["table"])
    return study


def delete_rehearsal(study: Study) -> None:
    """Delete a rehearsal's copy from a site, with its simulated people and their games."""
    assert study.rehearsal, "only simulated people are deleted with their study"
    with transaction.atomic():
        practice = Participant.objects.filter(study=study).values("practice")
        games = list(Game.objects.filter(Q(slot__study=study) | Q(pk__in=practice)))
        study.delete()
        for game in games:
            if not game.ended_at:
                game_actions.call_off(game.pk)
            erasing.delete_game(game.pk)


def delete_abandoned_rehearsals() -> None:
    """Delete the copies on this site whose rehearsal was killed."""
    old = Study.objects.filter(rehearsal=True, created_at__lt=timezone.now() - ABANDONED_AFTER)
    for study in old:
        delete_rehearsal(study)


def build_people(study: Study, url: str, options: StudyRunOptions) -> list[Person]:
    """Return the simulated people with the habits and minds that the seed draws."""
    last = study.conditions.order_by("index").last()
    opinions = Opinions(options.seed, last.name if last else "", options.effect, options.noise)
    right_answers = _find_right_answers(study)
    length = len(route(design_of(study)))
    people = []
    for number in range(options.participants):
        rng = Random(f"{options.seed}/person/{number}")
        leaves = rng.random() < options.dropout
        is_hasty = rng.random() < options.careless
        rng_of_idling = Random(f"{options.seed}/idles/{number}")
        idles = not leaves and rng_of_idling.random() < options.idle
        habits = Habits(
            speed=options.speed,
            leaves_at=rng.randrange(length + 1) if leaves else None,
            is_closing=leaves and rng.random() < CLOSED_PAGE_SHARE,
            idles_at=rng_of_idling.randrange(1, length + 1) if idles else None,
            is_hasty=is_hasty,
        )
        careless_mind = CarelessMind(rng, rng.random() if is_hasty else 0.0)
        person = Person(Browser(url), careless_mind, habits, rng)
        if not is_hasty:
            # It reads the condition of the person, so it is created after the person.
            condition = partial(_find_condition, person)
            name = f"{number + 1:03d}"
            person.mind = AttentiveMind(name, opinions, right_answers, condition, rng)
        people.append(person)
    return people


def _find_right_answers(study: Study) -> dict[str, str]:
    """Return label of each question on the rules -> the right answer."""
    answers = {}
    for condition in study.conditions.all():
        ruleset = rulesets.get(condition.table["ruleset"])
        chosen = {**condition.table["settings"], "blind": condition.table["blind"]}
        for question in questions_for_settings(ruleset.quiz, ruleset.settings, chosen):
            answers[rule_text(question)] = "yes" if question.is_yes else "no"
    return answers


def _find_condition(person: Person) -> str:
    """Return the condition of the person's last game, "" before it."""
    rows = Seating.objects.filter(participant__key=person.key, state=Seating.SEATED)
    name = rows.order_by("pk").values_list("slot__condition__name", flat=True).last()
    return name or ""


def _expected_s(study: Study, speed: float) -> float:
    """Return twice the expected time or an hour per game, and a second per computer's answer."""
    answers = game_length(study.design["table"]["ruleset"]).answers
    games = max(1, int(study.design["assignment"]["games_each"]))
    participation_s = max(games * 3600, 2 * 60 * total_minutes(Design.from_json(study.design)))
    return participation_s / speed + games * answers


def _take_part(person: Person, link: str, delay_s: float, deadline: float) -> None:
    time.sleep(delay_s)
    person.take_part(link, deadline)
    connections.close_all()


def _wait_for_exits(study: Study) -> None:
    """Wait until the sweeper has removed absent people, and their games are finished."""
    idle_s = max(60 * stage.idle_minutes for stage in design_of(study).stages)
    deadline = time.monotonic() + idle_s + SETTLE_TIMEOUT_S
    while time.monotonic() < deadline:
        are_active = study.participants.filter(exit="", consented_at__isnull=False).exists()
        if not are_active and not study.slots.filter(state=Slot.PLAYING).exists():
            return
        time.sleep(POLL_INTERVAL_S)
