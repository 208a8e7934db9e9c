"""Any order of answers, deadlines, host actions, crashes and restarts gives a legal log."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from game import clock, host_actions, lost_time, selectors, services, store
from game.engine import rulesets
from game.engine.events import Event
from game.engine.forms import Illegal
from game.engine.seeded_random import SeededRandom
from game.models import Answer, Game
from tests.engine.playing import run_script
from tests.game.table import any_answer, new_game

pytestmark = pytest.mark.django_db
PEOPLE = (1, 4, 6)
SWEEP_INTERVAL_S = 4  # interval of a busy sweeper


class Crash(Exception):
    """Raised to simulate a process that dies within its transaction."""


class Storm:
    """A game with random actions. `accepted` holds the confirmed posts."""

    def __init__(self, seed: int, pace: str) -> None:
        self.at = timezone.now()
        limits = {"statement": 60, "vote": 60, "night": 60}
        self.game = new_game(*PEOPLE, seed=str(seed), pace=pace, limits=limits)
        self.accepted: dict[tuple[str, int], str] = {}

    def answer(self, choice: int, *, agent: bool | None = None, crash: bool = False) -> None:
        """Answer for a random asked seat. `crash` rolls the answer back before the commit."""
        asked_seats = [(o, s) for o in selectors.open_windows(self.game) for s in o.asked]
        if not asked_seats:
            return
        window, seat = asked_seats[choice % len(asked_seats)]
        action = any_answer(window, seat)
        with contextlib.suppress(Illegal, Crash), transaction.atomic():
            services.answer(self.game.pk, seat, window.window.key, action, is_agent=agent)
            if crash:
                raise Crash
            self.accepted[window.window.key, seat] = action.text

    def answer_late(self, choice: int) -> None:
        """Answer a closed window, which must be rejected."""
        rows = list(self.game.windows.exclude(closed_at=None))
        if rows:
            row = rows[choice % len(rows)]
            window = store.to_window(row)
            with contextlib.suppress(Illegal):
                seat = window.seats[choice % len(window.seats)]
                services.answer(
                    self.game.pk, seat, row.key, window.default_for(seat, SeededRandom("x")).action
                )
                raise AssertionError(f"{row.key} was closed")

    def act_as_host(self, choice: int) -> None:
        """Run a random host action, sensible or not."""
        seat = PEOPLE[choice % len(PEOPLE)]
        acts: list[Callable[[], None]] = [
            lambda: host_actions.pause(self.game.pk),
            lambda: host_actions.resume(self.game.pk),
            lambda: host_actions.extend_deadlines(self.game.pk),
            lambda: host_actions.hand_over(self.game.pk, seat),
            lambda: host_actions.return_seat(self.game.pk, seat),
        ]
        with contextlib.suppress(Illegal):
            acts[choice % len(acts)]()

    def tick(self, seconds: float, *, is_swept: bool = True) -> None:
        """Let time pass, with a running sweeper or (`is_swept` false) without one until the end."""
        sweeps = -(-int(seconds) // SWEEP_INTERVAL_S) if is_swept else 1
        for _ in range(sweeps):
            self.at += timedelta(seconds=SWEEP_INTERVAL_S if is_swept else seconds)
            lost_time.restore_lost_time()
            services.settle_deadlines(self.game.pk)


STEPS = st.tuples(
    st.sampled_from(["answer"] * 8 + ["agent", "person", "crash", "late", "host", "tick", "sleep"]),
    st.integers(0, 40),
)


def step(storm: Storm, action: str, number: int) -> None:
    match action:
        case "answer":
            storm.answer(number)
        case "agent" | "person":
            storm.answer(number, agent=action == "agent")
        case "crash":
            storm.answer(number, crash=True)
        case "late":
            storm.answer_late(number)
        case "host":
            storm.act_as_host(number)
        case "tick":
            storm.tick(number)
        case "sleep":  # -1000 to 3000 s: below 10, the clock moves back
            storm.tick(number * 100 - 1000, is_swept=False)


def check(game: Game, log: list[Event], accepted: dict[tuple[str, int], str]) -> None:
    """Assert that the rules accept this log and that it has every confirmed post once."""
    new_events = run_script(
        rulesets.get(game.ruleset),
        log,
        answers={},
        ready=lambda wait: False,
        rng=SeededRandom(game.seed),
    )
    assert new_events == [], "the log is complete and matches the rules"
    assert [e.kind for e in log].count("game_over") == 1
    statements = [e for e in log if e.kind == "statement"]
    assert [e["seat"] for e in statements] == [*range(1, 9)] * 3
    assert sorted(e["seat"] for e in log if e.kind == "vote") == [*range(1, 9)]
    texts = {(e["window"], e["seat"]): e.data.get("text", "") for e in statements}
    for (key, seat), text in accepted.items():
        if text:
            assert texts[key, seat] == text
    assert len({e.data["window"] for e in statements}) == len(statements)


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.integers(0, 10**6),
    st.sampled_from(["none", "natural", "even"]),
    st.lists(STEPS, max_size=60),
)
def test_any_interleaving_of_actions_yields_a_legal_log(
    seed: int, pace: str, steps: list[tuple[str, int]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        storm = Storm(seed, pace)
        patch.setattr(clock, "now", lambda: storm.at)
        for action, number in steps:
            step(storm, action, number)
        with contextlib.suppress(Illegal):
            host_actions.resume(storm.game.pk)
        for _ in range(500):
            if Game.objects.get(pk=storm.game.pk).ended_at:
                break
            storm.answer(0)
            storm.tick(10)
        log = store.load_log(storm.game)
    check(storm.game, log, storm.accepted)
    assert not Answer.objects.filter(window__closed_at=None, window__game=storm.game).exists()
