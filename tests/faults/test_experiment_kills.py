"""kill -9 of each process while an experiment runs: every game ends, as if nothing had happened."""

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
# Two workers: while the leases of one lapse, the other plays on, so that nothing waits for them.
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


def opened(stack: Stack, owner: str, backend: str) -> str:
    names = {"OWNER": owner, "BACKEND": backend, "GAMES": str(GAMES), "AT_ONCE": str(AT_ONCE)}
    code = OPEN
    for name, value in names.items():
        code = code.replace(name, value)
    return stack.shell(code).split()[-1]


def outcome(stack: Stack, code: str) -> tuple[Counter[str], dict[str, str]]:
    states, digests = json.loads(stack.shell(DIGESTS.replace("CODE", code)).splitlines()[-1])
    return Counter(state for state, _deal in states), digests


def spare_suspects(stack: Stack) -> None:
    """Wait until no answer is computed anew: what ends too many workers gets a default answer."""
    wait_until(lambda: stack.shell(SUSPECTS).split()[-1] == "0", "no suspects", 240, every=0.5)


def test_experiment_completes_through_kills_with_the_same_games() -> None:
    with Endpoint(models=["m"], latency=0.1) as endpoint:
        env = {"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": endpoint.url, "OPENAI_MODEL": "m"}
        with Stack(env=env, workers=2) as stack:
            asking, built_in = opened(stack, "ada", "openai"), opened(stack, "ada", "house")
            draw, tested = Random("instants"), len(endpoint.calls)
            workers_ended = 0
            for names in KILLS:
                more = len(endpoint.calls) + draw.randrange(5, 25)
                wait_until(lambda more=more: len(endpoint.calls) >= more, "more requests", 240)
                if workers_ended >= MAX_ENDED_WORKERS - 1:
                    spare_suspects(stack)
                stack.fell(names, wait=False)
                workers_ended += any(name.startswith("worker") for name in names)
            stack.wait_healthy()
            done = {"done": GAMES}
            for code in (asking, built_in):
                wait_until(lambda code=code: outcome(stack, code)[0] == done, "the end", 500)
            killed = sum(name.startswith("worker") for names in KILLS for name in names)
            texts = Counter(json.dumps(call.messages) for call in endpoint.calls[tested:])
            again = sum(n - 1 for n in texts.values())
            assert again <= killed * AT_ONCE * SEATS, "only what was under way is asked again"
            for name in ("worker", "worker2", "sweeper"):
                stack.kill(name)
            quiet = opened(stack, "bea", "house")
            command = ("experiment", "run", quiet, "--here", "--processes", "2")
            printed = [json.loads(line) for line in stack.manage(*command).splitlines()]
            assert sorted(row["slot"] for row in printed) == list(range(1, GAMES + 1))
            assert outcome(stack, quiet) == outcome(stack, built_in)
