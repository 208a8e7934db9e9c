"""A study that simulated people take part in from beginning to end, for pictures and benches."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.live import Stack
from webapp.study.rehearsal import study_runs
from webapp.study.rehearsal.study_runs import StudyRunOptions

if TYPE_CHECKING:
    from webapp.study.models import Study

NAME = "Who is taken for a person?"
PEOPLE = 14
ASKED = StudyRunOptions(participants=PEOPLE, dropout=0.1, speed=60, seed="walk")
FACTOR = {
    "name": "method",
    "levels": [
        {"name": "baseline", "table": {"method": "baseline"}},
        {"name": "full", "table": {"method": "full"}},
    ],
}


def design() -> dict[str, Any]:
    """`who-is-human` with two kinds of computer players: two games of each, three people in one."""
    from webapp.study.planning import ready

    told = study_runs.speed_up(ready.get("who-is-human").design.to_json(), ASKED.speed)
    told["factors"], told["assignment"]["games"] = [FACTOR], 2
    told["ethics"] = {"controller": "Ada Lovelace, an example", "contact": "ada@example.org"}
    told["currency"], told["exits"]["completed"]["pay"] = "GBP", "4.50"
    told["bonuses"] = [{"rule": "guessed_human", "amount": "0.20", "most": "1.40"}]
    return told


@contextmanager
def site() -> Iterator[Stack]:
    """A running Fabula whose database this process reads too."""
    with Stack(env={"FABULA_CROWD": str(4 * PEOPLE)}) as stack:
        os.environ.pop("DATABASE_URL", None)
        os.environ.update(stack.env)
        import django

        django.setup()
        yield stack


def opened() -> Study:
    return study_runs.open_study({"name": NAME, "design": design()}, ASKED)


def held(study: Study, url: str, meanwhile: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Everybody goes their way while `meanwhile` is done; then the study closes.

    What came of it, as a rehearsal counts it.
    """
    from webapp.study.planning import studies

    found: dict[str, Any] = {}
    people = threading.Thread(target=lambda: found.update(study_runs.run_study(study, url, ASKED)))
    people.start()
    meanwhile()
    people.join()
    study.refresh_from_db()
    if study.state != "closed":
        studies.close(study)
    sys.stderr.write(f"{found}\n")
    return found
