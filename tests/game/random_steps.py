"""A game with random steps in any order: answers, crashes, host actions, lost time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from hypothesis import strategies as st

from game import deadlines, game_actions, locked_game, selectors, store
from game.engine.forms import Illegal
from game.engine.seeded_random import SeededRandom
from tests.game.table import any_answer, new_game

PEOPLE = (1, 4, 6)
SWEEP_INTERVAL_S = 4  # interval of a busy sweeper
RANDOM_STEPS = st.tuples(
    st.sampled_from(["answer"] * 8 + ["agent", "person", "crash", "late", "host", "tick", "sleep"]),
    st.integers(0, 40),
)


class Crash(Exception):
    """Raised to simulate a process that dies within its transaction."""


class RandomGame:
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
            locked_game.record_answer(self.game.pk, seat, window.window.key, action, is_agent=agent)
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
                locked_game.record_answer(
                    self.game.pk, seat, row.key, window.default_for(seat, SeededRandom("x")).action
                )
                raise AssertionError(f"{row.key} was closed")

    def act_as_host(self, choice: int) -> None:
        """Run a random host action, sensible or not."""
        seat = PEOPLE[choice % len(PEOPLE)]
        acts: list[Callable[[], None]] = [
            lambda: game_actions.pause(self.game.pk),
            lambda: game_actions.resume(self.game.pk),
            lambda: deadlines.extend_deadlines(self.game.pk),
            lambda: game_actions.hand_over(self.game.pk, seat),
            lambda: game_actions.return_seat(self.game.pk, seat),
        ]
        with contextlib.suppress(Illegal):
            acts[choice % len(acts)]()

    def tick(self, seconds: float, *, is_swept: bool = True) -> None:
        """Let time pass, with a running sweeper or (`is_swept` false) without one until the end."""
        sweeps = -(-int(seconds) // SWEEP_INTERVAL_S) if is_swept else 1
        for _ in range(sweeps):
            self.at += timedelta(seconds=SWEEP_INTERVAL_S if is_swept else seconds)
            deadlines.restore_lost_time()
            deadlines.settle_deadlines(self.game.pk)


def take_step(random_game: RandomGame, action: str, number: int) -> None:
    match action:
        case "answer":
            random_game.answer(number)
        case "agent" | "person":
            random_game.answer(number, agent=action == "agent")
        case "crash":
            random_game.answer(number, crash=True)
        case "late":
            random_game.answer_late(number)
        case "host":
            random_game.act_as_host(number)
        case "tick":
            random_game.tick(number)
        case "sleep":  # -1000 to 3000 s: below 10, the clock moves back
            random_game.tick(number * 100 - 1000, is_swept=False)
