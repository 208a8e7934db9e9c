"""Cost of the report of an experiment with 500 games: computation and stored page.

A few games of built-in players are played and copied. Budgets: 60 s and 300 MB for the computation,
200 ms for the stored page. The computation runs in a separate process, so that its memory is that
of a worker. `python -m tests.bench.reports`.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
import uuid
from typing import Any

from tests.bench import measure_apart

GAMES, PLAYED = 100, 2  # of each of five conditions
PAGES = 10
COMPUTE = """
import resource, time
import django
django.setup()
from webapp.study import analysis
from webapp.study.models import Study
began, used = time.perf_counter(), time.process_time()
analysis.compute_results(Study.objects.get())
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"  computed: {time.perf_counter() - began:.1f} s, of the processor"
      f" {time.process_time() - used:.1f} s; {most:.0f} MB", flush=True)
"""


def main() -> None:
    measure_apart("reports", FABULA_TEST_RUN="{data}", DJANGO_SETTINGS_MODULE="tests.settings")


def measure() -> None:
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.test import Client
    from django.urls import reverse

    from webapp.study import timed_steps
    from webapp.study.experiments import local_run
    from webapp.study.models import Study, StudyAnalysis
    from webapp.study.planning import ready, studies

    file = ready.get("humanized-methods")
    data = file.design.to_json()
    data["assignment"]["games"] = PLAYED
    owner = User.objects.create(username="bench", is_staff=True)
    study = studies.create(owner, file.name, design=file.design.from_json(data), seed="bench")
    studies.open(study)
    for _game in local_run.play_games(study):
        pass
    timed_steps.close_finished()
    study = Study.objects.get()
    copy_games(study)
    print(f"{study.slots.count()} games", flush=True)
    StudyAnalysis.objects.create(study=study)
    subprocess.run([sys.executable, "-c", COMPUTE], check=True)
    row = StudyAnalysis.objects.get()
    assert not row.failure, row.failure
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(owner)
    page, times = reverse("study:study_results", args=[study.code]), []
    for _n in range(PAGES):
        began, used = time.perf_counter(), time.process_time()
        body = client.get(page).content
        times.append((time.perf_counter() - began, time.process_time() - used))
    assert b"table-humanized-5" in body
    wall, used_time = min(times[1:])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  the page ({len(body):,} bytes): {1000 * wall:.0f} ms, of the processor"
          f" {1000 * used_time:.0f} ms; {peak:.0f} MB")  # fmt: skip


def copy_games(study: Any) -> None:
    """Copy the played games of each condition until there are GAMES, with distinct texts."""
    from game.models import Event, Game, Player, Utterance, Vote
    from webapp.play.models import FinalClaims, MindNote
    from webapp.study.models import Slot

    played = list(study.slots.filter(state=Slot.DONE))
    for number in range(1, GAMES // PLAYED):
        for slot in played:
            original_id = slot.game_id
            game = copy_row(
                Game.objects.get(pk=original_id),
                code=f"{number}-{original_id}",
                seed=f"{number}-{original_id}",
            )
            game.save()
            events = {
                row.pk: copy_row(row, game=game) for row in Event.objects.filter(game=original_id)
            }
            Event.objects.bulk_create(events.values())
            for model in (Player, MindNote, Vote, Utterance, FinalClaims):
                rows = []
                for row in model.objects.filter(game=original_id):
                    if hasattr(row, "event_id") and row.event_id:
                        row.event = events[row.event_id]
                    if (
                        model is Utterance
                    ):  # otherwise the cached reading of one text would serve all copies
                        row.text = row.text.replace(".", f", {number}.")
                    rows.append(copy_row(row, game=game))
                model.objects.bulk_create(rows)
            block, index = slot.block + number * PLAYED, slot.index + number * len(played)
            copy_row(Slot.objects.get(pk=slot.pk), game=game, block=block, index=index,
                   deal=f"{slot.deal}-{number}").save()  # fmt: skip


def copy_row(row: Any, **changes: Any) -> Any:
    """Return the row as a new one with changed fields."""
    row.pk = uuid.uuid4() if type(row).__name__ == "Utterance" else None
    row._state.adding = True
    for name, value in changes.items():
        setattr(row, name, value)
    return row


if __name__ == "__main__":
    main()
