"""Rehearsal of a study: simulated participants use its real pages in a separate Fabula.

`rehearse` takes the design of a study, or of a ready one, and starts this module as a process. That
process starts a complete Fabula in a temporary folder (`webapp.runtime.stack`: Redis, web, worker,
sweeper, a database), opens the study there, sends simulated people to the shared link over HTTP and
sockets, and finally counts the rows in the database. The researcher's database is not involved.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from webapp.study.rehearsal import process
from webapp.study.rehearsal.process import Assumptions

if TYPE_CHECKING:
    from webapp.study.models import Study
    from webapp.study.rehearsal.minds import Attentive, Careless
    from webapp.study.rehearsal.person import Person

STUDY, DATA = "study.json", "data"
COME_WITHIN = 60.0  # seconds, divided by the speed
QUICK = 4.0  # from this speed on, games have no delays
SETTLES_WITHIN = 30.0  # seconds for games whose people have all left
POLL_S = 1.0  # seconds between two checks
SAID_AT_MOST = 5  # number of people in the report who were stuck
SAID_EVERY = 10.0  # seconds between two reports without progress
KEPT_VARIABLES = ("FABULA_RULESETS",)  # environment variables that the separate Fabula keeps
HOUSE = "house"  # Built-in players: no requests to models
# Minima: of a design (design.WaitingRoom, design.Dropout), and of the site itself.
MINIMA = {("waiting", "least"): 0, ("waiting", "leave_paid_after"): 0, ("waiting", "most"): 30,
         ("waiting", "ready"): 10, ("dropout", "grace"): 10}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class StudyRunOptions(Assumptions):
    """Options of a study's rehearsal.

    participants: their number. speed: reading, typing and waiting times are divided by it. The
    favored condition of `effect` is the last one.
    """

    participants: int
    speed: float = 1.0


def rehearse(
    name: str, design: Mapping[str, Any], options: StudyRunOptions, say: Callable[[str], None]
) -> dict[str, Any]:
    """Rehearse a study, and return the results as docs/rehearsal.md lists them.

    `say` is called with lines about the progress. Raises Refused if the study could not be opened.
    """

    def write_design(folder: Path) -> None:
        study_data = {"name": name, "design": speed_up(design, options.speed)}
        (folder / STUDY).write_text(json.dumps(study_data))

    return process.run_apart(__name__, options, write_design, _environment, say)


def _environment(folder: Path) -> dict[str, str]:
    # Settings of the site's address and budget do not concern a Fabula on this machine only.
    env = {
        k: v for k, v in os.environ.items() if not k.startswith("FABULA_") or k in KEPT_VARIABLES
    }
    return {**env, "FABULA_DATA": str(folder / DATA)}


def speed_up(design: Mapping[str, Any], speed: float) -> dict[str, Any]:
    """Return the design with built-in players in every seat, and with faster clocks.

    Waiting, grace and practice times are divided by `speed`.
    """
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
    return hurried_design


def main(folder: Path) -> None:
    """Start a Fabula in `folder`, and simulate the people. Runs in the separate process."""
    from webapp.runtime.stack import Stack

    options = StudyRunOptions(**process.read_assumed(folder))
    data = folder / DATA
    data.mkdir(mode=0o700, exist_ok=True)
    process.report("a Fabula of its own is started …")
    with Stack(data, env={"FABULA_CROWD": str(max(40, options.participants))}) as stack:
        os.environ.pop("DATABASE_URL", None)
        os.environ.update(stack.env)
        import django

        django.setup()
        study_data = json.loads((folder / STUDY).read_text())
        process.finish(folder, lambda: run(open_study(study_data, options), stack.url, options))


def open_study(study_data: Mapping[str, Any], options: StudyRunOptions) -> Study:
    """Create and open the study in this process's database. Raises Refused."""
    from django.contrib.auth.models import User

    from webapp.study.planning import studies

    owner = User.objects.create_user("rehearsal")
    study = studies.create(
        owner, study_data["name"], design=study_data["design"], seed=options.seed
    )
    study.rehearsal = True
    study.save(update_fields=["rehearsal"])
    studies.open(study)
    if options.speed >= QUICK:
        for condition in study.conditions.all():
            condition.table = {**condition.table, "pace": "none"}
            condition.save(update_fields=["table"])
    return study


def run(study: Study, url: str, options: StudyRunOptions) -> dict[str, Any]:
    """Let all participants take part in the study at that address, and return their counts."""
    people = _people(study, url, options)
    threads = []
    began = time.monotonic()
    limit = began + _limit_s(study, options.speed)
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
    _wait_for_games(study)
    return _counted(study, people, time.monotonic() - began)


def _limit_s(study: Study, speed: float) -> float:
    """Return the seconds after which somebody is stuck: twice the expected time, or an hour a game.

    Computer players take theirs to answer, however fast people are.
    """
    from webapp.study.design.stages import Design
    from webapp.study.planning.durations import length_of, minutes

    length = length_of(study.design["table"]["ruleset"])
    answers = length.statements + length.polls + length.votes + length.looks
    games = max(1, int(study.design["assignment"]["games_each"]))
    walked = max(games * 3600, 2 * 60 * minutes(Design.of(study.design)))
    return 300 + walked / speed + games * answers


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
            hasty=hasty,
        )
        person = Person(Browser(url), _NoMind(), habits, draw)
        person.mind = _mind(study, person, opinions, hasty=hasty, name=f"{number + 1:03d}")
        people.append(person)
    return people


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


def _wait_for_games(study: Study) -> None:
    """Wait until computer players have finished the games whose people have left.

    It waits for at most SETTLES_WITHIN.
    """
    from webapp.study.models import Slot

    until = time.monotonic() + SETTLES_WITHIN
    while time.monotonic() < until:
        if not study.slots.filter(state=Slot.PLAYING).exists():
            return
        time.sleep(POLL_S)


def _counted(study: Study, people: Sequence[Person], seconds: float) -> dict[str, Any]:
    from webapp.study.models import Participant, Slot
    from webapp.study.rehearsal import lost_answers
    from webapp.study.rehearsal.person import CLOSED, LEFT, STUCK

    exits = dict(Participant.objects.filter(study=study).values_list("key", "exit"))
    ends = Counter(exits.get(person.key, "") or person.end for person in people)
    stuck = [person for person in people if person.end == STUCK]
    lost = lost_answers.missing_answers(people)
    for person in stuck:
        process.report(f"stuck: {person.own or 'before consent'}: {person.why}")
    for lost_answer in lost:
        process.report(f"lost: {lost_answer}")
    screened = ("screened_out", "quiz_early", "quiz_failed", "unsuitable")
    return {
        "participants": len(people),
        "completed": ends["completed"],
        "left": sum(person.end in (LEFT, CLOSED) for person in people),
        "drawn_to_leave": sum(person.habits.leaves_at is not None for person in people),
        "screened": sum(ends[kind] for kind in screened),
        "waited_out": ends["waited_out"],
        "games": study.slots.filter(state=Slot.DONE).count(),
        "stuck": len(stuck),
        "stuck_where": [person.why for person in stuck[:SAID_AT_MOST]],
        "answers_lost": len(lost),
        "codes_wrong": len(_wrong_codes(people)),
        "seconds": round(seconds, 1),
        "answers": sum(len(person.posted) for person in people),
        "ways_out": dict(sorted(ends.items())),
        "by_condition": _by_condition(study),
    }


def _wrong_codes(people: Sequence[Person]) -> list[str]:
    """Return own links whose last page showed another code than the database has."""
    from webapp.study.models import Participant
    from webapp.study.rehearsal.person import ENDED
    from webapp.study.sessions import participant_steps

    wrong_codes = []
    for person in people:
        rows = Participant.objects.filter(key=person.key).select_related("study")
        participant = rows.first() if person.end == ENDED else None
        if participant and person.code != participant_steps.code_of(participant):
            wrong_codes.append(person.own)
    return wrong_codes


def _by_condition(study: Study) -> dict[str, dict[str, int]]:
    """Return condition -> its games, and how many participants completed the study from them."""
    from webapp.study.models import Seating, Slot
    from webapp.study.sessions import slots

    counts_by_condition = {}
    for name, counts in slots.slot_counts(study).items():
        through = Seating.objects.filter(
            slot__study=study, slot__condition__name=name, state=Seating.SEATED,
            participant__exit="completed",
        )  # fmt: skip
        completed = through.values("participant").distinct().count()
        counts_by_condition[name] = {
            "games": counts[Slot.DONE],
            "void": counts[Slot.VOID],
            "playing": counts[Slot.PLAYING],
            "completed": completed,
        }
    return counts_by_condition


if __name__ == "__main__":
    main(Path(sys.argv[1]))
