"""Tests that an experiment completes through kills of each process, with equal games."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest

from tests.endpoint import Endpoint
from tests.live import Stack, wait_until
from webapp.play.turns.leases import MAX_ENDED_WORKERS

pytestmark = pytest.mark.live

GAMES, AT_ONCE, SEATS = 6, 3, 8
ALL = ["worker", "worker2", "sweeper", "redis", "web"]
# Two workers: one continues while the leases of the other expire.
KILLS = [["worker"], ["sweeper"], ["redis"], ["web"], ["worker2", "redis"], ALL, ["worker"]]

OPEN = """
from django.contrib.auth.models import User
from webapp.study.planning import studies
owner, _new = User.objects.get_or_create(username="OWNER")
study = studies.create(owner, "killed", seed="kill", design={
    "table": {"people": 0, "blind": False, "method": "baseline", "backend": "BACKEND",
              "casting": {"werewolf": {"method": "full"}}},
    "assignment": {"games": GAMES}, "experiment": {"at_once": AT_ONCE}})
studies.open(study)
print(study.code)
"""
SUSPECTS = """
from webapp.play.models import Lease
print(Lease.objects.filter(ended_workers__gt=0).count())
"""
UNFINISHED = """
from webapp.study.models import Slot
print(Slot.objects.filter(study__code="CODE").exclude(state="done").count())
"""
DIGESTS = """
import json
from game import selectors
from game.engine import visibility
from game.engine.events import digest
from webapp.study.models import Slot
rows = Slot.objects.filter(study__code="CODE").select_related("game")
print(json.dumps([
    [(row.state, row.deal) for row in rows],
    {row.deal: digest(selectors.view_for(row.game, visibility.MODERATOR).events)
     for row in rows if row.state == "done"},
]))
"""


def open_experiment(stack: Stack, owner: str, backend: str) -> str:
    names = {"OWNER": owner, "BACKEND": backend, "GAMES": str(GAMES), "AT_ONCE": str(AT_ONCE)}
    code = OPEN
    for name, value in names.items():
        code = code.replace(name, value)
    return stack.shell(code).split()[-1]


def read_outcome(stack: Stack, code: str) -> tuple[Counter[str], dict[str, str]]:
    states, digests = json.loads(stack.shell(DIGESTS.replace("CODE", code)).splitlines()[-1])
    return Counter(state for state, _deal in states), digests


def wait_without_suspects(stack: Stack) -> None:
    """Wait until no answer is repeated. One that ends too many workers gets a default."""
    wait_until(lambda: stack.shell(SUSPECTS).split()[-1] == "0", "no suspects", 240, every=0.5)


def wait_until_done(stack: Stack, code: str) -> None:
    """Wait until all games are done. Their logs are read only once, which takes seconds."""
    query = UNFINISHED.replace("CODE", code)
    wait_until(lambda: stack.shell(query).split()[-1] == "0", "the end", 500, every=0.5)


def test_experiment_completes_through_kills_with_the_same_games() -> None:
    with Endpoint(models=["m"], latency=0.1) as endpoint:
        env = {"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": endpoint.url, "OPENAI_MODEL": "m"}
        with Stack(env=env, workers=2) as stack:
            model_study, house_study = (
                open_experiment(stack, "ada", "openai"),
                open_experiment(stack, "ada", "house"),
            )
            random_source, calls_before = Random("instants"), len(endpoint.calls)
            workers_ended = 0
            for names in KILLS:
                minimum = len(endpoint.calls) + random_source.randrange(5, 25)
                wait_until(
                    lambda minimum=minimum: len(endpoint.calls) >= minimum, "more requests", 240
                )
                if workers_ended >= MAX_ENDED_WORKERS - 1:
                    wait_without_suspects(stack)
                stack.kill_and_restart(names, wait=False)
                workers_ended += any(name.startswith("worker") for name in names)
            stack.wait_until_healthy()
            for code in (model_study, house_study):
                wait_until_done(stack, code)
                assert read_outcome(stack, code)[0] == {"done": GAMES}
            killed_workers = sum(name.startswith("worker") for names in KILLS for name in names)
            texts = Counter(json.dumps(call.messages) for call in endpoint.calls[calls_before:])
            repeated = sum(count - 1 for count in texts.values())
            assert repeated <= killed_workers * AT_ONCE * SEATS, (
                "only interrupted requests are repeated"
            )
            for name in ("worker", "worker2", "sweeper"):
                stack.kill(name)
            undisturbed_study = open_experiment(stack, "bea", "house")
            command = ("experiment", "run", undisturbed_study, "--here", "--processes", "2")
            rows = [json.loads(line) for line in stack.manage(*command).splitlines()]
            assert sorted(row["slot"] for row in rows) == list(range(1, GAMES + 1))
            assert read_outcome(stack, undisturbed_study) == read_outcome(stack, house_study)
