"""A study with simulated people from beginning to end, for pictures and benches."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.live import Stack
from webapp.study.rehearsal.rehearsal_options import StudyRunOptions

if TYPE_CHECKING:
    from webapp.study.models import Study

NAME = "Who is taken for a person?"
PEOPLE = 14
RUN_OPTIONS = StudyRunOptions(participants=PEOPLE, dropout=0.1, speed=60, seed="walk")
FACTOR = {
    "name": "method",
    "levels": [
        {"name": "baseline", "table": {"method": "baseline"}},
        {"name": "full", "table": {"method": "full"}},
    ],
}


def design() -> dict[str, Any]:
    """Return `who-is-human` with two kinds of agents: two games each, three people per game."""
    from webapp.study.planning import ready
    from webapp.study.rehearsal import study_runs

    design = ready.get("who-is-human").design.to_json()
    content = study_runs.prepare_design(design, RUN_OPTIONS.speed)
    content["factors"], content["assignment"]["games"] = [FACTOR], 2
    content["ethics"] = {"controller": "Ada Lovelace, an example", "contact": "ada@example.org"}
    content["currency"], content["exits"]["completed"]["pay"] = "GBP", "4.50"
    content["bonuses"] = [{"rule": "guessed_human", "amount": "0.20", "most": "1.40"}]
    return content


@contextmanager
def running_site() -> Iterator[Stack]:
    """Run a Fabula whose database this process reads too."""
    with Stack(env={"FABULA_CROWD": str(4 * PEOPLE)}) as stack:
        os.environ.pop("DATABASE_URL", None)
        os.environ.update(stack.env)
        import django

        django.setup()
        yield stack


def open_example_study() -> Study:
    """Create the study and open it."""
    from webapp.study.rehearsal import simulated_participants

    return simulated_participants.open_study({"name": NAME, "design": design()}, RUN_OPTIONS)


def run_study_to_end(
    study: Study, url: str, on_start: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Run the study with all simulated people, then close it.

    Args:
        on_start: Called once when the people have started. They continue meanwhile.

    Returns:
        The result of a rehearsal.
    """
    from webapp.study.planning import studies
    from webapp.study.rehearsal import simulated_participants

    result: dict[str, Any] = {}
    people = threading.Thread(
        target=lambda: result.update(simulated_participants.run_study(study, url, RUN_OPTIONS))
    )
    people.start()
    on_start()
    people.join()
    study.refresh_from_db()
    if study.state != "closed":
        studies.close(study)
    sys.stderr.write(f"{result}\n")
    return result
