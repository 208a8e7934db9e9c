"""A study of forty simulated people on a live stack whose processes are killed repeatedly.

`manage.py rehearse --site` sends the people, some of whom leave or stop. The supervisor of `make
play` restarts dead processes. At the end no person may be stuck or paid wrongly, and no answer
lost.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from tests.live import Stack
from webapp.runtime import PROJECT_ROOT
from webapp.runtime.supervisor import DEATH_WINDOW_S, MAX_DEATHS
from webapp.study.rehearsal.separate_process import supervise

PEOPLE = 40
DROPOUT = 0.2
IDLE = 0.1
SPEED = 20
SEED = "killed"
KILL_EVERY = (10.0, 40.0)  # seconds until the next kill
PATIENCE_S = 3000  # restarts take long on a busy machine
PROCESSES_PER_KILL = (1, 1, 1, 2, 5)  # processes per kill; 5 is a power cut
PROCESSES = ("web", "web2", "worker", "sweeper", "redis")
IDLE_MINUTES = 80  # At SPEED this is 4 minutes.
LIMITS = dict.fromkeys(("statement", "vote", "night", "poll"), 30)  # seconds for an answer
CHANGES = {
    "table": {"limits": LIMITS},
    "assignment": {"games": 14},
    "waiting": {"ready": 60},
    "dropout": {"missed": 2, "grace": 900},  # at SPEED, 45 s: longer than a restart
    "currency": "GBP",
    "ethics": {"contact": "ada@example.org"},
    "bonuses": [
        {"rule": "won", "amount": "0.50"},
        {"rule": "guessed_human", "amount": "0.10", "most": "0.50"},
    ],
    "exits": {
        "completed": {"code_kind": "own", "pay": "6.00"},
        "waited_out": {"code_kind": "own", "pay": "1.00"},
        "left": {"code_kind": "same", "code": "LEFT", "pay": "0.50"},
        "technical": {"code_kind": "own", "pay": "6.00"},
    },
}
CREATE = """
from django.contrib.auth.models import User
from webapp.study.design.stages import Design
from webapp.study.planning import ready, studies
file = ready.get("who-is-human")
design = file.design.to_json()
for stage in design["stages"]:
    stage["idle_minutes"] = {idle}
for part, change in {changes!r}.items():
    design[part] = {{**design[part], **change}} if isinstance(change, dict) else change
owner = User.objects.get_or_create(username="bench")[0]
design = Design.from_json(design).to_json()
print(studies.create(owner, file.name, design=design, seed="bench").code)
"""
LEFTOVERS_QUERY = """
from game.models import Game
from webapp.study.models import Participant
print(Participant.objects.count() + Game.objects.count())
"""
# Maps counts that must be 0 to their descriptions.
FAULTS = {
    "stuck": "stuck",
    "inside": "never out of the study",
    "pay_wrong": "paid wrongly",
    "codes_wrong": "wrong completion codes",
    "answers_lost": "answers lost",
}


class Killer:
    """Thread that kills random processes at random times while the stack is healthy.

    No process is killed so often that the supervisor gives up.
    """

    def __init__(self, stack: Stack, rng: Random) -> None:
        self.kills: list[tuple[float, str]] = []
        self._stack = stack
        self._rng = rng
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._rng.uniform(*KILL_EVERY)):
            since = time.monotonic() - DEATH_WINDOW_S - 10
            recent = Counter(name for killed_at, name in self.kills if killed_at > since)
            names = [name for name in PROCESSES if recent[name] < MAX_DEATHS - 1]
            if not names or self._stack.health()[0] != 200:
                continue
            for name in self._rng.sample(
                names, min(len(names), self._rng.choice(PROCESSES_PER_KILL))
            ):
                self._stack.group.signal(name, signal.SIGKILL)
                self.kills.append((time.monotonic(), name))


def rehearse(stack: Stack, code: str) -> dict[str, Any]:
    """Send the people to the stack, and start killing when the first have arrived."""
    command = [sys.executable, "manage.py", "rehearse", code, "--site", stack.url,
               "--participants", str(PEOPLE), "--dropout", str(DROPOUT), "--idle", str(IDLE),
               "--speed", str(SPEED), "--patience", str(PATIENCE_S), "--seed", SEED]  # fmt: skip
    log = stack.data / "rehearsal.log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command,
            cwd=PROJECT_ROOT,
            env=stack.env,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        _wait_for_people(process, log)
        with Killer(stack, Random(SEED)) as killer:
            output = process.communicate()[0]
    if not output:
        sys.exit(f"no result:\n{log.read_text()[-4000:]}")
    print(_faults_of(log))
    print(f"kills: {dict(Counter(name for _when, name in killer.kills))}")
    result: dict[str, Any] = json.loads(output.splitlines()[-1])
    return result


def _wait_for_people(process: subprocess.Popen[str], log: Path) -> None:
    while process.poll() is None and "on the way" not in log.read_text():
        time.sleep(0.2)


def _faults_of(log: Path) -> str:
    """Return the fault lines of the rehearsal's log."""
    lines = log.read_text().splitlines()
    marks = ("stuck: ", "lost: ", "paid wrongly: ")
    return "\n".join(line for line in lines if any(mark in line for mark in marks))


def main() -> bool:
    """Print the figures. Returns: whether there was no fault."""
    began = time.monotonic()
    with Stack(webs=2, env={"FABULA_CROWD": "200"}) as stack, supervise(stack, print):
        code = stack.shell(CREATE.format(changes=CHANGES, idle=IDLE_MINUTES)).split()[-1]
        result = rehearse(stack, code)
        leftovers = int(stack.shell(LEFTOVERS_QUERY).split()[-1])
    print(
        f"{PEOPLE} people, dropout {DROPOUT}, idle {IDLE}, speed {SPEED}:"
        f" {result['answers']} answers, {result['games']} games that count,"
        f" {time.monotonic() - began:.0f} s"
    )
    print(f"exits: {result['ways_out']}; left {result['left']}, idle {result['idle']}")
    print(f"pay: {result['pay']}")
    faults = {text: result[key] for key, text in FAULTS.items()}
    faults["rows left over on the site"] = leftovers
    for text, count in faults.items():
        print(f"{text}: {count}")
    return not any(faults.values())
