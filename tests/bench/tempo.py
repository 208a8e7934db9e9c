"""Measure how long a game takes at each pace, for a person who needs 20 s for each answer.

The clock of the game (`game.clock`) is advanced instead of waiting. The person answers 20 s after a
window opens, agents as soon as their answers are computed. Each game uses the game's actions and
pauses, and its duration is the time of the clock at the end. The computing time of agents on this
machine is added, one answer after the other.
"""

from __future__ import annotations

import os
import statistics
import time
from datetime import datetime, timedelta
from typing import Any

from tests.bench import measure_apart

ANSWER_DELAY_S = 20.0
RULESETS = ("aiwolf-13", "aiwolf-5", "sheriff", "one-night")
GAMES_PER_PACE = 3  # The number of games of each ruleset.


def main() -> None:
    measure_apart("tempo", FABULA_TEST_RUN="{data}", DJANGO_SETTINGS_MODULE="tests.settings")


def measure() -> None:
    import django

    django.setup()
    from game import clock
    from webapp.play.live import notifier

    rulesets = os.environ.get("BENCH_RULESETS", "").split() or RULESETS
    print(f"minutes of {GAMES_PER_PACE} games each, a person answers in {ANSWER_DELAY_S:.0f} s")
    print("ruleset | pace | median | longest | answers of the person")
    with notifier.diverted(lambda game, opened: None):
        for ruleset in rulesets:
            for pace in clock.PACE_STEPS:
                played = [_play(ruleset, pace, f"{ruleset}/{n}") for n in range(GAMES_PER_PACE)]
                minutes = [seconds / 60 for seconds, _count in played]
                answer_count = statistics.median(answer_count for _seconds, answer_count in played)
                print(
                    f"{ruleset} | {pace} | {statistics.median(minutes):.1f} |"
                    f" {max(minutes):.1f} | {answer_count:.0f}",
                    flush=True,
                )


class _FakeClock:
    """Clock of the game, which the benchmark sets."""

    def __init__(self) -> None:
        from django.utils import timezone

        self.current_time = timezone.now()

    def now(self) -> datetime:
        return self.current_time


def _play(ruleset: str, pace: str, seed: str) -> tuple[float, int]:
    """Play a game to its end. Return (seconds, number of the person's answers)."""
    from unittest import mock

    from agents.recipe import Recipe
    from game import clock, lobby
    from game.engine import rulesets
    from game.models import Player

    fake_clock = _FakeClock()
    recipe = Recipe().data()
    seats = len(rulesets.get(ruleset).deck)
    plans = [lobby.SeatPlan(Player.PERSON, recipe)]
    plans += [lobby.SeatPlan(Player.AGENT, recipe) for _ in range(seats - 1)]
    with mock.patch.object(clock, "now", fake_clock.now):
        game = lobby.create_game(ruleset, plans, seed=seed, pace=pace)
        started_at, answer_count = fake_clock.current_time, 0
        while not game.ended_at:
            answer_count += _step(game, fake_clock)
            game.refresh_from_db()
    return (fake_clock.current_time - started_at).total_seconds(), answer_count


def _step(game: Any, fake_clock: _FakeClock) -> int:
    """Send one answer or advance the clock. Return whether the person answered, as 0 or 1."""
    from game import deadlines, locked_game, selectors

    windows = selectors.open_windows(game)
    for window in windows:
        agents = [seat for seat in window.missing if seat != 1]
        if agents:
            _answer_for_agent(game, agents[0], window.window.key, fake_clock)
            return 0
    own_windows = [w for w in windows if 1 in w.missing and w.window.waits_for != "nobody"]
    times = [w.opened_at + timedelta(seconds=ANSWER_DELAY_S) for w in own_windows]
    due = [game.due_at] if game.due_at else []
    fake_clock.current_time = max(fake_clock.current_time, min([*times, *due]))
    if due and due[0] <= fake_clock.current_time:
        deadlines.settle_deadlines(game.pk)
        return 0
    window = next(
        w for w, at in zip(own_windows, times, strict=True) if at <= fake_clock.current_time
    )
    locked_game.record_answer(game.pk, 1, window.window.key, _person_answer(window))
    return 1


def _answer_for_agent(game: Any, seat: int, key: str, fake_clock: _FakeClock) -> None:
    from webapp.play.turns import answering

    start_cpu_s = time.process_time()
    answering.answer_window(game.pk, seat, key, use_lease=False)
    fake_clock.current_time += timedelta(seconds=time.process_time() - start_cpu_s)


def _person_answer(window: Any) -> Any:
    """Return an answer that talks in every pass and accuses no player, for a long game."""
    from game.engine.events import say
    from tests.game.table import any_answer

    if window.window.kind in ("statement", "whisper"):
        return say("I am a Villager. I do not know yet whom to vote for, I want to hear more.")
    return any_answer(window, 1)
